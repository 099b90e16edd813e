import { ownTimeZone } from '../store/owner-store.ts';
import type { PrivacyPolicy } from '../language/privacy-policy.ts';
import type { Ledger } from '../ledger/ledger.ts';
import type { Embedder } from '../models/embedder.ts';
import type { Reranker } from '../models/reranker.ts';
import type { Clock } from '../record/clock.ts';
import type { Scope } from '../record/scope.ts';
import { gatherWrites } from '../record/event-loop.ts';
import type { Database, Parts, Reader } from '../store/database.ts';
import type { EmbeddingModels } from '../store/indexing.ts';
import { countAccess } from '../store/read-memories.ts';
import { analyzeQuery, inFirstPerson, type QueryAnalysis, userInFirstPerson } from './analyze-query.ts';
import {
  allowedDocuments,
  askedDocuments,
  documentsAboutNamed,
  leaveOutNames,
  leaveOutSmallTalk,
} from './choose-documents.ts';
import { type Candidate, chooseRanking, limitOf } from './rank-documents.ts';
import { matchLexically } from './lexical-index.ts';
import { type EmbeddedQuery, embedQuery, type Meaning, measureMeaning, refreshSample } from './measure-meaning.ts';
import type { RecallOptions, RecallResult, Recalled } from './recall-options.ts';
import { pastView, type ViewCache } from './recall-view.ts';
import {
  abstains,
  bringAlong,
  type Loading,
  loadResults,
  packResults,
  redactResults,
  rerankResults,
} from './results.ts';

export interface RecallDeps extends Parts {
  embedding: EmbeddingModels;
  ledger: Ledger;
  views: ViewCache;
  access: AccessTracker;
  reranker: Reranker | null;
  /** Redacts texts before recall returns them or sends them to a reranker. */
  privacy: PrivacyPolicy;
  settings: { timeZone: string };
}

interface Asking {
  /** Reads the records as of this time; null means the present. */
  asOf?: Date | null;
  /** The query is the user's own message, in which "the user" is somebody else. By default, an agent asks. */
  isOfUser?: boolean;
}

/** The steps: view → analyze → embed → arms → rank → load → rerank → pack → redact. */
export async function recall(
  deps: RecallDeps,
  scope: Scope,
  query: string,
  options: RecallOptions,
  { asOf = null, isOfUser = false }: Asking = {},
): Promise<Recalled> {
  const { database } = deps;
  const now = Number(options.now ?? asOf ?? deps.clock.now());
  const { view, embedder, timeZone } = await database.readReplica(scope, async (reader) => ({
    view: asOf === null ? await deps.views.open(reader, scope) : await pastView(reader, scope, asOf, deps.memoryTypes),
    embedder: options.mode === 'text' ? null : await deps.embedding.forQueries(reader),
    timeZone: options.timeZone ?? (await ownTimeZone(reader, scope, deps.settings.timeZone)),
  }));
  const asked = isOfUser ? query : userInFirstPerson(query);
  const spoken = options.mode === 'text' ? query : inFirstPerson(asked, { view, scope, attributes: deps.attributes });
  const analysis = analyzeQuery(spoken, view, { now, timeZone });
  const embedded = await embedQuery(deps, scope, { query: spoken, embedder });
  const calibration = embedder === null ? null : deps.embedding.calibrationOf(embedder);
  const search = { scope, query: spoken, options, now, view, analysis, embedder, embedded, calibration };
  const limit = limitOf(options, analysis);
  const found = await database.readReplica(scope, async (reader) => {
    const { candidates, answerable } = await findCandidates(reader, deps, search);
    const most = howManyToLoad(deps, { options, limit, answerable });
    const loading = { ...search, candidates, asOf, most, memoryTypes: deps.memoryTypes };
    return { answerable, loading, results: await loadResults(reader, database, loading) };
  });
  const { answerable, loading } = found;
  const results = await rerankResults(deps, scope, { query, results: found.results, options });
  const packing = { options, limit, answerable, degraded: embedded.degraded, memoryTypes: deps.memoryTypes };
  let recalled = packResults(results, packing);
  if (recalled.results.length < limit && loading.most > 0 && loading.most < loading.candidates.length) {
    const all = { ...loading, most: Infinity };
    recalled = packResults(await database.readReplica(scope, (reader) => loadResults(reader, database, all)), packing);
  }
  if (options.neighbours || options.withSources) {
    await database.readReplica(scope, (reader) => bringAlong(reader, scope, recalled.results, options));
  }
  recalled.results = redactResults(recalled.results, deps.privacy);
  if (options.track !== false && asOf === null) deps.access.note(scope.tenant, recalled.results);
  return recalled;
}

