import { KINSHIP, PETS } from '../../../language/kinship.ts';
import { analyseVerb } from '../../../language/verb-forms.ts';
import { joinTokens, type Token } from '../../../language/word-tokens.ts';
import type { People } from '../find-people.ts';
import { wordSet } from '../../../language/word-set.ts';

/** Who or what a clause is about, seen from its speaker. */
export type Subject =
  | { kind: 'self' }
  /** `with`: the other one, when that is said: "my wife and I", "me and Joe". */
  | { kind: 'we'; with?: string }
  /** "my sister", "our shop": `noun` is the head, `phrase` all words after the possessive. */
  | { kind: 'owned'; noun: string; phrase: string; plural: boolean; ours: boolean }
  /** `owns`: "his name", the noun phrase that is his. */
  | { kind: 'pronoun'; pronoun: string; plural: boolean; owns?: { noun: string; phrase: string } };

const FINITE =
  /^(?:am|is|are|was|were|has|have|had|can|cannot|could|would|will|should|must|may|might|do|does|did|used|[a-z]{2,}(?:ed))$/;
const THIRD_PERSON_VERBS = new Set(
  `works lives loves likes hates plays teaches runs owns studies goes wants enjoys speaks thinks says tells makes got went left
  passed died served grew came gave taught told became took met won lost sells reads writes drives cooks bakes sings dances
  collects looks sounds means needs keeps helps comes gets takes sleeps eats barks fought built bought stays prefers wears ran
  cheated left kicked work live love like hate play teach own study go want enjoy speak think fight sleep eat make help need drive run broke
  quit said sold knows know begins starts ends costs consists includes cost
  uses ships deploys meets hosts builds offers serves supports requires wakes walks swims belongs uses gives plans use ship deploy`.split(
    /\s+/,
  ),
);
const ADVERBS = wordSet(`
  always also never just really currently recently usually often still only actually both`);

const OWNERS: Readonly<Record<string, string>> = { his: 'he', her: 'she' };
const NOBODY: People = new Map();
// "The wife", "the baby": of the family although nobody says whose.
const FAMILY = new Set(['baby', 'kids', 'twins', 'wife', 'husband', 'missus', 'hubby']);

// Whose they are nobody needs to say.
const CALLED_ALONE = wordSet('mum mom mam dad mummy daddy grandma grandpa granny gran nan nana grandad granddad');

