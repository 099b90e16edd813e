import type { FoundDate } from '../../../language/pack-dates.ts';
import { findDates } from '../../../language/resolve-dates.ts';
import { continuesOthers, isAboutOthers, isAboutUser, speaksOfOthers } from '../../../language/speaks-of.ts';
import { boundOf } from '../../../language/told-days.ts';
import type { Pack, SlotRule } from '../../../language/packs/pack.ts';
import { listPattern, packPattern, packRegExp, perPack, plainMarks } from '../../../language/packs/packs.ts';
import { type Polarity, USER } from '../../../record/statement.ts';
import {
  answersOf,
  type CompiledRule,
  mayHaveToken,
  rulesOf,
  ruleText,
} from '../../../language/packs/slot-patterns.ts';
import { isMove } from './small-names.ts';
import { cutValue, type FilledSlot, isGuessed, type MatchInput, OF_SEVERAL, type SlotContext } from './slot-values.ts';

/** What the words state of the user, unless they show something else. */
export const OF_USER: Pick<FilledSlot, 'subject' | 'polarity' | 'tense' | 'from'> = {
  subject: USER,
  polarity: 'affirmed',
  tense: null,
  from: null,
};

const LONGEST_SENTENCE = 600;
/** Shapes of values that are names. */
const NAMES: ReadonlySet<string> = new Set(['name', 'fullname', 'anyname', 'place', 'town', 'org']);
// A name stays valid, whatever the rest of the sentence denies or ends.
const PEOPLE: ReadonlySet<string> = new Set(['partner_name', 'child_name', 'pet_name', 'name', 'preferred_name']);

/**
 * Fills slots from one sentence by the patterns of its language. `sentence` is the user's own words; questions, conditions, quotations,
 * jokes and past states fill nothing.
 */
export function fillSlots(sentence: string, pack: Pack, context: SlotContext): FilledSlot[] {
  const text = plainMarks(sentence.slice(0, LONGEST_SENTENCE));
  const filled = answered(text, pack, context);
  const matched = [...matches(rulesOf(pack), text, pack)];
  const starts = matched.flatMap(({ rule, match }) => (PEOPLE.has(rule.attribute) ? [] : [match.index]));
  for (const { rule, match, shape } of matched) {
    const found = readMatch(match, { rule, shape, text, sentence, pack, context, starts });
    if (found !== null && !filled.some((other) => isSameSlot(other, found))) filled.push(found);
  }
  return filled;
}

/** The matches of each rule whose required words a text may contain: one, or several of a rule that speaks of others. */
function* matches(
  rules: readonly CompiledRule[],
  text: string,
  pack: Pack,
): Generator<CompiledRule & { match: RegExpExecArray }> {
  const words = ruleText(text, pack);
  const tested = new Map<string, boolean>();
  const mayHave = (token: string): boolean => {
    let has = tested.get(token);
    if (has === undefined) tested.set(token, (has = mayHaveToken(words.bare, token, pack)));
    return has;
  };
  for (const compiled of rules) {
    // A pattern is compiled at its first use, which takes milliseconds, and most sentences lack the words of most patterns.
    if (compiled.needs !== null && !compiled.needs.some((word) => words.bare.includes(word))) continue;
    if (!compiled.tokens.every(mayHave)) continue;
    let match = compiled.find(words);
    // "My son Leo is 7 and my daughter Ida is 4": a rule about somebody of the user's may match once for each of them.
    for (let count = 0; match !== null && count < MOST_MATCHES; count += 1) {
      yield { ...compiled, match };
      const isOfSeveral = match.groups?.['rel'] !== undefined || OF_SEVERAL.has(compiled.rule.attribute);
      match = isOfSeveral ? compiled.find(words, match.index + 1) : null;
    }
  }
}

const MOST_MATCHES = 4;

/** Whether two patterns found the same slot: the attribute is the same, and one value contains the other. */
function isSameSlot(one: FilledSlot, other: FilledSlot): boolean {
  const [left, right] = [one.value?.toLowerCase() ?? '', other.value?.toLowerCase() ?? ''];
  return (
    one.attribute === other.attribute && one.subject === other.subject && (left.includes(right) || right.includes(left))
  );
}

