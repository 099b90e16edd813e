import { boundOf, type FoundDate } from '../../../language/pack-dates.ts';
import type { Pack, SlotRule } from '../../../language/packs/pack.ts';
import {
  isOrdinary,
  listPattern,
  packPattern,
  packRegExp,
  perPack,
  plainMarks,
  saysAny,
  wordsPattern,
} from '../../../language/packs/packs.ts';
import { answersOf, type CompiledRule, rulesOf, ruleText } from '../../../language/packs/slot-patterns.ts';
import {
  continuesOthers,
  hasOtherSubject,
  hidesPerson,
  isAboutOthers,
  isAboutUser,
  isSaidAfter,
  partingOf,
  speaksOfOthers,
} from '../../../language/packs/subjects.ts';
import { introducedName, isGuessed, isMove, isRole, leadOf } from '../../../language/names.ts';
import { findDates } from '../../../language/resolve-dates.ts';
import type { TextSpan } from '../../../language/sentences.ts';
import { withoutEnd } from '../../../language/words.ts';
import { hasTrait } from '../../../record/attributes.ts';
import { DAY } from '../../../record/clock.ts';
import { type Polarity, USER } from '../../../record/statement.ts';
import { withoutSlips } from './slips.ts';
import { cutValue, type FilledSlot, type MatchInput, type SlotContext } from './slot-values.ts';

/** The fields of a slot about the user, unless the words show otherwise. */
export const OF_USER: Pick<FilledSlot, 'subject' | 'polarity' | 'tense' | 'from'> = {
  subject: USER,
  polarity: 'affirmed',
  tense: null,
  from: null,
};

const LONGEST_SENTENCE = 600;
const NAMES: ReadonlySet<string> = new Set(['name', 'fullname', 'anyname', 'place', 'town', 'org']);

/** `sentence` must be the user's own words. Questions, conditions, reported speech, jokes and past states fill no slot. */
export function fillSlots(sentence: string, pack: Pack, context: SlotContext): FilledSlot[] {
  const whole = plainMarks(sentence.slice(0, LONGEST_SENTENCE));
  const aside = asides(pack).exec(whole)?.[0].length ?? 0;
  const [text, own] = [whole.slice(aside), sentence.slice(aside)];
  const fill = (words: string): FilledSlot[] => slotsIn(words, words === text ? own : words, pack, context);
  const slots = withoutSlips(fill(text), text, pack, fill);
  return slots.map((slot) => ({ ...slot, start: slot.start + aside, end: slot.end + aside }));
}

/** Words that only join a sentence to the talk before it: "also", "oh and", "ach ja,". Patterns for the beginning match after them. */
const asides = perPack(({ script, lists: { opensAside = '(?!)' } }) =>
  packRegExp(script === 'han' ? `^(?:(?:${opensAside})[，,、 ]){1,2}` : `^(?:(?:${opensAside})[,.!:]* +){1,3}`),
);

/** Ignores that the sentence may correct itself. */
function slotsIn(text: string, sentence: string, pack: Pack, context: SlotContext): FilledSlot[] {
  const filled = answered(text, pack, context);
  const matched = [...matches(text, pack)];
  const starts = matched.flatMap(({ rule, match }) => (hasTrait(rule.attribute, 'person') ? [] : [match.index]));
  for (const { rule, match, shape } of matched) {
    const found = readMatch(match, { rule, shape, text, sentence, pack, context, starts });
    if (found !== null && !filled.some((other) => isSameSlot(other, found))) filled.push(found);
  }
  return filled;
}

function* matches(text: string, pack: Pack): Generator<CompiledRule & { match: RegExpExecArray }> {
  const words = ruleText(text, pack);
  for (const compiled of rulesOf(pack)) {
    // Compiling a pattern takes milliseconds, and most sentences lack its required words, so it is compiled on first use.
    let match = compiled.mayMatch(words) ? compiled.find(words) : null;
    // A rule may match again for another person ("my son Leo is 7 and my daughter Ida is 4") and after a negation ("not in Bath, in York").
    for (let count = 0; match !== null && count < MOST_MATCHES; count += 1) {
      yield { ...compiled, match };
      const isOfSeveral = match.groups?.['rel'] !== undefined || hasTrait(compiled.rule.attribute, 'several');
      const mayGoOn = isOfSeveral || packPattern(pack, 'not').test(match[0]);
      match = mayGoOn ? compiled.find(words, match.indices?.groups?.['rel']?.[1] ?? match.index + 1) : null;
    }
  }
}

