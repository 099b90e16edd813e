import { boundOf, type FoundDate } from '../../../language/pack-dates.ts';
import type { Pack, SlotRule } from '../../../language/packs/pack.ts';
import {
  continuesOthers,
  isAboutOthers,
  isAboutUser,
  listPattern,
  packPattern,
  packRegExp,
  perPack,
  plainMarks,
  speaksOfOthers,
} from '../../../language/packs/packs.ts';
import { answersOf, type CompiledRule, rulesOf, ruleText } from '../../../language/packs/slot-patterns.ts';
import { findDates } from '../../../language/resolve-dates.ts';
import type { TextSpan } from '../../../language/sentences.ts';
import { DAY } from '../../../record/clock.ts';
import { hasTrait, type Polarity, USER } from '../../../record/statement.ts';
import { cutValue, type FilledSlot, isGuessed, isMove, type MatchInput, type SlotContext } from './slot-values.ts';

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

/**
 * Fills slots from one sentence by the patterns of its language. `sentence` is the user's own words; questions, conditions, quotations,
 * jokes and past states fill nothing.
 */
export function fillSlots(sentence: string, pack: Pack, context: SlotContext): FilledSlot[] {
  const text = plainMarks(sentence.slice(0, LONGEST_SENTENCE));
  const filled = answered(text, pack, context);
  const matched = [...matches(text, pack)];
  const starts = matched.flatMap(({ rule, match }) => (hasTrait(rule.attribute, 'person') ? [] : [match.index]));
  for (const { rule, match, shape } of matched) {
    const found = readMatch(match, { rule, shape, text, sentence, pack, context, starts });
    if (found !== null && !filled.some((other) => isSameSlot(other, found))) filled.push(found);
  }
  return filled;
}

/** The matches of each rule whose required words a text may contain: one, or several of a rule that speaks of others. */
function* matches(text: string, pack: Pack): Generator<CompiledRule & { match: RegExpExecArray }> {
  const words = ruleText(text, pack);
  for (const compiled of rulesOf(pack)) {
    // A pattern is compiled at its first use, which takes milliseconds, and most sentences lack the words of most patterns.
    let match = compiled.mayMatch(words) ? compiled.find(words) : null;
    // "My son Leo is 7 and my daughter Ida is 4": a rule about somebody of the user's may match once for each of them.
    for (let count = 0; match !== null && count < MOST_MATCHES; count += 1) {
      yield { ...compiled, match };
      const isOfSeveral = match.groups?.['rel'] !== undefined || hasTrait(compiled.rule.attribute, 'several');
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
    const raw = match?.groups?.['v'];
    if (match === null || raw === undefined) continue;
    const value = cutValue(raw, rule.shape, { ...rule, text, sentence: text, pack, context, starts: [] }, match);
    if (value === null || value === '' || !endsClause(value, rule.shape, text, match)) continue;
    return [{ ...OF_USER, attribute, value, start: match.index, end: match.index + match[0].length }];
  }
  return [];
}

/** A name that is an answer ends its clause: "Nuala Byrne, Foyle Joinery", but not "Use South African spelling". */
function endsClause(value: string, shape: string, text: string, match: RegExpExecArray): boolean {
  if (shape !== 'name' && shape !== 'fullname') return true;
  const rest = text.slice(text.indexOf(value, match.index) + value.length);
  return /^(?:\s*(?:[^\p{L}\p{N}\s]|$)|\s+\p{Ll}{1,4}(?!\p{L}))/u.test(rest);
}

/** The value of a match; null if the matched words contain none. */
function valueOf(raw: string | undefined, match: RegExpExecArray, input: MatchInput): string | null {
  const value = raw === undefined ? input.rule.value : cutValue(raw, input.shape, input, match);
  // Patterns count UTF-16 units, so a value may end in the middle of an emoji: such a value is dropped.
  return value && value.isWellFormed() ? value : null;
}

/** A match with its value, and the clause that contains it. */
interface Found extends MatchInput {
  match: RegExpExecArray;
  subject: string;
  value: string;
  /** The words of the match before the value. */
  lead: string;
  /** Where the value ends. */
  end: number;
  clause: Clause;
  /** The words of the clause, and those of it before the match. */
  whole: string;
  before: string;
  isPerson: boolean;
  /** Whether words have one of a list. */
  has: (list: keyof Pack['words'], words: string) => boolean;
}

function leadOf({ 0: words, groups }: RegExpExecArray): string {
  const raw = groups?.['v'];
  return raw === undefined ? words : (words.split(raw)[0] ?? '');
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
    lead: leadOf(match),
    end,
    clause,
    whole: text.slice(clause.start, clause.end),
    before: text.slice(clause.start, match.index),
    isPerson: hasTrait(rule.attribute, 'person'),
    has: (list, words) => packPattern(pack, list).test(words),
  };
  const polarity = isOfSomebodyElse(found) || isOfAnotherTime(found) ? null : polarityOf(found);
  if (polarity === null) return null;
  return {
    subject,
    attribute: rule.attribute,
    value: isVague ? null : (raw !== undefined && rule.value ? rule.value.replace('{value}', value) : value).trim(),
    polarity,
    ...(isPlainlyNegated(found) ? { isNever: true } : {}),
    ...whenTrue(found),
    start: match.index,
    end: Math.min(sentence.length, match.index + match[0].length),
    ...(isOnlyLikely(value, text.slice(match.index, at), input) ? { isLikely: true } : {}),
  };
}

