import { MONTH, WEEKDAY } from '../../../language/calendar-pattern.ts';
import { KINSHIP, PARTNERS, PETS, SEVERAL } from '../../../language/kinship.ts';
import { CAPITALS, LETTERS } from '../../../language/name-pattern.ts';
import { BIRTHPLACE, END, NAME, OWN_SLOTS, OWNED_SLOTS, OWNED_VALUE, PAST_EMPLOYER } from './slot-patterns.ts';
import { factKey } from './fact-key.ts';
import { hasShape } from './has-shape.ts';
import { likesSlot } from './likes-slot.ts';
import { slugOf } from './slug-of.ts';
import { isOccupation } from '../../../language/occupations.ts';
import type { StatementDraft } from '../statement-draft.ts';
import {
  countSlot,
  expecting,
  homeInSmallLetters,
  keyed,
  languagesSlot,
  medicationSlot,
  shiftSlot,
  type FilledSlot,
} from './special-slots.ts';
import { thirdPerson } from '../../../language/verb-forms.ts';

const OWNED_NAME = new RegExp(
  `^(?:is|is now|is named|is called|goes by) (?:named |called )?([${CAPITALS}][${LETTERS}'-]+(?: [${CAPITALS}][${LETTERS}'-]+)?)$`,
);
const DAY_OR_MONTH = new RegExp(`^(?:${WEEKDAY}|${MONTH})\\b`, 'i');
const DIAGNOSED = new RegExp(
  `^was (?:recently |just )?diagnosed with ([${LETTERS}0-9' -]{3,50}?)(?=$|[,.;]| (?:in|at|when|last|as|by|on|since|after|and)\\b)`,
);
const OWNED_EMPLOYER = new RegExp(`^(?:works|is working) (?:at|for) ${NAME}${END}`);

// "can swim" and "cannot swim" are about one thing. "cannot stand" is a taste, and read elsewhere.
const ABILITY =
  /^(?:can|can not|cannot|is (?:not )?able to) (?!stand\b|bear\b|wait\b|help\b)(\p{L}+(?: \p{L}+){0,3})$/u;

/** Finds which slot a draft fills, so that a later one can replace it. */
export function findSlot(draft: StatementDraft, speaker: string): FilledSlot {
  if (draft.attribute !== undefined) return {};
  const owned = draft.subject.startsWith(`${speaker}'s `) ? draft.subject.slice(speaker.length + 3) : null;
  if (owned !== null) return ownedSlot(owned, draft, speaker);
  if (draft.subject !== speaker) return {};
  if (draft.type === 'preference') return likesSlot(draft);
  const ability = ABILITY.exec(draft.predicate)?.[1];
  if (ability !== undefined) return { attribute: `ability:${slugOf(ability)}` };
  if (draft.past === true || draft.polarity === 'negative' || draft.type === 'goal' || draft.type === 'intention')
    return pastSlot(draft);
  const special = medicationSlot(draft.predicate) ?? languagesSlot(draft.predicate) ?? countSlot(draft.predicate);
  if (special !== null) return special;
  const filled = OWN_SLOTS.flatMap(({ pattern, key, category, attributeOnly }) => {
    const value = pattern
      .exec(draft.predicate)?.[1]
      ?.trim()
      .replace(/^(?:the|in|to) (?=\p{Lu}|the\b)/u, '')
      .replace(/^the (?=suburbs|outskirts|north|south|east|west|cent)/, 'the ');
    if (value === undefined || value === '' || !fits(key, value)) return [];
    return listOf(key, value).map((each) => ({ key, value: each, category, attributeOnly }));
  });
  const [first] = filled;
  if (first === undefined)
    return { ...homeInSmallLetters(draft.predicate), ...expecting(draft.predicate), ...shiftSlot(draft.predicate) };
  const facts = filled.filter(
    ({ key, attributeOnly }, index) =>
      attributeOnly !== true && (MANY_KEYED.has(key) || filled.findIndex((other) => other.key === key) === index),
  );
  return {
    attribute: attributeOf(first.key, first.value),
    ...(facts.length === 0
      ? {}
      : { keyedFacts: facts.map(({ key, value, category }) => ({ key: keyOf(key, value), value, category })) }),
  };
}

const STREET =
  /\d|\b(?:Street|St|Avenue|Ave|Road|Rd|Lane|Drive|Boulevard|Carrer|Calle|Rue|Via|Plaza|Square)\b|(?:stra(?:ß|ss)e|straat|gatan|vej)\b/i;
