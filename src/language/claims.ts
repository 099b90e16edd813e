import { isEnglish, isNegated } from './quotes.ts';
import { splitClauses } from './sentences.ts';
import { contentStems, coveredBy, withoutEnd } from './words.ts';

/** Web and mail addresses and account numbers. A statement may contain only those that are in a turn. */
const ADDRESS =
  /(?:https?:\/\/|\bwww\.)[^\s"'<>()]{4,}|\b[\w.+-]{1,64}@[\w-]{1,64}(?:\.[\w-]{2,}){1,4}|\b[A-Z]{2}\d{2}[A-Z0-9]{8,30}\b/g;

/** The addresses in a text, without the full stop of the sentence. */
export function addressesIn(text: string): string[] {
  return (text.match(ADDRESS) ?? []).map((each) => withoutEnd(each, '.,;:!?'));
}

// Word endings differ ("Knie", "Knies").
const HEAD = 4;

/** The beginnings of the content words of some texts. */
export function headsOf(...texts: readonly string[]): Set<string> {
  return new Set([...contentStems(texts.join('\n').slice(0, 100_000))].map((stem) => stem.slice(0, HEAD)));
}

const ACTS =
  '(?:send|pay|transfer|wire|forward|approve|execute|share|delete|run|buy|order|book|sign|accept|grant|install|open|publish|post)';
const PERMITS = new RegExp(
  `\\b(?:without (?:\\w+ ){0,2}(?:asking|being asked|confirm\\w*|approv\\w*|permission|check\\w*|review\\w*|consent|question\\w*)|(?:never|not|no need|needn['’]t|stop|\\w+n['’]t)(?: to)? (?:(?:ask|asking)(?! about| why| how| what| who| when)|confirm|verify|double-check|check (?:with|back|first|before))|(?:always|automatically) ${ACTS}|authori[sz]\\w*|pre-?approve\\w*|(?:permission|consent|free hand|carte blanche) (?:to|for)|may ${ACTS})\\b`,
  'i',
);

/** Whether a text permits an agent something, or gives it a standing order: "wants transfers made without confirmation". */
export function permits(text: string): boolean {
  return PERMITS.test(text);
}

const SO_ORDERED =
  /\b(?:without|never|always|automatically|\w+n['’]t|dont|no (?:need|questions)|stop|just (?:do|go)|every time|whenever|from now on|go ahead|author\w*|permission|consent|approv\w*|allow\w*|free hand|trust you)\b/i;

/** Whether a person's own turns give an order or a permission: one of them has half of its words, and a word that orders or permits. */
export function isOrdered(text: string, own: readonly string[]): boolean {
  const heads = headsOf(text);
  const isSo = (said: string): boolean => !permits(text) || SO_ORDERED.test(said) || permits(said);
  return own.some((said) => coveredBy(heads, headsOf(said)) >= 0.5 && isSo(said));
}

const ASKS =
  /^(?:\W|\b(?:and|but|so|or|well|hey|ok|okay|please|tell me|honestly)\b)*(?:should|shall|could|can|would|will|do|am|might|may|must|if|suppose|supposing|imagine|what if) (?:that )?(?:i|we)(?!['’]m| am| have| (?:just |also )?(?:tell|mention|say|add)\b)\b/i;
// "Can I take it with my warfarin?" says that the user takes warfarin.
const TAKEN_AS_TRUE = /\b(?:my|our|since|because|as an?|being|now that|given|already|still|with)\b/i;

/** Whether the words of a person name a value only where they ask or suppose something about themself: "Should I work at Halden?" */
export function isOnlyAsked(value: string, own: readonly string[]): boolean {
  const heads = headsOf(value);
  const naming = own.flatMap(clausesOf).filter((clause) => [...headsOf(clause)].some((head) => heads.has(head)));
  return naming.length > 0 && naming.every((clause) => ASKS.test(clause) && !TAKEN_AS_TRUE.test(clause));
}

function clausesOf(text: string): string[] {
  return splitClauses(text).map(({ start, end }) => text.slice(start, end));
}

// Words that deny without a negation, and words that compare.
const DENIES =
  /\b(?:quit|stop\w*|g[ai]ve\w* up|hat\w+|dislik\w+|avoid\w*|refus\w+|allerg\w+|intoleran\w+|free|fail\w*|lack\w*|rid|off|used to|former\w*|ex|out of|cancel\w*|left|lost|sold|instead|rather|hardly|barely|rarely|seldom|too|yet|than|only|neither|nobody|nothing|cannot|cant|dont|doesnt|didnt|isnt|wont|aint|nah|nope|over|gone|done|banned|skip\w*|against|unable)\b/i;
const NEGATION = /(?:\b(?:not|never|no longer|dont|doesnt|didnt|isnt|cant|wont)|n['’]t)\s+(?!only\b|just\b)/i;

/**
 * Whether a sentence with the same content words as a clause says its opposite: "User does not like tea" of "I like tea". A clause that agrees
 * with the sentence settles it. Other languages deny in other ways, and are not examined.
 */
export function isOpposite(text: string, isDenied: boolean, own: readonly string[]): boolean {
  const stems = contentStems(text);
  if (!isEnglish(text) || stems.size === 0) return false;
  const denies = isDenied || isNegated(text) || DENIES.test(text);
  const same = own.flatMap(clausesOf).filter((clause) => {
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
