import { words } from '../language/words.ts';

export interface LexicalIndex {
  readonly postings: Map<string, { documents: number[]; frequencies: number[] }>;
  readonly families: Map<string, string[]>;
  readonly lengths: number[];
  totalLength: number;
}

export interface LexicalMatch {
  /** Per ordinal. */
  readonly bm25: Float32Array;
  /** Bit t is set if query term t occurs in the document. Only the first 30 terms have a bit. */
  readonly termMasks: Uint32Array;
  /** Like `termMasks`, but also for other forms of a term, because not all languages are stemmed. */
  readonly looseMasks: Uint32Array;
  /** Inverse document frequency per query term. */
  readonly termWeights: Float64Array;
  readonly totalWeight: number;
  /** Ordinals with at least one term, unordered. */
  readonly matched: number[];
}

// Conversation turns are shorter than articles and repeat few words, so term frequency saturates early, and length has less effect.
const K1 = 0.9;
const B = 0.4;
const MAX_TERMS = 30;

export function createLexicalIndex(): LexicalIndex {
  return { postings: new Map(), families: new Map(), lengths: [], totalLength: 0 };
}

export function addDocument(index: LexicalIndex, text: string): void {
  const ordinal = index.lengths.length;
  const terms = words(text);
  for (const term of terms) {
    const list = index.postings.get(term);
    if (list === undefined) {
      index.postings.set(term, { documents: [ordinal], frequencies: [1] });
      joinFamily(index, term);
      continue;
    }
    const last = list.documents.length - 1;
    if (list.documents[last] === ordinal) list.frequencies[last] = (list.frequencies[last] as number) + 1;
    else {
      list.documents.push(ordinal);
      list.frequencies.push(1);
    }
  }
  index.lengths.push(terms.length);
  index.totalLength += terms.length;
}

// Shorter words share their first letters with too many others.
const FAMILY_LETTERS = 4;
const SAME_SHARE = 0.6;

function joinFamily({ families }: LexicalIndex, term: string): void {
  if (term.length <= FAMILY_LETTERS) return;
  const first = term.slice(0, FAMILY_LETTERS);
  const family = families.get(first);
  if (family === undefined) families.set(first, [term]);
  else family.push(term);
}

function otherForms({ families }: LexicalIndex, term: string): string[] {
  if (term.length <= FAMILY_LETTERS) return [];
  return (families.get(term.slice(0, FAMILY_LETTERS)) ?? []).filter((other) => {
    if (other === term) return false;
    const least = Math.ceil(SAME_SHARE * Math.max(term.length, other.length));
    return other.startsWith(term.slice(0, Math.max(FAMILY_LETTERS, least)));
  });
}

export function inverseDocumentFrequency(documentCount: number, documentFrequency: number): number {
  return Math.log(1 + (documentCount - documentFrequency + 0.5) / (documentFrequency + 0.5));
}

/** The cost grows with the terms' postings, not with the store. */
export function matchLexically(index: LexicalIndex, queryTerms: readonly string[]): LexicalMatch {
  const documentCount = index.lengths.length;
  const bm25 = new Float32Array(documentCount);
  const termMasks = new Uint32Array(documentCount);
  const looseMasks = new Uint32Array(documentCount);
  const terms = [...new Set(queryTerms)].slice(0, MAX_TERMS);
  const termWeights = new Float64Array(terms.length);
  const matched: number[] = [];
  const averageLength = index.totalLength / Math.max(1, documentCount);
  terms.forEach((term, termIndex) => {
    const list = index.postings.get(term);
    const weight = inverseDocumentFrequency(documentCount, list?.documents.length ?? 0);
    termWeights[termIndex] = weight;
    for (const form of otherForms(index, term)) {
      for (const ordinal of index.postings.get(form)?.documents ?? []) {
        looseMasks[ordinal] = (looseMasks[ordinal] as number) | (1 << termIndex);
      }
    }
    if (list === undefined) return;
    for (let entry = 0; entry < list.documents.length; entry += 1) {
      const ordinal = list.documents[entry] as number;
      const frequency = list.frequencies[entry] as number;
      const lengthNorm = 1 - B + (B * (index.lengths[ordinal] as number)) / averageLength;
      if (termMasks[ordinal] === 0) matched.push(ordinal);
      bm25[ordinal] = (bm25[ordinal] as number) + (weight * frequency * (K1 + 1)) / (frequency + K1 * lengthNorm);
      termMasks[ordinal] = (termMasks[ordinal] as number) | (1 << termIndex);
      looseMasks[ordinal] = (looseMasks[ordinal] as number) | (1 << termIndex);
    }
  });
  return {
    bm25,
    termMasks,
    looseMasks,
    termWeights,
    totalWeight: termWeights.reduce((sum, weight) => sum + weight, 0),
    matched,
  };
}

/** Fraction of the query's total term weight that the mask covers. */
export function coverageOf(mask: number, match: Pick<LexicalMatch, 'termWeights' | 'totalWeight'>): number {
  if (mask === 0 || match.totalWeight === 0) return 0;
  let covered = 0;
  for (let term = 0; term < match.termWeights.length; term += 1) {
    if ((mask & (1 << term)) !== 0) covered += match.termWeights[term] as number;
  }
  return covered / match.totalWeight;
}
