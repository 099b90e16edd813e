import { civilDateAt, writeDay } from '../../../language/calendar.ts';
import { packRegExp, perPack, plainMarks } from '../../../language/packs/packs.ts';
import { kindOf, newDayIn, withNewDay, withTime } from '../../../language/told-days.ts';
import { contentStems, withoutEnd } from '../../../language/words.ts';
import type { Memory } from '../../../record/memory.ts';
import { normalValue } from '../../../record/statement.ts';
import { type Reading, type ReadInput, readStatement, type ReadStatement, type Relation } from '../reader.ts';
import { renderSlot } from './slot-values.ts';
import { isOwnMessage, type ReadUnit, type Turn } from './units.ts';

/** A statement of the user's last turns: one of this reading, or a known one with its number. */
interface Said {
  one: ReadStatement;
  known: number | null;
}

/** What was said in the user's last two turns; `isAnytime`: also what is known from earlier ones. */
function lastSaid(said: readonly ReadStatement[], input: ReadInput, turn: number, isAnytime = false): Said[] {
  const lastTurns = [...input.earlier, ...input.turns.slice(0, turn - 1)].filter(isOwnMessage).slice(-2);
  const isLately = ({ sourceEvents }: Memory): boolean => lastTurns.some(({ id }) => sourceEvents.includes(id));
  const distanceTo = ({ quotes }: ReadStatement): number => turn - (quotes.at(-1)?.turn ?? 0);
  return [
    ...said.filter((one) => distanceTo(one) > 0 && distanceTo(one) <= 2).map((one) => ({ one, known: null })),
    ...input.known.flatMap((memory, index) =>
      isAnytime || isLately(memory) ? [{ one: asRead(memory), known: index + 1 }] : [],
    ),
  ];
}

function asRead({ subject, attribute, value, polarity, type, tense, importance, ...memory }: Memory): ReadStatement {
  const { content: text, validFrom, dueAt } = memory;
  const from = (validFrom ?? dueAt)?.toISOString() ?? null;
  const due = dueAt?.toISOString() ?? null;
  return readStatement({ subject, attribute, value, polarity, type, tense, importance, text, from, due, quotes: [] });
}

/** The only one, of this reading if it has any; null if there are several. */
function onlyOne(found: readonly Said[]): Said | null {
  const here = found.filter(({ known }) => known === null);
  const [only, ...others] = here.length > 0 ? here : found;
  return only === undefined || others.length > 0 ? null : only;
}

function relationTo({ known }: Said, kind: Relation): ReadStatement['relation'] {
  return known === null ? null : { kind, known };
}

const MOST_CORRECTING_WORDS = 4;

const correctingPattern = perPack(({ requests: { correcting } }) => packRegExp(`^(?:${correcting})(.+)$`));

/**
 * "No, Leeds": a short answer that corrects the value that was just given. Only where one slot of the last turns has a value of the same
 * kind (a weekday for a weekday, a number for a number, a name for a name): otherwise null.
 */
export function correctionOf(
  { pack, text, isForeign }: ReadUnit,
  said: readonly ReadStatement[],
  input: ReadInput,
  turn: number,
): ReadStatement | null {
  if (pack === null || pack.requests.correcting === '' || isForeign || text.length > 80) return null;
  const value = withoutEnd(correctingPattern(pack).exec(plainMarks(text))?.[1] ?? '', '.! \t\n').trim();
  if (value === '' || value.includes('?') || value.split(' ').length > MOST_CORRECTING_WORDS) return null;
  const kind = kindOf(value, pack);
  const isOfKind = ({ one }: Said): boolean =>
    one.attribute !== null && one.value !== null && kindOf(one.value, pack) === kind;
  const old = kind === null ? null : onlyOne(lastSaid(said, input, turn).filter(isOfKind));
  if (old === null || old.one.attribute === null) return null;
  if (old.known !== null && normalValue(old.one.value ?? '') === normalValue(value)) return null;
  const { subject, attribute, type } = old.one;
  const rendered = renderSlot({ subject, attribute, value, polarity: 'affirmed' }, pack, input.attributes);
  const quotes = [{ turn, words: text }];
  return readStatement({
    subject,
    attribute,
    type,
    value,
    text: rendered,
    quotes,
    relation: relationTo(old, 'replaces'),
  });
}

/** "No, Thursday", "the fair is on the 6th, not the 4th": a turn that only says another day. What was planned is told again with that day, in the words that named it. */
export function redatedBy(turn: Turn, said: ReadStatement[], input: ReadInput): ReadStatement | null {
  const { event, number, pack, units } = turn;
  const { timeZone } = input;
  const at = { now: event.occurredAt, timeZone };
  const isOwn = !units.some(({ isForeign }) => isForeign);
  const next = pack === null || !isOwn ? null : newDayIn(event.content, pack, at);
  if (pack === null || next === null) return null;
  const fits = ({ one: { from, tense, text } }: Said): boolean =>
    from !== null &&
    tense === 'planned' &&
    next.denies?.(new Date(from)) !== false &&
    next.about.every((stem) => contentStems(text).has(stem));
  const last = onlyOne(lastSaid(said, input, number, next.denies !== null).filter(fits));
  if (last === null || last.one.from === null) return null;
  const { one } = last;
  const old = new Date(last.one.from);
  const day = next.dayAfter(old);
  const timed = withTime(day, event.content, pack, timeZone) ?? day;
  const kept = one.due === null ? 0 : Date.parse(one.due) - old.getTime();
  // A statement of the same reading is not stored yet: the new one takes its place and cites both turns.
  if (last.known === null) said.splice(said.indexOf(one), 1);
  return {
    ...one,
    value: one.attribute === null ? null : writeDay(civilDateAt(day, timeZone), pack),
    text: withNewDay(one.text, { ...next, said: event.content, old, day, pack, at }),
    quotes: [...one.quotes, { turn: number, words: event.content }],
    from: day.toISOString(),
    due: new Date(timed > day ? timed : day.getTime() + kept).toISOString(),
    relation: relationTo(last, 'replaces'),
  };
}

/** Adds words that begin with a pronoun to the last statement of the turn before, which names what they mean. False where there is none. */
export function joinsLast(words: ReadStatement, turn: number, reading: Reading, input: ReadInput): boolean {
  const { statements: said } = reading;
  const found = lastSaid(said, input, turn).filter(({ one }) => one.polarity === 'affirmed');
  const last = found.findLast(({ one }) => one.attribute === null) ?? found.at(-1);
  if (last === undefined) return false;
  const { text, quotes, importance } = last.one;
  const joined = {
    text: `${text}${/[.!?…]$/u.test(text) ? '' : '.'} ${words.text}`,
    quotes: [...quotes, ...words.quotes],
    importance: Math.max(importance ?? 0, words.importance ?? 0) || null,
  };
  if (last.known === null) Object.assign(last.one, joined);
  else said.push({ ...last.one, ...joined, names: words.names, relation: relationTo(last, 'extends') });
  return true;
}
