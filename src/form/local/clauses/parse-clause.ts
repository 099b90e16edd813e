import type { People } from '../find-people.ts';
import type { Clause } from './split-clauses.ts';
import { analyseVerb, isParticiple } from '../../../language/verb-forms.ts';
import { VERB_ADVERBS } from './verb-classes.ts';
import { joinTokens, type Token } from '../../../language/word-tokens.ts';
import { readSubject, type Subject } from './read-subject.ts';
import { skipLeadIn } from './skip-lead-in.ts';

/** How the verb places what is said in time. */
export type Tense =
  | 'present'
  | 'past'
  | 'perfect'
  | 'progressive'
  | 'pastProgressive'
  | 'perfectProgressive'
  | 'future'
  | 'usedTo';

/** A clause taken apart: who, how the verb stands, and what follows it. */
export interface ParsedClause {
  subject: Subject;
  tense: Tense;
  modal: string | null;
  negated: boolean;
  /** Adverbs between subject and verb, lower case. */
  adverbs: string[];
  /** Base form of the main verb. */
  verb: string;
  /** The main verb as it was said. */
  verbText: string;
  rest: Token[];
  /** What stood before the subject and may carry a date ("Last week"). */
  lead: string;
  /** The speaker hedges ("I think", "I guess"). */
  hedged: boolean;
  connector: string | null;
}

const MODALS = new Set(['can', 'could', 'would', 'should', 'might', 'may', 'must', 'will', 'shall']);
const PAST_LOOKALIKES = new Set(['quit', 'read', 'cut', 'hit', 'hurt', 'put', 'set', 'shut', 'let', 'split', 'spread']);
const ALMOST_ALWAYS_PAST = new Set(['quit', 'hit', 'hurt', 'shut', 'split', 'cut']);
const PAST_ADVERBS = new Set(['just', 'recently', 'finally', 'once', 'already']);
const NEGATIONS = new Set(['not', 'never', "n't", 'no']);

/** Reads one clause, or gives null when it has no subject and finite verb that rules understand. */
export function parseClause(clause: Clause, people?: People): ParsedClause | null {
  const { tokens, lead, hedged } = skipLeadIn(clause.tokens);
  const found = readSubject(tokens, people);
  if (found === null) return null;
  const group = readVerbGroup(tokens.slice(found.length));
  if (group === null) return null;
  return { subject: found.subject, lead: joinTokens(lead), hedged, connector: clause.connector, ...group };
}

type VerbGroup = Omit<ParsedClause, 'subject' | 'lead' | 'hedged' | 'connector'>;

/** Reads auxiliaries, negation and adverbs up to the main verb. */
function readVerbGroup(tokens: readonly Token[]): VerbGroup | null {
  const state = {
    modal: null as string | null,
    negated: false,
    adverbs: [] as string[],
    have: false,
    had: false,
    be: null as null | 'present' | 'past',
    perfectBe: false,
    did: false,
  };
  for (let index = 0; index < tokens.length && index < 9; index += 1) {
    const word = tokens[index];
    if (word === undefined || word.text === ',') return null;
    const lower = word.lower;
    const rest = tokens.slice(index + 1);
    const next = nextContentWord(rest);
    if (lower === 'no' && rest[0]?.lower === 'longer') {
      state.negated = true;
      state.adverbs.push('no longer');
      index += 1;
    } else if (NEGATIONS.has(lower) && lower !== 'no') {
      state.negated = true;
      if (lower === 'never') state.adverbs.push('never');
    } else if (MODALS.has(lower)) state.modal = lower;
    else if (
      (lower === 'do' || lower === 'does' || lower === 'did') &&
      next !== null &&
      isBaseVerb(next, rest, state.adverbs)
    )
      state.did ||= lower === 'did';
    else if (
      (lower === 'have' || lower === 'has' || lower === 'had') &&
      next !== null &&
      (isParticiple(next) || next === 'been') &&
      !startsObject(rest)
    ) {
      state.have = true;
      state.had ||= lower === 'had';
    } else if (['am', 'is', 'are', 'was', 'were', 'been', 'be'].includes(lower)) {
      if (
        next !== null &&
        next.endsWith('ing') &&
        next.length > 4 &&
        !/^(?:during|interesting|boring|exciting|amazing|evening|morning|anything|something|nothing|everything|king|willing|outgoing|caring|loving|easygoing|understanding|hardworking|challenging|demanding|spring|wedding|building)$/.test(
          next,
        ) &&
        !startsObject(rest)
      ) {
        if (lower === 'been') state.perfectBe = true;
        else state.be = lower === 'was' || lower === 'were' ? 'past' : 'present';
      } else if (rest[0]?.lower === 'no' && rest[1]?.lower === 'longer')
        return finish({ ...state, negated: true, adverbs: [...state.adverbs, 'no longer'] }, 'be', word, rest.slice(2));
      else
        return finish(
          { ...state, negated: state.negated || isNegation(rest[0]) },
          'be',
          word,
          isNegation(rest[0]) ? rest.slice(1) : rest,
        );
    } else if (VERB_ADVERBS.has(lower) && rest.length > 0) state.adverbs.push(lower);
    else return finish(state, analyseVerb(lower).base, word, rest);
  }
  return null;
}

