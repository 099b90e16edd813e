import { isAffair } from '../../../language/affairs.ts';
import { DATE_VALUE, readPlain, type PlainSentence, type ValueKind } from '../clauses/read-plain.ts';
import { joinTokens, tokenizeWords } from '../../../language/word-tokens.ts';
import { toThirdPerson } from '../clauses/render-predicate.ts';
import type { StatementDraft } from '../statement-draft.ts';

const LEAD_IN =
  /^(?:(?:and|also|oh|so|ok|okay|btw|by the way|hey|hi|hello|well|anyway|good news|great news|bad news|yes|yeah|sorry|actually|turns out|unfortunately|sadly|finally|right|cool|great|plus|morning|good morning|now)[,:.!]? )+/i;
const DATED_LEAD =
  /^((?:from|as of|starting|since|until|in|on|next|this|every|tomorrow|today)\b[^,]{0,30}?),? (?=(?:the|our|\p{Ll}+ (?:is|are))\b)/iu;
const WORLD =
  /\b(?:capital|president|king|queen|prime minister|population|weather|temperature|moon|sun|earth|world|war|century|stock market|interest rate|exchange rate|average|tallest|longest|biggest|smallest|fastest|largest|best|worst|first ever|(?:ceo|founder|author|inventor|director|mayor|price|cost|value|speed|definition|meaning) of)\b/i;
// What the job at hand is made of.
const TASK =
  /\b(?:draft|text|logo|function|test case|line|column|row|file|paragraph|sentence|caption|headline|image|picture|button|font|title|essay|email|mail|post|article|code|output|input|answer|example|question|word|page)s?\b/i;
// Of these one says what they are without an article: "delivery is every Tuesday".
const BARE =
  /^(?:delivery|deliveries|revenue|turnover|sales|profit|margins?|burn|runway|headcount|rent|payroll|attendance|churn|signups|opening hours|office hours|breakfast|lunch|dinner|brunch|practice|rehearsals?|training|parking|check-?in|check-?out|kick-?off|standup|stand-up|retro|payday|bin day|pick-?up|drop-?off|boarding|class(?:es)?|school|nursery|term|shifts?|deadline|launch|recycling|insurance|wifi|wi-fi)$/i;
const IMPORTANCE = 0.45;

const NEXT_THING = /,? and (?=the (?:[\p{L}-]+ ){1,5}(?:is|are|starts|ends|costs)\b)/iu;

/** Each thing that a sentence gives a value: "the launch is on 8 October and the budget is 40k". */
export function plainRules(text: string): StatementDraft[] {
  return text.split(NEXT_THING).flatMap((part) => plainRule(part) ?? []);
}

/**
 * "The launch is on 8 October", "the budget for Q3 is 40k": a thing of the user's own affairs and a value that somebody
 * may ask for. Task talk, weather and what everybody knows are not theirs.
 */
export function plainRule(text: string): StatementDraft | null {
  const plain = plainOf(text);
  if (plain === null || plain.value === null || !isOwnAffair(plain)) return null;
  // What took place has passed; what something came to has not.
  if (/^(?:was|were|had)$/.test(plain.verb) && plain.value !== 'amount' && plain.value !== 'off') return null;
  if (/^(?:not|no|never|too|so|always)\b/i.test(plain.rest) || POINTS.test(plain.rest)) return null;
  return draftPlain(plain, plain.value);
}

const POINTS = /\b(?:it|this|that|these|those|you|your|he|she|they|if|would|could|maybe)\b(?! (?:week|month|year))/i;

/** A sentence about a thing, what leads in to it set aside. */
export function plainOf(text: string): PlainSentence | null {
  const clean = text.replace(/[’]/g, "'").trim().replace(LEAD_IN, '');
  const dated = DATED_LEAD.exec(clean);
  const lead = dated !== null && DATE_VALUE.test(dated[1] ?? '') ? dated : null;
  const body = lead === null ? clean : clean.slice(lead[0].length);
  const main = body
    .replace(/[.!\s]+$/, '')
    .split(/, (?=(?:so|and|but|which|because|finance|we|i|they|he|she|it|can|could|please)\b)|; | - /i)[0];
  const plain = readPlain(main ?? body);
  if (plain === null || lead === null) return plain;
  return { ...plain, rest: `${plain.rest} ${lead[1]?.toLowerCase() ?? ''}` };
}

const NOWHERE = /^(?:project|product|feature|contract|interview|course|exam|campaign|class|lesson|review)$/;
const COUNTED =
  /:(?:people|employees|members|pupils|students|children|kids|guests|seats|rooms|bedrooms|beds|players|tenants|customers|clients|patients|subscribers|participants|staff|desks|spaces|floors|tables)$/;

function isOwnAffair({ subject, head, rest, value }: PlainSentence): boolean {
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
  const bare = subject.replace(/ (?:at|for|with|in|of|from) .*$/, '');
  if (/^(?:the|our) /.test(subject)) return isAffair(head) || /\b(?:day|night|hours?|room|number|line)$/.test(bare);
  return BARE.test(bare) || (/^\p{L}+ (?:\d\w*|\p{Lu}\d*)$/u.test(bare) && isAffair(head));
}

/** A draft about a thing, in the words that were said. */
export function draftPlain({ subject, verb, rest }: PlainSentence, value: ValueKind | null): StatementDraft {
  const isPast = /^(?:was|were|had)$/.test(verb);
  const kept = value === 'off' ? rest.replace(/,.*$/, '') : rest;
  const said = joinTokens(toThirdPerson(tokenizeWords(kept.replace(/ (?:too|btw|by the way|please|lol|haha)$/i, ''))));
  return {
    type: 'fact',
    subject: subject.replace(/^\p{L}/u, (letter) => letter.toUpperCase()),
    predicate: `${verb} ${said}`,
    polarity: value === 'off' ? 'negative' : 'positive',
    importance: IMPORTANCE,
    confidence: value === 'off' ? 'high' : 'medium',
    // What something came to in one year stands beside what it came to in another.
    ...(value === null || isPast ? {} : { attribute: value }),
    ...(isPast ? {} : { looksAhead: true as const }),
  };
}