const MOST_MATCHES = 4;

function isSameSlot(one: FilledSlot, other: FilledSlot): boolean {
  const [left, right] = [one.value?.toLowerCase() ?? '', other.value?.toLowerCase() ?? ''];
  return (
    one.attribute === other.attribute && one.subject === other.subject && (left.includes(right) || right.includes(left))
  );
}

/** Fills the slot that a question asks for from a short answer: "How old are you?", "71". */
function answered(text: string, pack: Pack, context: SlotContext): FilledSlot[] {
  const question = context.question ?? null;
  if (question === null || text.split(' ').length > 14 || /[?？]/.test(text)) return [];
  const asked = plainMarks(question.slice(-300));
  const words = { ...ruleText(text, pack), hasRelation: false };
  for (const { attribute, pattern, rule } of answersOf(pack)) {
    if (!pattern.test(asked)) continue;
    const match = rule.find(words);
    const raw = match?.groups?.['v'];
    if (match === null || raw === undefined) continue;
    const value = cutValue(raw, rule.shape, { ...rule, text, sentence: text, pack, context, starts: [] }, match);
    if (value === null || value === '' || !endsClause(value, rule.shape, text, match)) continue;
    return [{ ...OF_USER, attribute, value, start: match.index, end: match.index + match[0].length }];
  }
  return [];
}

/** A name given as an answer ends its clause: "Nuala Byrne, Foyle Joinery", but not "Use South African spelling". */
function endsClause(value: string, shape: string, text: string, match: RegExpExecArray): boolean {
  if (shape !== 'name' && shape !== 'fullname') return true;
  const rest = text.slice(text.indexOf(value, match.index) + value.length);
  return /^(?:\s*(?:[^\p{L}\p{N}\s]|$)|\s+\p{Ll}{1,4}(?!\p{L}))/u.test(rest);
}

function valueOf(raw: string | undefined, match: RegExpExecArray, input: MatchInput): string | null {
  const role = match.groups?.['role'];
  if (role !== undefined && !isRole(role.trim(), input.pack)) return null;
  const value = raw === undefined ? input.rule.value : cutValue(raw, input.shape, input, match);
  // If the pattern has words after the user's name, they must follow the name directly: "Tom's here", but not "Holz Maier delivers late
  // here".
  const isFollowed = hasTrait(input.rule.attribute, 'own') && raw !== undefined && !match[0].endsWith(raw);
  if (isFollowed && !withoutEnd(raw, '.,').endsWith(value ?? '')) return null;
  // The patterns match UTF-16 code units, so a value may end inside a surrogate pair. Such a value is discarded.
  return value && value.isWellFormed() ? value : null;
}

interface Found extends MatchInput {
  match: RegExpExecArray;
  subject: string;
  value: string;
  lead: string;
  end: number;
  clause: Clause;
  /** The words of the clause, and those before the match. */
  whole: string;
  before: string;
  isPerson: boolean;
  has: (list: keyof Pack['words'], words: string) => boolean;
}

function readMatch(match: RegExpExecArray, input: MatchInput): FilledSlot | null {
  const { rule, text, sentence, pack } = input;
  const raw = match.groups?.['v'];
  const isVague = rule.denied === true && raw === undefined && rule.value === undefined;
  const value = isVague ? '' : valueOf(raw, match, input);
  const subject = subjectOf(match.groups ?? {}, pack);
  if (value === null || subject === null) return null;
  const at = raw === undefined ? -1 : text.indexOf(value, match.index);
  const end = at < 0 ? match.index + match[0].length : at + value.length;
  const clause = clauseAround(match.index, end, input);
  const found: Found = {
    ...input,
    match,
    subject,
    value,
    lead: leadOf({ text, match }),
    end,
    clause,
    whole: text.slice(clause.start, clause.end),
    before: text.slice(clause.start, match.index),
    isPerson: hasTrait(rule.attribute, 'person'),
    has: (list, words) => packPattern(pack, list).test(words),
  };
  const isOfAnotherTime = rule.denied === true ? isLongAgo(found) : isPassing(found);
  const polarity = isOfSomebodyElse(found) || isOfAnotherTime ? null : polarityOf(found);
  if (polarity === null) return null;
  return {
    subject,
    attribute: rule.attribute,
    value: isVague ? null : (raw === undefined ? value : writtenValue(value, rule, match.groups?.['dose'])).trim(),
    polarity,
    ...(isPlainlyNegated(found) ? { isNever: true } : {}),
    ...whenTrue(found),
    start: match.index,
    end: Math.min(sentence.length, match.index + match[0].length),
    ...(isOnlyLikely(value, text.slice(match.index, at), input) ? { isLikely: true } : {}),
  };
}

