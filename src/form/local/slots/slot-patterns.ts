import type { FactCategory } from '../../../record/memory.ts';
import { CONDITIONS } from '../../../language/health-words.ts';
import { CAPITALS, LETTERS } from '../../../language/name-pattern.ts';

/** How one slot is recognised in a predicate; the first group is the value. */
export interface SlotPattern {
  pattern: RegExp;
  key: string;
  category: FactCategory;
  /** The slot is filled, but the value is too loose for a keyed fact. */
  attributeOnly?: true;
}

/** A name, at most six words: capitals or digits lead, small joining words may follow. */
export const NAME: string = `((?:the )?[${CAPITALS}0-9][${LETTERS}0-9.'&+-]*(?:(?: (?:of|and|the|de|la|del|van|von|am|&))? [${CAPITALS}0-9][${LETTERS}0-9.'&+-]*){0,5})`;
/** What may follow a value. */
export const END: string =
  '(?=$|[,.;!?(]| (?:in|on|at|for|with|as|since|from|last|because|near|and|to|but|when|where|who|which|during|by|now|around|about|this|next|ago|two|three|a|an|currently|right|recently|until|these|after|before|while|too|permanently|again|is|was|yesterday|today|tomorrow|tonight|just|earlier)\\b)';
const slot = (source: string, key: string, category: FactCategory, attributeOnly?: true): SlotPattern => ({
  pattern: new RegExp(source),
  key,
  category,
  ...(attributeOnly === undefined ? {} : { attributeOnly }),
});

/** A place: capitals lead, no number. */
const PLACE = `((?:the )?[${CAPITALS}][${LETTERS}.'-]*(?:(?: (?:of|de|la|del|am|upon|on))? [${CAPITALS}][${LETTERS}.'-]*){0,3})`;
const WORKS =
  '(?:works|is working|is employed|has worked|has been working|starts(?: working)?|is starting(?: work)?|started(?: working| work| a new job| a job)?|got a(?: new)? job|has a(?: new)? job|was hired|got hired|has been hired|took a job)';
const HOW = '(?: (?:remotely|part-time|full-time|part time|full time|now|weekends|nights|there))*';