const NO_HOME =
  /^(?:I|Christmas|Summer|Winter|Spring|Autumn|University|College|Monday|Tuesday|Wednesday|Thursday|Friday|Saturday|Sunday|January|February|March|April|May|June|July|August|September|October|November|December)\b/;

// Said in jest: nobody's body minds them.
const NO_ALLERGEN =
  /^(?:work|work(?:ing|outs?)|exercis(?:e|ing)|meetings?|mornings?|mondays?|people|crowds|commitments?|drama|bullshit|stupidity|nonsense|small talk|paperwork|e-?mails?|deadlines?|rules|responsibility|losing|money|fun|love|change|effort|cleaning|cooking|homework|politics|jargon|buzzwords)\b/i;

/** Better no key than an odd one: a job is an occupation, a home city no street. */
function fits(key: string, value: string): boolean {
  if (key === 'job_title') return isOccupation(value);
  if (key === 'home_city') return !STREET.test(value) && !NO_HOME.test(value);
  if (key === 'birthplace') return !NO_HOME.test(value);
  if (key === 'allergy') return !NO_ALLERGEN.test(value);
  if (key === 'industry')
    return !/\b(?:hard|home|team|office|shifts?|nights|days|mornings|evenings|weekends|pub|shop)\b/.test(value);
  return true;
}

/** "peanuts, eggs and kiwi" are three allergies. */
function listOf(key: string, value: string): string[] {
  if (key !== 'allergy') return [value];
  return value
    .split(/,? (?:and|or|as well as) |, /)
    .map((each) => each.replace(/^(?:to|both|also) /, '').trim())
    .filter((each) => each.length > 2);
}

// Each of these has a key of its own for every value.
const MANY_KEYED = new Set(['allergy', 'health_condition']);

// One may have several of these. A second allergy must neither replace the first nor pass for its double.
const MANY_VALUED = new Set(['allergy', 'health_condition', 'languages', 'field_of_study', 'school', 'car']);

function attributeOf(key: string, value: string): string {
  return MANY_VALUED.has(key) ? `${key}:${slugOf(value)}` : key;
}

function keyOf(key: string, value: string): string {
  return MANY_KEYED.has(key) ? (factKey(`${key} ${value}`) ?? key) : key;
}

/** What is denied touches the slot ("no longer works at Acme") without a value; what is past has a slot of its own. */
function pastSlot(draft: StatementDraft): FilledSlot {
  if (draft.type === 'goal' || draft.type === 'intention') return {};
  if (draft.polarity === 'negative') {
    const medication = medicationSlot(draft.predicate);
    if (medication !== null) return medication;
    const asserted = draft.predicate
      .replace(/^is (?:not|no longer) /, 'is ')
      .replace(/^no longer /, '')
      .replace(/^does not (\p{L}+)/u, (_, verb: string) => thirdPerson(verb))
      .replace(/ any ?more\b/, '');
    for (const { pattern, key } of OWN_SLOTS) {
      const value = pattern.exec(asserted)?.[1];
      if (value !== undefined && fits(key, value)) return { attribute: attributeOf(key, value) };
    }
    return {};
  }
  const employer = PAST_EMPLOYER.exec(draft.predicate)?.[1];
  // Past employers do not replace each other: each has a slot of its own.
  if (employer !== undefined) return { attribute: `employment:${slugOf(employer)}` };
  const illness = DIAGNOSED.exec(draft.predicate)?.[1];
  const condition = factKey(`health condition ${illness ?? ''}`);
  if (illness !== undefined && condition !== null)
    return { attribute: `health_condition:${slugOf(illness)}`, ...keyed(condition, illness, 'health') };
  const born = BIRTHPLACE.exec(draft.predicate)?.[1];
  return born === undefined || !fits('birthplace', born)
    ? {}
    : { attribute: 'birthplace', keyedFacts: [{ key: 'birthplace', value: born, category: 'location' }] };
}

const AGED =
  /^(?:is|is now|just turned|turned|will be|turns) (?:almost |nearly |only |just )?(?:\d{1,2}|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve)(?: (?:years|months|weeks) old)?(?=$|,| (?:on|in|next|this|last|now|and|tomorrow|today|yesterday)\b)/;