function finish(
  state: {
    modal: string | null;
    negated: boolean;
    adverbs: string[];
    have: boolean;
    had: boolean;
    be: null | 'present' | 'past';
    perfectBe: boolean;
    did: boolean;
  },
  verb: string,
  word: Token,
  rest: Token[],
): VerbGroup | null {
  if (!/^\p{L}[\p{L}'-]*$/u.test(word.text)) return null;
  const { modal, negated, adverbs } = state;
  const common = { modal, negated, adverbs, verb, verbText: word.lower, rest };
  if (word.lower === 'used' && rest[0]?.lower === 'to') {
    const after = rest[1];
    if (after === undefined) return null;
    return { ...common, tense: 'usedTo', verb: after.lower, verbText: after.lower, rest: rest.slice(2) };
  }
  const form = analyseVerb(word.lower).form;
  if (state.perfectBe) return { ...common, tense: 'perfectProgressive' };
  if (state.be !== null) return { ...common, tense: state.be === 'past' ? 'pastProgressive' : 'progressive' };
  if (state.have) return { ...common, tense: state.had ? 'past' : 'perfect' };
  if (modal === 'will' || modal === 'shall') return { ...common, tense: 'future' };
  // "quit" and "read" look alike in the past; a date or "just" tells.
  if (
    PAST_LOOKALIKES.has(word.lower) &&
    (ALMOST_ALWAYS_PAST.has(word.lower) ||
      adverbs.some((adverb) => PAST_ADVERBS.has(adverb)) ||
      rest.some(({ lower }) => lower === 'ago' || lower === 'yesterday' || lower === 'last'))
  )
    return { ...common, tense: 'past' };
  if (state.did || form === 'past' || word.lower === 'was' || word.lower === 'were')
    return { ...common, tense: 'past' };
  if (form === 'gerund' || form === 'participle') return null;
  return { ...common, tense: 'present' };
}

function isNegation(word: Token | undefined): boolean {
  return word?.lower === 'not';
}

function nextContentWord(tokens: readonly Token[]): string | null {
  return tokens.find((word) => !VERB_ADVERBS.has(word.lower) && !NEGATIONS.has(word.lower))?.lower ?? null;
}

function startsObject(rest: readonly Token[]): boolean {
  return /^(?:a|an|the|my|one|two|three|four|no|some|any)$/.test(rest[0]?.lower ?? '');
}

/** After "do": a verb ("do like", "do not eat"), not an object ("do yoga", "do my best"). */
function isBaseVerb(next: string, rest: readonly Token[], adverbs: readonly string[]): boolean {
  const negated = rest.some((word, index) => index < 3 && NEGATIONS.has(word.lower));
  return (
    negated ||
    adverbs.includes('never') ||
    /^(?:like|love|enjoy|have|want|work|live|play|prefer|own|hate|eat|drink|need|go|feel|know|think|try|read|watch|miss|speak|hope|get|agree|see|cook|sing|travel|wear|collect|volunteer)$/.test(
      next,
    )
  );
}
