import { wordsOfAll } from './packs/packs.ts';
import { splitSentences, type TextSpan } from './sentences.ts';

const BREAK = new RegExp(`[,;，、；]\\s*|[:：]\\s+| (?=(?:${wordsOfAll('clauseBreak')}) )`, 'giu');
/** "Oh, …": fewer letters are no clause of their own. */
const SHORTEST = 4;

/** Splits a text into the clauses of its sentences, at commas, colons, semicolons and conjunctions. The reading layers were trained on such clauses. */
export function splitClauses(text: string): TextSpan[] {
  return splitSentences(text).flatMap(({ text: sentence, span }) => {
    const clauses: TextSpan[] = [];
    const breaks = [...sentence.matchAll(BREAK)].map(({ index, 0: mark }) => index + mark.length);
    for (const end of [...breaks, sentence.length].map((place) => span.start + place)) {
      const last = clauses.at(-1);
      const start = last?.end ?? span.start;
      const isJoined = last !== undefined && [text.slice(last.start, last.end), text.slice(start, end)].some(isShort);
      if (isJoined) last.end = end;
      else clauses.push({ start, end });
    }
    return clauses;
  });
}

function isShort(clause: string): boolean {
  return (clause.match(/[\p{L}\p{N}]/gu)?.length ?? 0) < SHORTEST && !/\p{Lo}{2}/u.test(clause);
}
