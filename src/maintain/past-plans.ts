import type { ConsolidateDeps } from '../consolidate/consolidate-deps.ts';
import type { Memory } from '../record/memory.ts';
import { typesThat } from '../record/memory-types.ts';
import type { Change } from '../record/revision.ts';
import { isPlanOver } from '../record/standing.ts';
import type { Reader, Writer } from '../store/database.ts';
import { toMemory } from '../store/memory-rows.ts';
import { changeOwner } from '../store/owner-store.ts';
import { findMemory } from '../store/read-memories.ts';
import { reviseMemory } from '../store/write-memory.ts';

const AT_ONCE = 500;

/**
 * Makes history of plans whose day is over. Goals and intentions have states of their own: nobody knows whether they were reached.
 * A plan for an attribute that has one value takes effect on its day, by a job of formation. Gives back how many were changed.
 */
export async function markPastPlans(
  deps: ConsolidateDeps,
  tenant: string,
  run: string,
  signal?: AbortSignal,
): Promise<number> {
  let changed = 0;
  for (let after = 0; ;) {
    signal?.throwIfAborted();
    const rows = await deps.database.read(tenant, (reader) => plansUntilNow(reader, deps, tenant, after));
    for (const { memory } of rows) {
      const takesEffect = memory.attribute !== null && deps.attributes.policyOf(memory.attribute).values === 'one';
      if (takesEffect || !isPlanOver(memory, deps.clock.now())) continue;
      const why = { reason: 'the day of the plan is over', actor: 'maintain', run };
      changed += await deps.database.write(tenant, (writer) => becomeHistory(writer, deps, memory, why));
    }
    if (rows.length < AT_ONCE) return changed;
    after = rows.at(-1)?.rowId ?? after;
  }
}

async function plansUntilNow(
  reader: Reader,
  { memoryTypes, clock }: ConsolidateDeps,
  tenant: string,
  after: number,
): Promise<{ rowId: number; memory: Memory }[]> {
  const rows = await reader
    .selectFrom('memories')
    .selectAll()
    .where('tenant_id', '=', tenant)
    .where('archived_at', 'is', null)
    .where('tense', '=', 'planned')
    .where(
      'type',
      'in',
      typesThat(memoryTypes, ({ initialState }) => initialState === null),
    )
    .where((eb) => eb(eb.fn.coalesce('valid_from', 'due_at'), '<=', clock.now()))
    .where('row_id', '>', after)
    .orderBy('row_id')
    .limit(AT_ONCE)
    .execute();
  return rows.map((row) => ({ rowId: row.row_id, memory: toMemory(row) }));
}

async function becomeHistory(writer: Writer, deps: ConsolidateDeps, found: Memory, why: Change): Promise<number> {
  await changeOwner(writer, { ...found.scope, session: null, connection: null }, deps.clock.now());
  const plan = await findMemory(writer, found.scope, found.id);
  if (plan === null || plan.archivedAt !== null || plan.tense !== 'planned') return 0;
  await reviseMemory(writer, deps, plan, { change: { tense: 'happened' }, why });
  return 1;
}

/** Until when plans must not be archived for their age: row → the day for which something is planned or due. */
export async function plannedDays(
  reader: Reader,
  tenant: string,
  { after, upTo }: { after: number; upTo: number },
): Promise<Map<number, number>> {
  const rows = await reader
    .selectFrom('memories')
    .select(['row_id', 'tense', 'valid_from', 'due_at'])
    .where('tenant_id', '=', tenant)
    .where('archived_at', 'is', null)
    .where('row_id', '>', after)
    .where('row_id', '<=', upTo)
    .where((eb) => eb.or([eb('tense', '=', 'planned'), eb('due_at', 'is not', null)]))
    .execute();
  return new Map(
    rows.map((row) => {
      const from = row.tense === 'planned' ? (row.valid_from ?? 0) : 0;
      return [row.row_id, Math.max(from, row.due_at ?? 0)];
    }),
  );
}
