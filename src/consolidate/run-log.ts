import { storedMessageOf, VarveError } from '../errors.ts';
import type { LanguageModel } from '../models/language-model.ts';
import type { Scope } from '../record/scope.ts';
import type { Writer } from '../store/database.ts';
import { insertRun, type Run, type RunCause, type RunNotes, type RunStatus } from '../store/history-store.ts';
import { assertNotErased, type SeenOwner, seeOwner } from '../store/owner-store.ts';
import { costOf, type Meter } from '../ledger/ledger.ts';
import type { ConsolidateDeps } from './consolidate-deps.ts';

export interface RunContext {
  cause: RunCause;
  signal?: AbortSignal;
  /** The owner's state when the work read its first source. Default: the state when the run begins. */
  seen?: SeenOwner;
}

export interface ActiveRun {
  readonly id: string;
  readonly scope: Scope;
  readonly signal: AbortSignal | undefined;
  /** Null if no model is configured. The work is then done locally. */
  readonly languageModel: LanguageModel | null;
  read(notes: RunNotes): void;
  /** Also stores the usage and the audit log entry. Throws `conflict` after an erasure, because the result may contain erased text. */
  commit<Changed extends Committed>(work: (writer: Writer) => Promise<Changed>): Promise<Changed>;
}

export interface Committed {
  changed: RunNotes;
  /** Default: `done`. */
  status?: RunStatus;
}

export async function meteredRun<Result>(
  deps: ConsolidateDeps,
  request: RunContext & { scope: Scope; kind: string },
  work: (run: ActiveRun) => Promise<Result>,
): Promise<Result> {
  const id = deps.ids.next('run');
  const startedAt = new Date(deps.clock.now());
  const notes: RunNotes = {};
  const { tenant, agent, user } = request.scope;
  const entry = (meter: Meter | null, status: RunStatus, changed: RunNotes, error: string | null = null): Run => ({
    id,
    scope: request.scope,
    kind: request.kind,
    cause: request.cause,
    status,
    startedAt,
    finishedAt: new Date(deps.clock.now()),
    read: notes,
    changed,
    model: [...new Set(meter?.entries.map((use) => use.model))].join(', ') || 'local',
    cost: meter === null ? 0 : costOf(deps.ledger, meter),
    error,
  });
  let metered: Meter | null = null;
  const seen = request.seen ?? (await deps.database.read(tenant, (reader) => seeOwner(reader, request.scope)));
  try {
    const context = { scope: { tenant, agent, user }, operation: 'consolidation' as const, run: id };
    return await deps.ledger.metered(context, async (meter) => {
      metered = meter;
      const languageModel = deps.languageModel === null ? null : meter.languageModel(deps.languageModel);
      return work({
        id,
        scope: request.scope,
        signal: request.signal,
        languageModel,
        read: (more) => void Object.assign(notes, more),
        commit: (apply) =>
          deps.database.write(tenant, async (writer) => {
            await assertNotErased(writer, seen);
            const committed = await apply(writer);
            await insertRun(writer, entry(meter, committed.status ?? 'done', committed.changed));
            await meter.settle(writer);
            return committed;
          }),
      });
    });
  } catch (error) {
    if (!isCutShort(error)) {
      const failed = entry(metered, 'failed', {}, storedMessageOf(error));
      await deps.database.write(tenant, (writer) => insertRun(writer, failed));
    }
    throw error;
  }
}

/** An interrupted run has not failed, so it gets no entry in the audit log. After an erasure, no entry may name the erased owner. */
function isCutShort(error: unknown): boolean {
  if (VarveError.isInstance(error, 'conflict') && error.details?.['erased'] === true) return true;
  return (['out_of_credit', 'budget_spent', 'cancelled', 'closed'] as const).some((code) =>
    VarveError.isInstance(error, code),
  );
}

export async function insertLocalRun(
  writer: Writer,
  { clock }: ConsolidateDeps,
  { startedAt, ...run }: Pick<Run, 'id' | 'scope' | 'kind' | 'cause' | 'read' | 'changed'> & { startedAt: number },
): Promise<void> {
  const [started, finished] = [new Date(startedAt), new Date(clock.now())];
  const outcome = { status: 'done', model: 'local', cost: 0, error: null } as const;
  await insertRun(writer, { ...run, ...outcome, startedAt: started, finishedAt: finished });
}
