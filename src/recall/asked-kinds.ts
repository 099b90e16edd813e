import { wordSet } from '../language/word-set.ts';
import { words } from '../language/words.ts';
import type { MemoryType, MemoryTypeTable } from '../record/memory-types.ts';
import type { RecallDocument } from './document-profile.ts';
import type { RecallView } from './recall-view.ts';

/** A kind of memory that is asked for by its name, not by what is in it. */
interface AskedKind {
  names: ReadonlySet<string>;
  has(document: RecallDocument, type: MemoryType | undefined): boolean;
}

const FAMILY = wordSet(`
  mother mom mum father dad parent parents sister sisters brother brothers sibling siblings twin twins son sons daughter
  daughters child children kid kids baby wife husband spouse partner girlfriend boyfriend fiance fiancee grandmother grandma
  grandfather grandpa grandparents grandson granddaughter aunt uncle cousin cousins niece nephew family`);
const HOW_TO_ANSWER =
  /\b(?:the agent|answers?|answered|repl(?:y|ies)|responses?|explanations?|tone|style|format|bullet points?|paragraphs?|emojis?|jargon|to be called)\b/i;

const KINDS: readonly AskedKind[] = [
  kind(
    'preference preferences prefer like likes taste tastes favorite favourite favorites favourites',
    ({ category }) => category === 'preference',
  ),
  kind(
    'communication communicate style format formatting tone answer answers respond response reply write instruction instructions',
    ({ attribute, text }, type) =>
      attribute?.startsWith('answer_') === true || (type?.personal === true && HOW_TO_ANSWER.test(text)),
  ),
  kind('family relative relatives', ({ text }) =>
    text
      .toLowerCase()
      .split(/[^\p{L}-]+/u)
      .some((word) => FAMILY.has(word)),
  ),
  kind('know remember background profile overview everything summary information info facts', () => true),
];

function kind(names: string, has: AskedKind['has']): AskedKind {
  return { names: new Set(words(names)), has };
}

const kindsByTable = new WeakMap<MemoryTypeTable, AskedKind[]>();

/** A type is asked for by its name, and by the words that the table has for it. */
function typeKinds(memoryTypes: MemoryTypeTable): AskedKind[] {
  const before = kindsByTable.get(memoryTypes);
  if (before !== undefined) return before;
  const kinds = [...memoryTypes]
    .filter(([, { recalled }]) => recalled)
    .map(([name, { askedFor }]) =>
      kind([name.replaceAll('_', ' '), ...askedFor].join(' '), ({ type }) => type === name),
    );
  kindsByTable.set(memoryTypes, kinds);
  return kinds;
}

// They say of whom and how much, not what.
const FILLERS: ReadonlySet<string> = new Set(words('user person tell give list show all current general main please'));

/**
 * The memories that a question asks for by their kind and by nothing else: "user preferences", "communication style",
 * "What do you know about me?" share no word with any of them.
 */
export function askedKinds(terms: readonly string[], view: RecallView, memoryTypes: MemoryTypeTable): Set<number> {
  const found = new Set<number>();
  const telling = terms.filter((term) => !FILLERS.has(term));
  const asked = [...KINDS, ...typeKinds(memoryTypes)].filter(({ names }) => telling.some((term) => names.has(term)));
  if (asked.length === 0 || !telling.every((term) => asked.some(({ names }) => names.has(term)))) return found;
  for (const [ordinal, document] of view.documents.entries()) {
    if (view.isMemory[ordinal] !== 1 || view.live[ordinal] !== 1) continue;
    const type = memoryTypes.get(document.type);
    if (asked.some(({ has }) => has(document, type))) found.add(ordinal);
  }
  return found;
}
