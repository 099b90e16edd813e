import type { Pack } from '../../../language/packs/pack.ts';
import { listPattern, plainMarks } from '../../../language/packs/packs.ts';
import { dayAfterLast } from '../../../language/told-days.ts';
import { isUser, normalValue, type Polarity } from '../../../record/statement.ts';
import type { Reading, ReadInput, ReadStatement } from '../reader.ts';
import type { Asked } from './selector.ts';
import type { ReadUnit, Turn } from './units.ts';

/** A job that ends on a day ahead. */
interface Leaving {
  ends: Reading['ends'];
  /** A statement with the day on which the job ends, if it is about the job. */
  withEnd: (statement: ReadStatement) => ReadStatement;
  /** A sentence without the slots that would end the job at once. */
  withoutQuitting: <Item extends Asked>(item: Item) => Item;
}

/**
 * "I handed in my notice, my last day is 31 December": the user's job lasts until that day. The job must be named with the day, or the turn
 * must say that the user leaves it, because the last day may also be one at a school or on a diet.
 */
export function leavingIn(
  { event, number }: Turn,
  claims: readonly ReadUnit[],
  { known, timeZone }: ReadInput,
): Leaving | null {
  const at = { now: event.occurredAt, timeZone, prefer: 'future' as const };
  const isNotice = claims.some(
    ({ pack, text, filled }) =>
      filled.some(isQuitting) || listPattern(pack as Pack, 'givesNotice').test(plainMarks(text)),
  );
  for (const { pack, text, filled } of claims) {
    const on = dayAfterLast(text, pack as Pack, at)?.toISOString();
    if (on === undefined) continue;
    const ends = known.flatMap((memory, index) =>
      isJob(memory) && memory.tense === 'holds' && (isNotice || isNamed(memory.value ?? '', text))
        ? [{ known: index + 1, quote: { turn: number, words: text }, on }]
        : [],
    );
    if (!isNotice && ends.length === 0 && !filled.some(isJob)) continue;
    return {
      ends,
      withEnd: (statement) => (isJob(statement) && statement.tense === 'holds' ? { ...statement, to: on } : statement),
      withoutQuitting: (item) => ({
        ...item,
        unit: { ...item.unit, filled: item.unit.filled.filter((slot) => !isQuitting(slot)) },
      }),
    };
  }
  return null;
}

interface OfSubject {
  subject: string;
  attribute: string | null;
  polarity: Polarity;
}

function isJob({ subject, attribute, polarity }: OfSubject): boolean {
  return attribute === 'employer' && isUser(subject) && polarity === 'affirmed';
}

function isQuitting(slot: OfSubject): boolean {
  return slot.polarity === 'denied' && isJob({ ...slot, polarity: 'affirmed' });
}

/** Whether a text names an employer, by the whole name or a word of it. */
function isNamed(employer: string, text: string): boolean {
  const words = ` ${normalValue(text)} `;
  const names = [employer, ...employer.split(' ').filter(({ length }) => length > 2)].map((name) => normalValue(name));
  return names.some((name) => name !== '' && words.includes(` ${name} `));
}
