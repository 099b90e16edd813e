import type { People } from '../find-people.ts';
import { analyseVerb } from '../../../language/verb-forms.ts';
import type { Sentence } from '../../../language/split-sentences.ts';
import { CLAUSE_VERBS, DISLIKING, LIKING, TALKING } from './verb-classes.ts';
import { expandContractions, isWord, tokenizeWords, type Token } from '../../../language/word-tokens.ts';
import { wordSet } from '../../../language/word-set.ts';

/** A stretch of a sentence with at most one subject and one finite verb. */
export interface Clause {
  tokens: Token[];
  /** The conjunction that leads in, lower case: "if", "because", "and" … */
  connector: string | null;
}

const SUBJECT_START = wordSet(`
  i we my our he she they it you that there this his her their your`);
const COORDINATING = new Set(['and', 'but', 'so', 'or', 'yet', 'plus', 'nor']);
const SUBORDINATING = wordSet(`
  because although though while if unless whether when whenever since as until till where which who whereas
  cause cuz before after once even than how what why`);
const BREAKS = new Set([';', ':', '(', ')', '—', '–', '...', '…', '/', '|', '<', '>']);
const INTRODUCING = new Set(['am', 'is', 'was', 'not', 'have', 'do']);
const PLAIN_JOINED_LEADS = wordSet(`
  to like love enjoy prefer and hate would will can could should might want going let must`);

// What stood before the comma was before.
const AND_NOW = new Set(['now', 'nowadays', 'today', 'then', 'currently', 'instead']);

const FAMILY = /^(?:baby|wife|husband|missus|hubby|kids|twins|dog|cat)$/;

const NOBODY: People = new Map();

