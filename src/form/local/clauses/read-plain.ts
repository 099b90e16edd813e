import { MONTH, WEEKDAY } from '../../../language/calendar-pattern.ts';
import { wordSet } from '../../../language/word-set.ts';

/** A sentence about a thing, taken apart: "The meeting with Bosch" – "is" – "on Thursday". */
export interface PlainSentence {
  /** With its article when it has one, without a capital: "the meeting with Bosch". */
  subject: string;
  /** The noun that it is about, lower case: "meeting". */
  head: string;
  verb: string;
  rest: string;
  /** What kind of value it gives: the attribute of the subject that it fills. Null when it gives none. */
  value: ValueKind | null;
}

/** When, at what time, how much, who or what, where, or that it does not take place. */
export type ValueKind = 'date' | 'time' | 'start' | 'end' | 'amount' | 'called' | 'where' | 'off' | `count:${string}`;

const VERBS = wordSet(`
  is are was were will gets got has have had starts start begins begin ends end opens open closes close runs run takes costs
  cost comes come arrives arrive leaves leave expires expire lasts last lands goes go happens stands belongs falls fell rose
  changed moved slipped needs wants pays charges reopens restarts lies sits lives works meets kicks finishes finish delivers
  owes bills renews employs hit
  went came arrived failed passed broke died shipped sold landed opened closed started ended finished expired`);
const PREPOSITIONS = wordSet('of for with at in on from to about by between near under behind per');
// A subject that holds one of these is no noun phrase, or points at something.
const NO_SUBJECT = wordSet(`
  i we you he she they it this that these those there who what which when where how why if because and but or so not no my
  your his her their its me us them than then do does did can could would should may might must said says say`);
const MOST_WORDS = 9;

/** Whether a word, in lower case, cannot be part of the name of a thing. */
export function isNoSubject(word: string): boolean {
  return NO_SUBJECT.has(word);
}

/** Whether a word, in lower case, joins a noun to what it is of. */
export function isPreposition(word: string): boolean {
  return PREPOSITIONS.has(word);
}

/** A day, a month or a rhythm. */
export const DATE_VALUE: RegExp = new RegExp(
  `\\b(?:\\d{1,2}(?:st|nd|rd|th)?(?: of)? ${MONTH}|${MONTH} (?:the )?\\d{1,2}|(?:in|until|till|by|from|since|to|early|late|mid) ${MONTH}|${WEEKDAY}s?|\\d{4}-\\d{2}-\\d{2}|the \\d{1,2}(?:st|nd|rd|th)|tomorrow|today|tonight|(?:next|this) (?:week|weekend|month|year|term|semester|spring|summer|autumn|winter)|in (?:the week of|spring|summer|autumn|winter|Q[1-4])|in (?:\\d{1,2}|a few|an?|two|three|four|five|six|eight|ten) (?:days?|weeks?|months?)|(?:every|each) (?:day|week|month|other|morning|evening|second|weekday|quarter|year)|daily|weekly|monthly|fortnightly|(?:19|20)\\d\\d)\\b`,
  'i',
);
const PAST_DATE =
  /\b(?:yesterday|(?:last|this) (?:week|weekend|month|year|spring|summer|autumn|winter|night|morning)|\p{L}+ (?:days|weeks|months) ago)\b/iu;
const PAST_VERBS = wordSet(`
  was were had went came arrived failed passed broke died shipped sold landed opened closed started ended finished expired`);

/** Whether a verb, in lower case, says what became of a thing. */
export function isPastVerb(verb: string): boolean {
  return PAST_VERBS.has(verb);
}

