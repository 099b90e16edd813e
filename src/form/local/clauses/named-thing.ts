import { MONTH, WEEKDAY } from '../../../language/calendar-pattern.ts';
import { KINSHIP, PETS } from '../../../language/kinship.ts';
import { analyseVerb, thirdPerson } from '../../../language/verb-forms.ts';
import { readPlain } from './read-plain.ts';

const NAME = "(\\p{Lu}[\\p{L}\\p{N}&'-]*(?: (?:& )?\\p{Lu}[\\p{L}\\p{N}&'-]*){0,2})";
const NOUN = '((?:\\p{L}[\\p{L}-]* ){0,3}?)(\\p{Ll}[\\p{L}-]*)';
const NAMED: readonly RegExp[] = [
  new RegExp(`\\b(?:[Mm]y|[Oo]ur) ${NOUN} (?:is|are)(?: now)?(?: called| named| with)? ${NAME}`, 'gu'),
  new RegExp(`\\b(?:[Aa]n?|[Aa]nother|one) ${NOUN},? (?:called |named )?${NAME}`, 'gu'),
];
const OF_OURS = new RegExp(`${NAME} (?:is|are) (?:now )?(?:my|our) ${NOUN}(?=$|[,.;!]| (?:and|now|they|it)\\b)`, 'gu');
const USED = new RegExp(
  `\\b(?:[Ww]e|I)(?:'ve| have)?(?: just| also| now| still| mostly| recently| finally)* (?:use|signed|signed (?:up )?with|signed up for|switched to|joined|moved to|work with|bank with|landed|won|got|subscribe to|pay for)() ()${NAME}`,
  'gu',
);
const NO_NAME = new RegExp(`^(?:I|The|${WEEKDAY}|${MONTH})\\b`, 'i');
// Of the people whom one deals with only a firm is "they".
const FIRMS = /^(?:clients?|partner|accountant|lawyer|solicitor|landlord|employer)$/;
const ACTS = '(?:pay|charge|cost|deliver|owe|bill|open|close|start|end|arrive|renew|expire|have|run|take|meet|employ)';
const DOES = new RegExp(
  `^(?:and |but |so )?(they|it) (?:also |now |only |usually |currently )*(${ACTS}s?|has) (.+)$`,
  'i',
);
const IS = /^(?:and |but |so )?(?:they're|they are|it's|it is) (.+)$/i;
const OWNS =
  /^(?:and |but )?(?:their|its) (\p{Ll}[\p{L}-]*(?: \p{L}+){0,2} (?:is|are|ends|starts|expires|costs|opens|closes)\b.+)$/iu;

/** The one firm, product or place that a text gives a name to: "our biggest customer is BrightSmile". Null when unsure. */
export function namedThing(text: string): string | null {
  const found = new Set<string>();
  const add = (name: string, noun: string): void => {
    const isSomebody = (KINSHIP.has(noun) && !FIRMS.test(noun)) || PETS.has(noun);
    if (!isSomebody && !NO_NAME.test(name)) found.add(name);
  };
  for (const pattern of NAMED)
    for (const [, , noun = '', name = ''] of text.matchAll(pattern)) add(name.replace(/'s$/, ''), noun);
  for (const [, name = '', , noun = ''] of text.matchAll(OF_OURS)) add(name, noun);
  for (const { 3: name = '' } of text.matchAll(USED)) add(name, '');
  const [only, ...others] = found;
  return only === undefined || others.length > 0 ? null : only;
}

/** "They pay 5k a month", said after BrightSmile: "BrightSmile pays 5k a month". Empty when it gives no value. */
export function saidOfThing(text: string, name: string): string[] {
  const clean = text.replace(/[.!\s]+$/, '');
  const [, pronoun = 'they'] = /^(?:and |but |so )?(they|it)\b/i.exec(clean) ?? [];
  const pieces = clean.split(new RegExp(`,? and (?=(?:${ACTS}s?|their|its) )`, 'i'));
  const said = pieces.map((piece, index) =>
    renamed(index === 0 || /^(?:their|its) /i.test(piece) ? piece : `${pronoun} ${piece}`, name),
  );
  return said.flatMap((each) => {
    const value = each === null ? null : (readPlain(each)?.value ?? null);
    return each === null || value === null || value === 'called' || value === 'off' ? [] : [each];
  });
}

function renamed(piece: string, name: string): string | null {
  const does = DOES.exec(piece);
  if (does?.[2] !== undefined && does[3] !== undefined)
    return `${name} ${thirdPerson(analyseVerb(does[2].toLowerCase()).base)} ${does[3]}`;
  const is = IS.exec(piece)?.[1];
  if (is !== undefined) return `${name} is ${is}`;
  const owned = OWNS.exec(piece)?.[1];
  return owned === undefined ? null : `${name}'s ${owned}`;
}

/** "Contact there is Elena", said after BrightSmile: "Contact at BrightSmile is Elena". */
export function atThing(text: string, name: string): string {
  return text.replace(/^([^,.;]{3,40}?) there (?=(?:is|are)\b)/i, `$1 at ${name} `);
}
