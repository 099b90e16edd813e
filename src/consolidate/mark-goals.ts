import { goalShare } from '../form/goal-share.ts';
import type { Memory } from '../record/memory.ts';
import { ownerKey, type Scope } from '../record/scope.ts';
import type { Reader } from '../store/database.ts';
import { toMemory } from '../store/memory-rows.ts';
import { reviseMemory } from '../store/write-memory.ts';
import type { ConsolidateDeps } from './consolidate-deps.ts';
import { inRun, type RunContext } from './in-run.ts';

const REACHED =
  /\b(?:finished|completed|achieved|reached|accomplished|passed|graduated|got|landed|won|earned|succeeded|launched|published|ran|did it|made it|done with|paid off|became|has become|started (?:the )?(?:new )?(?:job|position|role))\b/i;
const NOT_REACHED = /\b(?:not|never|almost|nearly|hasn['’]t|didn['’]t|wants?|hopes?|plans?|aims?|would|failed)\b/i;
const MATCHES = 0.6;
const ACHIEVED_FACTOR = 0.5;

/** Goals that a later memory says were reached: pairs of the two. Formation marks what it hears; this finds the rest. */
function reachedGoals(memories: readonly Memory[]): { goal: Memory; by: Memory }[] {
  const goals = memories.filter(({ type, state }) => type === 'goal' && (state === null || state === 'open'));
  const tidings = memories.filter(
    ({ type, content }) =>
      type !== 'goal' && type !== 'intention' && REACHED.test(content) && !NOT_REACHED.test(content),
  );
  return goals.flatMap((goal) => {
    const by = tidings.find(
      (memory) =>
        memory.createdAt >= goal.createdAt &&
        memory.id !== goal.id &&
        goalShare(goal.content, memory.content) >= MATCHES,
    );
    return by === undefined ? [] : [{ goal, by }];
  });
}

/** Marks the goals of an owner that were reached: they stay, and matter half as much (Q9). Gives back how many. */
export async function markGoals(deps: ConsolidateDeps, scope: Scope, options: RunContext): Promise<number> {
  const memories = await deps.database.read(scope.tenant, (reader) => goalsAndTidings(reader, scope));
  const reached = reachedGoals(memories);
  if (reached.length === 0) return 0;
  return inRun(deps, { scope, kind: 'mark-goals', ...options }, async (run) => {
    run.read({ memories: memories.length });
    await run.commit(async (writer) => {
      for (const { goal, by } of reached) {
        const why = { reason: `the goal was reached: ${by.id}`, actor: 'mark-goals', run: run.id };
        const change = {
          state: 'achieved',
          importance: goal.importance * ACHIEVED_FACTOR,
          metadata: { ...goal.metadata, achievedBy: by.id },
        };
        await reviseMemory(writer, deps, goal, { change, why });
      }
      return { changed: { achieved: reached.map(({ goal }) => goal.id) } };
    });
    return reached.length;
  });
}

async function goalsAndTidings(reader: Reader, scope: Scope): Promise<Memory[]> {
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
}
