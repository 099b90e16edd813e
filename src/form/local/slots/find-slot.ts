import type { FactCategory } from '../../../record/memory.ts';
import type { KeyedFact } from '../extracted-statement.ts';
import { KINSHIP, PARTNERS } from '../../../language/kinship.ts';
import { CAPITALS, LETTERS } from '../../../language/name-pattern.ts';
import { BIRTHPLACE, END, NAME, OWN_SLOTS, OWNED_SLOTS, OWNED_VALUE, PAST_EMPLOYER } from './slot-patterns.ts';
import { factKey } from './fact-key.ts';
import { likesSlot, slugOf } from './likes-slot.ts';
import { GIVEN_NAMES } from '../../../language/classify-name.ts';
import type { StatementDraft } from '../statement-draft.ts';
import { thirdPerson } from '../../../language/verb-forms.ts';

const OWNED_NAME = new RegExp(
  `^(?:is|is named|is called|goes by) (?:named |called )?([${CAPITALS}][${LETTERS}'-]+(?: [${CAPITALS}][${LETTERS}'-]+)?)$`,
);
const OWNED_EMPLOYER = new RegExp(`^(?:works|is working) (?:at|for) ${NAME}${END}`);

// "can swim" and "cannot swim" are about one thing. "cannot stand" is a taste, and read elsewhere.
const ABILITY =
  /^(?:can|can not|cannot|is (?:not )?able to) (?!stand\b|bear\b|wait\b|help\b)(\p{L}+(?: \p{L}+){0,3})$/u;

interface Slot {
  /** Whose slot it is, when that is not the grammatical subject: "User's employer is Acme" fills a slot of the user. */
  subject?: string;
  attribute?: string;
  keyedFacts?: KeyedFact[];
}

/** Finds which slot a draft fills, so that a later one can replace it. */
export function findSlot(draft: StatementDraft, speaker: string): Slot {
  if (draft.attribute !== undefined) return {};
  const owned = draft.subject.startsWith(`${speaker}'s `) ? draft.subject.slice(speaker.length + 3) : null;
  if (owned !== null) return ownedSlot(owned, draft, speaker);
  if (draft.subject !== speaker) return {};
  if (draft.type === 'preference') return likesSlot(draft);
  const ability = ABILITY.exec(draft.predicate)?.[1];
  if (ability !== undefined) return { attribute: `ability:${slugOf(ability)}` };
  if (draft.past === true || draft.polarity === 'negative' || draft.type === 'goal' || draft.type === 'intention')
    return pastSlot(draft);
  const filled = OWN_SLOTS.flatMap(({ pattern, key, category, attributeOnly }) => {
    const value = pattern
      .exec(draft.predicate)?.[1]
      ?.trim()
      .replace(/^the (?=\p{Lu})/u, '');
    return value === undefined || value === '' ? [] : [{ key, value, category, attributeOnly }];
  });
  const [first] = filled;
  if (first === undefined)
    return isGivenName(draft.predicate)
      ? { attribute: 'name', ...keyed('name', draft.predicate.slice(3), 'personal') }
      : {};
  const facts = filled.filter(
    ({ key, attributeOnly }, index) =>
      attributeOnly !== true && filled.findIndex((other) => other.key === key) === index,
  );
  return {
    attribute: attributeOf(first.key, first.value),
    ...(facts.length === 0
      ? {}
      : { keyedFacts: facts.map(({ key, value, category }) => ({ key: keyOf(key, value), value, category })) }),
  };
}

// One may have several of these. A second allergy must neither replace the first nor pass for its double.
const MANY_VALUED = new Set(['allergy', 'health_condition', 'languages', 'field_of_study', 'school', 'car']);

function attributeOf(key: string, value: string): string {
  return MANY_VALUED.has(key) ? `${key}:${slugOf(value)}` : key;
}

function keyOf(key: string, value: string): string {
  return key === 'allergy' || key === 'health_condition' ? (factKey(`${key} ${value}`) ?? key) : key;
}

/** "I'm Ana" is a name, "I'm Canadian" is not. */
function isGivenName(predicate: string): boolean {
  const words = /^is (\p{Lu}\p{L}+(?: \p{Lu}\p{L}+)?)$/u.exec(predicate)?.[1]?.toLowerCase().split(' ') ?? [];
  return GIVEN_NAMES.has(words[0] ?? '');
}

/** What is denied touches the slot ("no longer works at Acme") without a value; what is past has a slot of its own. */
function pastSlot(draft: StatementDraft): Slot {
  if (draft.type === 'goal' || draft.type === 'intention') return {};
  if (draft.polarity === 'negative') {
    const asserted = draft.predicate
      .replace(/^is (?:not|no longer) /, 'is ')
      .replace(/^no longer /, '')
      .replace(/^does not (\p{L}+)/u, (_, verb: string) => thirdPerson(verb));
    for (const { pattern, key } of OWN_SLOTS) {
      const value = pattern.exec(asserted)?.[1];
      if (value !== undefined) return { attribute: attributeOf(key, value) };
    }
    return {};
  }
  const employer = PAST_EMPLOYER.exec(draft.predicate)?.[1];
  // Past employers do not replace each other: each has a slot of its own.
  if (employer !== undefined) return { attribute: `employment:${slugOf(employer)}` };
  const born = BIRTHPLACE.exec(draft.predicate)?.[1];
  return born === undefined
    ? {}
    : { attribute: 'birthplace', keyedFacts: [{ key: 'birthplace', value: born, category: 'location' }] };
}

function ownedSlot(owned: string, draft: StatementDraft, speaker: string): Slot {
  const value = OWNED_VALUE.exec(draft.predicate)?.[1];
  const phrase = owned.toLowerCase().replace(/'s name$/, '');
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
  if (known !== undefined)
    return {
      subject: speaker,
      attribute: known[0],
      ...keyed(
        known[0],
        draft.polarity === 'positive' ? value?.replace(/^(?:an?|the) (?=\p{Ll})/u, '') : undefined,
        known[1],
      ),
    };
  const noun = phrase.split(' ').at(-1) ?? phrase;
  const name = OWNED_NAME.exec(draft.predicate)?.[1];
  if (name !== undefined && phrase.split(' ').length <= 2) {
    const key = PARTNERS.has(noun) ? 'partner_name' : factKey(`${phrase.replace(/ name$/, '')} name`);
    if (key === null) return {};
    return { subject: speaker, attribute: key, ...keyed(key, name, 'personal') };
  }
  const work = OWNED_EMPLOYER.exec(draft.predicate)?.[1];
  if (work !== undefined) return { attribute: 'employer' };
  if (/^(?:lives|is living|moved) (?:in|to)\b/.test(draft.predicate)) return { attribute: 'home_city' };
  if (KINSHIP.has(noun) && /^is (?:an? )/.test(draft.predicate)) return { attribute: 'job_title' };
  return {};
}

function keyed(key: string, value: string | undefined, category: FactCategory): Pick<Slot, 'keyedFacts'> {
  return value === undefined || value.split(' ').length > 14 ? {} : { keyedFacts: [{ key, value, category }] };
}
