import { withoutEnd } from '../language/words.ts';
import { RELEVANT_NOTES, RELEVANT_SUMMARIES } from '../recall/rank-documents.ts';
import type { RecallOptions, RecallResult, Recalled } from '../recall/recall-options.ts';
import { recall, type RecallDeps } from '../recall/recall.ts';
import { type MemoryTypeTable, typesThat } from '../record/memory-types.ts';
import type { Memory } from '../record/memory.ts';
import type { Scope } from '../record/scope.ts';
import { hasOutcome } from '../record/standing.ts';
import { savedItemsByTag } from '../store/context-rows.ts';
import { listMemories } from '../store/read-memories.ts';
import type { ContextOptions } from './context-options.ts';
import { decideLookup, type Lookup, type LookupInput } from './decide-lookup.ts';
import { textByTrust } from './escape.ts';
import { memoryItem, recalledItem } from './items.ts';
import type { Layout } from './layout.ts';
import type { GatherRequest, GatherTurn, Item, Material } from './section.ts';

/** Whether and what to look up. A model that is asked is paid for like any other. */
export async function chooseLookup({ deps, scope, options }: GatherRequest, input: LookupInput): Promise<Lookup> {
  const { lookupModel } = options;
  if (options.lookup !== 'model' || lookupModel === undefined) return decideLookup(input, options);
  return deps.ledger.metered({ scope, operation: 'recall', foreground: true }, (meter) =>
    decideLookup(input, { ...options, lookupModel: meter.languageModel(lookupModel) }),
  );
}

/** The sections that are searched for, side by side. */
export async function lookUp(request: GatherRequest, { queries }: Lookup, turn: GatherTurn): Promise<Material> {
  if (queries.length === 0) return {};
  const { deps, scope, options, on } = request;
  const { message, now, attempt } = turn;
  const shared = { connections: options.connections, timeZone: options.timeZone, now };
  const search: Search = { deps, scope, queries, options: shared };
  const [recall, notes, summaries, savedItems] = await Promise.all([
    on.has('recall') ? recalledItems(request, search, turn) : [],
    on.has('notes') ? attempt('notes', () => noteSection(search), []) : [],
    on.has('summaries') ? attempt('summaries', () => summarySection(search), []) : [],
    on.has('savedItems') ? attempt('savedItems', () => savedItemSection(search, message), []) : [],
  ]);
  return { recall, notes, summaries, savedItems };
}

function recalledItems(
  { deps, scope, layout, options }: GatherRequest,
  search: Search,
  turn: GatherTurn,
): Promise<Item[]> {
  const { tracing } = deps.assembling;
  const attributes = {
    'gen_ai.operation.name': 'search_memory',
    'gen_ai.memory.store.id': scope.tenant,
    ...(tracing.content ? { 'gen_ai.memory.query.text': search.queries.join('\n') } : {}),
  };
  return tracing.span('search_memory', attributes, async (span) => {
    const nothing: Awaited<ReturnType<typeof recallSection>> = { items: [], degraded: [] };
    const how = recallHow(layout, options, deps.memoryTypes);
    const { items, degraded } = await turn.attempt('recall', () => recallSection(search, how), nothing);
    turn.failed.push(...degraded.map((error) => ({ section: 'recall' as const, error })));
    span.set({ 'gen_ai.memory.record.count': items.length });
    return items;
  });
}

/** How each layout recalls: as its design says. */
function recallHow(
  layout: Layout,
  { recallLimit: limit = 10 }: ContextOptions,
  memoryTypes: MemoryTypeTable,
): RecallOptions {
  switch (layout.name) {
    case 'toolstream':
      return { limit: Math.min(limit, 5), mode: 'semantic' };
    case 'logicspike':
      return {
        limit,
        sources: ['memories'],
        scoring: 'signals',
        minimumImportance: 0.1,
        filter: {
          not: { types: typesThat(memoryTypes, ({ section }) => section === 'intentions' || section === 'learnings') },
        },
      };
    case 'eden':
      return { limit, sources: ['memories'], fusion: 'reciprocal-rank' };
    default:
      return { limit };
  }
}

/** What the sections that are searched for need. */
export interface Search {
  deps: RecallDeps;
  scope: Scope;
  queries: readonly string[];
  options: Pick<RecallOptions, 'connections' | 'timeZone' | 'now'>;
}

