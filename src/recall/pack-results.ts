import { estimateTokens } from '../language/token-count.ts';
import { contentHash } from '../record/memory.ts';
import type { MemoryTypeTable } from '../record/memory-types.ts';
import type { RecallOptions, RecallResult, Recalled } from './recall-options.ts';
import { ABSTENTION_THRESHOLD } from './relevance.ts';

/** The turns that a memory makes needless. What sums up many of them does not hold what each has said. */
function eventsToldBy({ memory }: RecallResult, memoryTypes: MemoryTypeTable): readonly string[] {
  if (memory === null || memory.sourceType === 'consolidation') return [];
  return memoryTypes.get(memory.type)?.section === 'summaries' ? [] : memory.sourceEvents;
}

export interface Packing {
  options: RecallOptions;
  answerable: number | null;
  degraded: string[];
  memoryTypes: MemoryTypeTable;
}

/** Takes the best results that fit: no text twice, no turn whose content a recalled memory already has. */
export function packResults(
  results: readonly RecallResult[],
  { options, answerable, degraded, memoryTypes }: Packing,
): Recalled {
  const abstained = options.abstain !== false && answerable !== null && answerable < ABSTENTION_THRESHOLD;
  if (abstained) return { results: [], answerable, abstained, degraded };
  const packed: RecallResult[] = [];
  const seen = new Set<string>();
  let tokens = 0;
  for (const result of results) {
    if (packed.length === (options.limit ?? 10)) break;
    if (options.minimumSimilarity !== undefined && (result.similarity ?? 0) < options.minimumSimilarity) continue;
    if (result.relevance < (options.minimumRelevance ?? 0)) continue;
    const marks = [result.id, contentHash(result.text)];
    if (marks.some((mark) => seen.has(mark))) continue;
    const cost = options.tokenBudget === undefined ? 0 : estimateTokens(result.text);
    if (tokens + cost > (options.tokenBudget ?? Infinity)) continue;
    tokens += cost;
    packed.push(result);
    for (const mark of [...marks, ...eventsToldBy(result, memoryTypes)]) seen.add(mark);
  }
  return { results: packed, answerable, abstained: false, degraded };
}
