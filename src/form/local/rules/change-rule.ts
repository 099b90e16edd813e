import { MONTH, WEEKDAY } from '../../../language/calendar-pattern.ts';
import { isAffair } from '../../../language/affairs.ts';
import { stemEnglish } from '../../../language/stem.ts';
import { splitSentences } from '../../../language/split-sentences.ts';
import { AMOUNT_VALUE, DATE_VALUE, readPlain, TIME_VALUE, type ValueKind } from '../clauses/read-plain.ts';
import { withoutLeadIn } from '../clauses/without-lead-in.ts';
import type { StatementDraft } from '../statement-draft.ts';
import { plainOf } from './plain-rule.ts';
import type { EarlierTurn } from './correction-rule.ts';

/** What a change is read against. */
export interface ChangeSetting {
  speaker: string;
  before: readonly EarlierTurn[];
  /** What is known already, in the third person. */
  known: readonly string[];
}

/** Something that was said to have a value. */
interface Valued {
  /** As in a statement: "The council inspection", "User's flour supplier". */
  subject: string;
  head: string;
  verb: string;
  value: ValueKind;
  /** The statement or message that says so. */
  text: string;
}

const MOST_BACK = 6;
const MOVED =
  /^(?:(the|our|my) )?([\p{L}\p{N}&' -]{2,60}?) (?:(?:just |has |have |had |was |were |got |is |are |been |being |now |to be |'s )*)(?:moved|pushed|postponed|delayed|rescheduled|shifted|slipped|slips|brought forward|bumped|put off|deferred|changed|raised|increased|cut|reduced|lowered|went up|gone up|went down|dropped|extended|moves|goes up)(?: (?:back|forward|again|out|up|down))?(?: (?:from .{2,30}?))? (?:to|until|till) (.{2,60})$/iu;