/** Cuts a sentence where a new subject begins, and where the same subject takes a second verb. */
export function splitClauses(sentence: Sentence, people: People = NOBODY): Clause[] {
  const tokens = expandContractions(tokenizeWords(sentence.text.replace(/[’ʼ`´]/g, "'").replace(/[“”«»]/g, '"')));
  const clauses: Clause[] = [];
  let current: Clause = { tokens: [], connector: null };
  // Of whom the clause within was said: "my dad, who is 70, is retiring".
  let described: Token[] | null = null;
  const close = (connector: string | null): void => {
    if (current.tokens.some(isWord)) clauses.push(current);
    current = { tokens: [], connector };
  };
  for (let index = 0; index < tokens.length; index += 1) {
    const word = tokens[index];
    if (word === undefined) continue;
    const next = tokens[index + 1];
    if ((BREAKS.has(word.text) && !isAge(tokens, index)) || (word.text === '-' && index > 0)) {
      close(null);
      continue;
    }
    // "my brother Luis, who lives in Toronto": said of the brother.
    if (word.lower === 'who' && tokens[index - 1]?.text === ',' && isPersonAlone(current.tokens)) {
      const person = current.tokens.filter(({ text }) => text !== ',');
      current = { tokens: [...person], connector: current.connector };
      described = person;
      continue;
    }
    if (described !== null && word.text === ',' && /^(?:is|was|has|will|works|lives)$/.test(next?.lower ?? '')) {
      close(null);
      current.tokens.push(...described);
      described = null;
      continue;
    }
    if (isRunOn(tokens, index, current.tokens)) close(null);
    if (startsNamed(tokens, index, people, current.tokens)) {
      close(null);
      continue;
    }
    if (word.lower === 'so' && isTherefore(tokens, index)) {
      close('so');
      continue;
    }
    if (startsClause(tokens, index)) {
      close(word.lower);
      continue;
    }
    if (
      (word.lower === 'and' || word.lower === 'but') &&
      sharesSubject(current.tokens, word, next, tokens[index + 2])
    ) {
      const subject = current.tokens.slice(0, subjectLength(current.tokens));
      close(word.lower);
      current.tokens.push(...subject);
      continue;
    }
    // "I weigh 82 kilos, want to get to 75": the speaker is left out after the comma.
    if (word.text === ',' && dropsSubject(current.tokens, next, tokens[index + 2])) {
      const subject = current.tokens.slice(0, subjectLength(current.tokens));
      close(null);
      current.tokens.push(...subject);
      continue;
    }
    // A comma splice: "I am an artist, I paint horses", "I used to play bass, now I am on drums".
    if (
      word.text === ',' &&
      current.tokens.length > 2 &&
      ((isSubject(next) && (isSpeaker(next) || verbFollows(tokens, index + 2))) ||
        (AND_NOW.has(next?.lower ?? '') && isSpeaker(tokens[index + 2])))
    ) {
      close(null);
      continue;
    }
    current.tokens.push(word);
  }
  close(null);
  return clauses;
}

/** "Isla (9)" is no aside. */
function isAge(tokens: readonly Token[], index: number): boolean {
  const open = tokens[index]?.text === '(' ? index : tokens[index]?.text === ')' ? index - 2 : -1;
  return tokens[open]?.text === '(' && /^\d{1,2}$/.test(tokens[open + 1]?.text ?? '') && tokens[open + 2]?.text === ')';
}

function isPersonAlone(tokens: readonly Token[]): boolean {
  return /^(?:my|our)$/.test(tokens[0]?.lower ?? '') && tokens.length >= 2 && tokens.length <= 6;
}

// After these "I am" goes on with the clause: "the way I am", "I hope I am".
const LEADS_ON =
  /^(?:that|than|as|what|who|where|how|when|if|why|way|hope|think|guess|sure|glad|know|feel|believe|say|said|wish|person|one|because|since|while|until|and|but|or|so|says|thing|afraid|now|mean|reason|time|moment|once|like|cause|cuz|though|although|told|me|bet|maybe|yes|yeah|no|well|oh|hi|hey|hello|yo|actually|btw)$/;

/** "im liam im 20 and i study": without commas a new "I am" is a new clause. */
function isRunOn(tokens: readonly Token[], index: number, current: readonly Token[]): boolean {
  return (
    tokens[index]?.lower === 'i' &&
    tokens[index + 1]?.lower === 'am' &&
    current.length > 2 &&
    /^(?:\d{1,3}|an?|from|\p{L}+ing)$/u.test(tokens[index + 2]?.lower ?? '') &&
    /^[\p{L}\p{N}]/u.test(tokens[index - 1]?.text ?? '') &&
    !LEADS_ON.test(tokens[index - 1]?.lower ?? '') &&
    // "I'm not saying I'm a vegan".
    !TALKING.has(analyseVerb(tokens[index - 1]?.lower ?? '').base)
  );
}

/** ", Tunde handles deliveries and Ngozi runs …": a known name with a verb begins a clause. */
function startsNamed(tokens: readonly Token[], index: number, people: People, current: readonly Token[]): boolean {
  const [word, name, verb] = [tokens[index], tokens[index + 1], tokens[index + 2]];
  if (word === undefined || name === undefined || verb === undefined || current.length < 2) return false;
  if (word.text !== ',' && !COORDINATING.has(word.lower)) return false;
  if (!people.has(name.lower.replace(/'s?$/, '')) || !/^\p{Ll}/u.test(verb.text)) return false;
  const { form } = analyseVerb(verb.lower);
  return /'s?$/.test(name.lower) || form === 'third' || form === 'past' || verbFollows(tokens, index + 2, 1);
}

// After these "so" is "to such a degree", or stands for a clause.
const TO_A_DEGREE =
  /^(?:am|is|are|was|were|be|been|being|feel|feels|felt|look|looks|sound|sounds|seem|seems|get|got|not|and|or|but|do|did|does|think|guess|say|said|hope|told|has|have|had|i|you|we|they|ever|that|even|such|a|the|love|loved|like|enjoy|enjoyed|hate|miss|always|just|why|if|why|taste|tastes|run|runs|ran|go|work|worked|become|became|all|oh|yeah|yes|well|okay|ok|quite|or)$/;

/** "I have ADHD so long texts are hard": a consequence follows. */
function isTherefore(tokens: readonly Token[], index: number): boolean {
  const [previous, next] = [tokens[index - 1]?.lower ?? '', tokens[index + 1]?.lower ?? ''];
  if (index < 3 || next === '' || /^(?:much|many|far|well|often|badly|bad|that|called|on|hard|good|fun)$/.test(next))
    return false;
  return !TO_A_DEGREE.test(previous) && (/[\p{L}\p{N},]/u.test(previous) || previous === ',');
}

function startsClause(tokens: readonly Token[], index: number): boolean {
  const word = tokens[index];
  const next = tokens[index + 1];
  if (word === undefined || next === undefined) return false;
  if (COORDINATING.has(word.lower)) {
    // "my dog and my cat" is one phrase; "and my cat is old" is a clause.
    if (
      next.lower === 'my' ||
      next.lower === 'our' ||
      next.lower === 'his' ||
      next.lower === 'her' ||
      next.lower === 'their'
    )
      return verbFollows(tokens, index + 3, 3);
    if (next.lower === 'the' && FAMILY.test(tokens[index + 2]?.lower ?? '')) return verbFollows(tokens, index + 3, 3);
    if (word.lower === 'so' && next.lower === 'that') return false;
    if (SUBORDINATING.has(next.lower)) return false;
    if (word.lower === 'but' && tokens[index - 1]?.text === ',') return true;
    return (
      isSubject(next) && (word.lower !== 'and' || next.lower !== 'i' || index > 1) && !isJointSubject(tokens, index)
    );
  }
  if (!SUBORDINATING.has(word.lower)) return false;
  // "I hate when my resume sounds like …": the clause is the object.
  if (/^(?:hate|love|like|dislike|hates|loves|it)$/.test(tokens[index - 1]?.lower ?? '')) return false;
  if (index === 0)
    return isSubject(next) || !['since', 'before', 'after', 'until', 'till', 'once', 'as'].includes(word.lower);
  if (word.lower === 'who' || word.lower === 'which') return tokens[index - 1]?.text === ',';
  if (['if', 'unless', 'because', 'although', 'though', 'whereas'].includes(word.lower)) return true;
  return isSubject(next) && !['what', 'how', 'why', 'where', 'than'].includes(word.lower);
}

/** "my sister and I went" has one subject. */
function isJointSubject(tokens: readonly Token[], index: number): boolean {
  const before = tokens.slice(0, index).map(({ lower }) => lower);
  if (before.some((word) => /^(?:am|is|are|was|were|has|have|had)$/.test(word))) return false;
  return index <= 4 && (before[0] === 'my' || before[0] === 'me') && tokens[index + 1]?.lower === 'i';
}

function isSpeaker(word: Token | undefined): boolean {
  return word?.lower === 'i' || word?.lower === 'we';
}

function isSubject(word: Token | undefined): boolean {
  return word !== undefined && SUBJECT_START.has(word.lower);
}

function verbFollows(tokens: readonly Token[], from: number, within = 2): boolean {
  return tokens
    .slice(from, from + within)
    .some((word) =>
      /^(?:am|is|are|was|were|have|has|had|do|does|did|will|can|would|love|loves|like|likes|works?|lives?|hates?|plays?|enjoys?|wants?|used|grew|got|just|also|really|always|never|passed|died|left|need|prefer|left|think|teaches|runs|owns|starts?|goes|needs|has|studies|turns?|handles)$/.test(
        word.lower,
      ),
    );
}

/** "I live in Canada and work as a nurse": the second verb has the same subject. */
function sharesSubject(
  before: readonly Token[],
  conjunction: Token,
  next: Token | undefined,
  afterNext: Token | undefined,
): boolean {
  if (next === undefined || afterNext === undefined || !CLAUSE_VERBS.has(next.lower)) return false;
  const length = subjectLength(before);
  if (length === 0 || before.length < length + 2) return false;
  const verb = before[length]?.lower ?? '';
  if (next.lower === 'do' && afterNext.lower === 'not') return true;
  // "I hate mushrooms but love truffles".
  if (conjunction.lower === 'but' && (LIKING.has(next.lower) || DISLIKING.has(next.lower))) return true;
  if (before.slice(length).some((word) => PLAIN_JOINED_LEADS.has(word.lower))) return false;
  // "I am reading and watching" stays together, "I am 19 and have a dog" does not.
  return !next.lower.endsWith('ing') && (INTRODUCING.has(verb) || CLAUSE_VERBS.has(verb));
}

function dropsSubject(before: readonly Token[], next: Token | undefined, afterNext: Token | undefined): boolean {
  const length = subjectLength(before);
  return (
    length > 0 &&
    before.length > length + 2 &&
    /^(?:want|need|hope|plan|have|used)$/.test(next?.lower ?? '') &&
    afterNext?.lower === 'to' &&
    !before.slice(length).some((word) => PLAIN_JOINED_LEADS.has(word.lower))
  );
}

function subjectLength(tokens: readonly Token[]): number {
  const first = tokens.findIndex((word) => word.lower === 'i' || word.lower === 'we');
  return first >= 0 && first <= 2 ? first + 1 : 0;
}
