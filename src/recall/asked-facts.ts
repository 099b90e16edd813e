import { words } from '../language/words.ts';
import type { RecallView } from './recall-view.ts';

// A question and the key of a fact often share no word: "Where do I live?" asks for home_city. Words of one row ask for
// each other. Short and general on purpose: the rest is for vectors.
const CONCEPTS: readonly ReadonlySet<string>[] = [
  'live living reside based home address city town country location neighborhood apartment flat house',
  'work job employer company workplace occupation profession career title role position office',
  'eat food cook dinner lunch breakfast restaurant meal diet dietary recipe vegetarian vegan allergy',
  'partner wife husband spouse girlfriend boyfriend married fiance wedding anniversary',
  'pet dog cat animal puppy',
  'birthday born age old birth',
  'name called nickname',
  'phone telephone email contact reach number',
  'child children kid son daughter',
  'commute transport travel car drive bike train',
  'language speak',
  'manager boss supervisor team',
  'health allergy condition medication doctor diagnosis illness',
  'school university college study degree education',
  'color colour',
  'morning routine wake schedule',
  'hobby sport instrument play',
].map((row) => new Set(words(row)));

// A question about somebody else does not ask for the user's own facts.
const OTHERS: ReadonlySet<string> = new Set(
  words(
    'mother mom father dad sister brother friend neighbor neighbour colleague cousin aunt uncle grandmother grandfather parent roommate',
  ),
);

/** The keyed facts that a question asks for, by what their keys mean. */
export function askedFacts(terms: readonly string[], view: RecallView): Set<number> {
  const asked = CONCEPTS.filter((concept) => terms.some((term) => concept.has(term)));
  const found = new Set<number>();
  if (asked.length === 0 || terms.some((term) => OTHERS.has(term))) return found;
  for (const ordinal of view.keyed) {
    const label = view.documents[ordinal]?.text.split(':', 1)[0] ?? '';
    const isAsked = words(label).some((word) => asked.some((concept) => concept.has(word)));
    if (isAsked && view.live[ordinal] === 1) found.add(ordinal);
  }
  return found;
}