/** A new dose replaces the dose in the value. */
function writtenValue(value: string, { value: written = '{value}' }: SlotRule, dose = ''): string {
  const bare = dose === '' ? value : (value.split(/ ?\d/u)[0] ?? '');
  return written.replace('{value}', bare).replace('{dose}', dose);
}

/** Null if it is uncertain whether the words affirm or deny the slot. */
function polarityOf(found: Found): Polarity | null {
  const { rule, text, pack, before, end, whole, isPerson, has } = found;
  if (believedIn(pack).test(text.slice(0, found.match.index)) || (!rule.firm && isNotClaimed(found))) return null;
  if (isUnwanted(found)) return null;
  if (rule.denied === true) return isOverOrNegated(found) ? null : 'denied';
  const parting = isPerson ? partingOf(before, text.slice(end), pack) : null;
  if (parting !== null) return parting === 'parted' && hasTrait(rule.attribute, 'parted') ? 'denied' : null;
  if (has('ended', whole) && !leavesOut(rule)) return isPerson ? null : 'denied';
  return isOverOrNegated(found) ? null : 'affirmed';
}

/** Introduces a former belief of the user: "I thought I'm allergic to nuts". */
const believedIn = perPack(({ script, i, lists: { believed = '(?!)' } }) =>
  packRegExp(`${script === 'han' ? '' : '(?<![\\p{L}])'}(?:${believed})[,:，]? ?(?:(?:${i}) ?)?$`),
);

/** Whether the value is an omission such as "no meat", which "no longer eats meat" starts and does not end. */
function leavesOut({ attribute, value }: SlotRule): boolean {
  return value?.includes('{value}') === true && hasTrait(attribute, 'omits');
}

/** A negated wish about the assistant's answers means the opposite: "do not answer in German". */
function isUnwanted({ rule, before, lead, text, pack }: Found): boolean {
  if (!hasTrait(rule.attribute, 'answer')) return false;
  // "When you write emails for me, British spelling please" is about emails and not about answers.
  if (listPattern(pack, 'textsOnly').test(text)) return true;
  if (leavesOut(rule) && rule.denied !== true) return false;
  const words = (before + lead).split(marksOf(pack).mark).at(-1) ?? '';
  return listPattern(pack, 'excludes').test(words);
}

function isPlainlyNegated({ rule, match, whole, has }: Found): boolean {
  return rule.denied === true && has('not', match[0]) && !has('ended', whole);
}

const LONG_AGO = 365 * DAY;

/** An ending more than a year ago may end a state that was never stored: "I quit my job in 2015". */
function isLongAgo({ text, pack, context }: Found): boolean {
  return findDates(text, pack, { ...context, prefer: 'past' }).some(
    ({ from }) => from !== null && context.now.getTime() - from.getTime() > LONG_AGO,
  );
}

const sometimes = perPack(({ script, calendar: { weekdays }, lists: { atTimes = '(?!)' } }) =>
  wordsPattern(`(?:${weekdays.join('|')})s?|${atTimes}`, script),
);

const ANIMAL = /^User's (?:dog|cat)(?: |$)/;

function isPassing({ subject, lead, whole, rule: { attribute, tense }, pack, has }: Found): boolean {
  const isOfWork = hasTrait(attribute, 'work');
  if (isOfWork && (ANIMAL.test(subject) || listPattern(pack, 'retired').test(whole))) return true;
  // Eating something only on some days or at one meal is a habit, not a diet.
  if (hasTrait(attribute, 'always') && (has('passing', whole) || sometimes(pack).test(whole))) return true;
  // The place where a person is today is not where they live or work, unless the words report a move.
  return hasTrait(attribute, 'lasting') && tense !== 'planned' && has('passing', whole) && !has('past', lead);
}

function isOnlyLikely(value: string, lead: string, { rule, shape, text, pack, context }: MatchInput): boolean {
  if (rule.likely !== undefined) return true;
  const isCertain = isMove(lead, pack) || (shape === 'fullname' && introducedName(text, pack) === value);
  return NAMES.has(shape) && isGuessed(value, context.values) && !isCertain;
}

