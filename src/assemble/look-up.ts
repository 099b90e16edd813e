import type { RecallOptions } from '../recall/recall-options.ts';
import { typesThat, type MemoryTypeTable } from '../record/memory-types.ts';
import type { ContextOptions } from './context-options.ts';
import { decideLookup, type Lookup, type LookupInput } from './decide-lookup.ts';
import type { GatherRequest, GatherTurn } from './gather-request.ts';
import type { Layout } from './layout.ts';
import { noteSection, recallSection, savedItemSection, summarySection, type Search } from './lookup-sections.ts';
import type { Item, Material } from './section.ts';

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