/** An hour. */
export const TIME_VALUE: RegExp =
  /\b(?:\d{1,2}[:.]\d{2}(?!\d)|\d{1,2} ?(?:am|pm|o'clock)\b|(?:at|from|until|till) \d{1,2}\b(?! ?[%€$£k]| \p{L}{3})|\d{1,2} (?:to|-|–) \d{1,2}$|noon|midnight)/iu;
/** Money, a share or a plain number. */
export const AMOUNT_VALUE: RegExp =
  /[€$£] ?\d|\b\d[\d.,]* ?(?:k|m|bn|million|thousand|%|percent|€|euros?|pounds?|dollars?|kronor|kr|francs?|quid|usd|eur|gbp|hours?|days?|weeks?|months?|years?|people|minutes?)(?![\p{L}\p{N}])|^(?:now |up |down |about |around |only |over |under |roughly )*[€$£]?\d[\d.,]*(?: (?:a|per|each|now)\b.*)?$/iu;
const LEADING_AMOUNT =
  /^(?:now |up |down |about |around |only |over |under |roughly |worth )*(?:[€$£] ?\d[\d.,]*|\d[\d.,]* ?(?:k|m|bn|million|thousand|%|percent|€|euros?|pounds?|dollars?|francs?|quid|usd|eur|gbp)(?![\p{L}\p{N}])|\d[\d.,]*(?= (?:from|until|as of|starting|since|per|a|each) ))/iu;
const CALLED_VALUE =
  /^(?:now )?(?:called|named) \S|^(?:now )?\p{Lu}[\p{L}\p{N}&'.-]*(?: (?:(?:and|of|the|de|&) )?[\p{Lu}\d][\p{L}\p{N}&'.-]*){0,5}(?: (?:now|again|these days))?$/u;
const WHERE_VALUE =
  /^(?:now )?(?:at|in|on|near|behind|under|next to|opposite|inside|above|below|with) (?:the )?(?:\p{L}+ ){0,3}?(?:\p{Lu}|\d)|\S\.(?:com|org|net|io|dev|app|co|uk|de|eu|fr|es)\b|@\S+\.\S/u;
const OFF_VALUE = /^(?:now |all )?(?:off|cancelled|canceled|called off|on hold|postponed|not happening)\b/i;

/** Takes a sentence about a thing apart; null when it is not one. Says nothing of whether it is worth keeping. */
export function readPlain(text: string): PlainSentence | null {
  const words = text
    .trim()
    .replace(/[.!\s]+$/, '')
    .split(/\s+/);
  const article = /^(?:the|an?)$/i.test(words[0] ?? '') ? 1 : 0;
  const at = words.findIndex((word, index) => index > article && VERBS.has(word.toLowerCase()));
  if (at <= article || at > article + MOST_WORDS || at === words.length - 1) return null;
  const phrase = words.slice(article, at);
  if (phrase.some((word) => isNoSubject(word.toLowerCase()) || /[,:;?!"“”()]/.test(word))) return null;
  const head = headOf(phrase);
  if (head === null) return null;
  const verb = (words[at] ?? '').toLowerCase();
  const rest = words.slice(at + 1).join(' ');
  const subject = `${article === 1 ? `${(words[0] ?? '').toLowerCase()} ` : ''}${phrase.join(' ')}`;
  return { subject, head, verb, rest, value: valueOf(verb, rest) };
}

/** The noun before a preposition, or the last; what follows it as a mark ("class 4B", "gate C") is its name. */
function headOf(phrase: readonly string[]): string | null {
  const stop = phrase.findIndex((word, index) => index > 0 && PREPOSITIONS.has(word.toLowerCase()));
  const head = phrase.slice(0, stop === -1 ? phrase.length : stop);
  const last = head.at(-1) ?? '';
  const named = head.length > 1 && /^(?:\d\w*|\p{Lu}\p{N}*)$/u.test(last);
  const noun = (named ? head.at(-2) : last)?.toLowerCase() ?? '';
  return /^\p{L}[\p{L}'-]*$/u.test(noun) ? noun : null;
}

const STARTS = /^(?:starts?|begins?|opens?|reopens|restarts|kicks)$/;
const ENDS = /^(?:ends?|expires?|closes?|finish(?:es)?|lasts?)$/;

/** Which attribute what is said fills. */
function valueOf(verb: string, rest: string): ValueKind | null {
  const isDate = DATE_VALUE.test(rest) || (isPastVerb(verb) && PAST_DATE.test(rest));
  const isTime = TIME_VALUE.test(rest);
  if (/^(?:is|are|was|were|got|has)$/.test(verb) && OFF_VALUE.test(rest.replace(/^been /, ''))) return 'off';
  if ((isDate || isTime) && STARTS.test(verb)) return 'start';
  if ((isDate || isTime) && (ENDS.test(verb) || (verb === 'runs' && /^(?:until|till|to)\b/.test(rest)))) return 'end';
  if (/^(?:has|have|had)$/.test(verb)) {
    const counted = /^(?:now |about |around |only |over )*\d[\d.,]* (\p{L}+)(?= now$|$)/u.exec(rest)?.[1];
    return counted === undefined ? null : `count:${counted.toLowerCase()}`;
  }
  // "2,400 from June" is an amount, and when it begins.
  if (LEADING_AMOUNT.test(rest)) return 'amount';
  if (isDate) return 'date';
  if (isTime) return 'time';
  if (AMOUNT_VALUE.test(rest)) return 'amount';
  if (WHERE_VALUE.test(rest)) return 'where';
  return /^(?:is|are|was)$/.test(verb) && CALLED_VALUE.test(rest) ? 'called' : null;
}
