import { contentStems, coveredBy } from '../form/guards/text-overlap.ts';
import type { Memory } from '../record/memory.ts';
import { ownerKey, type Scope } from '../record/scope.ts';
import { toMemory } from '../store/memory-rows.ts';
import { insertRun, newRunId, type RunCause } from '../store/run-store.ts';
import { reviseMemory } from '../store/write-memory.ts';
import type { ConsolidateDeps } from './consolidate-deps.ts';

const REACHED =
  /\b(?:finished|completed|achieved|reached|accomplished|passed|graduated|got|landed|won|earned|succeeded|launched|published|ran|did it|made it|done with|paid off|became|has become|started (?:the )?(?:new )?(?:job|position|role))\b/i;
const NOT_REACHED = /\b(?:not|never|almost|nearly|hasn['’]t|didn['’]t|wants?|hopes?|plans?|aims?|would|failed)\b/i;
const WANTING: ReadonlySet<string> = new Set([
  'want',
  'goal',
  'plan',
  'aim',
  'hope',
  'wish',
  'dream',
  'try',
  'target',
  'reach',
  'work',
]);
const MATCHES = 0.6;

/** Goals that a later memory says were reached: pairs of the two. Formation marks what it hears; this finds the rest. */
export function reachedGoals(memories: readonly Memory[]): { goal: Memory; by: Memory }[] {
  const goals = memories.filter(({ type, state }) => type === 'goal' && (state === null || state === 'open'));
  const tidings = memories.filter(
    ({ type, content }) =>
      type !== 'goal' && type !== 'intention' && REACHED.test(content) && !NOT_REACHED.test(content),
  );
  return goals.flatMap((goal) => {
    const wanted = new Set([...contentStems(goal.content)].filter((stem) => !WANTING.has(stem)));
    const by = tidings.find(
      (memory) =>
        memory.createdAt >= goal.createdAt &&
        memory.id !== goal.id &&
        coveredBy(wanted, contentStems(memory.content)) >= MATCHES,
    );
    return by === undefined ? [] : [{ goal, by }];
  });
}

/** Marks the goals of an owner that were reached: they stay, and matter half as much (Q9). */
export async function markGoals(deps: ConsolidateDeps, scope: Scope, { cause }: { cause: RunCause }): Promise<number> {
  const memories = await deps.database.read(scope.tenant, async (reader) => {
    const rows = await reader
      .selectFrom('memories')
      .selectAll()
      .where('tenant_id', '=', scope.tenant)
      .where('owner_key', '=', ownerKey(scope))
      // A goal that faded while nobody spoke of it can still be reached.
      .where((eb) =>
        eb.or([
          eb('archived_at', 'is', null),
          eb.and([eb('type', '=', 'goal'), eb('archive_reason', 'in', ['decayed', 'pruned'])]),
        ]),
      )
      .where('type', 'in', ['goal', 'fact', 'personal', 'decision', 'episode', 'context', 'feedback'])
      .orderBy('row_id', 'desc')
      .limit(1000)
      .execute();
    return rows.map(toMemory);
  });
  const reached = reachedGoals(memories);
  if (reached.length === 0) return 0;
  const now = new Date(deps.clock.now());
  const run = newRunId(deps.ids);
  await deps.database.write(scope.tenant, async (writer) => {
    for (const { goal, by } of reached) {
      const why = { reason: `the goal was reached: ${by.id}`, actor: 'mark-goals', run };
      const change = {
        state: 'achieved',
        importance: goal.importance * ACHIEVED_FACTOR,
        metadata: { ...goal.metadata, achievedBy: by.id },
      };
      await reviseMemory(writer, deps, goal, { change, why });
    }
    await insertRun(writer, {
      id: run,
      scope,
      kind: 'mark-goals',
      cause,
      status: 'done',
      startedAt: now,
      finishedAt: now,
      read: { memories: memories.length },
      changed: { achieved: reached.map(({ goal }) => goal.id) },
      model: 'local',
      cost: 0,
      error: null,
    });
  });
  return reached.length;
}

const ACHIEVED_FACTOR = 0.5;
