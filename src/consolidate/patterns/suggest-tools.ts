import { contentStems, coveredBy, overlap } from '../../language/text-overlap.ts';
import type { Scope } from '../../record/scope.ts';
import type { Parts } from '../../store/parts.ts';
import { listMemories } from '../../store/read-memories.ts';

/** A tool that has served before when something like this came up. */
export interface ToolSuggestion {
  tool: string;
  /** How often it was used in what the pattern was learned from. */
  times: number;
  /** The pattern that says so. */
  pattern: string;
  because: string;
}

const MOST_PATTERNS = 200;

/** Tools that the patterns of a scope speak for, the best first (T17). Without a message: by how often they were used. */
export async function suggestTools(
  parts: Parts,
  scope: Scope,
  { message, limit = 5 }: { message?: string; limit?: number } = {},
): Promise<ToolSuggestion[]> {
  const now = parts.clock.now();
  const { items } = await parts.database.read(scope.tenant, (reader) =>
    listMemories(reader, scope, { types: ['pattern'], limit: MOST_PATTERNS }, { now }),
  );
  const asked = contentStems(message ?? '');
  const best = new Map<string, ToolSuggestion & { score: number }>();
  for (const pattern of items) {
    const stems = contentStems(pattern.content);
    const relevance = message === undefined ? 1 : Math.max(overlap(asked, stems), coveredBy(asked, stems));
    if (relevance === 0) continue;
    for (const [tool, times] of Object.entries((pattern.internal['tools'] ?? {}) as Record<string, number>)) {
      const score = relevance * Math.log2(1 + times) * pattern.importance;
      const known = best.get(tool);
      if (known !== undefined && known.score >= score) continue;
      best.set(tool, { tool, times, pattern: pattern.id, because: pattern.content, score });
    }
  }
  return [...best.values()]
    .toSorted((one, other) => other.score - one.score)
    .slice(0, limit)
    .map(({ score: _score, ...suggestion }) => suggestion);
}