/** Whether the words state or end a slot; null if they neither state nor end it for certain. */
function polarityOf(found: Found): Polarity | null {
  const { rule, text, pack, before, end, whole, isPerson, has } = found;
  if (!rule.firm && isNotClaimed(found)) return null;
  if (rule.denied === true) return isOverOrNegated(found) ? null : 'denied';
  const parting = isPerson ? partingOf(before, text.slice(end), pack) : null;
  if (parting !== null) return parting === 'parted' && hasTrait(rule.attribute, 'parted') ? 'denied' : null;
  if (has('ended', whole) && !leavesOut(rule)) return isPerson ? null : 'denied';
  return isOverOrNegated(found) ? null : 'affirmed';
}

/** Whether the value of a rule is what somebody does without ("no meat"): it holds from the day on which the meat has ended. */
function leavesOut({ attribute, value }: SlotRule): boolean {
  return value?.includes('{value}') === true && (attribute === 'diet' || attribute.startsWith('answer_'));
}

function isPlainlyNegated({ rule, match, whole, has }: Found): boolean {
  return rule.denied === true && has('not', match[0]) && !has('ended', whole);
}

/**
 * Whether the words around a person or an animal tell of an end ("broke up with my boyfriend Javier") or of a loss that may be none ("my cat
 * Milo ran away"). In the lists of packs `<>` stands for the person.
 */
export function partingOf(before: string, after: string, pack: Pack): 'parted' | 'lost' | null {
  const lists = ['parted', 'lost'] as const;
  return lists.find((list) => listPattern(pack, list).test(`${before}<>${after}`)) ?? null;
}

function isOfAnotherTime(found: Found): boolean {
  return found.rule.denied === true ? isLongAgo(found) : isPassing(found);
}

const LONG_AGO = 365 * DAY;

/** Whether words that end something name another year, and so may end something that is not stored: "I quit my job in 2015". */
function isLongAgo({ text, pack, context }: Found): boolean {
  return findDates(text, pack, { ...context, prefer: 'past' }).some(
    ({ from }) => from !== null && context.now.getTime() - from.getTime() > LONG_AGO,
  );
}

const ANIMAL = /^User's (?:dog|cat)(?: |$)/;

/** Whether the words describe only the present moment or a former job, or say where an animal works or goes to school. */
function isPassing({ subject, lead, whole, rule: { attribute, tense }, pack, has }: Found): boolean {
  const isOfWork = hasTrait(attribute, 'work');
  if (isOfWork && (ANIMAL.test(subject) || listPattern(pack, 'retired').test(whole))) return true;
  // Where somebody is today is not where they live or work, unless the words speak of a move.
  return hasTrait(attribute, 'lasting') && tense !== 'planned' && has('passing', whole) && !has('past', lead);
}

function isOnlyLikely(value: string, lead: string, { rule, shape, pack, context }: MatchInput): boolean {
  return rule.likely !== undefined || (NAMES.has(shape) && isGuessed(value, context.values) && !isMove(lead, pack));
}