// Most recalls have at most this many duplicates among their best candidates. If there are more, further candidates are loaded.
const LIKELY_DUPLICATES = 6;

/** None if recall abstains, and all if a reranker, a token budget or a minimum selects among them. */
function howManyToLoad(
  { reranker }: RecallDeps,
  { options, limit, answerable }: { options: RecallOptions; limit: number; answerable: number | null },
): number {
  if (abstains(options, answerable)) return 0;
  const { rerank, tokenBudget, minimumSimilarity, minimumRelevance } = options;
  const isReranked = reranker !== null && rerank !== false;
  const isChosen = [tokenBudget, minimumSimilarity, minimumRelevance].some((bound) => bound !== undefined);
  return isReranked || isChosen ? Infinity : limit + LIKELY_DUPLICATES;
}

interface Search extends Pick<Loading, 'scope' | 'options' | 'now' | 'view' | 'calibration'> {
  query: string;
  analysis: QueryAnalysis;
  embedder: Embedder | null;
  embedded: EmbeddedQuery;
}

async function findCandidates(
  reader: Reader,
  deps: RecallDeps,
  { scope, query, options, now, view, analysis, embedder, embedded, calibration }: Search,
): Promise<{ candidates: Candidate[]; answerable: number | null }> {
  const { database, attributes } = deps;
  const allowed = await allowedDocuments(reader, database, { scope, view, options, now });
  const match = matchLexically(view.index, analysis.terms);
  leaveOutSmallTalk(allowed, view, match);
  const aboutNamed = await documentsAboutNamed(reader, database, { scope, query, view });
  const asked = askedDocuments(analysis, view, deps);
  leaveOutNames(allowed, view, attributes, { terms: analysis.terms, match, asked });
  const { vector } = embedded;
  let meaning: Meaning | null = null;
  if (embedder !== null && vector !== null) {
    await refreshSample(reader, database, { tenant: scope.tenant, view, embedder });
    meaning = await measureMeaning(reader, database, { scope, view, embedder, query: vector });
  }
  return chooseRanking({ view, analysis, match, allowed, meaning, aboutNamed, asked, calibration, options, now });
}

interface AccessTracker {
  note(tenant: string, results: readonly Pick<RecallResult, 'kind' | 'id'>[]): void;
  /** Resolves when all accesses noted so far are written. */
  settle(): Promise<void>;
}

/** A failed write loses the count but never fails a recall. */
export function createAccessTracker(database: Database, clock: Clock): AccessTracker {
  const writes = gatherWrites<{ tenant: string; ids: string[]; at: number }>(async (recalls) => {
    for (const [tenant, own] of Map.groupBy(recalls, (recall) => recall.tenant)) {
      try {
        await database.write(tenant, async (writer) => {
          for (const { ids, at } of own) await countAccess(writer, tenant, ids, at);
        });
      } catch (error) {
        process.emitWarning(`Accesses to memories could not be counted: ${String(error)}`, 'VarveAccessWarning');
      }
    }
  });
  return {
    note(tenant, results) {
      const ids = results.filter(({ kind }) => kind === 'memory').map(({ id }) => id);
      if (ids.length > 0) writes.note({ tenant, ids, at: clock.now() });
    },
    settle: writes.settle,
  };
}
