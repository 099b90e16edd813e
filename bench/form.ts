// How well rules alone form memories, and how fast, on the dialogues of Synthetic-Persona-Chat:
//   npm run bench:form -- --data ../shared/bench/persona-chat-dev.jsonl [--show missed|wrong|doubles|extracted]
//
// The rules were written on the first half of the dialogues; the second half was held out.
//  said           one sentence of that speaker that is no question, with the question it answers, covers the gold statement
//  recall         of the gold statements that were said: one extracted statement of that speaker covers it, or those from
//                 one and the same sentence do together, because a list becomes one memory each
//  precision      of the extracted statements: right by `isRight` of form-matching.ts. That is the upper end. Of 380
//                 statements of the second half that one reader judged, 345 were good (0.908), 28 empty, 7 wrong; the
//                 automatic rule accepts 341 of the good ones, and 11 of the 17 others that the rules still give
//  hallucination  of the extracted statements: a content word, name or number that is neither in the turn nor in the two
//                 before: the question, and what the speaker said last, where "he" comes from
//  duplicates     of the extracted statements: another one of that speaker with the same polarity and 0.8 of the stems,
//                 counted after deduplicateStatements, as formation calls it
//  ms             one exchange: one turn, with the six before it to look back at
import { existsSync, readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { deduplicateStatements } from '../src/form/local/deduplicate-statements.ts';
import { extractStatements } from '../src/form/local/extract-statements.ts';
import type { ExtractedStatement } from '../src/form/local/extracted-statement.ts';
import { splitSentences } from '../src/language/split-sentences.ts';
import type { Turn } from '../src/models/distiller.ts';
import { coversGold, isDouble, isRight, unsupportedWords } from './form-matching.ts';

interface Dialogue {
  personas: Record<string, string[]>;
  turns: { speaker: number; text: string }[];
}

const { values } = parseArgs({
  options: { data: { type: 'string' }, show: { type: 'string', default: '' } },
});
const path = values.data;
if (path === undefined || !existsSync(path)) {
  const missing = path === undefined ? 'No data was named.' : `There is no file ${path}.`;
  console.error(
    `${missing} Nothing was measured. Give --data <persona-chat-dev.jsonl> (Synthetic-Persona-Chat, CC BY 4.0).`,
  );
  process.exit(2);
}

const startedAt = new Date('2026-11-15T10:00:00Z');
const dialogues = readFileSync(path, 'utf8')
  .trim()
  .split('\n')
  .map((line) => JSON.parse(line) as Dialogue);
const middle = Math.ceil(dialogues.length / 2);
// The first texts pay for compiling; they are measured by nobody.
for (const dialogue of dialogues.slice(0, 10)) extractStatements({ turns: turnsOf(dialogue) });

const results = [
  measureHalf('rules written on', dialogues.slice(0, middle)),
  measureHalf('held out', dialogues.slice(middle)),
];
const both = (read: (result: Measured) => string): string => results.map(read).join(' / ');
console.log(
  `bench:form recall ${both((half) => half.recall)}, precision ${both((half) => half.precision)}, ` +
    `hallucination ${both((half) => half.hallucination)}, duplicates ${both((half) => half.duplicates)}, ` +
    `p95 ${both((half) => half.p95)} ms (both halves; aims: 0.55, 0.85, 0.02, 0.03, 10 ms)`,
);

interface Measured {
  recall: string;
  precision: string;
  hallucination: string;
  duplicates: string;
  p95: string;
}

function measureHalf(name: string, half: readonly Dialogue[]): Measured {
  const totals = { gold: 0, said: 0, found: 0, statements: 0, right: 0, unsupported: 0, doubles: 0 };
  const times: number[] = [];
  for (const dialogue of half) {
    const turns = turnsOf(dialogue);
    const statements = formed(turns, times);
    for (const [speaker, gold] of Object.entries(dialogue.personas)) {
      const own = statements.filter(({ turn }) => turns[turn - 1]?.speaker === `Person${speaker}`);
      countGold(gold, `Person${speaker}`, turns, own, totals);
      for (const [index, statement] of own.entries()) countStatement(statement, turns, own.slice(0, index), totals);
    }
  }
  times.sort((left, right) => left - right);
  const at = (share: number): string => (times[Math.floor((times.length - 1) * share)] ?? 0).toFixed(2);
  const share = (part: number, whole: number): string => (whole === 0 ? '-' : (part / whole).toFixed(3));
  const measured = {
    recall: share(totals.found, totals.said),
    precision: share(totals.right, totals.statements),
    hallucination: share(totals.unsupported, totals.statements),
    duplicates: share(totals.doubles, totals.statements),
    p95: at(0.95),
  };
  console.log(`${name}: ${half.length} dialogues, ${totals.gold} gold statements, ${totals.said} of them said`);
  console.log(`  recall         ${measured.recall}  (${totals.found} of ${totals.said})`);
  console.log(
    `  precision      ${measured.precision}  (${totals.right} of ${totals.statements}, automatic: the upper end)`,
  );
  console.log(`  hallucination  ${measured.hallucination}`);
  console.log(`  duplicates     ${measured.duplicates}`);
  console.log(`  ms an exchange p50 ${at(0.5)}, p95 ${at(0.95)}, p99 ${at(0.99)}`);
  return measured;
}

function turnsOf(dialogue: Dialogue): Turn[] {
  return dialogue.turns.map(({ speaker, text }) => ({
    kind: 'message',
    origin: 'user',
    speaker: `Person${speaker}`,
    content: text,
    category: null,
    occurredAt: startedAt,
  }));
}

/** Turn by turn as formation does it: what is known already of the speaker is not formed again. */
function formed(turns: readonly Turn[], times: number[]): ExtractedStatement[] {
  const statements: ExtractedStatement[] = [];
  for (const [index, turn] of turns.entries()) {
    const before = performance.now();
    const found = extractStatements({ turns: [turn] }, { earlierTurns: turns.slice(Math.max(0, index - 6), index) });
    times.push(performance.now() - before);
    const known = statements.filter((statement) => turns[statement.turn - 1]?.speaker === turn.speaker);
    statements.push(
      ...deduplicateStatements(found, known).map((statement) => Object.assign(statement, { turn: index + 1 })),
    );
  }
  return statements;
}

type Totals = Record<'gold' | 'said' | 'found' | 'statements' | 'right' | 'unsupported' | 'doubles', number>;

function countGold(
  gold: readonly string[],
  speaker: string,
  turns: readonly Turn[],
  own: readonly ExtractedStatement[],
  totals: Totals,
): void {
  const sources = turns.flatMap((turn, index) => {
    if (turn.speaker !== speaker) return [];
    const question = lastQuestion(turns[index - 1]);
    return splitSentences(turn.content)
      .filter(({ text }) => !/\?\W*$/.test(text))
      .map(({ text }, place) => ({ text, question: place === 0 ? question : '' }));
  });
  const bySentence = Map.groupBy(own, ({ turn, span }) => `${turn}:${span.start}`);
  const together = [...bySentence.values()].map((group) => group.map(({ content }) => content).join(' '));
  for (const statement of gold) {
    totals.gold += 1;
    const saidIn = sources.find(({ text, question }) => coversGold(statement, text, question));
    if (saidIn === undefined) continue;
    totals.said += 1;
    const found = [...own.map(({ content }) => content), ...together].some((text) => coversGold(statement, text));
    if (found) totals.found += 1;
    else show('missed', `${statement}  <<  [${saidIn.question}] ${saidIn.text}`);
  }
}

function lastQuestion(turn: Turn | undefined): string {
  return splitSentences(turn?.content ?? '').findLast(({ text }) => text.includes('?'))?.text ?? '';
}

function countStatement(
  statement: ExtractedStatement,
  turns: readonly Turn[],
  earlier: readonly ExtractedStatement[],
  totals: Totals,
): void {
  const content = (number: number): string => turns[number - 1]?.content ?? '';
  const before = content(statement.turn - 1);
  const source = `${content(statement.turn)} ${before} ${content(statement.turn - 2)} ${turns[statement.turn - 1]?.speaker ?? ''}`;
  const sentence = content(statement.turn).slice(statement.span.start, statement.span.end);
  const answersOrEchoes = statement.confidence === 'medium' || sentence.split(' ').length <= 4;
  totals.statements += 1;
  show('extracted', `${statement.content}  <<  ${sentence}`);
  if (isRight(statement.content, { sentence, source, answersOrEchoes })) totals.right += 1;
  else show('wrong', `${statement.content}  <<  ${sentence}`);
  if (unsupportedWords(statement.content, source).length > 0) totals.unsupported += 1;
  if (earlier.some((other) => isDouble(other.content, statement.content))) {
    totals.doubles += 1;
    show('doubles', statement.content);
  }
}

function show(what: string, line: string): void {
  if (values.show === what) console.log(`${what}: ${line}`);
}