/** A short answer to a question that asks for a slot: "How old are you?" – "71". */
function answered(text: string, pack: Pack, context: SlotContext): FilledSlot[] {
  const question = context.question ?? null;
  if (question === null || text.split(' ').length > 14 || /[?？]/.test(text)) return [];
  const asked = plainMarks(question.slice(-300));
  const words = { ...ruleText(text, pack), hasRelation: false };
  for (const { attribute, pattern, rule } of answersOf(pack)) {
    if (!pattern.test(asked)) continue;
    const match = rule.find(words);
    const value =
      match?.groups?.['v'] === undefined
        ? null
        : cutValue(match.groups['v'], rule.shape, { ...rule, text, sentence: text, pack, context, starts: [] }, match);
    if (match === null || value === null || value === '' || !endsClause(value, rule.shape, text, match)) continue;
    return [{ ...OF_USER, attribute, value, start: match.index, end: match.index + match[0].length }];
  }
  return [];
}

/** A name that is an answer ends its clause: "Nuala Byrne, Foyle Joinery", but not "Use South African spelling". */
function endsClause(value: string, shape: string, text: string, match: RegExpExecArray): boolean {
  if (shape !== 'name' && shape !== 'fullname') return true;
  return /^(?:\s*(?:[^\p{L}\p{N}\s]|$)|\s+\p{Ll}{1,4}(?!\p{L}))/u.test(
    text.slice(text.indexOf(value, match.index) + value.length),
  );
}

/** The value of a match; null if the matched words contain none. */
function valueOf(raw: string | undefined, match: RegExpExecArray, input: MatchInput): string | null {
  const value = raw === undefined ? input.rule.value : cutValue(raw, input.shape, input, match);
  // Patterns count UTF-16 units, so a value may end in the middle of an emoji: such a value is dropped.
  return value && value.isWellFormed() ? value : null;
}

function readMatch(match: RegExpExecArray, input: MatchInput): FilledSlot | null {
  const { rule, text, sentence, pack } = input;
  const groups = match.groups ?? {};
  const raw = groups['v'];
  const isVague = rule.denied === true && raw === undefined && rule.value === undefined;
  const value = isVague ? '' : valueOf(raw, match, input);
  if (value === null) return null;
  const subject = subjectOf(groups, pack);
  if (subject === null) return null;
  const at = raw === undefined ? -1 : text.indexOf(value, match.index);
  const end = at < 0 ? match.index + match[0].length : at + value.length;
  const clause = clauseAround(match.index, end, input);
  const lead = leadOf(match);
  const found: Found = { match, subject, value, lead, end, clause, whole: text.slice(clause.start, clause.end) };
  if (isOfSomebodyElse(found, input) || isOfAnotherTime(found, input)) return null;
  if (!rule.firm && isNotClaimed(found, input)) return null;
  const polarity = polarityOf(found, input);
  if (polarity === null) return null;
  return {
    subject,
    attribute: rule.attribute,
    value: isVague ? null : (raw !== undefined && rule.value ? rule.value.replace('{value}', value) : value).trim(),
    polarity,
    ...(isPlainlyNegated(found, input) ? { isNever: true } : {}),
    ...whenTrue(found, input),
    start: match.index,
    end: Math.min(sentence.length, match.index + match[0].length),
    ...(isOnlyLikely(value, text.slice(match.index, at), input) ? { isLikely: true } : {}),
  };
}

/** The words of a match before its value. Those after it are the rest of the sentence. */
function leadOf({ 0: words, groups }: RegExpExecArray): string {
  const raw = groups?.['v'];
  return raw === undefined ? words : (words.split(raw)[0] ?? '');
}

/** Whether the words state or end a slot; null if they neither state nor end it for certain. */
function polarityOf(found: Found, input: MatchInput): Polarity | null {
  const { match, end, clause, whole } = found;
  const { rule, text, pack } = input;
  if (rule.denied === true) return isOverOrNegated(found, input) ? null : 'denied';
  const isPerson = PEOPLE.has(rule.attribute);
  const parting = isPerson ? partingOf(text.slice(clause.start, match.index), text.slice(end), pack) : null;
  if (parting !== null) return parting === 'parted' && PARTED.has(rule.attribute) ? 'denied' : null;
  if (packPattern(pack, 'ended').test(whole) && !leavesOut(rule)) return isPerson ? null : 'denied';
  return isOverOrNegated(found, input) ? null : 'affirmed';
}

/** Whether the value of a rule is what somebody does without ("no meat"): it holds from the day on which the meat has ended. */
function leavesOut({ attribute, value }: SlotRule): boolean {
  return value?.includes('{value}') === true && (attribute === 'diet' || attribute.startsWith('answer_'));
}

