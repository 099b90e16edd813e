import { isAffair } from '../../../language/affairs.ts';
import { DATE_VALUE, isPastVerb, readPlain, type PlainSentence, type ValueKind } from '../clauses/read-plain.ts';
import { withoutLeadIn } from '../clauses/without-lead-in.ts';
import { joinTokens, tokenizeWords } from '../../../language/word-tokens.ts';
import { toThirdPerson } from '../clauses/render-predicate.ts';
import { isParticiple } from '../../../language/verb-forms.ts';
import type { StatementDraft } from '../statement-draft.ts';

const DATED_LEAD =
  /^((?:from|as of|starting|since|until|in|on|next|this|every|tomorrow|today)\b[^,]{0,30}?),? (?=(?:the|our|\p{Ll}+ (?:is|are))\b)/iu;
const WORLD =
  /\b(?:capital|president|king|queen|prime minister|population|weather|temperature|moon|sun|earth|world|war|century|stock market|interest rate|exchange rate|average|tallest|longest|biggest|smallest|fastest|largest|best|worst|first ever|(?:ceo|founder|author|inventor|director|mayor|price|cost|value|speed|definition|meaning) of)\b/i;
// What the job at hand is made of.
const TASK =
  /\b(?:draft|text|logo|function|test case|line|column|row|file|paragraph|sentence|caption|headline|image|picture|button|font|title|essay|email|mail|post|article|code|output|input|answer|example|question|word|page|character|villain|hero|heroine|protagonist|dragon|king|queen|wizard)s?\b/i;
// Of these, too, one says what they are without an article: "bin day is Wednesday".
const BARE =
  /^(?:sales|margins|signups|check-?in|check-?out|boarding|retro|pick-?up|drop-?off|(?:opening|office|visiting|business) hours|(?!(?:every|each|any|some|one|good|great|bad|nice|first|last|next|this|that|what|which|whole|all|my) )\p{L}+ (?:day|night|evening|time))$/iu;
const CONTACT = /^(?:(?:the|our) )?(?:main |new )?(?:contact person|point of contact)\b/i;
const SWITCHED = /^(?:heating|alarm|boiler|wifi|wi-fi|network|printer|server|meter|pump|oven|tap|kitchen)$/;
const IMPORTANCE = 0.45;

/**
 * "The launch is on 8 October", "the budget for Q3 is 40k": a thing of the user's own affairs and a value that somebody
 * may ask for. Task talk, weather and what everybody knows are not theirs. With `joined` it is said in one breath with
 * something that is.
 */
export function plainRule(text: string, joined = false): StatementDraft | null {
  const plain = plainOf(text);
  if (plain === null || plain.value === null || !isOwnAffair(plain, joined)) return null;
  // What took place has passed; what something came to, or what became of it, has not.
  if (
    /^(?:was|were|had)$/.test(plain.verb) &&
    plain.value !== 'amount' &&
    plain.value !== 'off' &&
    !isParticiple(/^(?:finally |just |already )*(\p{L}+)/u.exec(plain.rest)?.[1]?.toLowerCase() ?? '')
  )
    return null;
  // What happened in a year, and no day, one looks up: "the shop opened in 1920".
  if (isPastVerb(plain.verb) && plain.value === 'date' && YEAR_ALONE.test(plain.rest)) return null;
  if (/^(?:not|no|never|too|so|always)\b/i.test(plain.rest) || POINTS.test(plain.rest)) return null;
  return draftPlain(plain, plain.value);
}

/** What is said of a firm or thing by its name: "BrightSmile pays 5k a month". */
export function thingRule(text: string): StatementDraft | null {
  const plain = readPlain(text);
  return plain === null || plain.value === null || POINTS.test(plain.rest) ? null : draftPlain(plain, plain.value);
}

const YEAR_ALONE =
  /^(?!.*(?:day|yesterday|last|this)\b)(?!.*\b\d{1,2} \p{L}+ \d{4}).*\bin (?:\p{L}+ )?(?:1\d\d\d|20\d\d)\b/iu;
const POINTS = /\b(?:it|this|that|these|those|you|your|he|she|they|if|would|could|maybe)\b(?! (?:week|month|year))/i;