/** The tense, and the day from which the words hold, by the dates of their own clause. */
function whenTrue(found: Found): Pick<FilledSlot, 'tense' | 'from'> {
  const { rule, text, clause, isPerson } = found;
  const told = text.slice(clause.from, clause.to);
  const ahead = isPerson ? null : startAhead(told, found);
  // "Starting at Dyson on 16 November, senior product manager": the title begins on the same day as the job.
  const jobsDay = rule.attribute === 'job_title' ? datesAhead(text.slice(0, clause.to), found).at(-1) : undefined;
  if (rule.tense === 'planned' || ahead !== null)
    return { tense: 'planned', from: ahead ?? (datesAhead(told, found)[0] ?? jobsDay)?.from ?? null };
  return { tense: rule.tense ?? null, from: null };
}

/** Whether the words may be about somebody else, or are not the standing wish that the rule asks for. */
function isOfSomebodyElse(found: Found): boolean {
  const { subject, whole, rule, text, pack, context } = found;
  const turn = context.turn ?? text;
  if (subject === USER && followsOthers(found)) return true;
  if (rule.standing === true && !packPattern(pack, 'request:wish').test(text)) return true;
  if (rule.whole === true && turn.trim() !== text.trim()) return true;
  if (rule.alone === true && speaksOfOthers(`${turn} ${context.asked ?? ''}`, pack)) return true;
  return rule.likely === 'alone' && (subject !== USER || isAboutOthers(whole, pack));
}

function followsOthers({ match, lead, isPerson, rule: { attribute, likely }, text, pack, context }: Found): boolean {
  const isOfUser = likely !== 'kept' && !isPerson && !attribute.startsWith('answer_');
  // "They have a cat called Zuzu": whose animal or child it is, the subject says, in every language that has one.
  const needsUser = hasTrait(attribute, 'several') ? pack.script === 'latin' : pack.isUninflected === true && isOfUser;
  // "My mother fell, broken wrist": an illness after words about somebody else is theirs.
  const isOfHealth = attribute === 'medical_condition';
  if (isOfHealth && isAboutOthers(lead, pack)) return true;
  return (needsUser || (isOfHealth && !/\p{L}/u.test(lead))) && continuesOthers(match, text, pack, context);
}

/** Whether the words are a question, a condition, a guess, a joke, or what somebody else has said. */
function isNotClaimed({ match, subject, clause, before, whole, end, rule, text, pack, has }: Found): boolean {
  if (/[?？]\s*$/.test(text) && clause.isLast) return true;
  const opening = text.slice(0, match.index + match[0].length);
  if (has('if', opening) || has('hedge', whole) || has('kidding', text)) return true;
  // "I almost bought a Tesla"; but somebody may be "nearly 30".
  const nearly = rule.attribute === 'age' ? before : text.slice(clause.start, end);
  if (listPattern(pack, 'nearly').test(nearly)) return true;
  // Reported speech runs on beyond a comma: "he writes, I moved here in 1958".
  if (has('said', text.slice(0, match.index)) && !/^says?\b/i.test(match[0]) && subject === USER) return true;
  return packRegExp(`^\\s*(?:${pack.words.question})(?![\\p{L}])`).test(whole) && /[?？]/.test(text);
}

/** Whether the words say that the value no longer holds, or does not hold. */
function isOverOrNegated({ match, value, lead, before, isPerson, rule, text, has }: Found): boolean {
  if (rule.firm) return false;
  const head = lead + value;
  // A name stays valid although the rest of the sentence is about the past: "I stopped when my daughter Ilinca was born".
  const end = match.index + head.length;
  const past = isPerson ? head + text.slice(end, end + 8) : before + (leavesOut(rule) ? '' : head);
  // One was born, and the birthday holds.
  if (!rule.denied && rule.attribute !== 'birthday' && has('over', past)) return true;
  return (has('not', before) || (!rule.denied && has('not', lead))) && !leavesOut(rule);
}

/** The future day from which a statement holds, given with "from" or in a clause about the future; null for a statement that holds now. */
function startAhead(text: string, found: Found): Date | null {
  const start = datesAhead(text, found).find((date) => {
    const bound = boundOf(text, date, found.pack);
    // A day with its year needs no preposition: "seit" and "dal" would be said of the past.
    return bound !== 'last' && (!date.relative || bound === 'first' || found.has('future', found.whole));
  });
  return start?.from ?? null;
}

function datesAhead(text: string, { pack, context }: MatchInput): (FoundDate & { from: Date })[] {
  return findDates(text, pack, { ...context, prefer: 'future' }).filter(
    (date): date is FoundDate & { from: Date } => date.from !== null && date.from.getTime() > context.now.getTime(),
  );
}

/** The words around a match: `start` to `end` between marks of punctuation, `from` to `to` up to clauses that have a verb of their own. */
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