function isPlainlyNegated({ match, whole }: Found, { rule, pack }: MatchInput): boolean {
  return rule.denied === true && packPattern(pack, 'not').test(match[0]) && !packPattern(pack, 'ended').test(whole);
}

/** A child stays one's child, and a name one's name. */
export const PARTED: ReadonlySet<string> = new Set(['partner_name', 'pet_name']);

/**
 * Whether the words around a person or an animal tell of an end ("broke up with my boyfriend Javier") or of a loss that may be none ("my cat
 * Milo ran away"). In the lists of packs `<>` stands for the person.
 */
export function partingOf(before: string, after: string, pack: Pack): 'parted' | 'lost' | null {
  const says = (list: string): boolean => listPattern(pack, list).test(`${before}<>${after}`);
  return says('parted') ? 'parted' : says('lost') ? 'lost' : null;
}

const LONG_AGO = 365 * 86_400_000;

function isOfAnotherTime(found: Found, input: MatchInput): boolean {
  return input.rule.denied === true ? isLongAgo(input.text, input) : isPassing(found, input);
}

/** Whether words that end something name another year, and so may end something that is not stored: "I quit my job in 2015". */
function isLongAgo(text: string, { pack, context }: MatchInput): boolean {
  return findDates(text, pack, { ...context, prefer: 'past' }).some(
    ({ from }) => from !== null && context.now.getTime() - from.getTime() > LONG_AGO,
  );
}

/** Where somebody is today is not where they live or work, unless the words speak of a move. */
const LASTING: ReadonlySet<string> = new Set(['home_city', 'home_country', 'employer', 'job_title']);
export const OF_WORK: ReadonlySet<string> = new Set(['employer', 'job_title', 'school', 'working_hours']);
const ANIMAL = /^User's (?:dog|cat)(?: |$)/;

/** Whether the words describe only the present moment or a former job, or say where an animal works or goes to school. */
function isPassing({ subject, lead, whole }: Found, { rule, pack }: MatchInput): boolean {
  if (OF_WORK.has(rule.attribute) && (ANIMAL.test(subject) || listPattern(pack, 'retired').test(whole))) return true;
  if (!LASTING.has(rule.attribute) || rule.tense === 'planned') return false;
  return packPattern(pack, 'passing').test(whole) && !packPattern(pack, 'past').test(lead);
}

function isOnlyLikely(value: string, lead: string, { rule, shape, pack, context }: MatchInput): boolean {
  return rule.likely !== undefined || (NAMES.has(shape) && isGuessed(value, context.values) && !isMove(lead, pack));
}

/** The tense, and the day from which the words hold, by the dates of their own clause. */
function whenTrue({ clause, whole }: Found, input: MatchInput): Pick<FilledSlot, 'tense' | 'from'> {
  const { rule, text } = input;
  const told = text.slice(clause.from, clause.to);
  const ahead = PEOPLE.has(rule.attribute) ? null : startAhead(told, whole, input);
  // "Starting at Dyson on 16 November, senior product manager": the title begins on the same day as the job.
  const jobsDay = rule.attribute === 'job_title' ? datesAhead(text.slice(0, clause.to), input).at(-1) : undefined;
  if (rule.tense === 'planned' || ahead !== null)
    return { tense: 'planned', from: ahead ?? (datesAhead(told, input)[0] ?? jobsDay)?.from ?? null };
  return { tense: rule.tense ?? null, from: null };
}

/** A match with its value, and the clause that contains it. */
interface Found {
  match: RegExpExecArray;
  subject: string;
  value: string;
  /** The words of the match before the value. */
  lead: string;
  /** Where the value ends. */
  end: number;
  clause: Clause;
  whole: string;
}

/** Whether the words may be about somebody else, or are not the standing wish that the rule asks for. */
function isOfSomebodyElse(found: Found, input: MatchInput): boolean {
  const { subject, whole } = found;
  const { rule, text, pack, context } = input;
  if (subject === USER && followsOthers(found, input)) return true;
  if (rule.standing === true && !packPattern(pack, 'request:wish').test(text)) return true;
  if (rule.whole === true && (context.turn ?? text).trim() !== text.trim()) return true;
  if (rule.alone === true && speaksOfOthers(`${context.turn ?? text} ${context.asked ?? ''}`, pack)) return true;
  return rule.likely === 'alone' && (subject !== USER || isAboutOthers(whole, pack));
}

