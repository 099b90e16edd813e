import { messageOf } from '../errors.ts';
import type { Ledger } from '../ledger/ledger.ts';
import type { UsageEntry } from '../store/doors/usage-store.ts';
import { NO_USAGE } from '../models/language-model.ts';
import { DAY } from '../record/clock.ts';
import { insertContexts, insertGiven, type LoggedContext } from '../store/context-log-store.ts';
import { gatherWrites, type Parts } from '../store/database.ts';

/** Logs which records contexts contain. Entries are written in batches after a short delay, so that no answer waits for them. */
export interface ContextLog {
  note(context: LoggedContext, along?: Partial<NotedAlong>): void;
  /** Resolves when everything noted so far is written. */
  settle(): Promise<void>;
}

/** Data that is written together with the entry of a context. */
export interface NotedAlong {
  /** The memories that were looked up for the turn. Consolidation judges later whether the answer used them. */
  given: readonly string[];
  /** The memories and documents that every prompt contains. They count as given only if the answer used them. */
  always: readonly string[];
  /** The usage of memory in the prompt of the application's model; null when the application names no model. */
  injection: { model: string; tokens: number; estimated: boolean } | null;
}

interface LogParts extends Pick<Parts, 'database' | 'clock' | 'ids'> {
  ledger: Pick<Ledger, 'record'>;
}

/** A log that keeps entries for `days`. A failed write loses the entry but never fails an answer. */
export function createContextLog({ database, clock, ids, ledger }: LogParts, days = 90): ContextLog {
  const writes = gatherWrites<{ context: LoggedContext; along: Partial<NotedAlong> }>(async (noted) => {
    const byTenant = Map.groupBy(noted, ({ context }) => context.scope.tenant);
    for (const [tenant, entries] of byTenant) {
      const contexts = entries.map(({ context }) => context);
      try {
        await database.write(tenant, async (writer) => {
          await insertContexts(writer, contexts, clock.now() - days * DAY);
          for (const { context, along } of entries) {
            const now = context.at.getTime();
            const looked = new Set(along.given);
            const always = (along.always ?? []).filter((id) => !looked.has(id));
            await insertGiven(writer, ids, context.scope, [...looked], { now });
            await insertGiven(writer, ids, context.scope, always, { now, isAlways: true });
          }
          await ledger.record(
            writer,
            entries.flatMap(({ context, along }) => usageOf(context, along)),
          );
        });
      } catch (error) {
        process.emitWarning(`A context could not be logged: ${messageOf(error)}`, 'VarveContextWarning');
      }
    }
  });
  return { note: (context, along = {}) => writes.note({ context, along }), settle: writes.settle };
}

/** The entry has the id of the context, so that writing it is idempotent. */
function usageOf({ id, scope, at }: LoggedContext, { injection }: Partial<NotedAlong>): UsageEntry[] {
  if (!injection || injection.tokens === 0) return [];
  const { model, tokens, estimated } = injection;
  const usage = { ...NO_USAGE, tokensIn: tokens, calls: 1, estimated };
  return [
    { id, scope, run: null, operation: 'injection', task: 'inject', model, usage, failed: false, at: at.getTime() },
  ];
}
