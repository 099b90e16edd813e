import type { Memory } from '../record/memory.ts';
import { contentStems, coveredBy } from './guards/text-overlap.ts';
import { readSlot } from './local/slots/read-slot.ts';

/** What a statement is about: two statements of one slot cannot both be so, unless they say the same. */
export interface Slot {
  subject: string;
  /** Null when it is not known which attribute of the subject it is about. */
  attribute: string | null;
  polarity: 'positive' | 'negative';
}

export const USER = 'User';

// Names that models give to the attributes that the rules know.
const SYNONYMS: Readonly<Record<string, string>> = {
  workplace: 'employer',
  company: 'employer',
  works_at: 'employer',
  job: 'job_title',
  role: 'job_title',
  occupation: 'job_title',
  profession: 'job_title',
  city: 'home_city',
  residence: 'home_city',
  location: 'home_city',
  home: 'home_city',
  lives_in: 'home_city',
  current_city: 'home_city',
  home_location: 'home_city',
  date_of_birth: 'birthday',
  birth_date: 'birthday',
  spouse: 'partner_name',
  dietary_preference: 'diet',
};

/** An attribute in the one form in which it is compared: `likes:pizza`, `employer`. */
export function normaliseAttribute(attribute: string | null | undefined): string | null {
  const plain = (attribute ?? '')
    .trim()
    .toLowerCase()
    .replace(/[\s-]+/g, '_');
  if (plain === '') return null;
  const [head = '', ...rest] = plain.split(':');
  const name = SYNONYMS[head] ?? head;
  if (rest.length === 0) return name.slice(0, 100);
  const object = [...contentStems(rest.join(' ').replaceAll('_', ' '))].sort().join('-');
  return object === ''
    ? name
    : `${/^(?:dis)?likes?$|^loves?$|^hates?$|^prefer\w*$/.test(name) ? 'likes' : name}:${object}`;
}

/** A subject in the one form in which it is compared. */
export function normaliseSubject(subject: string | null | undefined, names: readonly string[] = []): string {
  const plain = (subject ?? '')
    .trim()
    .replace(/\s+/g, ' ')
    .replace(/^the (?=user\b)/i, '');
  if (plain === '' || /^(?:user|i|me|self|myself)$/i.test(plain)) return USER;
  const own = names.find((name) => name.toLowerCase() === plain.toLowerCase());
  if (own !== undefined) return USER;
  return plain.replace(/^(?:user|my)(?:['’]s)? (?=\S)/i, `${USER}'s `).slice(0, 200);
}

/** Whether a subject is the user, not somebody or something of theirs. */
export function isUser(subject: string): boolean {
  return subject === USER;
}

/** The slot of a stored memory: as it was formed, or read from its words. */
export function slotOf(memory: Pick<Memory, 'content' | 'key' | 'metadata' | 'type'>): Slot {
  const kept = memory.metadata['slot'];
  if (typeof kept === 'object' && kept !== null && 'subject' in kept) return kept as Slot;
  if (memory.key !== null) return { subject: USER, attribute: normaliseAttribute(memory.key), polarity: 'positive' };
  return slotOfText(memory.content, memory.type);
}

/** Reads the slot of a statement in the third person: "John works at Acme" is John's employer. */
export function slotOfText(content: string, type: string): Slot {
  const read = readSlot(content, type);
  if (read === null) return { subject: USER, attribute: null, polarity: 'positive' };
  const { subject, attribute, polarity } = read;
  return { subject: normaliseSubject(subject), attribute: normaliseAttribute(attribute), polarity };
}

// Of these a person has one at a time. Others, such as pets, jobs of the past or allergies, stand beside each other.
const SINGLE = new Set(
  (
    'name first_name last_name nickname home_city home_address work_address hometown country time_zone birthplace ' +
    'birthday age employer job_title company_name salary budget deadline email phone_number height weight blood_type ' +
    'pronouns website diet religion nationality marital_status partner_name industry preferred_name due_date ' +
    'headcount household_size shift working_time date time start end amount called where'
  ).split(' '),
);

/** Whether a subject has one value of an attribute at a time, so that a new one takes the place of the old. */
export function isSingleValued(attribute: string | null): boolean {
  return (
    attribute !== null &&
    (SINGLE.has(attribute) || /^(?:likes:|instruction:|medication:|count:|favou?rite_)/.test(attribute))
  );
}

/** Whether two statements are about the same attribute of the same subject: only then may one retire the other. */
export function concernsSame(one: { slot: Slot; content: string }, other: { slot: Slot; content: string }): boolean {
  if (!isSameSubject(one.slot.subject, other.slot.subject)) return false;
  const [left, right] = [one.slot.attribute, other.slot.attribute];
  if (left !== null && right !== null) return left === right || isSamePrefix(left, right);
  return sharesWords(one, other);
}

/** "No tables" revokes "use tables for comparisons", whatever they are for, and the other way round. */
export function isRevoked(one: Slot, other: Slot): boolean {
  if (one.polarity === other.polarity || one.subject !== other.subject) return false;
  const [denied, wished] =
    one.polarity === 'negative' ? [wishWords(one), wishWords(other)] : [wishWords(other), wishWords(one)];
  return denied.size > 0 && coveredBy(denied, wished) === 1;
}

function wishWords({ attribute }: Slot): Set<string> {
  const object = /^instruction:(.+)$/.exec(attribute ?? '')?.[1];
  return new Set(object?.split('-') ?? []);
}

function isSameSubject(one: string, other: string): boolean {
  return one.toLowerCase() === other.toLowerCase();
}

// "likes:pizza" and "likes:margherita-pizza" speak of one liking; "likes:tea" and "likes:coffee" do not. Long objects
// are cut to a few words, so that three of four are enough.
const SAME_OBJECT = 0.75;

function isSamePrefix(one: string, other: string): boolean {
  const [head, left] = parts(one);
  const [otherHead, right] = parts(other);
  if (head !== otherHead || left === null || right === null) return false;
  return Math.max(coveredBy(left, right), coveredBy(right, left)) >= SAME_OBJECT;
}

function parts(attribute: string): [string, Set<string> | null] {
  const [head = '', rest] = attribute.split(':');
  return [head, rest === undefined ? null : new Set(rest.split('-'))];
}

// Where no slot is known, what is said must be largely the same words, the subject's name aside.
const MOSTLY = 0.5;
const VALUES =
  /\b\d[\d.,:/-]*\p{L}{0,2}\b|\b(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*\b|\b(?:now|moved|changed)\b/giu;

function sharesWords(one: { slot: Slot; content: string }, other: { slot: Slot; content: string }): boolean {
  const subject = contentStems(one.slot.subject);
  // Numbers and months are the values that change; the words around them say what they are values of.
  const without = (text: string): Set<string> =>
    new Set([...contentStems(text.replace(VALUES, ' '))].filter((stem) => !subject.has(stem)));
  const [left, right] = [without(one.content), without(other.content)];
  return Math.max(coveredBy(left, right), coveredBy(right, left)) >= MOSTLY;
}
