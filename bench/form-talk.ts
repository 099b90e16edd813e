// How well rules alone remember what people tell an assistant, through the whole of Varve:
//   npm run bench:form-talk -- [--half "worked on"|"held out"|unseen] [--talk "of themselves"|"of things"]
//     [--show missed,wrong,beside]
//
// The rules were written on the people of the half "worked on"; the second half was held out by their authors, who wrote its
// talk too; the people of "unseen" were written by somebody who has never seen the rules, and are the ones to believe.
//  recall     of what should be known in the end, what is
//  precision  of what is live in the end: not from a message that says nothing, not taken back, no double. That is the
//             upper end: `--show beside` lists what nobody asked for, to be read
import { parseArgs } from 'node:util';
import { readPersonas, scorePersona, sumScores } from '../test/assistant-talk.ts';

const { values } = parseArgs({
  options: { half: { type: 'string' }, talk: { type: 'string' }, show: { type: 'string', default: '' } },
});
const groups = Map.groupBy(readPersonas(), ({ half, talk }) => `${half}, ${talk}`);
for (const [group, personas] of groups) {
  if (!group.startsWith(values.half ?? '') || !group.endsWith(values.talk ?? '')) continue;
  const scores = [];
  for (const persona of personas) scores.push(await scorePersona(persona));
  const sum = sumScores(scores);
  for (const what of ['missed', 'wrong', 'beside'] as const)
    if (values.show.split(',').includes(what)) for (const line of sum[what]) console.log(`${what}: ${line}`);
  console.log(
    `${group}: recall ${sum.recall.toFixed(3)} (${sum.found} of ${sum.expected}), ` +
      `precision ${sum.precision.toFixed(3)} (${sum.right} of ${sum.formed}), ${sum.beside.length} to be read`,
  );
}
