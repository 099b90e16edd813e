import { withoutEnd } from '../../../language/without-end.ts';
import type { Event } from '../../../record/event.ts';
import { civilDateAt, MONTHS } from '../../../language/civil-date.ts';
import type { ReadStatement, ReadTopic } from '../reader.ts';

const MOST_TOPICS = 3;
const MOST_QUOTATIONS = 6;
const TITLE_WORDS = 7;

/**
 * What the turns were about, as dated quotations of the user: no prose, because nobody wrote any. One topic for each stretch of
 * statements that a gap of five turns parts from the next; its title is the first statement's words.
 */
export function topicsOf(statements: readonly ReadStatement[], turns: readonly Event[], timeZone: string): ReadTopic[] {
  const stretches: ReadStatement[][] = [];
  let last = -10;
  for (const statement of statements) {
    const turn = statement.quotes[0]?.turn ?? 0;
    if (turn - last > 5 || stretches.length === 0) stretches.push([]);
    stretches.at(-1)?.push(statement);
    last = turn;
  }
  return stretches
    .toSorted((left, right) => right.length - left.length)
    .slice(0, MOST_TOPICS)
    .map((stretch) => ({
      topic: titleOf(stretch[0]),
      summary: stretch
        .slice(0, MOST_QUOTATIONS)
        .map((statement) => quotation(statement, turns, timeZone))
        .join('\n'),
      turns: [...new Set(stretch.flatMap(({ quotes }) => quotes.map(({ turn }) => turn)))],
    }));
}

function titleOf(statement: ReadStatement | undefined): string {
  const words = (statement?.quotes[0]?.words ?? '').replace(/\s+/g, ' ').trim();
  const head = words.split(' ').slice(0, TITLE_WORDS).join(' ').slice(0, 60);
  return head.length < words.length ? `${head} …` : withoutEnd(head, '.!。');
}

function quotation(statement: ReadStatement, turns: readonly Event[], timeZone: string): string {
  const quote = statement.quotes[0];
  const turn = turns[(quote?.turn ?? 0) - 1];
  if (quote === undefined || turn === undefined) return statement.text;
  const { day, month } = civilDateAt(turn.occurredAt, timeZone);
  return `${day} ${MONTHS[month - 1] ?? ''}: “${quote.words.replace(/\s+/g, ' ').slice(0, 240)}”`;
}