function whenTrue(found: Found): Pick<FilledSlot, 'tense' | 'from'> {
  const { rule, text, clause, isPerson } = found;
  const told = text.slice(clause.from, clause.to);
  const ahead = isPerson ? null : startAhead(told, found);
  // A job title begins on the same day as the job: "Starting at Dyson on 16 November, senior product manager".
  const jobsDay = hasTrait(rule.attribute, 'title') ? datesAhead(text.slice(0, clause.to), found).at(-1) : undefined;
  if (rule.tense === 'planned' || ahead !== null)
    return { tense: 'planned', from: ahead ?? (datesAhead(told, found)[0] ?? jobsDay)?.from ?? null };
  return { tense: rule.tense ?? null, from: null };
}

function isOfSomebodyElse(found: Found): boolean {
  const { subject, whole, rule, text, pack, context } = found;
  const turn = context.turn ?? text;
  if (subject === USER && (isOfOthers(found) || isVisited(found))) return true;
  if (rule.standing === true && !packPattern(pack, 'request:wish').test(text)) return true;
  if (rule.whole === true && turn.trim() !== text.trim()) return true;
  if (rule.alone === true && speaksOfOthers(`${turn} ${context.asked ?? ''}`, pack)) return true;
  return rule.likely === 'alone' && (subject !== USER || isAboutOthers(whole, pack));
}

function isOfOthers({ match, before, isPerson, rule: { attribute, likely }, text, pack, context }: Found): boolean {
  const isAnswer = hasTrait(attribute, 'answer');
  // In Chinese and Japanese, the day of an event is filled even for another person's event, because the words name that person.
  const isInCalendar = pack.script === 'han' && hasTrait(attribute, 'event');
  const isOfUser = likely !== 'kept' && !isPerson && !isAnswer && !isInCalendar;
  // In languages with Latin script, a subject shows whether the animal or child is somebody else's: "They have a cat called Zuzu".
  const isSeveral = hasTrait(attribute, 'several');
  const needsUser = isSeveral ? pack.script === 'latin' : hidesPerson(pack) && isOfUser;
  // An illness mentioned after another person is that person's illness: "My mother fell, broken wrist".
  const isOfHealth = hasTrait(attribute, 'condition');
  // "Lisa has a new job at Aldi"
  if (!isAnswer && !listPattern(pack, 'firstPerson').test(match[0]) && hasOtherSubject(before, match[0], pack))
    return true;
  return (needsUser || isOfHealth) && continuesOthers(match, text, pack, { ...context, isSeveral });
}

/** Whether a job title means somebody whom the user visits or pays: "rebooked dentist, again", "plumber for our sink". */
function isVisited({ rule: { attribute }, lead, value, end, text, pack, context }: Found): boolean {
  if (!hasTrait(attribute, 'title') || /\p{L}/u.test(lead)) return false;
  const words = value.split(' ').slice(0, -1);
  const isVerb = (word: string): boolean =>
    saysAny(pack, word, 'past', 'ask', 'decision') && !listPattern(pack, 'titleWord').test(word);
  const rest = text.slice(end);
  const isNear = ({ start, isDay, from }: FoundDate): boolean =>
    start < FAR && (isDay || (from !== null && from > context.now));
  const isTimed = findDates(rest, pack, { ...context, prefer: 'future' }).some(isNear) || CLOCK.test(rest);
  return isTimed || words.some(isVerb) || listPattern(pack, 'visitFor').test(rest.slice(0, FAR));
}

/** Words belong to a job title only if they begin within this many characters of it. */
const FAR = 16;
/** A time after a job title: "at 5", ", 3pm". In "chef, 12 years" and "chef, 34", the number is not a time. */
const CLOCK =
  /^,?(?: \p{L}{1,9}){0,2} \d{1,2}(?:[:.h]\d\d| ?(?:am|pm|h|uhr|uur)(?!\p{L}))(?! ?(?:-|–|\p{L}{1,4} \d))|^ \p{L}{1,4} \d{1,2}(?![\d\p{L}]| ?\p{L})/iu;

function isNotClaimed({ match, subject, clause, before, whole, end, rule, text, pack, has }: Found): boolean {
  if (/[?？]\s*$/.test(text) && clause.isLast) return true;
  const opening = text.slice(0, match.index + match[0].length);
  if (has('if', opening) || has('hedge', whole) || has('kidding', text)) return true;
  // "I almost bought a Tesla" claims nothing, but an age may be "nearly 30".
  const nearly = hasTrait(rule.attribute, 'exact') ? before : text.slice(clause.start, end);
  if (listPattern(pack, 'nearly').test(nearly)) return true;
  // Reported speech goes on after a comma: "he writes, I moved here in 1958".
  const isReported = has('said', text.slice(0, match.index));
  if (subject === USER && (isReported || isSaidAfter(text.slice(end), pack))) return true;
  return packRegExp(`^\\s*(?:${pack.words.question})(?![\\p{L}])`).test(whole) && /[?？]/.test(text);
}

