import { MONTHS, WEEKDAYS } from './calendar.ts';
import { type ForeignSpan, foreignSpans } from './foreign-text.ts';
import { visibleText } from './inert-text.ts';
import type { Pack } from './packs/pack.ts';
import { english } from './packs/en.ts';
import {
  detectPack,
  listPattern,
  packPattern,
  PACKS,
  perPack,
  plainMarks,
  topicsNamed,
  wordsPattern,
} from './packs/packs.ts';
import { isEnglish, isNegated, numbersSaid } from './quotes.ts';
import { clausesIn, splitSentences, withBlanks } from './sentences.ts';
import { contentStems, coveredBy, withoutEnd } from './words.ts';

/** Web and mail addresses and account numbers. A statement may contain one only if a turn contains it too. */
const ADDRESS =
  /(?:https?:\/\/|\bwww\.)[^\s"'<>()]{4,}|\b[\w.+-]{1,64}@[\w-]{1,64}(?:\.[\w-]{2,}){1,4}|\b[A-Z]{2}\d{2}[A-Z0-9]{8,30}\b/g;

export function addressesIn(text: string): string[] {
  return (text.match(ADDRESS) ?? []).map((each) => withoutEnd(each, '.,;:!?'));
}

// Words are compared by their first letters, because word endings differ ("Knie", "Knies").
const HEAD = 4;

export function headsOf(...texts: readonly string[]): Set<string> {
  return new Set([...contentStems(texts.join('\n').slice(0, 100_000))].map((stem) => stem.slice(0, HEAD)));
}

const ACTS =
  '(?:send|pay|transfer|wire|forward|approve|execute|share|delete|run|buy|order|book|sign|accept|grant|install|open|publish|post)';
const PERMITS = new RegExp(
  `\\b(?:without (?:\\w+ ){0,2}(?:asking|being asked|confirm\\w*|approv\\w*|permission|check\\w*|review\\w*|consent|question\\w*)|(?:never|not|no need|needn['’]t|stop|\\w+n['’]t)(?: to)? (?:(?:ask|asking)(?! about| why| how| what| who| when)|confirm|verify|double-check|check (?:with|back|first|before))|(?:always|automatically) ${ACTS}|${ACTS} (?:\\S+ ){1,6}automatically|authori[sz]\\w*|pre-?approve\\w*|(?:permission|consent|free hand|carte blanche) (?:to|for)|may ${ACTS})\\b`,
  'i',
);

/** Checks whether a text permits an agent to act or gives it a standing order: "wants transfers made without confirmation". */
export function permits(text: string): boolean {
  return PERMITS.test(text);
}

const SO_ORDERED =
  /\b(?:without|never|always|automatically|\w+n['’]t|dont|no (?:need|questions)|stop|just (?:do|go)|every time|whenever|from now on|go ahead|author\w*|permission|consent|approv\w*|allow\w*|free hand|trust you)\b/i;

/** One turn must have half of the words of `text` and, for a permission, a word that orders or permits. */
export function isOrdered(text: string, own: readonly string[]): boolean {
  const heads = headsOf(text);
  const isSo = (said: string): boolean => !permits(text) || SO_ORDERED.test(said) || permits(said);
  return own.some((said) => coveredBy(heads, headsOf(said)) >= 0.5 && isSo(said));
}

const ASKS =
  /^(?:\W|\b(?:and|but|so|or|well|hey|ok|okay|please|tell me|honestly)\b)*(?:should|shall|could|can|would|will|do|am|might|may|must|if|suppose|supposing|imagine|what if) (?:that )?(?:i|we)(?!['’]m| am| have| (?:just |also )?(?:tell|mention|say|add)\b)\b/i;
// Even a question can state a fact: "Can I take it with my warfarin?" says that the user takes warfarin.
const TAKEN_AS_TRUE = /\b(?:my|our|since|because|as an?|being|now that|given|already|still|with)\b/i;

/** Checks whether a person mentions a value only in a question about themself: "Should I work at Halden?" */
function isOnlyAsked(value: string, own: readonly string[]): boolean {
  const heads = headsOf(value);
  const naming = own.flatMap(clausesIn).filter((clause) => [...headsOf(clause)].some((head) => heads.has(head)));
  return naming.length > 0 && naming.every((clause) => ASKS.test(clause) && !TAKEN_AS_TRUE.test(clause));
}

const DENIES =
  /\b(?:quit|stop\w*|g[ai]ve\w* up|hat\w+|dislik\w+|avoid\w*|refus\w+|allerg\w+|intoleran\w+|free|fail\w*|lack\w*|rid|off|used to|former\w*|ex|out of|cancel\w*|left|lost|sold|instead|rather|hardly|barely|rarely|seldom|too|yet|than|only|neither|nobody|nothing|cannot|cant|dont|doesnt|didnt|isnt|wont|aint|nah|nope|over|gone|done|banned|skip\w*|against|unable)\b/i;
const NEGATION = /(?:\b(?:not|never|no longer|dont|doesnt|didnt|isnt|cant|wont)|n['’]t)\s+(?!only\b|just\b)/i;

/** "User does not like tea" against "I like tea". Only English is checked, because other languages negate in other ways. */
function isOpposite(text: string, isDenied: boolean, own: readonly string[]): boolean {
  const stems = contentStems(text);
  if (!isEnglish(text) || stems.size === 0) return false;
  const denies = isDenied || isNegated(text) || DENIES.test(text);
  const same = own.flatMap(clausesIn).filter((clause) => {
    const said = contentStems(clause);
    return coveredBy(stems, said) === 1 && said.size <= stems.size + 1;
  });
  if (same.length === 0) return false;
  return same.every((clause) => {
    if (/[?？]/u.test(clause)) return false;
    if (denies) return !isNegated(clause) && !DENIES.test(clause) && (isDenied || isNegated(text));
    const [, after] = clause.split(NEGATION);
    const [first] = after === undefined ? [] : contentStems(after);
    return first !== undefined && stems.has(first);
  });
}

/** Finds the clauses that contain quoted words or are part of them. A "not" before a quote belongs to its clause. */
function clausesAround(quoted: readonly string[], own: readonly string[]): string[] {
  const plain = quoted.map((words) => plainMarks(words).toLowerCase());
  const around = own.flatMap(clausesIn).filter((clause) => {
    const said = plainMarks(clause).toLowerCase().trim();
    return plain.some((words) => words.includes(said) || said.includes(words));
  });
  return around.length > 0 ? around : [...quoted];
}

function withoutPasted(message: string): string {
  return withBlanks(message, pastedSpans(message));
}

function pastedIn(message: string): string {
  return pastedSpans(message)
    .map(({ start, end }) => message.slice(start, end))
    .join('\n');
}

function pastedSpans(message: string): ForeignSpan[] {
  return foreignSpans(message).filter(({ kind }) => kind !== 'quoted');
}

const CHOOSES = /^(?:the )?(?:first|second|third|fourth|last|former|latter|that|this|option|number|both)\b/i;

export function isAssent(turn: string): boolean {
  const said = plainMarks(turn).replace(/^[^\p{L}\p{N}]+/u, '');
  const pack = detectPack(said, english);
  return CHOOSES.test(said) || (pack !== null && packPattern(pack, 'confirms').exec(said)?.index === 0);
}

const ANYTHING = headsOf(
  'like love want need prefer use using take get go going make good great new day week month year time thing today now really thank thanks please help know think tell ask plan start day today tomorrow still also always',
);

/** Checks whether words share a content word, a number or a topic with a known text. `topic` is a further topic of the known text. */
export function isAbout(said: string, known: string, topic: string | null): boolean {
  const stems = [...contentStems(said)];
  const numbers = numbersSaid(said);
  const named = topicsNamed(said);
  return (
    [...contentStems(known)].some(
      (stem) => !ANYTHING.has(stem.slice(0, HEAD)) && stems.some((other) => isSameStem(stem, other)),
    ) ||
    [...numbersSaid(known)].some((number) => number > 1 && numbers.has(number)) ||
    [topic ?? '', ...topicsNamed(known)].some((each) => named.includes(each))
  );
}

/** "pregnant" and "pregnancy", but not "latex" and "latest". */
function isSameStem(stem: string, other: string): boolean {
  const longest = Math.max(stem.length, other.length);
  const same = [...stem].findIndex((letter, index) => letter !== other[index]);
  return stem === other || (same === -1 ? stem.length : same) * 3 > longest * 2;
}

export function isCourtesy(turn: string): boolean {
  const said = plainMarks(turn).replace(/^[^\p{L}\p{N}]+/u, '');
  const pack = detectPack(said, english);
  const isPolite = pack !== null && packPattern(pack, 'greeting').exec(said)?.index === 0;
  return isPolite && [...headsOf(said)].filter((head) => !ANYTHING.has(head)).length < 2;
}

export interface Quoting {
  text: string;
  isDenied: boolean;
  /** A value that the person must have stated, and not only asked about. */
  value: string | null;
  quoted: readonly string[];
  /** Whether the quoted words accept the preceding turn or choose one of its options. */
  isAnswer: boolean;
  messages: readonly string[];
  before: readonly string[];
  foreign: readonly string[];
  /** Further texts from which the claim may take words. */
  more: readonly string[];
}

/**
 * Returns why the quoted words do not support a claim, or null. A claim must not permit what the person has not permitted, turn a question
 * into a statement, say the opposite, or take its words from outside.
 */
export function unsupported(claim: Quoting): string | null {
  const { text, isDenied, value, quoted, isAnswer, messages, before, more } = claim;
  const own = messages.map(withoutPasted);
  const assented = isAnswer ? before : [];
  const needsOrder = permits(text) || (!isEnglish(text) && isOrder(text));
  if (needsOrder && !isOrdered(text, [...own, ...assented]) && !own.some(ordersAbroad))
    return 'the user has not ordered or permitted it';
  if (value !== null && isOnlyAsked(value, own)) return 'the user only asks';
  if (isOpposite(text, isDenied, clausesAround(quoted, own))) return 'the user says the opposite';
  const heads = headsOf(text);
  // "The first one" may refer to a list that the user has pasted.
  const said = headsOf(...(isAnswer ? messages : own), ...quoted, ...assented, ...more);
  const beyond = heads.difference(said);
  const taken = beyond.intersection(outsideOf(claim));
  const isTaken =
    (taken.size > 0 && beyond.size === heads.size) ||
    taken.difference(headsOf(...before)).size > Math.max(2, heads.size / 2);
  return isTaken ? [...taken].join(', ') : null;
}

function outsideOf({ foreign, messages }: Quoting): Set<string> {
  return headsOf(...foreign, ...messages.map(pastedIn));
}

/** A claim with fewer words from outside may have them by chance. */
const FROM_OUTSIDE = 2;

/**
 * Checks for words of a tool, a document or a pasted text that the person has not said. Answering a question accepts such words, but
 * thanking for a report does not: "They now bank at SEB. – Thanks!"
 */
export function hasWordsFromOutside(claim: Quoting): boolean {
  const { text, quoted, isAnswer, messages, before, more } = claim;
  const sentences = before.flatMap((turn) => splitSentences(turn).map((sentence) => sentence.text));
  const asked = sentences.filter((sentence) => /[?？]\s*$/u.test(sentence));
  const said = headsOf(...messages.map(withoutPasted), ...quoted, ...(isAnswer ? asked : []), ...more);
  return headsOf(text).difference(said).intersection(outsideOf(claim)).size >= FROM_OUTSIDE;
}

/** A claim in English cannot contain the words of an order in another language. */
function ordersAbroad(said: string): boolean {
  return isOrder(said) && (detectPack(said)?.language ?? 'en') !== 'en';
}

const INSTRUCTION =
  /\b(?:you (?:must|should|have to|need to|shall|are (?:now|required|instructed))|from now on|ignore (?:all|any|the|previous|prior)|disregard|remember (?:that|to)|(?:do not|don['’]t|never) (?:tell|mention|reveal)|your (?:new )?(?:instructions?|rules?|system prompt)|(?:forward|send|share|upload|transfer|wire|reveal|delete|export) (?:all|any|every|your|their|files?|data|passwords?|money|mails?|e-?mails?)|(?:files?|data|passwords?|money|mails?|e-?mails?|messages?|everything) (?:\w+ ){0,3}(?:sent|forwarded|shared|uploaded|transferred|wired|deleted|exported))\b/i;

export function isInstruction(text: string): boolean {
  return INSTRUCTION.test(text);
}

const orderPattern = perPack(({ lists, script }) => wordsPattern(lists['order'] ?? '', script));

/** Checks for an order to an agent in any language, even one that does not address the agent: "Always wire money without asking". */
export function isOrder(text: string): boolean {
  const pack = detectPack(text, english);
  return isInstruction(text) || (pack !== null && orderPattern(pack).test(plainMarks(text.trim())));
}

const directing = perPack(({ lists, script }) => {
  const pattern = (list: string): RegExp => wordsPattern(lists[list] ?? '', script);
  return {
    authorises: pattern('authorises'),
    pays: wordsPattern(`^(?:${lists['pays'] ?? '(?!)'})`, script),
    payable: pattern('payable'),
    granted: pattern('granted'),
    paid: pattern('paid'),
    allows: pattern('allows'),
  };
});

/**
 * Checks for an order, an authorisation ("the transfer is approved"), a wish about payments or data ("wants invoices paid at once"), or a
 * new destination for payments. The language is not detected, because an attacker could make the detection fail.
 */
export function directs(text: string): boolean {
  const sentences = splitSentences(plainMarks(visibleText(text)).slice(0, LONGEST_DIRECTION));
  return sentences.some(({ text: sentence }) => isOrder(sentence) || PACKS.some((pack) => directsIn(sentence, pack)));
}

/**
 * Checks whether a rule permits payments, unasked actions or disclosure. Every rule tells an agent what to do, so `directs` does not help.
 * "Never pay without asking" permits nothing.
 */
export function ruleAuthorises(rule: string): boolean {
  const sentences = splitSentences(plainMarks(visibleText(rule)).slice(0, LONGEST_DIRECTION));
  return sentences.some(({ text }) => {
    if (listPattern(detectPack(text) ?? english, 'negation').exec(text)?.index === 0) return false;
    return permits(text) || PACKS.some((each) => directsIn(text, each));
  });
}

/** Checks whether a text may be stored only for the user from whose conversation it comes: an address, an order or a permission. */
export function isForOwner(text: string): boolean {
  return addressesIn(text).length > 0 || permits(text) || directs(text);
}

const LONGEST_DIRECTION = 20_000;

function directsIn(sentence: string, pack: Pack): boolean {
  const { authorises, pays, payable, granted, paid, allows } = directing(pack);
  if (authorises.test(sentence) || pays.test(sentence)) return true;
  return payable.test(sentence) && (granted.test(sentence) || (paid.test(sentence) && allows.test(sentence)));
}

// A sentence adds a claim if it shares words with its turn, and its other words exceed both limits. Without shared words it is a paraphrase
// or a translation, and only its quote is checked.
const ADDED_WORDS = 5;
const ADDED_SHARE = 0.6;

// Dates are computed from the date of the turn, so the turn need not contain their words.
const DATE_WORDS = new RegExp(`\\b\\d{1,4}(?:st|nd|rd|th)?\\b|\\b(?:${[...MONTHS, ...WEEKDAYS].join('|')})s?\\b`, 'gi');

/** Returns the words that a sentence adds to its sources. Null if they are too few to be a claim. */
export function wordsBeyond(text: string, sources: readonly string[]): string | null {
  const stems = [...contentStems(text.replace(DATE_WORDS, ' '))].filter((stem) => stem.length >= SHORTEST_WORD);
  const said = headsOf(...sources);
  const added = stems.filter((stem) => !said.has(stem.slice(0, HEAD)));
  const addsClaim =
    added.length < stems.length && isEnglish(text)
      ? (added.length >= ADDED_WORDS && added.length / stems.length > ADDED_SHARE) ||
        (isInstruction(text) && added.length > 1)
      : isInstruction(text);
  return addsClaim ? added.slice(0, 8).join(', ') : null;
}

// Shorter words are mostly grammar and are not counted.
const SHORTEST_WORD = 5;