function ownedSlot(owned: string, draft: StatementDraft, speaker: string): FilledSlot {
  // What something was takes the place of nothing that is.
  if (draft.past === true) return {};
  const value = OWNED_VALUE.exec(draft.predicate)?.[1];
  const phrase = owned
    .toLowerCase()
    .replace(/'s name$/, '')
    // "My new accountant" takes the place of the old one.
    .replace(/^(?:new|current|next) (?=\p{L}+$)/u, '');
  const theirs = /^(.+)'s? ((?:[a-z]+ ){0,2}[a-z]+)$/.exec(owned);
  // "User's son Tiago's birthday" is the birthday of "User's son Tiago".
  if (theirs?.[1] !== undefined && theirs[2] !== undefined && theirs[2] !== 'name')
    return { subject: canonicalSubject(`${speaker}'s ${theirs[1]}`), attribute: factKey(theirs[2]) ?? theirs[2] };
  const favorite = /^(?:all-time )?favou?rite (.+)$/.exec(phrase)?.[1];
  if (favorite !== undefined) {
    const key = factKey(`favorite ${favorite}`);
    if (key === null) return {};
    return {
      subject: speaker,
      attribute: key,
      ...keyed(key, draft.polarity === 'positive' ? value : undefined, 'preference'),
    };
  }
  const known = OWNED_SLOTS[phrase];
  // "My phone is a Pixel 8" is no number: a slot of its own, or none.
  if (known !== undefined && !hasShape(known[0], value ?? draft.predicate)) {
    return known[0] === 'phone_number' && value !== undefined ? { attribute: factKey(phrase) ?? phrase } : {};
  }
  // "My day job is teaching history" names no title.
  if (known?.[0] === 'job_title' && value !== undefined && /^\p{L}+ing\b/u.test(value))
    return { attribute: 'job_title', subject: speaker };
  if (known !== undefined)
    return {
      subject: speaker,
      attribute: known[0],
      ...keyed(
        known[0],
        draft.polarity === 'positive'
          ? value?.replace(/^(?:(?:still|actually|currently|just) )+/, '').replace(/^(?:an?|the) (?=\p{Ll})/u, '')
          : undefined,
        known[1],
      ),
    };
  const noun = phrase.split(' ').at(-1) ?? phrase;
  const called = OWNED_NAME.exec(draft.predicate)?.[1];
  const name = called !== undefined && DAY_OR_MONTH.test(called) && !KINSHIP.has(noun) ? undefined : called;
  if (name !== undefined && SEVERAL.has(noun)) return {};
  if (name !== undefined && phrase.split(' ').length <= 2) {
    const key = PARTNERS.has(noun) ? 'partner_name' : factKey(`${phrase.replace(/ name$/, '')} name`);
    if (key === null) return {};
    return { subject: speaker, attribute: key, ...keyed(key, name, 'personal') };
  }
  const work = OWNED_EMPLOYER.exec(draft.predicate)?.[1];
  if (work !== undefined) return { attribute: 'employer' };
  if (/^(?:lives|is living|moved) (?:in|to)\b/.test(draft.predicate)) return { attribute: 'home_city' };
  const isA = /^is (an? .+)$/.exec(draft.predicate)?.[1];
  const who = /^(\p{Ll}[\p{L}-]*(?: \p{Ll}[\p{L}-]*)*)/u.exec(owned)?.[1]?.split(' ').at(-1) ?? noun;
  const isAged = (KINSHIP.has(who) && !/^(?:team|family)$/.test(who)) || PETS.has(who);
  if (isAged && AGED.test(draft.predicate)) return { attribute: 'age' };
  if (KINSHIP.has(who))
    return isA !== undefined && isOccupation(isA) ? { attribute: 'job_title' } : expecting(draft.predicate);
  // What a correction replaces: "my dissertation is due on 30 April", "my extension is 4410".
  const own = value === undefined || phrase.split(' ').length > 3 ? null : factKey(phrase);
  return own === null ? {} : { attribute: own };
}

/** Whom a statement is about, in one form: "User's wife Inés" is "User's wife", because there is one. */
export function canonicalSubject(subject: string): string {
  const plain = subject.replace(/ \(\d{1,2}\)/g, '');
  const [, owner, noun] =
    /^(.+?'s (?:\p{Ll}+ ){0,1}?)(\p{Ll}[\p{L}-]*) \p{Lu}[\p{L}'-]*(?: \p{Lu}[\p{L}'-]*)?$/u.exec(plain) ?? [];
  return owner !== undefined && noun !== undefined && KINSHIP.has(noun) && !SEVERAL.has(noun)
    ? `${owner}${noun}`
    : plain;
}