const I_MOVED =
  /^(?:we|i)(?:'ve| have|'d| had)?(?: just| also| now| finally)* (?:moved|pushed|postponed|delayed|rescheduled|shifted|brought|put off|deferred|changed|bumped|raised|increased|cut|reduced|lowered|extended) (the|our|my) ([\p{L}\p{N}&' -]{2,60}?)(?: (?:back|forward|out|up|down))?(?: from .{2,30}?)? (?:to|until|till) (.{2,60})$/iu;
const IT_IS_NOW =
  /^(?:(?:it's|its|it is|that's|that is) (?:now |actually )?(.{1,40}?)(?: now)?|now (?:it's|it is) (.{1,40}?)|make (?:it|that) (.{1,40}?))(?:,.*)?$/i;
const SWITCHED =
  /^(?:[Ww]e|[Ii])(?:'ve| have)?(?: just| recently| finally)? (?:switched|changed|swapped|replaced)(?: (?:our|my|the))? ((?!from\b|to\b|back\b)[\p{L} -]{3,40}?)(?:,| -|;| to| and)+ ?(?:(?:it's|its|it is|they're|we're with|we are with|we use|we're using|now|to|with|using|it's now|we went with|is) )*(\p{Lu}[\p{L}\p{N}&' .-]{1,40}?)(?: now)?$/u;

const FROM_TO =
  /^(?:we|i)(?:'ve| have)?(?: just| recently| finally)? (?:switched|changed|swapped) (?:our|my) ([\p{L} -]{3,30}?) from [\p{L}\p{N}&' .-]{2,40}? to ([\p{L}\p{N}][\p{L}\p{N}&' .-]{1,40})$/iu;

/** "The launch slipped to November", "it's 45k now", "we switched suppliers, it's Doves Farm now": the new value of what was said. */
export function changeRule(text: string, setting: ChangeSetting): StatementDraft | null {
  const clean = withoutLeadIn(text.replace(/[.!\s]+$/, ''));
  if (clean.length > 140 || /\?/.test(clean)) return null;
  return (
    moved(clean, setting) ??
    isNow(clean, setting) ??
    switched(clean, setting) ??
    replaced(clean, setting) ??
    restated(text, setting)
  );
}

function moved(text: string, setting: ChangeSetting): StatementDraft | null {
  const spoken = text.replace(/'s (?=(?:just |now )*(?:been|moved|gone|got) )/i, ' has ');
  const [, owner = '', phrase, given] = MOVED.exec(spoken) ?? I_MOVED.exec(spoken) ?? [];
  if (phrase === undefined || given === undefined) return null;
  const value = withoutReason(given);
  const kind = kindOf(value);
  // "My boss moved to Madrid".
  if (kind === null || kind === 'called') return null;
  const plain = readPlain(`the ${phrase} is ${value}`);
  if (plain === null) return null;
  const known = latest(setting, (each) => sameThing(each, plain.head, phrase) && isOfKind(each.value, kind));
  const isOwned = /^(?:our|my)$/i.test(owner);
  if (owner === '' && known === null && !isAffair(plain.head)) return null;
  const own = isOwned ? `${setting.speaker}'s ${phrase}` : `The ${phrase}`;
  return draft(known?.subject ?? own, value, known?.value ?? kind, known);
}

function replaced(text: string, setting: ChangeSetting): StatementDraft | null {
  const [, phrase, value] = FROM_TO.exec(text) ?? [];
  if (phrase === undefined || value === undefined) return null;
  return { ...draft(`${setting.speaker}'s ${phrase}`, value, 'called', null), predicate: `is now ${value}` };
}

function isNow(text: string, setting: ChangeSetting): StatementDraft | null {
  const [, one, two, three] = IT_IS_NOW.exec(text) ?? [];
  const value = one ?? two ?? three;
  if (value === undefined || !/\bnow\b|^make\b/i.test(text)) return null;
  const kind = kindOf(value);
  const known = kind === null ? null : latest(setting, (each) => isOfKind(each.value, kind));
  return known === null || kind === null ? null : draft(known.subject, value, known.value, known);
}

function switched(text: string, setting: ChangeSetting): StatementDraft | null {
  const [, what, name] = SWITCHED.exec(text) ?? [];
  if (what === undefined || name === undefined) return null;
  const noun = what.trim().split(' ').at(-1) ?? what;
  const known = latest(setting, (each) => sameThing(each, noun, what));
  const subject = known?.subject ?? `${setting.speaker}'s ${what.trim().replace(/(?<=[^s])s$/, '')}`;
  const { correction: _correction, ...named } = draft(subject, name, 'called', known);
  // A name has a key, and its new value takes the place of the old.
  return { ...named, predicate: `is ${name}` };
}

/** "Actually the inspection is on 5 July", "the budget is 65k now": said again of what has a value already. */
function restated(text: string, setting: ChangeSetting): StatementDraft | null {
  if (!/\b(?:actually|now|instead|correction|changed|(?:up|down) (?:to|at))\b/i.test(text)) return null;
  const plain = plainOf(text.replace(/ instead$/, ''));
  if (
    plain === null ||
    plain.value === null ||
    plain.value === 'off' ||
    !/^(?:is|are|starts|ends|has)$/.test(plain.verb)
  )
    return null;
  const { value } = plain;
  const known = latest(setting, (each) => sameThing(each, plain.head, plain.subject) && isOfKind(each.value, value));
  if (known === null || known.verb !== plain.verb) return null;
  return { ...draft(known.subject, plain.rest, known.value, known), predicate: `${plain.verb} ${plain.rest}` };
}

function draft(subject: string, value: string, kind: ValueKind, known: Valued | null): StatementDraft {
  const isOwned = /'s /.test(subject);
  const headNoun = (subject.split(/ (?:of|for|with|at|in|on|from) /)[0] ?? subject).toLowerCase();
  return {
    type: 'fact',
    subject,
    predicate: `${/[^s]s$/.test(headNoun) ? 'are' : 'is'} now ${withPreposition(value)}`,
    polarity: 'positive',
    importance: 0.6,
    confidence: 'high',
    // What is the user's own has the slot of its words.
    ...(isOwned ? {} : { attribute: kind }),
    looksAhead: true,
    correction: {},
    ownWords: ['now', known?.text ?? ''],
  };
}

const DAY = new RegExp(`^(?:\\d{1,2}(?:st|nd|rd|th)?(?: of)? ${MONTH}|${MONTH} \\d{1,2}\\b|the \\d|${WEEKDAY})`, 'i');

function withPreposition(value: string): string {
  if (/^(?:on|in|at|until|by|from|next|tomorrow|today|early|late|the week)\b/i.test(value)) return value;
  if (DAY.test(value)) return `on ${value}`;
  if (DATE_VALUE.test(`in ${value}`)) return `in ${value}`;
  return TIME_VALUE.test(value) ? `at ${value}` : value;
}

function withoutReason(value: string): string {
  return value
    .replace(/,? (?:because|since|due to|so that|as (?:the|we|i)|,|and (?=\p{L}+ \p{L}+ )).*$/iu, '')
    .replace(/,.*$/, '')
    .trim();
}

function kindOf(value: string): ValueKind | null {
  if (DATE_VALUE.test(value) || DATE_VALUE.test(`in ${value}`)) return 'date';
  if (TIME_VALUE.test(value)) return 'time';
  if (AMOUNT_VALUE.test(value)) return 'amount';
  return /^\p{Lu}/u.test(value) ? 'called' : null;
}

function isOfKind(known: ValueKind, next: ValueKind): boolean {
  const dated = (kind: ValueKind): boolean => kind === 'date' || kind === 'time' || kind === 'start' || kind === 'end';
  return known === next || (dated(known) && dated(next));
}

function isTaught(head: string): boolean {
  return /^(?:practice|training|lessons?|class|classes|course|club|session|sessions|rehearsals?|exam|match|game|appointment|meeting)$/.test(
    head,
  );
}

/** One names the other: "the inspection" is "the council inspection". */
function sameThing(known: Valued, noun: string, phrase: string): boolean {
  const words = known.subject.toLowerCase();
  // "Hockey" is "Owen's hockey practice".
  if (stemEnglish(known.head) !== stemEnglish(noun.toLowerCase()))
    return /^\p{Ll}{4,}$/u.test(phrase) && isTaught(known.head) && words.split(' ').includes(phrase);
  return phrase
    .toLowerCase()
    .replace(/^(?:the|our|my) /, '')
    .split(' ')
    .every((word) => words.includes(word.replace(/s$/, '')));
}

/** The latest that fits: of this session's messages, or else of what is known. */
function latest({ speaker, before, known }: ChangeSetting, fits: (each: Valued) => boolean): Valued | null {
  const said = before
    .flatMap(({ text, own }) => (own ? text : []))
    .slice(-MOST_BACK)
    .toReversed()
    .flatMap((text) => splitSentences(text).toReversed())
    .flatMap(({ text }) => valuedOf(asSubject(text, speaker)));
  const stored = known.flatMap((text) => valuedOf(text));
  // A statement has the subject that is known; a message may name it shortly.
  const first = said.find(fits);
  return stored.find((each) => fits(each) && (first === undefined || first.head === each.head)) ?? first ?? null;
}

const ASKING = /^(?:.*?\b(?:remember|note|forget|mind|fyi|record)\b(?: that)?[:,]? )?/i;

/** "remember that our launch is …" → "User's launch is …". */
function asSubject(text: string, speaker: string): string {
  return text.replace(ASKING, '').replace(/^(?:our|my) /i, `${speaker}'s `);
}

function valuedOf(text: string): Valued[] {
  const [, owned] = /^(User's) /.exec(text) ?? [];
  const plain = owned === undefined ? plainOf(text) : readPlain(text.slice(owned.length + 1));
  if (plain === null || plain.value === null || plain.value === 'off') return [];
  const { head, verb, value } = plain;
  const subject =
    owned === undefined
      ? plain.subject.replace(/^\p{L}/u, (letter) => letter.toUpperCase())
      : `${owned} ${plain.subject}`;
  return [{ subject, head, verb, value, text }];
}