/** What the speaker says of themself. */
export const OWN_SLOTS: readonly SlotPattern[] = [
  slot(
    `^(?:currently |now |still )*(?:lives|is living|resides|stays) (?:at|on) ((?=[^;]*\\d)[^;]{3,80}?)(?=$| (?:with|since|because|for)\\b)`,
    'home_address',
    'location',
  ),
  slot(
    `^(?:currently |now |still )*(?:lives|is living|resides|is based|is located|has lived|has been living|has moved|moved|just moved|recently moved|relocated|emigrated)(?: back)?(?: from ${PLACE.replace('(', '(?:')})?(?: (?:in|to|at|out of))(?: (?:downtown|central|sunny|rainy))? ${PLACE}${END}`,
    'home_city',
    'location',
  ),
  slot(
    `^(?:currently |now |still )*(?:lives|is living|resides|is based|moved)(?: [a-z' -]{2,40})? ((?:near|outside|just outside|close to|(?:in |to )?the (?:suburbs|outskirts|north|south|east|west|centre|center) of) ${PLACE.replace('(', '(?:')})${END}`,
    'home_city',
    'location',
  ),
  slot(
    `^(?:currently |now |still )*(?:lives|is living|resides|has lived|has been living|moved|has moved)(?: (?:alone|together))?(?: with [${LETTERS}' -]{2,60}?)?(?: in an? [${LETTERS} -]{2,40}?)? (?:in|to) ${PLACE}${END}`,
    'home_city',
    'location',
  ),
  slot(`^(?:is|was) (?:originally )?(?:born (?:and raised )?in|from) ${PLACE}${END}`, 'birthplace', 'location'),
  slot(`^(?:comes|hails) from ${PLACE}${END}`, 'birthplace', 'location'),
  slot(
    `^(?:currently |now |still )*${WORKS}${HOW}(?: as (?:an? )?[${LETTERS} -]{2,40}?)?(?: on [${LETTERS}]+)? (?:at|for)(?: (?:an? |the )[${LETTERS} -]{2,30} (?:called|named))? ${NAME}${END}`,
    'employer',
    'work',
  ),
  slot(`^(?:just |recently |has )*joined ${NAME}${END}`, 'employer', 'work'),
  slot(
    `^(?:currently |now )*(?:${WORKS}|joined)${HOW}(?:(?: (?:at|for|with))? [${LETTERS}0-9'& ]{2,40})? as (?:an? |the |their )?([${LETTERS}][${LETTERS} -]{2,40}?)${END}`,
    'job_title',
    'work',
  ),
  slot(
    `^(?:was|got|has been|is being) (?:just |recently )?promoted to (?:be )?(?:an? |the )?([${LETTERS}][${LETTERS} -]{2,40}?)${END}`,
    'job_title',
    'work',
  ),
  slot(
    `^(?:is|went|turned|has been|has gone) (?:now )?(?:an? )?(vegan|vegetarian|pescatarian|halal|kosher|flexitarian)\\b`,
    'diet',
    'health',
  ),
  // Which phrases are occupations `findSlot` decides.
  slot(`^(?:is|has been) (?:now )?(?:an? |the )((?:[${LETTERS}&-]+ ){0,4}?[${LETTERS}-]+)${END}`, 'job_title', 'work'),
  // Whoever learns there, pays there or belongs there is not paid by it; nor who is doing something there.
  slot(
    `^(?:is|has been|was promoted to) (?:now )?(?!(?!working|teaching|nursing|lecturing|starting|consulting)[${LETTERS}]+ing\\b)(?:an? |the )?(?![${LETTERS} -]{0,40}?\\b(?:student|pupil|undergraduate|postgraduate|alumnus|alumna|member|patient|guest|customer|client|regular|volunteer) at )[${LETTERS} -]{3,40}? at ${NAME}${END}`,
    'employer',
    'work',
  ),
  slot(`^(?:is (?:named|called)|goes by|is known as) ${NAME}${END}`, 'name', 'personal'),
  slot('^is (\\d{1,3})(?: years? old| yrs? old|$|,| and)', 'age', 'personal'),
  // "Married to their job" is nobody's spouse.
  slot(
    `^is (married|single|divorced|engaged|widowed|separated)\\b(?! to (?:their |the )?(?:jobs?|work|career|business|company|game|idea)\\b)`,
    'marital_status',
    'personal',
  ),
  slot(`^(?:just |recently )?(got) (?:married|divorced|engaged)`, 'marital_status', 'personal', true),
  slot(
    `^is (?:severely |very |deathly )?allergic to ([${LETTERS} ,-]{3,70}?)(?=$|[.;!?(]|, (?!and )[${LETTERS}]+ing\\b| (?:so|since|because|but|which|who|when|while|in|for|as)\\b)`,
    'allergy',
    'health',
  ),
  slot(
    `^(?:has|suffers from|has been diagnosed with) (?:an? )?(${CONDITIONS})(?![${LETTERS}])`,
    'health_condition',
    'health',
  ),
  slot(
    `^is (?:also )?(diabetic|dyslexic|asthmatic|epileptic|autistic|co?eliac|celiac|bipolar|colou?r-?blind|(?:[a-z]+ )?intolerant|deaf|blind|hard of hearing|an? (?:diabetic|coeliac|celiac|epileptic))\\b`,
    'health_condition',
    'health',
  ),
  slot(
    `^(?:studies|is studying|is majoring in|majors in|majored in|studied) (?!(?:at|in|for|abroad|with|hard|part-time|full-time|every|on)\\b)((?:[${LETTERS}-]+ ){0,3}?[${LETTERS}-]+)${END}`,
    'field_of_study',
    'general',
  ),
  slot(
    `^(?:attends|goes to|is attending|is a student at|studies at|graduated from) ${NAME}${END}`,
    'school',
    'general',
  ),
  slot(
    `^(?:drives|bought|owns) (?:an? |the )?((?:new |red |blue |black |white |silver |old )*[${CAPITALS}][${LETTERS}-]+(?: [${CAPITALS}0-9][${LETTERS}0-9-]*)?)${END}`,
    'car',
    'general',
    true,
  ),
  slot(`^is in (?:the )?([A-Z]{2,5}(?:[+-]\\d{1,2})?|[A-Za-z]+\\/[A-Za-z_]+) time ?zone`, 'time_zone', 'location'),
  slot(
    `^(?:currently )?(?:works|is working) in (?:the )?([${LETTERS} ]{3,30}?)(?: (?:industry|field|business|sector|department))?$`,
    'industry',
    'work',
  ),
];

