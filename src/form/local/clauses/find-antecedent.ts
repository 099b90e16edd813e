import { KINSHIP, PETS } from '../../../language/kinship.ts';
import type { People } from '../find-people.ts';
import type { ParsedClause } from './parse-clause.ts';
import type { Subject } from './read-subject.ts';

const PERSON_OR_PET = /\b(?:my|our|an?|one|two|three|four|five) (?:pet )?((?:(?:\p{L}+) ){0,2}?)(\p{L}+)\b/giu;
const NAME = /\p{Lu}[\p{L}-]+/gu;
const PLURAL = /s$|^(?:children|kids|people|folks|family)$/;

/** Whom "he", "she", "they" or "it" means: the one relative or pet named just before, or null when unsure. */
export function findAntecedent(
  clause: ParsedClause,
  saidBefore: string,
  people: People = new Map(),
): Extract<Subject, { kind: 'owned' }> | null {
  if (clause.subject.kind !== 'pronoun') return null;
  const { pronoun, plural } = clause.subject;
  const candidates = new Map<string, string>();
  for (const match of saidBefore.slice(-240).matchAll(PERSON_OR_PET)) {
    const noun = (match[2] ?? '').toLowerCase();
    if (KINSHIP.has(noun) || PETS.has(noun)) candidates.set(noun, noun);
  }
  if (/\bthe baby\b/i.test(saidBefore)) candidates.set('baby', 'baby');
  const named = [...saidBefore.slice(-240).matchAll(NAME)].flatMap(([name]) => people.get(name.toLowerCase()) ?? []);
  for (const { name, relation } of named) {
    const noun = relation.split(' ').at(-1) ?? relation;
    // Two daughters by name: "she" could be either.
    const known = candidates.get(noun);
    if (known !== undefined && known !== noun && known !== `${relation} ${name}`) return null;
    candidates.set(noun, `${relation} ${name}`);
  }
  const fitting = [...candidates].filter(
    ([noun]) =>
      PLURAL.test(noun) === plural &&
      (pronoun !== 'it' || PETS.has(noun) || noun === 'baby') &&
      fitsGender(noun, pronoun),
  );
  const [noun, phrase] = fitting[0] ?? [];
  if (noun === undefined || phrase === undefined || fitting.length > 1) return null;
  return { kind: 'owned', noun, phrase, plural, ours: false };
}

function fitsGender(noun: string, pronoun: string): boolean {
  // "My team lead is Sofia; she …": nobody is a team.
  if (/^(?:team|family|staff)$/.test(noun)) return false;
  const male =
    /^(?:father|dad|brother|son|husband|boyfriend|grandfather|grandpa|grandad|uncle|nephew|fiancé|stepfather|stepdad|bf|hubby|fella|father-in-law|brother-in-law|grandson|bro|ex-husband)$/.test(
      noun,
    );
  const female =
    /^(?:mother|mom|mum|sister|daughter|wife|girlfriend|grandmother|grandma|granny|nana|aunt|niece|fiancée|stepmother|stepmom|gf|missus|mam|mother-in-law|sister-in-law|granddaughter|gran|nan|sis|ex-wife)$/.test(
      noun,
    );
  return !(male && pronoun === 'she') && !(female && pronoun === 'he');
}
