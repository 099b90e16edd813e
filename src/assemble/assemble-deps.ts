import type { LanguageModel } from '../models/language-model.ts';
import type { RecallDeps } from '../recall/recall.ts';
import { type ContextLog, createContextLog } from './context-log.ts';
import type { ContextSettings } from './context-options.ts';
import { createKnowledgeCache, type KnowledgeCache } from './knowledge.ts';
import { createTracing, type Tracing, type TracingOptions } from './tracing.ts';

/** What assembling works with. */
export interface AssembleDeps extends RecallDeps {
  assembling: Assembling;
}

/** The parts that assembling has of its own. */
export interface Assembling {
  knowledge: KnowledgeCache;
  log: ContextLog;
  tracing: Tracing;
  /** Settings of the application for all contexts. */
  settings: ContextSettings;
}

/** How contexts are assembled: settings for all of them, and what is kept of them. */
export interface AssembleOptions extends ContextSettings {
  /** Days for which the log of contexts is kept. Default 90. */
  logDays?: number;
  /** Milliseconds after which what a session knows is read anew in any case. Default 5 minutes. */
  staleAfter?: number;
}

/** Makes the parts. Spans are made where the application has `@opentelemetry/api`. */
export async function createAssembling(
  parts: Pick<RecallDeps, 'database' | 'clock' | 'ids' | 'ledger'>,
  { logDays, staleAfter, ...settings }: AssembleOptions = {},
  { tracing, languageModel }: { tracing?: TracingOptions | false; languageModel?: LanguageModel } = {},
): Promise<Assembling> {
  return {
    knowledge: createKnowledgeCache(staleAfter),
    log: createContextLog(parts, logDays),
    tracing: await createTracing(tracing),
    settings: { lookupModel: languageModel, ...settings },
  };
}