// Recall gives the best there is; a line of the prompt is for what may well help.
const WORTH_A_LINE = 0.05;

/** What recall finds, with what it could not use. */
export async function recallSection(
  { deps, scope, queries, options }: Search,
  how: RecallOptions,
): Promise<{ items: Item[]; degraded: string[] }> {
  const answers = await Promise.all(
    queries.map((query) => recallOnce(deps, scope, query, { minimumRelevance: WORTH_A_LINE, ...options, ...how })),
  );
  const best = new Map<string, RecallResult>();
  for (const { results } of answers) {
    for (const result of results) {
      if ((best.get(result.id)?.score ?? -Infinity) < result.score) best.set(result.id, result);
    }
  }
  const results = [...best.values()].sort((one, other) => other.score - one.score).slice(0, how.limit ?? 10);
  return { items: results.map(recalledItem), degraded: [...new Set(answers.flatMap(({ degraded }) => degraded))] };
}

/** Where there are no vectors, words have to do; unless only what is similar enough is wanted. */
async function recallOnce(deps: RecallDeps, scope: Scope, query: string, how: RecallOptions): Promise<Recalled> {
  const recalled = await recall(deps, scope, query, how);
  const byWords = how.mode === 'semantic' && how.minimumSimilarity === undefined && recalled.results.length === 0;
  if (!byWords) return recalled;
  const { results } = await recall(deps, scope, query, { ...how, mode: 'text' });
  return { ...recalled, results };
}

/** The two notes that fit best (K2). Notes of other work, under a prefix, do not count. */
export async function noteSection(search: Search): Promise<Item[]> {
  const { items } = await recallSection(search, { ...RELEVANT_NOTES, limit: 10 });
  return items.filter(({ title }) => !/^(summary|research):/i.test(title ?? '')).slice(0, 2);
}

/** The two summaries of conversations that fit best (K2). */
export async function summarySection(search: Search): Promise<Item[]> {
  const { items } = await recallSection(search, RELEVANT_SUMMARIES);
  return items.map((item) => ({ ...item, title: item.title?.replace(/^summary:\s*/i, '') }));
}

/** Up to three saved items that share a tag with the message (K2), those that share most first. */
export async function savedItemSection({ deps, scope }: Search, message: string): Promise<Item[]> {
  const tags = possibleTags(message);
  const found = await deps.database.read(scope.tenant, (reader) => savedItemsByTag(reader, scope, tags, 50));
  const said = new Set(tags);
  const shared = ({ tags }: Memory): number => tags.filter((tag) => said.has(tag)).length;
  return found
    .sort((one, other) => shared(other) - shared(one))
    .slice(0, 3)
    .map((memory, rank) => memoryItem(memory, -rank));
}

const MOST_WORDS = 200;

/** Words and pairs of words as tags are written. */
function possibleTags(message: string): string[] {
  const said = (message.toLowerCase().match(/[\p{L}\p{N}+#.]+/gu) ?? [])
    .slice(0, MOST_WORDS)
    .flatMap((word) => withoutEnd(word, '.') || []);
  const tags = said.flatMap((word, index) => {
    const next = said[index + 1];
    const singular = word.length > 3 && word.endsWith('s') ? [word.slice(0, -1)] : [];
    return [
      word,
      ...singular,
      ...(next === undefined ? [] : [`${word}-${next}`, `${word} ${next}`, `${word}_${next}`]),
    ];
  });
  return [...new Set(tags)];
}

/** What the user meant to do and is due now (K18), the longest due first. */
export async function intentionSection(deps: RecallDeps, scope: Scope, now: number): Promise<Item[]> {
  const types = typesThat(deps.memoryTypes, ({ section }) => section === 'intentions');
  const { items } = await deps.database.read(scope.tenant, (reader) =>
    listMemories(reader, scope, { types, dueBefore: new Date(now + 1), limit: 50 }, { now }),
  );
  return items
    .filter((memory) => !hasOutcome(memory, deps.memoryTypes.get(memory.type)))
    .sort((one, other) => (one.dueAt?.getTime() ?? 0) - (other.dueAt?.getTime() ?? 0))
    .slice(0, 5)
    .map((memory) => ({ ...memoryItem(memory), text: textByTrust(memory.content, memory.trust) }));
}
