import type { FactCategory } from '../../../record/memory.ts';
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
  '(?=$|[,.;!?(]| (?:in|on|at|for|with|as|since|from|last|because|near|and|to|but|when|where|who|which|during|by|now|around|about|this|next|ago|two|three|a|an|currently|right|recently|until|these|after|before|while|too|permanently|again|is|was)\\b)';
const slot = (source: string, key: string, category: FactCategory, attributeOnly?: true): SlotPattern => ({
  pattern: new RegExp(source),
  key,
  category,
  ...(attributeOnly === undefined ? {} : { attributeOnly }),
});

/** What the speaker says of themself. */
export const OWN_SLOTS: readonly SlotPattern[] = [
  slot(
    `^(?:currently |now |still )*(?:lives|is living|resides|is based|is located|has lived|has been living|has moved|moved|just moved|recently moved|relocated|is moving|emigrated)(?: back)?(?: (?:in|to|at))(?: (?:downtown|central|north|south|east|west|sunny|rainy))? ${NAME}${END}`,
    'home_city',
    'location',
  ),
  slot(`^(?:is|was) (?:originally )?(?:born (?:and raised )?in|from) ${NAME}${END}`, 'birthplace', 'location'),
  slot(`^(?:comes|hails) from ${NAME}${END}`, 'birthplace', 'location'),
  slot(
    `^(?:currently |now |still )*(?:works|is working|is employed|has worked|has been working|started(?: working| a new job)?|joined|just joined|has joined|got a job)(?: (?:remotely|part-time|full-time|part time|full time))*(?: as (?:an? )?[${LETTERS} -]{3,40}?)?(?: (?:at|for|with))? ${NAME}${END}`,
    'employer',
    'work',
  ),
  slot(
    `^(?:currently |now )*(?:works|is working|is employed|has worked|has been working)(?: (?:remotely|part-time|full-time|part time|full time))*(?: (?:at|for) [${LETTERS}0-9' ]{2,30})? as (?:an? |the )?([${LETTERS}][${LETTERS} -]{2,40}?)${END}`,
    'job_title',
    'work',
  ),
  slot(`^is (?:an? )?(vegan|vegetarian|pescatarian|halal|kosher)\\b`, 'diet', 'health'),
  slot(
    `^is (?:now )?(?:an? |the )((?:[${LETTERS}-]+ ){0,3}(?:[${LETTERS}]{3,}(?:er|or|ist|ician|arian|eer|ant|ive)|nurse|chef|cook|CEO|CTO|CFO|VP|director|student|pilot|attorney|intern|founder|clerk|model|mechanic|coach|judge|vet|surgeon|secretary))${END}`,
    'job_title',
    'work',
  ),
  slot(`^(?:is|was promoted to) (?:now )?(?:an? |the )?[${LETTERS} -]{3,40}? at ${NAME}${END}`, 'employer', 'work'),
  slot(`^(?:is (?:named|called)|goes by|is known as) ${NAME}${END}`, 'name', 'personal'),
  slot('^is (\\d{1,3})(?: years? old| yrs? old|$|,| and)', 'age', 'personal'),
  slot(`^is (married|single|divorced|engaged|widowed|separated)\\b`, 'marital_status', 'personal'),
  slot(`^(?:just |recently )?(got) (?:married|divorced|engaged)`, 'marital_status', 'personal', true),
  slot(`^is (?:severely |very |deathly )?allergic to ([${LETTERS} ,-]{3,50}?)${END}`, 'allergy', 'health'),
  slot(
    `^(?:has|suffers from|was diagnosed with|has been diagnosed with) (?:type \\d )?(diabetes|asthma|depression|anxiety|arthritis|epilepsy|cancer|migraines|celiac disease|high blood pressure|insomnia|adhd|ADHD|autism|dyslexia)\\b`,
    'health_condition',
    'health',
  ),
  slot(
    `^speaks (?:fluent )?([${CAPITALS}][${LETTERS}]+(?:(?:, | and |, and )[${CAPITALS}][${LETTERS}]+)*)`,
    'languages',
    'personal',
  ),
  slot(
    `^(?:studies|is studying|is majoring in|majors in|majored in|studied) ((?:[${LETTERS}-]+ ){0,3}?[${LETTERS}-]+)${END}`,
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
  slot(`^is in (?:the )?([A-Z]+|[A-Za-z]+\\/[A-Za-z_]+) time ?zone`, 'time_zone', 'location'),
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
export const BIRTHPLACE: RegExp = new RegExp(`^was (?:born|raised|born and raised) in ${NAME}${END}`);

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
  pronouns: ['pronouns', 'personal'],
  website: ['website', 'work'],
  allergy: ['allergy', 'health'],
  diet: ['diet', 'health'],
  religion: ['religion', 'personal'],
  nationality: ['nationality', 'personal'],
  major: ['field_of_study', 'general'],
};
