import { dayOfYear, zoneOf } from '../../../language/calendar.ts';
import { noteInFirstPerson } from '../../../language/first-person.ts';
import type { Pack } from '../../../language/packs/pack.ts';
import { english } from '../../../language/packs/en.ts';
import { detectPack } from '../../../language/packs/packs.ts';
import { bareStatement } from '../../../language/sentences.ts';
import { withoutEnd } from '../../../language/words.ts';
import type { Event } from '../../../record/event.ts';
import { type ReadInput, readStatement, type ReadStatement, type ReadTopic } from '../reader.ts';
import { fillSlots } from './fill-slots.ts';

/** One statement in the words of an agent's observation, decision or outcome. Tool results and documents yield none. */
export function readObserved(event: Event, number: number, input: ReadInput): ReadStatement[] {
  const quotes = [{ turn: number, words: event.content }];
  const said = { text: event.content, quotes, explicit: false };
  if (event.kind === 'decision') return [readStatement({ ...said, type: 'decision', tense: 'happened' })];
  if (event.kind === 'outcome') return [readStatement({ ...said, type: 'episode', tense: 'happened' })];
  if (event.kind !== 'observation' || event.category === 'scaffold_update') return [];
  const type = event.category === 'preference' ? 'preference' : 'fact';
  return [readStatement({ ...said, type, ...observedFields(event, input) })];
}

function observedFields(event: Event, { timeZone }: ReadInput): Partial<ReadStatement> {
  const { content, occurredAt } = event;
  const when = { now: occurredAt, timeZone: zoneOf(event, timeZone), prefer: 'future' } as const;
  const slot = fillSlots(noteInFirstPerson(content), english, when)[0];
  // The observation must contain the value, because rewriting it in the first person may have altered words.
  if (slot !== undefined && content.includes(slot.value ?? '')) {
    const { subject, attribute, value, polarity, tense, from } = slot;
    return { subject, attribute, value, polarity, tense: tense ?? 'holds', from: from?.toISOString() ?? null };
  }
  return {
    attribute: /^(?:the )?user prefers /i.test(content) ? 'preference' : null,
    value: /^(?:the )?user prefers (.{2,120}?)[.!]?$/i.exec(content)?.[1] ?? null,
  };
}

const MOST_TOPICS = 3;
const MOST_QUOTATIONS = 6;
const TITLE_WORDS = 7;

/** As dated quotations. A gap of more than five turns starts a new topic, whose title is the first words of its first quotation. */
export function topicsOf(statements: readonly ReadStatement[], turns: readonly Event[], timeZone: string): ReadTopic[] {
  const stretches: ReadStatement[][] = [];
  let last = -10;
  for (const statement of statements) {
    const turn = statement.quotes[0]?.turn ?? 0;
    if (turn - last > 5 || stretches.length === 0) stretches.push([]);
    stretches.at(-1)?.push(statement);
    last = turn;
  }
  // A topic with one quotation would only repeat a statement. Without longer ones, all are joined into one topic.
  const several = stretches.filter((stretch) => stretch.length > 1);
  const topics = several.length > 0 ? several : statements.length > 1 ? [[...statements]] : [];
  const own = turns.filter(({ origin }) => origin === 'user').map(({ content }) => content);
  const pack = detectPack(own.join('\n'));
  return topics
    .toSorted((left, right) => right.length - left.length)
    .slice(0, MOST_TOPICS)
    .map((stretch) => ({
      topic: titleOf(stretch[0]),
      summary: withoutRepeats(stretch)
        .slice(0, MOST_QUOTATIONS)
        .map((statement) => quotation(statement, turns, { timeZone, pack }))
        .map(({ day, words }, index, all) => (day === '' || day === all[index - 1]?.day ? words : `${day}: ${words}`))
        .join('\n'),
      turns: [...new Set(stretch.flatMap(({ quotes }) => quotes.map(({ turn }) => turn)))],
    }));
}

function titleOf(statement: ReadStatement | undefined): string {
  const words = (statement?.quotes[0]?.words ?? '').replace(/\s+/g, ' ').trim();
  const head = words.split(' ').slice(0, TITLE_WORDS).join(' ').slice(0, 60);
  return head.length < words.length ? `${head} …` : withoutEnd(head, '.!。');
}

/** Drops a statement whose words another quotation contains, so that no sentence is quoted twice. */
function withoutRepeats(statements: readonly ReadStatement[]): ReadStatement[] {
  const wordsOf = ({ quotes, text }: ReadStatement): string => bareStatement(quotes[0]?.words ?? text);
  return statements.filter((statement, index) => {
    const words = wordsOf(statement);
    return !statements.some((other, place) => {
      const others = wordsOf(other);
      return place !== index && others.includes(words) && (others.length > words.length || place < index);
    });
  });
}

function quotation(
  statement: ReadStatement,
  turns: readonly Event[],
  { timeZone, pack }: { timeZone: string; pack: Pack | null },
): { day: string; words: string } {
  const quote = statement.quotes[0];
  const turn = turns[(quote?.turn ?? 0) - 1];
  if (quote === undefined || turn === undefined) return { day: '', words: statement.text };
  const day = dayOfYear(turn.occurredAt, zoneOf(turn, timeZone), detectPack(turn.content, pack));
  return { day, words: `“${quote.words.replace(/\s+/g, ' ').slice(0, 240)}”` };
}
