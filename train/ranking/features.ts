import { passagesOf } from '../../src/language/sentences.ts';
import { analyzeQuery } from '../../src/recall/analyze-query.ts';
import { prepareContext, type QueryContext, SIGNAL_NAMES, signalsOfAll } from '../../src/recall/candidate-signals.ts';
import { askedFacts, askedKinds } from '../../src/recall/choose-documents.ts';
import type { RecallDocument } from '../../src/recall/recall-document.ts';
import { type LexicalMatch, matchLexically } from '../../src/recall/lexical-index.ts';
import { measureCohesion, sampleOrdinals, standardise, standardiseByKind } from '../../src/recall/measure-meaning.ts';
import { RecallView } from '../../src/recall/recall-view.ts';
import { attributeTable } from '../../src/record/attribute-table.ts';
import { type Origin } from '../../src/record/statement.ts';
import { voiceOf } from '../../src/record/event.ts';
import { memoryTypeTable } from '../../src/record/memory-types.ts';
import type { RankingQuestion, RankingStore } from './stores.ts';

/** The texts that are embedded for a document, as the product does it: one for each passage, with its speaker. */
export function embeddingTexts({ kind, type, speaker, role, text }: RecallDocument): string[] {
  if (kind === 'memory') return [text];
  const origin = (role ?? 'user') as Origin;
  const voice = voiceOf({ kind: type, origin, speaker: speaker?.startsWith('\u0001') === true ? null : speaker });
  return passagesOf(text).map(({ start, end }) => {
    const passage = text.slice(start, end);
    return voice === null ? passage : `${voice}: ${passage}`;
  });
}

/** The candidates of one question, with their signals. */
export interface QuestionRows {
  store: RankingStore;
  question: RankingQuestion;
  context: QueryContext;
  ordinals: number[];
  /** One row of signals for each candidate. */
  rows: Float32Array;
  baselines: Record<string, Float32Array>;
}

const ATTRIBUTES = attributeTable();
const TYPES = memoryTypeTable();
const MOST_CANDIDATES = 200;

/**
 * Builds the view of a store document by document, and yields the rows of each question for the documents that were known when it was
 * asked.
 */
export function* rowsOf(store: RankingStore, vectors: ReadonlyMap<string, Float32Array>): Generator<QuestionRows> {
  const view = new RecallView(TYPES);
  const documentVectors: Float32Array[][] = [];
  for (const question of store.questions.toSorted((one, other) => one.known - other.known)) {
    if (documentVectors.length < question.known) {
      while (documentVectors.length < question.known) {
        const document = store.documents[documentVectors.length] as RecallDocument;
        view.add(document);
        documentVectors.push(embeddingTexts(document).map((text) => vectors.get(text) as Float32Array));
      }
      sample(view, documentVectors);
    }
    yield questionRows(store, question, view, documentVectors, vectors.get(question.text) as Float32Array);
  }
}

function sample(view: RecallView, vectors: readonly Float32Array[][]): void {
  const chosen = sampleOrdinals(vectors.length).map(
    (ordinal) => [ordinal, vectors[ordinal]?.[0] as Float32Array] as const,
  );
  view.cohesion = measureCohesion(new Map(chosen), view);
}

function questionRows(
  store: RankingStore,
  question: RankingQuestion,
  view: RecallView,
  documentVectors: readonly Float32Array[][],
  query: Float32Array,
): QuestionRows {
  const similarities = Float32Array.from(documentVectors, (passages) =>
    Math.max(...passages.map((vector) => product(vector, query))),
  );
  const meaning = standardiseByKind(similarities, view);
  const analysis = analyzeQuery(question.text, view, { now: question.now, timeZone: 'UTC' });
  const match = matchLexically(view.index, analysis.terms);
  const context = prepareContext({
    view,
    analysis,
    now: question.now,
    match,
    allowed: view.live,
    asked: new Set([...askedFacts(analysis, view, ATTRIBUTES), ...askedKinds(analysis.terms, view, TYPES)]),
    similarityOf: (ordinal) => similarities[ordinal] as number,
    meaning,
  });
  const baselines = baselineScores(match, similarities);
  const ordinals = candidates(context, baselines, question);
  const rows = new Float32Array(ordinals.length * SIGNAL_NAMES.length);
  signalsOfAll(context, ordinals).forEach((signals, row) => rows.set(signals, row * SIGNAL_NAMES.length));
  return { store, question, context, ordinals, rows, baselines };
}

/** The scores of the baseline rankings with which the learned ranking is compared. */
function baselineScores(match: LexicalMatch, cosine: Float32Array): Record<string, Float32Array> {
  const bm25 = match.bm25;
  const [wordScores, meaningScores] = [standardise(bm25, Infinity), standardise(cosine, Infinity)];
  const ranks = (values: Float32Array): Float32Array => {
    const order = Array.from(values.keys()).sort((one, other) => (values[other] as number) - (values[one] as number));
    const found = new Float32Array(values.length);
    order.forEach((ordinal, rank) => {
      found[ordinal] = 1 / (60 + rank + 1);
    });
    return found;
  };
  const [wordRanks, meaningRanks] = [ranks(bm25), ranks(cosine)];
  return {
    bm25,
    cosine,
    'z-sum': wordScores.map((value, ordinal) => 0.5 * value + (meaningScores[ordinal] as number)),
    rrf: wordRanks.map(
      (value, ordinal) => ((bm25[ordinal] as number) > 0 ? value : 0) + (meaningRanks[ordinal] as number),
    ),
  };
}

function candidates(
  context: QueryContext,
  baselines: Record<string, Float32Array>,
  { evidence }: RankingQuestion,
): number[] {
  const count = context.meaning.length;
  if (count <= MOST_CANDIDATES) return Array.from({ length: count }, (_, ordinal) => ordinal);
  const rough = baselines['z-sum'] as Float32Array;
  const order = Array.from({ length: count }, (_, ordinal) => ordinal).sort(
    (one, other) => (rough[other] as number) - (rough[one] as number),
  );
  return [...new Set([...order.slice(0, MOST_CANDIDATES), ...evidence.flat()])];
}

function product(left: Float32Array, right: Float32Array): number {
  let sum = 0;
  for (let index = 0; index < left.length; index += 1) sum += (left[index] as number) * (right[index] as number);
  return sum;
}
