import { resolveDates } from '../language/resolve-dates.ts';
import { snakeCase, type AttributeTable } from '../record/attributes.ts';
import { DAY } from '../record/clock.ts';
import type { MemoryTypeTable } from '../record/memory-types.ts';
import { canonicalSubject, isUser, knownSubject, type Tense, USER } from '../record/statement.ts';
import type { ReadStatement } from './read/reader.ts';

/** What names, attributes and dates are resolved against. */
export interface ResolveContext {
  types: MemoryTypeTable;
  attributes: AttributeTable;
  /** Names of the user, besides "User". */
  userNames: readonly string[];
  /** The subjects that the owner's statements have. */
  subjects: readonly string[];
  timeZone: string;
}

/** A reader's statement under the names that the tables have, with its times. */
export interface ResolvedStatement extends ReadStatement {
  validFrom: Date | null;
  validTo: Date | null;
  dueAt: Date | null;
}

/** Resolves the names of a statement: its type, its attribute, its subject. Unknown attributes stay, and mean many values. */
export function resolveNames(statement: ReadStatement, context: ResolveContext): ReadStatement {
  // Some models write `likes:pizza` for an attribute and its value.
  const [name, ...rest] = (statement.attribute ?? '').split(':');
  const value = statement.value ?? (rest.join(':').replaceAll('_', ' ').trim() || null);
  const attribute = attributeOf(name, value, context);
  const subject = canonicalSubject(statement.subject, context.userNames);
  return {
    ...statement,
    attribute,
    value: value === null || value.trim() === '' ? null : spelled(value.trim(), attribute, context),
    type: typeOf(statement, context),
    subject: namesItsOwnSubject(subject, attribute, value, context) ? USER : knownSubject(subject, context.subjects),
  };
}

/** The type of a statement, or the one that is nearest where it cannot have that. */
function typeOf({ type, tense }: ReadStatement, { types }: ResolveContext): string {
  const policy = types.get(type);
  if (policy?.formable !== true) return type === 'instruction' ? 'preference' : 'fact';
  // What recurs ("a letter to Grandma every Sunday") is not done on a day, and would run out after its first.
  return tense === 'habit' && policy.due === 'required' ? 'fact' : type;
}

/** People type names without capitals; a form has them: "wendell tulk" is Wendell Tulk. */
function spelled(value: string, attribute: string | null, { attributes }: ResolveContext): string {
  if (attribute === null || value !== value.toLowerCase()) return value;
  const { shape, namesSomebody, category } = attributes.policyOf(attribute);
  // People and places have names; an employer may be "the hospital laundry", and a school "left at 15".
  const isName = namesSomebody || category === 'location' || attribute === 'name' || attribute === 'preferred_name';
  if (shape !== 'name' || !isName || /\d/.test(value)) return value;
  return value.replace(/(?<![\p{L}\p{M}\p{N}'’.])\p{Ll}/gu, (letter) => letter.toUpperCase());
}

/** "User's son Tai · child_name = Tai" says whose child Tai is, which is a statement about the user. */
function namesItsOwnSubject(
  subject: string,
  attribute: string | null,
  value: string | null,
  { attributes }: ResolveContext,
): boolean {
  if (attribute === null || value === null || !attributes.policyOf(attribute).namesSomebody) return false;
  const [name = ''] = value.toLowerCase().split(/[\s,(]/u);
  return !isUser(subject) && name !== '' && subject.toLowerCase().includes(name);
}

/**
 * The table's name for an attribute. `daughter` is `child_name` where its value is a name, and a word of its own where it is not. The name
 * of a person or a place has no long word in lower case: `home` = "Three women, one toilet" is no city.
 */
function attributeOf(name: string | undefined, value: string | null, { attributes }: ResolveContext): string | null {
  const attribute = attributes.resolve(name);
  const given = snakeCase(name ?? '');
  if (attribute === null || attribute === given) return attribute;
  const { shape, namesSomebody, category } = attributes.policyOf(attribute);
  if (shape !== 'name') return attribute;
  const isName =
    value !== null &&
    /^[\p{Lu}\p{Lo}]/u.test(value) &&
    !((namesSomebody || category === 'location') && /(?<![\p{L}\p{M}])\p{Ll}{4,}/u.test(value));
  return isName ? attribute : given;
}

/** A date of a habit that is nearer than this is the day of its next time, which a reader took for its end. */
const LONGEST_INTERVAL = 7 * DAY;

/**
 * Resolves the times of a statement from the time of the turn that says it. A day that the quoted words count from the turn
 * ("yesterday") outranks the reader's. A habit has no date but its end, where one was said. A plan whose day is past when it is told is
 * no plan.
 */
export function resolveTimes(
  statement: ReadStatement,
  { quoted, statedAt, timeZone }: { quoted: string; statedAt: Date; timeZone: string },
): ResolvedStatement {
  const to = toDate(statement.to);
  if (statement.tense === 'habit') {
    const isEnd = to !== null && to.getTime() - statedAt.getTime() > LONGEST_INTERVAL;
    return { ...statement, validFrom: null, validTo: isEnd ? to : null, dueAt: null };
  }
  const said = datesIn(quoted, statedAt, timeZone, statement.tense);
  const from = agreed(toDate(statement.from), said);
  const dueAt = agreed(toDate(statement.due), said);
  const validFrom = statement.tense === 'planned' ? (from ?? dueAt) : from;
  const isOver = to !== null && to <= statedAt;
  return {
    ...statement,
    tense: tenseOf(statement.tense, { validFrom, isOver, statedAt }),
    validFrom,
    validTo: to !== null && validFrom !== null && to < validFrom ? null : to,
    dueAt,
  };
}

function tenseOf(
  tense: Tense,
  { validFrom, isOver, statedAt }: { validFrom: Date | null; isOver: boolean; statedAt: Date },
): Tense {
  if (isOver) return 'happened';
  // "From tomorrow on I work at the clinic": what holds from a later day on is a plan until then.
  if (tense === 'holds' && validFrom !== null && validFrom.getTime() - statedAt.getTime() >= DAY) return 'planned';
  // "In May", said in the middle of May, is still ahead: only what lies more than a month back is no plan.
  if (tense === 'planned' && validFrom !== null && statedAt.getTime() - validFrom.getTime() > 31 * DAY)
    return 'happened';
  return tense;
}

interface SaidDate {
  from: Date;
  to: Date;
}

/** Days that the words count from the turn: "yesterday", "next Friday". What has figures, a month or a year is left to the reader. */
function datesIn(quoted: string, now: Date, timeZone: string, tense: Tense): SaidDate[] {
  const prefer = tense === 'planned' ? 'future' : 'past';
  return resolveDates(quoted.slice(0, 2000), { now, timeZone, prefer }).flatMap(
    ({ from, to, relative, precision, text }) =>
      from === null || to === null || !relative || precision !== 'day' || /\d/.test(text) ? [] : [{ from, to }],
  );
}

/** The reader's date, unless the quoted words count another day from the turn, and only that one. */
function agreed(read: Date | null, said: readonly SaidDate[]): Date | null {
  const [only, ...others] = said;
  if (read === null || only === undefined || others.length > 0) return read;
  const isWithin = read.getTime() >= only.from.getTime() - DAY && read.getTime() <= only.to.getTime() + DAY;
  return isWithin ? read : only.from;
}

/** A reader's ISO date; null for anything else. */
export function toDate(text: string | null): Date | null {
  if (text === null || !/^\d{4}(?:-\d{2}){0,2}/.test(text.trim())) return null;
  const time = Date.parse(text.trim());
  return Number.isNaN(time) ? null : new Date(time);
}
