import type { ModelUsage } from '../models/usage.ts';
import type { Scope } from '../record/scope.ts';

/** What the cost is counted under (Q12). `injection` is what remembered text costs in the application's own prompt. */
export type Operation = 'extraction' | 'embedding' | 'consolidation' | 'injection' | 'recall' | 'evaluation';

/** Whose usage it is. */
export type UsageScope = Pick<Scope, 'tenant' | 'agent' | 'user'>;

/** Use of a model, as it is written down once and for good. */
export interface UsageEntry {
  /** Recording the same id again changes nothing and charges nothing. */
  id: string;
  scope: UsageScope;
  run: string | null;
  operation: Operation;
  /** The task of a language model, or embed, rerank, inject. */
  task: string;
  model: string;
  usage: ModelUsage;
  /** True when the call was paid for and gave nothing. */
  failed: boolean;
  at: number;
}

/** The UTC day of a time, as 2026-11-15. */
export function dayOf(time: number): string {
  return new Date(time).toISOString().slice(0, 10);
}
