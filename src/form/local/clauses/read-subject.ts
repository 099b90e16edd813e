import { KINSHIP, PETS } from '../../../language/kinship.ts';
import { joinTokens, type Token } from '../../../language/word-tokens.ts';
import { wordSet } from '../../../language/word-set.ts';

/** Who or what a clause is about, seen from its speaker. */
export type Subject =
  | { kind: 'self' }
  | { kind: 'we' }
  /** "my sister", "our shop": `noun` is the head, `phrase` all words after the possessive. */
  | { kind: 'owned'; noun: string; phrase: string; plural: boolean; ours: boolean }
  | { kind: 'pronoun'; pronoun: string; plural: boolean };

const FINITE =
  /^(?:am|is|are|was|were|has|have|had|can|cannot|could|would|will|should|must|may|might|do|does|did|used|[a-z]{2,}(?:ed))$/;
const THIRD_PERSON_VERBS = new Set(
  `works lives loves likes hates plays teaches runs owns studies goes wants enjoys speaks thinks says tells makes got went left
  passed died served grew came gave taught told became took met won lost sells reads writes drives cooks bakes sings dances
  collects looks sounds means needs keeps helps comes gets takes sleeps eats barks fought built bought stays prefers wears ran
  cheated left kicked work live love like hate play teach own study go want enjoy speak think fight sleep eat make help need drive run broke
  said sold knows know begins starts ends costs consists includes cost
  uses ships deploys meets hosts builds offers serves supports requires wakes walks swims belongs uses gives plans use ship deploy`.split(
    /\s+/,
  ),
);
const ADVERBS = wordSet(`
  always also never just really currently recently usually often still only actually both`);

/** Reads the subject at the head of the tokens and says how many it takes. */
export function readSubject(tokens: readonly Token[]): { subject: Subject; length: number } | null {
  const first = tokens[0]?.lower;
  if (first === 'i') return { subject: { kind: 'self' }, length: 1 };
  if (first === 'we') return { subject: { kind: 'we' }, length: 1 };
  if (first === 'he' || first === 'she' || first === 'it')
    return { subject: { kind: 'pronoun', pronoun: first, plural: false }, length: 1 };
  if (first === 'they') return { subject: { kind: 'pronoun', pronoun: first, plural: true }, length: 1 };
  const joint = jointSubject(tokens);
  if (joint > 0) return { subject: { kind: 'we' }, length: joint };
  if (first !== 'my' && first !== 'our') return null;
  return ownedSubject(tokens, first === 'our');
}

/** "me and my wife", "my wife and I". */
function jointSubject(tokens: readonly Token[]): number {
  if (tokens[0]?.lower === 'me' && tokens[1]?.lower === 'and' && tokens[2]?.lower === 'my') return 4;
  if (tokens[0]?.lower !== 'my') return 0;
  const and = tokens.findIndex((word, index) => index < 5 && word.lower === 'and' && tokens[index + 1]?.lower === 'i');
  return and > 0 ? and + 2 : 0;
}

function ownedSubject(tokens: readonly Token[], ours: boolean): { subject: Subject; length: number } | null {
  for (let index = 1; index < Math.min(tokens.length, 9); index += 1) {
    const word = tokens[index];
    if (word === undefined || /^[.;!?]$/.test(word.text)) return null;
    const previous = tokens[index - 1]?.lower ?? '';
    const finite =
      index > 1 &&
      (FINITE.test(word.lower) || THIRD_PERSON_VERBS.has(word.lower) || ADVERBS.has(word.lower)) &&
      previous !== 'and' &&
      previous !== 'to' &&
      !isModifier(tokens, index);
    if (!finite) continue;
    const phrase = tokens.slice(1, tokens[index - 1]?.text === ',' ? index - 1 : index);
    const noun = headNoun(phrase);
    if (noun === null) return null;
    return {
      subject: { kind: 'owned', noun, phrase: joinTokens(phrase), plural: isPlural(phrase, noun, word.lower), ours },
      length: index,
    };
  }
  return null;
}

/** "my retired father", "my favorite used bookshop": an -ed word before the noun is no verb. */
function isModifier(tokens: readonly Token[], index: number): boolean {
  const word = tokens[index]?.lower ?? '';
  const next = tokens[index + 1]?.lower ?? '';
  const knownNext = KINSHIP.has(next) || PETS.has(next);
  return (word.endsWith('ed') && knownNext) || word === 'adopted';
}

/** The noun before "of/in/from/who/named …" or, without those, the last word. */
function headNoun(phrase: readonly Token[]): string | null {
  const stop = phrase.findIndex((word) =>
    /^(?:of|in|from|at|on|with|for|to|who|that|named|called|about)$/.test(word.lower),
  );
  const head = stop > 0 ? phrase.slice(0, stop) : phrase;
  const kin = head.find((word) => KINSHIP.has(word.lower) || PETS.has(word.lower));
  return (kin ?? head.at(-1))?.lower ?? null;
}

function isPlural(phrase: readonly Token[], noun: string, verb: string): boolean {
  if (verb === 'are' || verb === 'were' || verb === 'have') return true;
  if (verb === 'is' || verb === 'was' || verb === 'has') return false;
  return (
    phrase.some((word) => word.lower === 'and') ||
    /^(?:kids|children|people|parents|grandparents)$/.test(noun) ||
    (/[^s]s$/.test(noun) && !verb.endsWith('s'))
  );
}
