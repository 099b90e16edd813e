import { KINSHIP, PETS, singularOf } from '../../language/kinship.ts';
import { canBeName } from '../../language/not-a-name.ts';
import { CAPITALS, LETTERS } from '../../language/name-pattern.ts';

/** Somebody, or an animal, that the speaker has named: "my wife Inés". */
export interface NamedPerson {
  name: string;
  /** What they are to the speaker: "wife", "older brother". */
  relation: string;
}

/** The named people of a speaker, by their first name in lower case. */
export type People = ReadonlyMap<string, NamedPerson>;

const NAME = `[${CAPITALS}][${LETTERS}-]+(?:'[${CAPITALS}][${LETTERS}]+)?`;
const NAMES = new RegExp(NAME, 'g');
const FULL_NAME = `${NAME}(?: ${NAME})?`;
const OWNER = `(?:[Mm]y|[Oo]ur|[Tt]heir|User's|[Tt]he(?= (?:baby|wife|husband|missus|hubby)\\b))`;
const QUALITY =
  '(?:(?:older|younger|elder|big|little|baby|best|oldest|youngest|eldest|middle|new|old|late|twin|dear|lovely|former|good|close) )*';
const AGE = '(?: \\((?:aged? )?\\d{1,2}\\)|, \\d{1,2}\\b)?';
// "my wife Inés", "our daughter, Alba,", "my dog is called Max", "an old spaniel called Biscuit"
const AFTER = new RegExp(
  `\\b(?:(?:${OWNER}) (${QUALITY})([a-zé-]+)(?:'s name is|, | is called | is named | is | named | called | )|(?:\\b[Aa]n?|[Oo]ne) (?:[a-z]+ ){0,2}?([a-zé-]+) (?:named|called) )(${FULL_NAME})`,
  'g',
);
// "Inés, my wife", "Ana is my partner"
const BEFORE = new RegExp(`\\b(${FULL_NAME})(?:,| is) ${OWNER} (${QUALITY})([a-zé-]+)\\b`, 'g');
// "two kids, Isla (9) and Finn (5)", "my sons Max and Leo", "three employees: Bisi does …, Tunde …"
const SEVERAL = new RegExp(
  `\\b(?:${OWNER}|two|three|four|five|six|the) (${QUALITY})([a-zé-]+)(?:,|:| are| named| called| are called| are named)? ((?:${NAME}${AGE}(?:, and |, | and | & )?){2,6})`,
  'g',
);
const EACH_DOES = new RegExp(`(?:^|[:,;]|\\band) (${NAME}) (?=[a-z]+s\\b|is\\b|has\\b|\\d)`, 'g');
const MAY_NAME = new RegExp(`[a-z,:] ${NAME}|${NAME}(?:,| is) (?:my|our)\\b`);

/** The people and pets that a text gives a name to. */
export function findPeople(text: string): NamedPerson[] {
  if (!MAY_NAME.test(text)) return [];
  const found = new Map<string, NamedPerson>();
  const add = (name: string, quality: string, noun: string): void => {
    const first = name.split(' ')[0] ?? name;
    if (!(KINSHIP.has(noun) || PETS.has(noun)) || singularOf(noun) !== null || !canBeName(first)) return;
    const full = name.split(' ').every(canBeName) ? name : first;
    if (!found.has(first.toLowerCase())) found.set(first.toLowerCase(), { name: full, relation: `${quality}${noun}` });
  };
  for (const [, quality = '', noun, kind, name = ''] of text.matchAll(AFTER)) add(name, quality, noun ?? kind ?? '');
  for (const [, name = '', quality = '', noun = ''] of text.matchAll(BEFORE)) add(name, quality, noun);
  for (const { 1: quality = '', 2: nouns = '', 3: names = '' } of text.matchAll(SEVERAL)) {
    const noun = singularOf(nouns);
    if (noun !== null) for (const name of names.match(NAMES) ?? []) add(name, quality, noun);
  }
  const listed = /\b(?:two|three|four|five|six|my|our) ([a-z]+): /.exec(text);
  const one = listed === null ? null : singularOf(listed[1] ?? '');
  if (listed !== null && one !== null)
    for (const [, name = ''] of text.slice(listed.index + listed[0].length - 2).matchAll(EACH_DOES)) add(name, '', one);
  return [...found.values()];
}

/** Everybody named in these texts, those of later texts over those of earlier ones. */
export function peopleOf(texts: readonly string[]): Map<string, NamedPerson> {
  const people = new Map<string, NamedPerson>();
  for (const text of texts)
    for (const person of findPeople(text)) people.set((person.name.split(' ')[0] ?? '').toLowerCase(), person);
  return people;
}

// "Inés, my wife, …" and "my wife, Inés, …" are "my wife Inés …".
const NAME_FIRST = new RegExp(
  `(?<=^|[.,;] |\\b(?:and|but|so) )(${FULL_NAME}), ((?:my|our) (?:[a-z]+ )?[a-zé-]+),`,
  'g',
);
const NAME_APART = new RegExp(
  `\\b([Mm]y|[Oo]ur|[Tt]he(?= (?:baby|wife|husband|missus|hubby)\\b)) ((?:[a-z]+ )?[a-zé-]+), (${FULL_NAME}),`,
  'g',
);

// "Maddie's 8" is no Maddie's.
const IS_AGED = new RegExp(
  `(?<=^|[ :])(${NAME})'s (?=(?:now |almost |nearly |only |just |about )?(?:\\d{1,2}|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve)(?:$|[,.;!]| (?:and|but|now|in|next|today|tomorrow|years|months|weeks|already)\\b))`,
  'gu',
);

/** Puts a name in apposition beside what the person is, so that both are one subject. */
export function joinAppositions(text: string): string {
  const isPerson = (phrase: string): boolean => {
    const noun = phrase.split(' ').at(-1) ?? '';
    return KINSHIP.has(noun) || PETS.has(noun);
  };
  return text
    .replace(IS_AGED, '$1 is ')
    .replace(NAME_FIRST, (whole, name: string, relation: string) =>
      isPerson(relation) ? `${relation} ${name}` : whole,
    )
    .replace(NAME_APART, (whole, owner: string, relation: string, name: string) =>
      isPerson(relation) ? `${owner} ${relation} ${name}` : whole,
    );
}
