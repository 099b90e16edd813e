import type { Memory } from '../record/memory.ts';
import type { Scope } from '../record/scope.ts';
import type { Reader, Writer } from '../store/database.ts';
import type { Parts } from '../store/parts.ts';
import { findMemory, listMemories } from '../store/read-memories.ts';
import type { Change } from '../record/revision.ts';
import { reviseMemory } from '../store/write-memory.ts';
import { goalShare } from './goal-share.ts';
import { claimOf } from './guards/precedence.ts';
import type { Proposal } from './proposal.ts';

/** A goal, and the statement that it was reached. */
export interface ReachedGoal {
  goal: Memory;
  by: Proposal;
}

const MOST_GOALS = 100;
// "Run a marathon" in "ran the Berlin marathon": half of the goal's words.
const MATCHES = 0.5;

/** The open goals that statements say were reached. */
export async function findReachedGoals(
  reader: Reader,
  parts: Parts,
  scope: Scope,
  proposals: readonly Proposal[],
): Promise<ReachedGoal[]> {
  const reaching = proposals.filter((proposal) => proposal.achievesGoal === true || isDone(proposal));
  if (reaching.length === 0) return [];
  const now = parts.clock.now();
  const { items } = await listMemories(reader, scope, { types: ['goal'], limit: MOST_GOALS }, { now });
  return matchGoals(
    items.filter((goal) => goal.state !== 'achieved'),
    reaching,
  );
}

const DONE =
  /^\S+(?:'s \S+)? (?:just |finally |now |recently |successfully |has |have )*(?:ran|won|got|became|made|wrote|built|sold|bought|went|met|beat|learnt|quit|left|found|did|gave|took|read|hit|\p{L}+ed)\b/u;

/** Whether a statement tells of something that was done, not of something wanted or going on. */
function isDone({ type, content, slot }: Proposal): boolean {
  return (
    (type === 'episode' || type === 'fact' || type === 'personal') && slot.polarity === 'positive' && DONE.test(content)
  );
}

/** Pairs each statement with the goal whose words it has, the best first. */
function matchGoals(goals: readonly Memory[], reaching: readonly Proposal[]): ReachedGoal[] {
  const taken = new Set<string>();
  return reaching.flatMap((by) => {
    const [best] = goals
      // What is wanted after it was done is another one.
      .filter((goal) => !taken.has(goal.id) && claimOf(goal).statedAt <= by.statedAt)
      .map((goal) => ({ goal, share: goalShare(goal.content, by.content) }))
      // Where nobody says that a goal was reached, what was done must have all of its words.
      .filter(({ share }) => share >= (by.achievesGoal === true ? MATCHES : 1))
      .sort((one, other) => other.share - one.share);
    if (best === undefined) return [];
    taken.add(best.goal.id);
    return [{ goal: best.goal, by }];
  });
}

/** Marks goals as achieved: they stay, and matter less. */
export async function markReached(
  writer: Writer,
  parts: Parts,
  reached: readonly ReachedGoal[],
  { scope, factor, why }: { scope: Scope; factor: number; why: Change },
): Promise<string[]> {
  const marked: string[] = [];
  for (const { goal, by } of reached) {
    const now = await findMemory(writer, scope, goal.id);
    if (now === null || now.archivedAt !== null || now.state === 'achieved') continue;
    await reviseMemory(writer, parts, now, {
      change: {
        state: 'achieved',
        importance: now.importance * factor,
        validTo: now.validFrom !== null && by.statedAt < now.validFrom ? now.validFrom : by.statedAt,
        sourceEvents: by.events.map((event) => event.id),
      },
      why: { ...why, reason: 'the goal was reached' },
    });
    marked.push(now.id);
  }
  return marked;
}
