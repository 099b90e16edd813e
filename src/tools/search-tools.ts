import { z } from 'zod';
import { RECALL_SOURCES, type RecallOptions, type RecallResult } from '../recall/recall-options.ts';
import { defineTool, type AgentTool, type ToolHandle } from './agent-tool.ts';
import { foundRecords, foundRecordSchema, similarRecordSchema } from './found-record.ts';

const query = z
  .string()
  .min(1)
  .max(2000)
  .describe('What you are trying to remember, in plain words, such as "where does the user live"');
const limit = (standard: number): z.ZodDefault<z.ZodNumber> =>
  z.number().int().min(1).max(50).default(standard).describe(`The most results. Default ${standard}`);
const results = z.array(foundRecordSchema);
const similar = z.array(similarRecordSchema);

export const searchMemory: AgentTool = defineTool({
  name: 'search_memory',
  description: `Search long-term memory by words and meaning: memories, notes, saved items, past conversations and
    documents. Use it before you answer anything that may depend on earlier conversations. An empty list with
    "known": false means that nothing relevant is remembered: say so, do not guess.`,
  input: z.object({
    query,
    limit: limit(10),
    sources: z.array(z.enum(RECALL_SOURCES)).min(1).optional().describe('Where to look. Default: everywhere'),
  }),
  output: z.object({ results, known: z.boolean() }),
  async run(handle, input) {
    const recalled = await handle.recall(input.query, { limit: input.limit, sources: input.sources });
    return { results: foundRecords(recalled.results), known: recalled.results.length > 0 };
  },
});

const searchUserMemories: AgentTool = defineTool({
  name: 'search_user_memories',
  title: 'Search what is known about the user',
  description: `Semantically search the memories about this user. Use it to recall specific preferences, goals, past
    decisions or context that the user has shared in previous conversations. It searches distilled memories, not raw
    transcripts, and returns the ten nearest with their scores.`,
  input: z.object({ query }),
  output: z.object({ results }),
  async run(handle, input) {
    // More than ten, because the agent's own memories are filtered out below.
    const found = await byMeaning(handle, input.query, { limit: 30, sources: ['memories'] });
    const own = found.filter(({ memory }) => memory?.scope.user === handle.scope.user);
    return { results: foundRecords(own.slice(0, 10)) };
  },
});

const HISTORY: RecallOptions = { sources: ['events'], filter: { types: ['message', 'tool_result'] } };

const searchHistory: AgentTool = defineTool({
  name: 'search_history',
  title: 'Search past conversations',
  description: `Search past conversations by keyword: what the user, you and tools said, word for word. Use it when
    facts and profile do not answer, or when the exact wording matters.`,
  input: z.object({ query, limit: limit(10) }),
  output: z.object({ results }),
  async run(handle, input) {
    const recalled = await handle.recall(input.query, { ...HISTORY, mode: 'text', limit: input.limit });
    return { results: foundRecords(recalled.results) };
  },
});

const SOURCE_NAMES = ['notes', 'interactions', 'saved_items'] as const;
const SOURCES: Record<(typeof SOURCE_NAMES)[number], RecallOptions> = {
  notes: { sources: ['notes', 'summaries'] },
  interactions: HISTORY,
  saved_items: { sources: ['saved_items'] },
};
// Below this similarity, a result is unrelated to the query. Related texts are far above it.
const RELATED_AT_ALL = 0.3;

const semanticSearch: AgentTool = defineTool({
  name: 'semantic_search',
  title: 'Search by meaning',
  description: `Find notes, past conversations and saved items by meaning rather than by keyword, grouped by source,
    with a similarity percentage. Use it when search_history finds nothing, and first for saved items.`,
  input: z.object({
    query,
    sources: z.array(z.enum(SOURCE_NAMES)).min(1).optional().describe('Default: all three'),
    limit: limit(5).describe('The most results of each source. Default 5'),
  }),
  output: z.object({
    notes: similar.optional(),
    interactions: similar.optional(),
    saved_items: similar.optional(),
  }),
  async run(handle, input) {
    const groups = await Promise.all(
      (input.sources ?? SOURCE_NAMES).map(async (source) => {
        const found = await byMeaning(handle, input.query, {
          ...SOURCES[source],
          limit: input.limit,
          minimumSimilarity: RELATED_AT_ALL,
        });
        const shown = foundRecords(found).map(({ relevance = 0, ...record }) => ({
          ...record,
          similarity: `${Math.round(relevance * 100)}%`,
        }));
        return [source, shown] as const;
      }),
    );
    return Object.fromEntries(groups);
  },
});

const findEverything: AgentTool = defineTool({
  name: 'find_everything',
  description: `Search everywhere at once, by keyword and by meaning side by side. Use it for "find anything about X"
    when it is not clear where X was mentioned.`,
  input: z.object({ query, limit: limit(10).describe('The most results of each way. Default 10') }),
  output: z.object({ keyword: results, meaning: results }),
  async run(handle, input) {
    const [byWords, near] = await Promise.all([
      handle.recall(input.query, { mode: 'text', limit: input.limit }),
      handle.recall(input.query, {
        mode: 'semantic',
        limit: input.limit,
        recencyBoost: true,
        minimumSimilarity: RELATED_AT_ALL,
      }),
    ]);
    return { keyword: foundRecords(byWords.results), meaning: foundRecords(near.results) };
  },
});

// Without vectors, or if they find nothing, keywords are searched.
async function byMeaning(handle: ToolHandle, text: string, options: RecallOptions): Promise<RecallResult[]> {
  const near = await handle.recall(text, { ...options, mode: 'semantic', recencyBoost: true });
  if (near.results.length > 0) return near.results;
  return (await handle.recall(text, { ...options, mode: 'text', minimumSimilarity: undefined })).results;
}

export const SEARCH_TOOLS: readonly AgentTool[] = [searchUserMemories, searchHistory, semanticSearch, findEverything];
