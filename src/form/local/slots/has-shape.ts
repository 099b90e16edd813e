import { MONTH, WEEKDAY } from '../../../language/calendar-pattern.ts';
import { GIVEN_NAMES } from '../../../language/classify-name.ts';
import { isOccupation } from '../../../language/occupations.ts';

const DATE = new RegExp(
  `\\b(?:${MONTH}|${WEEKDAY}|today|tonight|tomorrow|yesterday|christmas|easter|new year|halloween|(?:next|this|last) (?:week|weekend|month|year)|in (?:a|an|\\w+) (?:days?|weeks?|months?)|end of|midnight|noon)\\b|\\d{1,2}(?:st|nd|rd|th|[./-]\\d)|\\b\\d{1,2} ?(?:am|pm)\\b|\\b(?:19|20)\\d\\d\\b`,
  'i',
);
const AMOUNT = /\d|\b(?:hundred|thousand|million|grand)\b/i;
const AGE =
  /\d|\b(?:ten|eleven|twelve|\p{L}+teen|twenty|thirty|forty|fifty|sixty|seventy|eighty|ninety)(?:-\p{L}+)?\b/iu;
const NAMED = /^(?:the )?[\p{Lu}\p{Lo}\p{N}]|\./u;

// What the value of a key looks like; where nothing is said anything goes.
const SHAPES: Readonly<Record<string, RegExp>> = {
  phone_number: /(?:\d[\s()./-]*){6,}/,
  email: /\S@\S/,
  age: AGE,
  birthday: new RegExp(`^(?!.*\\b(?:weeks?|months?|weekend|year)\\b).*(?:${DATE.source})`, 'i'),
  deadline: DATE,
  website: /\S\.\p{L}{2,}/u,
  height: /\d|\b(?:foot|feet|metres?|meters?)\b/i,
  weight: /\d|\b(?:kilos?|pounds?|stone)\b/i,
  salary: AMOUNT,
  budget: AMOUNT,
  time_zone:
    /^(?:the )?[A-Z]{2,5}\b|\p{L}+\/\p{Lu}\p{L}+|\b(?:utc|gmt|cest|cet|eet|est|edt|cst|cdt|mst|mdt|pst|pdt|bst|ist|jst|aest)\b|\b[Tt]ime\b|\b(?:[Ee]astern|[Pp]acific|[Mm]ountain|[Cc]entral)\b/u,
  employer: NAMED,
  company_name: NAMED,
  blood_type: /^(?:A|B|AB|O|0)(?:$|[+\u2212 -])/i,
  pronouns: /\/|\b(?:he|she|they|him|her|them|xe|ze)\b/i,
};

const NAMES = new Set(['name', 'first_name', 'last_name']);

/** Whether a value can be one of its key: "a Pixel 8" is no phone number, "tight" no budget. */
export function hasShape(key: string, said: string): boolean {
  const value = said.replace(/^(?:(?:not|no longer|still|actually|currently|just|also|probably|a|an|the) )+/, '');
  if (key === 'job_title') return isOccupation(value) || /^\p{Lu}|^(?:\p{L}+ing)\b/u.test(value);
  if (NAMES.has(key)) return !/^\p{Ll}/u.test(value) || GIVEN_NAMES.has(value.split(' ')[0] ?? value);
  return SHAPES[key]?.test(value) ?? true;
}