/** Reads the subject at the head of the tokens and says how many it takes. */
export function readSubject(
  tokens: readonly Token[],
  people: People = NOBODY,
): { subject: Subject; length: number } | null {
  const first = tokens[0]?.lower;
  if (first === 'i') return { subject: { kind: 'self' }, length: 1 };
  if (first === 'we') return { subject: { kind: 'we' }, length: 1 };
  if (first === 'he' || first === 'she' || first === 'it')
    return { subject: { kind: 'pronoun', pronoun: first, plural: false }, length: 1 };
  if (first === 'they') return { subject: { kind: 'pronoun', pronoun: first, plural: true }, length: 1 };
  const joint = jointSubject(tokens);
  if (joint !== null) return joint;
  if (first === 'my' || first === 'our') return ownedSubject(tokens, first === 'our');
  const owner = OWNERS[first ?? ''];
  if (owner !== undefined) {
    const owned = ownedSubject(tokens, false);
    if (owned?.subject.kind !== 'owned') return null;
    const { noun, phrase } = owned.subject;
    return {
      subject: { kind: 'pronoun', pronoun: owner, plural: false, owns: { noun, phrase } },
      length: owned.length,
    };
  }
  const alone = CALLED_ALONE.has((first ?? '').replace(/'s$/, '')) ? calledAlone(tokens) : null;
  if (alone !== null) return alone;
  if (first === 'the' && FAMILY.has(tokens[1]?.lower ?? '')) return ownedSubject(tokens, true);
  return namedSubject(tokens, people);
}

/** "Mum is in hospital", "Grandma's birthday is …". */
function calledAlone(tokens: readonly Token[]): { subject: Subject; length: number } | null {
  const [first, second] = tokens;
  if (first === undefined || second === undefined || !/^\p{L}/u.test(second.text)) return null;
  const owned = ownedSubject([{ ...first, text: 'my', lower: 'my' }, ...tokens], false);
  if (owned?.subject.kind !== 'owned' || (owned.length > 2 && !first.lower.endsWith("'s"))) return null;
  const phrase = owned.subject.phrase.replace(/^\p{Lu}/u, (letter) => letter.toLowerCase());
  return { subject: { ...owned.subject, phrase }, length: owned.length - 1 };
}

/** "me and my wife", "my wife and I", "me and Joe", "Joe and I". */
function jointSubject(tokens: readonly Token[]): { subject: Subject; length: number } | null {
  if (tokens[0]?.lower === 'me' && tokens[1]?.lower === 'and') {
    if (tokens[2]?.lower === 'my')
      return { subject: { kind: 'we', with: `their ${tokens[3]?.text ?? ''}` }, length: 4 };
    return /^\p{L}/u.test(tokens[2]?.text ?? '')
      ? { subject: { kind: 'we', with: tokens[2]?.text ?? '' }, length: 3 }
      : null;
  }
  const and = tokens.findIndex((word, index) => index < 5 && word.lower === 'and' && tokens[index + 1]?.lower === 'i');
  const other = tokens.slice(0, and);
  // "My name is Ana and I …" are two clauses.
  if (and <= 0 || other.some(({ lower }) => FINITE.test(lower))) return null;
  if (other[0]?.lower === 'my')
    return { subject: { kind: 'we', with: `their ${joinTokens(other.slice(1))}` }, length: and + 2 };
  return other.every(({ text }) => /^\p{Lu}/u.test(text))
    ? { subject: { kind: 'we', with: joinTokens(other) }, length: and + 2 }
    : null;
}

/** "Inés got a job", "Tiago's birthday is …": a name that the speaker has told. */
function namedSubject(tokens: readonly Token[], people: People): { subject: Subject; length: number } | null {
  const first = tokens[0];
  if (first === undefined || people.size === 0) return null;
  const own = /^(.+?)'s?$/.exec(first.lower)?.[1];
  const person = people.get(first.lower) ?? people.get(own ?? '') ?? people.get(first.lower.replace(/'s$/, ''));
  if (person === undefined || (!/^\p{Lu}/u.test(first.text) && /^\p{Lu}/u.test(person.name) && first.lower.length < 4))
    return null;
  if (people.get(first.lower) === undefined) {
    const owned = ownedSubject(tokens, false);
    if (owned?.subject.kind !== 'owned') return null;
    const phrase = `${person.relation} ${first.text} ${owned.subject.phrase}`;
    return { ...owned, subject: { ...owned.subject, phrase } };
  }
  const words = person.name.split(' ');
  const length = words.length === 2 && tokens[1]?.lower === words[1]?.toLowerCase() ? 2 : 1;
  // "Ana is my partner" says who Ana is.
  if (
    tokens[length]?.lower === 'and' ||
    tokens[length]?.text === ',' ||
    /^(?:my|our)$/.test(tokens[length + 1]?.lower ?? '')
  )
    return null;
  const noun = person.relation.split(' ').at(-1) ?? person.relation;
  return {
    subject: { kind: 'owned', noun, phrase: `${person.relation} ${person.name}`, plural: false, ours: false },
    length,
  };
}

function ownedSubject(tokens: readonly Token[], ours: boolean): { subject: Subject; length: number } | null {
  for (let index = 1; index < Math.min(tokens.length, 9); index += 1) {
    const word = tokens[index];
    if (word === undefined || /^[.;!?]$/.test(word.text)) return null;
    const previous = tokens[index - 1]?.lower ?? '';
    const finite =
      index > 1 &&
      (FINITE.test(word.lower) ||
        THIRD_PERSON_VERBS.has(word.lower) ||
        ADVERBS.has(word.lower) ||
        followsPerson(tokens, index)) &&
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

const DETERMINED = /^(?:and|of|the|a|an|his|her|their|our|my|to|with)$/;

/** "my mother-in-law Graça picks", "my exams start": right after a person or a name, what looks like a verb is one. */
function followsPerson(tokens: readonly Token[], index: number): boolean {
  const [previous, word, next] = [tokens[index - 1], tokens[index], tokens[index + 1]];
  if (previous === undefined || word === undefined || next === undefined || !/^\p{Ll}/u.test(word.text)) return false;
  if (DETERMINED.test(previous.lower) || /^(?:is|are|was|were|has|have)$/.test(next.lower)) return false;
  const isPerson =
    KINSHIP.has(previous.lower) ||
    PETS.has(previous.lower) ||
    (index > 2 && /^\p{Lu}/u.test(previous.text)) ||
    previous.text === ')';
  const { form } = analyseVerb(word.lower);
  if (isPerson) return (form === 'third' && !word.lower.endsWith("'s")) || form === 'past';
  return (
    /^(?:start|starts|begin|begins|end|ends|expire|expires|run|runs|open|opens|close|closes|launch|launches|arrive|arrives|leave|leaves|land|lands|raise|raises|turn|turns|cost|costs)$/.test(
      word.lower,
    ) && /^(?:on|in|at|by|next|this|from|tomorrow|today|\d.*|€.*|\$.*|£.*)$/.test(next.lower)
  );
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