/** A sentence about a thing, what leads in to it set aside. */
export function plainOf(text: string): PlainSentence | null {
  const clean = withoutLeadIn(text.trim());
  const dated = DATED_LEAD.exec(clean);
  const lead = dated !== null && DATE_VALUE.test(dated[1] ?? '') ? dated : null;
  const body = lead === null ? clean : clean.slice(lead[0].length);
  const main = body
    .replace(/[.!\s]+$/, '')
    .split(
      /, (?=(?:so|and|but|which|because|we|i|they|he|she|it|can|could|please)\b)|,? (?:and|but|so) (?=(?:i|i'm|i've|i'd|we|we're|he|she|they)\b)|; | - /i,
    )[0];
  const plain = readPlain(main ?? body);
  if (plain === null || lead === null) return plain;
  return { ...plain, rest: `${plain.rest} ${lead[1]?.toLowerCase() ?? ''}` };
}

const NOWHERE = /^(?:project|product|feature|contract|interview|course|exam|campaign|class|lesson|review)$/;
const COUNTED =
  /:(?:people|employees|members|pupils|students|children|kids|guests|seats|rooms|bedrooms|beds|players|tenants|customers|clients|patients|subscribers|participants|staff|desks|spaces|floors|tables)$/;

function isOwnAffair({ subject, head, rest, value }: PlainSentence, joined: boolean): boolean {
  // "In Rust" is no place, "5 columns" are no people, and what is so today is not worth knowing tomorrow.
  if (value === 'where' && NOWHERE.test(head)) return false;
  if (value?.startsWith('count:') === true && !COUNTED.test(value)) return false;
  if (/\b(?:today|tonight|right now)\b/i.test(rest)) return false;
  if (
    WORLD.test(subject) ||
    TASK.test(subject) ||
    /\b(?:px|pixels|characters|words|degrees)\b|\b(?:line|column|row|page|slide) \d/i.test(rest)
  )
    return false;
  // A thing that is switched off is not called off.
  if (value === 'off' && /^off\b/i.test(rest) && SWITCHED.test(head)) return false;
  if (joined) return true;
  const bare = subject.replace(/ (?:at|for|with|in|of|from) .*$/, '');
  if (/^(?:the|our) /.test(subject))
    return isAffair(head) || CONTACT.test(subject) || /\b(?:day|night|hours?|room|number|line)$/.test(bare);
  // Chat leaves articles out: "rent is 900", "class 4B has 27 pupils", "thermo exam is on 22 January".
  return (
    BARE.test(bare) ||
    CONTACT.test(subject) ||
    (isAffair(head) && /^\p{L}[\p{L}-]*(?: (?:\d\w*|\p{Lu}\d*))?$/u.test(bare)) ||
    (isAffair(head) && value !== 'where' && value !== 'called' && isBareName(bare))
  );
}

// What everybody may speak of without its being theirs.
const ANYBODYS =
  /^(?:price|rate|tax|vat|interest|market|cost|school|company|firm|agency|train|ferry|store|team|server|domain|ceo)s?$/i;

/** "dentist appointment", "car insurance": a kind of thing, which without an article is one's own. */
function isBareName(bare: string): boolean {
  const words = bare.split(' ');
  return (
    words.length <= 3 &&
    !ANYBODYS.test(words.at(-1) ?? '') &&
    words.every((word, index) => /^\p{L}[\p{L}-]*$/u.test(word) && (index === 0 || /^\p{Ll}/u.test(word))) &&
    !NO_KIND.test(words[0] ?? '')
  );
}

const NO_KIND =
  /^(?:every|each|any|some|one|most|many|few|all|both|good|great|bad|nice|best|worst|what|which|whole|next|last|this|that|another|such|average|typical|normal|your|his|her|their|its|only|no|an?|\p{L}+ly|is|are|was|got|get|have|do|does|did|can|if|when)$/iu;

/** A draft about a thing, in the words that were said. */
export function draftPlain({ subject, verb, rest }: PlainSentence, value: ValueKind | null): StatementDraft {
  const isPast = isPastVerb(verb);
  const kept = value === 'off' ? rest.replace(/,.*$/, '') : rest;
  const said = joinTokens(toThirdPerson(tokenizeWords(kept.replace(/ (?:too|btw|by the way|please|lol|haha)$/i, ''))));
  return {
    type: 'fact',
    subject: subject.replace(/^\p{L}/u, (letter) => letter.toUpperCase()),
    predicate: `${verb} ${said}`,
    polarity: value === 'off' ? 'negative' : 'positive',
    importance: IMPORTANCE,
    // What is so now has to win over what was so.
    confidence: value === 'off' || /\b(?:now|instead)\b/i.test(rest) ? 'high' : 'medium',
    // What something came to in one year stands beside what it came to in another.
    ...(value === null || isPast ? {} : { attribute: value }),
    ...(isPast ? {} : { looksAhead: true as const }),
  };
}