function isOverOrNegated({ match, value, lead, before, isPerson, rule, text, pack, has }: Found): boolean {
  if (rule.firm) return false;
  if (listPattern(pack, 'notAfter').test(text.slice(match.index + match[0].length))) return true;
  const head = lead + value;
  // A name stays valid if the rest of the sentence is about the past: "I stopped when my daughter Ilinca was born".
  const end = match.index + head.length;
  const past = isPerson ? head + text.slice(end, end + 8) : before + (leavesOut(rule) ? '' : head);
  // A birthday holds, although "was born" is in the past tense.
  if (!rule.denied && !hasTrait(rule.attribute, 'inPast') && has('over', past)) return true;
  return (has('not', before) || (!rule.denied && has('not', lead))) && !leavesOut(rule);
}

/** The date must have a year, follow a word such as "from", or be in a clause about the future. */
function startAhead(text: string, found: Found): Date | null {
  const start = datesAhead(text, found).find((date) => {
    const bound = boundOf(text, date, found.pack);
    const isRise = found.rule.attribute === 'rent' && listPattern(found.pack, 'rises').test(found.whole);
    // A date that is not relative needs no preposition such as "from".
    return bound !== 'last' && (!date.relative || bound === 'first' || isRise || found.has('future', found.whole));
  });
  return start?.from ?? null;
}

function datesAhead(text: string, { pack, context }: MatchInput): (FoundDate & { from: Date })[] {
  return findDates(text, pack, { ...context, prefer: 'future' }).filter(
    (date): date is FoundDate & { from: Date } => date.from !== null && date.from.getTime() > context.now.getTime(),
  );
}

/** `start` and `end` are the nearest punctuation marks; `from` and `to` reach up to a clause with another subject or slot. */
interface Clause extends TextSpan {
  from: number;
  to: number;
  isLast: boolean;
}

const marksOf = perPack(
  ({ script, lists: { and = '(?!)' }, requests: { but, so }, i, iAm, my, words: { me, we, they } }) => {
    const isHan = script === 'han';
    const words = [and, but, so].filter(Boolean).join('|');
    return {
      mark: packRegExp(
        isHan
          ? '[,;:()。，、；\\s]'
          : `[,;:–—()\\p{Extended_Pictographic}] ?(?:(?:${words}) )?|(?<=\\s)-\\s| (?:${words})(?= )`,
        'giu',
      ),
      subject: packRegExp(`^\\s*(?:${i}|${iAm}|${my}|${me}|${we}|${they})${isHan ? '' : '(?![\\p{L}])'}`),
    };
  },
);

/** A conjunction ends the clause only before a subject or a slot of its own: "I live in Madrid and I am moving to Oslo". */
function clauseAround(start: number, end: number, { text, pack, starts }: MatchInput): Clause {
  const { mark, subject } = marksOf(pack);
  const clause = { start: 0, end: text.length, from: 0, to: text.length, isLast: true };
  for (const { 0: words, index } of text.matchAll(mark)) {
    const after = index + words.length;
    const isWord = words.startsWith(' ');
    if (after <= start) {
      const isOther = starts.some((other) => other < index) || isAboutUser(text.slice(0, index), pack);
      if (isOther) clause.from = after;
      if (isOther || !isWord) clause.start = after;
    } else if (index >= end) {
      const isOther =
        starts.some((other) => other >= after) ||
        subject.test(text.slice(after)) ||
        packPattern(pack, 'request:but').test(words);
      if (isOther || !isWord) clause.end = Math.min(clause.end, index);
      if (!isOther) continue;
      clause.to = index;
      break;
    }
  }
  return { ...clause, isLast: clause.end === text.length };
}

/** "User", or for example "User's sister Ana". Null if the person is uncertain. */
function subjectOf(groups: Record<string, string | undefined>, pack: Pack): string | null {
  const relation = groups['rel'];
  if (relation === undefined) return USER;
  const english = pack.relations[relation.toLowerCase()];
  if (english === undefined) return null;
  const name = groups['relname'];
  if (name === undefined) return `User's ${english}`;
  // "My sister recently moved" has no name.
  if (!/^\p{Lu}|^\p{Lo}/u.test(name)) return isOrdinary(name, pack) ? `User's ${english}` : null;
  return `User's ${english} ${name}`;
}
