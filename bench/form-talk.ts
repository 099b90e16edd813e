// How well rules alone remember what people tell an assistant, through the whole of Varve:
//   npm run bench:form-talk -- [--half "worked on"|"held out"] [--show missed,wrong,beside]
//
// The rules were written on the first six people; the others were held out.
//  recall     of what should be known in the end, what is
//  precision  of what is live in the end: not from a message that says nothing, not taken back, no double. That is the
//             upper end: `--show beside` lists what nobody asked for, to be read
import { parseArgs } from 'node:util';
import { readPersonas, scorePersona, sumScores } from '../test/assistant-talk.ts';

const { values } = parseArgs({
  options: { half: { type: 'string' }, show: { type: 'string', default: '' } },
});
for (const half of ['worked on', 'held out'] as const) {
  if (values.half !== undefined && values.half !== half) continue;
  const scores = [];
  for (const persona of readPersonas().filter((each) => each.half === half)) scores.push(await scorePersona(persona));
  const sum = sumScores(scores);
  for (const what of ['missed', 'wrong', 'beside'] as const)
    if (values.show.split(',').includes(what)) for (const line of sum[what]) console.log(`${what}: ${line}`);
  console.log(
    `${half}: recall ${sum.recall.toFixed(3)} (${sum.found} of ${sum.expected}), ` +
      `precision ${sum.precision.toFixed(3)} (${sum.right} of ${sum.formed}), ${sum.beside.length} to be read`,
  );
}
