import { straightApostrophes } from '../../language/straight-apostrophes.ts';
import type { Turn } from '../../models/distiller.ts';
import type { ExtractedStatement } from './extracted-statement.ts';

const AGREES =
  /^(?:got it|understood|noted|will do|sure|of course|absolutely|okay|ok|great|perfect|makes sense|sounds good|alright)\b[,.!—–-]*\s*(?:I(?:'ll| will)|I am going to|I'm going to) (?:keep|make|write|use) (?:it|them|things|everything|your [\p{L} ]{2,30}|the [\p{L} ]{2,30}) ([\p{L}-]+(?:(?:,| and|, and) [\p{L}-]+){0,3})[.!]/iu;

/** The agent's paraphrase of a wish it agrees to is kept with it, marked as agreed. Nothing else an agent says is learned. */
export function agreedWording(statements: readonly ExtractedStatement[], turns: readonly Turn[]): ExtractedStatement[] {
  return statements.map((statement) => {
    if (statement.type !== 'preference' && statement.type !== 'feedback') return statement;
    const reply = turns[statement.turn];
    const last = statements.findLast(({ turn, type }) => turn === statement.turn && type === statement.type);
    if (reply?.origin !== 'agent' || last !== statement) return statement;
    const words = AGREES.exec(straightApostrophes(reply.content.slice(0, 400)))?.[1];
    return words === undefined || statement.content.split(' ').length > 24
      ? statement
      : { ...statement, content: `${statement.content.replace(/\.$/, '')} (agreed: ${words}).` };
  });
}
