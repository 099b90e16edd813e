import { KINSHIP, PETS } from '../../../language/kinship.ts';
import { isContentWord } from '../../../language/stop-words.ts';
import { isWord, type Token } from '../../../language/word-tokens.ts';
import { wordSet } from '../../../language/word-set.ts';

const EMPTY_ENDINGS = wordSet(`
  too though either anyway anyways lol haha actually really myself ourselves so and but or because btw yet tbh
  honestly right now yes please also neither of with to for as than if when that who which since in a the my
  well much very then definitely actually recently course haha is are sometime even just mostly especially like
  at on from about because while where how what i we by`);
const BOUNDARIES = wordSet(`
  , and but because so which who with to for when of in on at from about as than if while since where how what
  like or after before that until whenever during by into`);
const UNRESOLVED = wordSet(`
  it its this these those them him her he she they his their theirs there here ones you your yours yourself such
  itself themselves someone it's so`);
const DATED_THIS =
  /^(?:week|month|year|summer|winter|spring|fall|autumn|weekend|morning|afternoon|evening|semester|quarter|monday|tuesday|wednesday|thursday|friday|saturday|sunday|january|february|march|april|may|june|july|august|september|october|november|december|christmas|season)$/;
// "Here in Calgary" is said, "here" alone is not.
const HERE_IS = /^(?:from|in|at)$/;
const COUNTING = wordSet(`
  one two three four five six seven eight nine ten couple first last next ton tons bunch`);
const PHRASAL_ENDS = new Set(['in', 'on', 'for', 'with', 'about', 'to', 'from', 'of', 'at', 'by']);

/**
 * Cuts a phrase before the first word whose meaning lies elsewhere ("with them", "like you"), back to
 * the phrase that holds it. Null when nothing that stands alone is left. With `pointingNouns`,
 * "that report" may stay: an errand is worth keeping although only its owner knows which report. With `ofPerson` the
 * subject is a person, whom "his" means.
 */
export function trimTail(
  tokens: readonly Token[],
  { pointingNouns = false, ofPerson = false }: { pointingNouns?: boolean; ofPerson?: boolean } = {},
): Token[] | null {
  const unresolved = tokens.findIndex(
    (word, index) =>
      isUnresolved(tokens, index, word) &&
      !(pointingNouns && pointsAtNoun(tokens, index)) &&
      !(ofPerson && /^(?:he|him|his|she|her)$/.test(word.lower)),
  );
  let end = tokens.length;
  if (unresolved >= 0) {
    end = unresolved;
    while (end > 0 && !BOUNDARIES.has(tokens[end - 1]?.lower ?? '')) end -= 1;
    if (end === 0) return null;
    // "people like that" may not become "people".
    if (tokens[end - 1]?.lower === 'like') return null;
    while (end > 0 && BOUNDARIES.has(tokens[end - 1]?.lower ?? '')) end -= 1;
    // "I like Under Armour, working with them …": what the cut leaves after a comma is a stump.
    const comma = tokens.slice(0, end).findLastIndex(({ text }) => text === ',');
    if (comma > 0 && end - comma <= 3) end = comma;
    // "talking to them" may not become "talking", "because I love them" may not become "because I love".
    if (end === 0 || /^(?:i|we|am|is|are|love|like|to)$/.test(tokens[end - 1]?.lower ?? ''))
      return cutAtClause(tokens, end);
  }
  return withoutEmptyEnding(
    tokens
      .slice(0, end)
      .filter((word, index) => word.lower !== 'here' || !HERE_IS.test(tokens[index + 1]?.lower ?? '')),
  );
}

/** True when the words say something: at least one content word that is no bare quantity. */
export function hasContent(tokens: readonly Token[]): boolean {
  return tokens.some(
    (word, index) =>
      isWord(word) &&
      (isContentWord(word.lower) || word.text === 'May') &&
      (!COUNTING.has(word.lower) || tokens[index - 1]?.lower === 'at'),
  );
}

function cutAtClause(tokens: readonly Token[], before: number): Token[] | null {
  for (let index = before; index > 0; index -= 1) {
    if (/^(?:,|and|but|because|so|when|while|since|where|if|which|who|that)$/.test(tokens[index]?.lower ?? ''))
      return withoutEmptyEnding(tokens.slice(0, index));
  }
  return null;
}

function withoutEmptyEnding(tokens: readonly Token[]): Token[] {
  let end = tokens.length;
  while (end > 0) {
    const word = tokens[end - 1];
    const phrasal = end >= 2 && PHRASAL_ENDS.has(word?.lower ?? '') && end === tokens.length;
    if (word?.text === '"' && tokens.slice(0, end - 1).filter(({ text }) => text === '"').length % 2 === 1) break;
    if (word?.text === ')' && tokens[end - 3]?.text === '(') break;
    if (/^[%€$£]$/.test(word?.text ?? '') && /\d$/.test(tokens[end - 2]?.text ?? '')) break;
    if (word?.lower === 'while' && tokens[end - 2]?.lower === 'a') break;
    if (word !== undefined && isWord(word) && (!EMPTY_ENDINGS.has(word.lower) || phrasal)) break;
    end -= 1;
  }
  return tokens.slice(0, end);
}

function pointsAtNoun(tokens: readonly Token[], index: number): boolean {
  const next = tokens[index + 1];
  return /^(?:that|this|these|those)$/.test(tokens[index]?.lower ?? '') && isWord(next) && isContentWord(next.lower);
}

function isUnresolved(tokens: readonly Token[], index: number, word: Token): boolean {
  if (word.lower === 'here' && HERE_IS.test(tokens[index + 1]?.lower ?? '')) return false;
  const lower = word.lower;
  const next = tokens[index + 1]?.lower ?? '';
  if (lower === 'that') {
    // A relative clause ("a job that pays well") is fine, a pointing word is not.
    const relative =
      index > 0 &&
      isWord(tokens[index - 1]) &&
      !BOUNDARIES.has(tokens[index - 1]?.lower ?? '') &&
      next !== '' &&
      /^(?:i|we|my|is|are|was|has|have|had|can|will|would|makes?|[a-z]+s|[a-z]+ed)$/.test(next);
    return !relative;
  }
  if (lower === 'same') return true;
  if (!UNRESOLVED.has(lower)) return false;
  if (lower === 'this' || lower === 'these') return !DATED_THIS.test(next) && next !== 'days';
  if (lower === 'so' && index === tokens.length - 2 && /^(?:much|far|well|often|badly|bad)$/.test(next)) return false;
  if (lower === 'so') return index > 0 && next !== 'i' && next !== 'my' && next !== '' && index < tokens.length - 1;
  if (/^(?:they|them|their|theirs|he|him|his|she|her|themselves)$/.test(lower)) return !hasPersonBefore(tokens, index);
  if (lower === 'it' || lower === 'its')
    return !(next === 'when' || (index > 1 && tokens[index - 1]?.lower === 'when'));
  return true;
}

/** "my dog and his toys": the pronoun has its noun in the same phrase. */
function hasPersonBefore(tokens: readonly Token[], index: number): boolean {
  return tokens.slice(0, index).some((word) => KINSHIP.has(word.lower) || PETS.has(word.lower));
}