function followsOthers({ match, lead }: Found, { rule, text, pack, context }: MatchInput): boolean {
  const isOfUser = rule.likely !== 'kept' && !PEOPLE.has(rule.attribute) && !rule.attribute.startsWith('answer_');
  // "They have a cat called Zuzu": whose animal or child it is, the subject says, in every language that has one.
  const needsUser = OF_SEVERAL.has(rule.attribute) ? pack.script === 'latin' : pack.isUninflected === true && isOfUser;
  // "My mother fell, broken wrist": an illness after words about somebody else is theirs.
  const isOfHealth = rule.attribute === 'medical_condition';
  if (isOfHealth && isAboutOthers(lead, pack)) return true;
  return (needsUser || (isOfHealth && !/\p{L}/u.test(lead))) && continuesOthers(match, text, pack, context);
}

/** Whether the words are a question, a condition, a guess, a joke, or what somebody else has said. */
function isNotClaimed({ match, subject, clause, whole, end }: Found, { rule, text, pack }: MatchInput): boolean {
  const has = (name: keyof Pack['words'], part: string): boolean => packPattern(pack, name).test(part);
  if (/[?？]\s*$/.test(text) && clause.isLast) return true;
  const opening = text.slice(0, match.index + match[0].length);
  if (has('if', opening) || has('hedge', whole) || has('kidding', text)) return true;
  // "I almost bought a Tesla"; but somebody may be "nearly 30".
  const nearly = rule.attribute === 'age' ? text.slice(clause.start, match.index) : text.slice(clause.start, end);
  if (listPattern(pack, 'nearly').test(nearly)) return true;
  // Reported speech runs on beyond a comma: "he writes, I moved here in 1958".
  if (has('said', text.slice(0, match.index)) && !/^says?\b/i.test(match[0]) && subject === USER) return true;
  return packRegExp(`^\\s*(?:${pack.words.question})(?![\\p{L}])`).test(whole) && /[?？]/.test(text);
}

/** Whether the words say that the value no longer holds, or does not hold. */
function isOverOrNegated({ match, value, lead, clause }: Found, { rule, text, pack }: MatchInput): boolean {
  if (rule.firm) return false;
  const has = (name: keyof Pack['words'], part: string): boolean => packPattern(pack, name).test(part);
  const before = text.slice(clause.start, match.index);
  const head = lead + value;
  // A name stays valid although the rest of the sentence is about the past: "I stopped when my daughter Ilinca was born".
  const end = match.index + head.length;
  const past = PEOPLE.has(rule.attribute) ? head + text.slice(end, end + 8) : before + (leavesOut(rule) ? '' : head);
  // One was born, and the birthday holds.
  if (!rule.denied && rule.attribute !== 'birthday' && has('over', past)) return true;
  return (has('not', before) || (!rule.denied && has('not', lead))) && !leavesOut(rule);
}

/** The future day from which a statement holds, given with "from" or in a clause about the future; null for a statement that holds now. */
function startAhead(text: string, clause: string, input: MatchInput): Date | null {
  const { pack } = input;
  for (const date of datesAhead(text, input)) {
    const bound = boundOf(text, date, pack);
    if (bound === 'last') continue;
    // A day with its year needs no preposition: "seit" and "dal" would be said of the past.
    if (!date.relative || bound === 'first' || packPattern(pack, 'future').test(clause)) return date.from;
  }
  return null;
}

function datesAhead(text: string, { pack, context }: MatchInput): (FoundDate & { from: Date })[] {
  return findDates(text, pack, { ...context, prefer: 'future' }).filter(
    (date): date is FoundDate & { from: Date } => date.from !== null && date.from.getTime() > context.now.getTime(),
  );
}

/** The words around a match: `start` to `end` between marks of punctuation, `from` to `to` up to clauses that have a verb of their own. */
interface Clause {
  start: number;
  end: number;
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

/**
 * The clause of a match. A mark or a conjunction separates another clause if a subject or the words of another slot follow (or precede) it:
 * "I live in Madrid and I am moving to Oslo next year".
 */
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

/** `User`, "User's sister Ana"; null where it is uncertain whom the words name. */
function subjectOf(groups: Record<string, string | undefined>, pack: Pack): string | null {
  const relation = groups['rel'];
  if (relation === undefined) return USER;
  const english = pack.relations[relation.toLowerCase()];
  if (english === undefined) return null;
  const name = groups['relname'];
  if (name === undefined) return `User's ${english}`;
  if (!/^\p{Lu}|^\p{Lo}/u.test(name))
    return /^(?:just|also|now|still|who|recently|already)$/i.test(name) ? `User's ${english}` : null;
  return `User's ${english} ${name}`;
}
