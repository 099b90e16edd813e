import { words } from '../language/words.ts';
import type { RecallView } from './recall-view.ts';
import { relativesIn } from './speaks-of.ts';

// A question and the key of a fact often share no word: "Where do I live?" asks for home_city. Words of one row ask for
// each other. Short and general on purpose: the rest is for vectors.
const CONCEPTS: readonly ReadonlySet<string>[] = [
  'live living reside based home address city town country location neighborhood apartment flat house',
  'work job employer company workplace occupation profession career title role office',
  'eat food cook dinner lunch breakfast restaurant meal diet dietary recipe vegetarian vegan allergy',
  'partner wife husband spouse girlfriend boyfriend married fiance wedding anniversary',
  'pet dog cat animal puppy',
  'birthday born age old birth',
  'name called nickname',
  'phone telephone email contact reach number',
  'child children kid son daughter',
  'commute transport travel car drive bike',
  'language speak',
  'manager boss supervisor team',
  'health allergy allergic condition medication medicine pill doctor diagnosis illness',
  'school university college study degree education',
  'color colour',
  'morning routine wake schedule',
  'hobby sport instrument play',
].map((row) => new Set(words(row)));

/** The keyed facts that a question asks for, by what their keys mean. */
export function askedFacts(terms: readonly string[], view: RecallView): Set<number> {
  const relatives = relativesIn(terms);
  // "What is his wife's name?" asks for what has to do with a wife. "Where does his mother live?" for nothing of his own.
  const telling = relatives.length > 0 ? relatives : terms;
  const asked = CONCEPTS.filter((concept) => telling.some((term) => concept.has(term)));
  const found = new Set<number>();
  if (asked.length + relatives.length === 0) return found;
  for (const ordinal of view.keyed) {
    const label = view.documents[ordinal]?.text.split(':', 1)[0] ?? '';
    const isAsked = words(label).some((word) => relatives.includes(word) || asked.some((concept) => concept.has(word)));
    if (isAsked && view.live[ordinal] === 1) found.add(ordinal);
  }
  return found;
}