/** For whom somebody worked before. */
export const PAST_EMPLOYER: RegExp = new RegExp(
  `^(?:used to work|worked|was (?:an? |the )?[${LETTERS} ]{2,50}?|served)(?: as [${LETTERS} ]{2,40}?)? (?:at|for) ${NAME}${END}`,
);
/** Where somebody was born; past in form, true for ever. */
export const BIRTHPLACE: RegExp = new RegExp(`^was (?:born|raised|born and raised) in ${PLACE}${END}`);

/** What belongs to the speaker: read on "<noun phrase> <predicate>". */
export const OWNED_VALUE: RegExp = /^(?:is|was|are) (?:now |called |named )?(.{1,80})$/u;
/** Key and category of "my <noun> is …". */
export const OWNED_SLOTS: Readonly<Record<string, readonly [string, FactCategory]>> = {
  name: ['name', 'personal'],
  'full name': ['name', 'personal'],
  'first name': ['first_name', 'personal'],
  'last name': ['last_name', 'personal'],
  surname: ['last_name', 'personal'],
  nickname: ['nickname', 'personal'],
  'home address': ['home_address', 'location'],
  address: ['home_address', 'location'],
  'work address': ['work_address', 'location'],
  hometown: ['hometown', 'location'],
  'home town': ['hometown', 'location'],
  city: ['home_city', 'location'],
  'home city': ['home_city', 'location'],
  country: ['country', 'location'],
  'time zone': ['time_zone', 'location'],
  timezone: ['time_zone', 'location'],
  job: ['job_title', 'work'],
  profession: ['job_title', 'work'],
  occupation: ['job_title', 'work'],
  'job title': ['job_title', 'work'],
  title: ['job_title', 'work'],
  role: ['job_title', 'work'],
  employer: ['employer', 'work'],
  company: ['company_name', 'work'],
  business: ['business', 'work'],
  'company name': ['company_name', 'work'],
  salary: ['salary', 'work'],
  budget: ['budget', 'work'],
  deadline: ['deadline', 'work'],
  email: ['email', 'personal'],
  'email address': ['email', 'personal'],
  phone: ['phone_number', 'personal'],
  'phone number': ['phone_number', 'personal'],
  birthday: ['birthday', 'personal'],
  age: ['age', 'personal'],
  height: ['height', 'health'],
  weight: ['weight', 'health'],
  'blood type': ['blood_type', 'health'],
  'blood group': ['blood_type', 'health'],
  telephone: ['phone_number', 'personal'],
  'telephone number': ['phone_number', 'personal'],
  mobile: ['phone_number', 'personal'],
  'mobile number': ['phone_number', 'personal'],
  'e-mail': ['email', 'personal'],
  'new address': ['home_address', 'location'],
  'new job': ['job_title', 'work'],
  'new role': ['job_title', 'work'],
  'new title': ['job_title', 'work'],
  'day job': ['job_title', 'work'],
  'new employer': ['employer', 'work'],
  'current role': ['job_title', 'work'],
  pronouns: ['pronouns', 'personal'],
  website: ['website', 'work'],
  allergy: ['allergy', 'health'],
  diet: ['diet', 'health'],
  religion: ['religion', 'personal'],
  nationality: ['nationality', 'personal'],
  major: ['field_of_study', 'general'],
};
