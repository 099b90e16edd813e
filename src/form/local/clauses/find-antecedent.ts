import { KINSHIP, PETS } from '../../../language/kinship.ts';
import type { ParsedClause } from './parse-clause.ts';
import type { Subject } from './read-subject.ts';

const PERSON_OR_PET = /\b(?:my|our|an?|one|two|three|four|five) ((?:(?:\p{L}+) ){0,2}?)(\p{L}+)\b/giu;
const PLURAL = /s$|^(?:children|kids|people|folks|family)$/;

/** Whom "he", "she", "they" or "it" means: the one relative or pet named just before, or null when unsure. */
export function findAntecedent(clause: ParsedClause, saidBefore: string): Extract<Subject, { kind: 'owned' }> | null {
  if (clause.subject.kind !== 'pronoun') return null;
  const { pronoun, plural } = clause.subject;
  const candidates = new Map<string, string>();
  for (const match of saidBefore.slice(-240).matchAll(PERSON_OR_PET)) {
    const noun = (match[2] ?? '').toLowerCase();
    if (KINSHIP.has(noun) || PETS.has(noun)) candidates.set(noun, noun);
  }
  const fitting = [...candidates.keys()].filter(
    (noun) => PLURAL.test(noun) === plural && (pronoun !== 'it' || PETS.has(noun)) && fitsGender(noun, pronoun),
  );
  const [noun] = fitting;
  if (noun === undefined || fitting.length > 1) return null;
  return { kind: 'owned', noun, phrase: noun, plural, ours: false };
}

function fitsGender(noun: string, pronoun: string): boolean {
  const male =
    /^(?:father|dad|brother|son|husband|boyfriend|grandfather|grandpa|uncle|nephew|fiancé|stepfather|stepdad)$/.test(
      noun,
    );
  const female =
    /^(?:mother|mom|mum|sister|daughter|wife|girlfriend|grandmother|grandma|granny|nana|aunt|niece|fiancée|stepmother|stepmom)$/.test(
      noun,
    );
  return !(male && pronoun === 'she') && !(female && pronoun === 'he');
}
