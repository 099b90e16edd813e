import type { Memory } from '../record/memory.ts';
import type { Change } from '../record/revision.ts';
import type { Scope } from '../record/scope.ts';
import type { Reader, Writer } from '../store/database.ts';
import type { Parts } from '../store/parts.ts';
import { findMemory, listMemories } from '../store/read-memories.ts';
import { archiveMemory, reviseMemory } from '../store/write-memory.ts';
import { cancellationOf } from './cancellation-of.ts';
import { endingOf } from './ending-of.ts';
import { claimOf, wins } from './guards/precedence.ts';
import type { Settled } from './guards/guard-decisions.ts';
import type { Proposal } from './proposal.ts';
import { isWish, withoutRevoked } from './revoked-wishes.ts';

/** A memory that no longer holds, and the statement that ends it. */
export interface Ended {
  memory: Memory;
  by: Proposal;
  /** What the memory still says; without it the memory goes. */
  keeps?: string;
}

const MOST = 1000;
const LIVING_TYPES = ['fact', 'personal', 'context', 'preference', 'keyed_fact'];
const PLANNED_TYPES = [...LIVING_TYPES, 'goal', 'intention', 'decision'];

/**
 * What statements end without taking its place: "quit teaching" ends what was said of the job, "starts at BASF" every job
 * before it, "is no longer vegetarian" the fact with that key, "switched from Neovim to Zed" what was said of Neovim,
 * "the trip is off" what was planned for it.
 */
export async function findEnded(
  reader: Reader,
  parts: Parts,
  scope: Scope,
  proposals: readonly Proposal[],
): Promise<Ended[]> {
  const endings = proposals.flatMap((by) => {
    const cancels = cancellationOf(by);
    const ended = endingOf(by);
    if (cancels === null && ended === null) return [];
    // "Gave up their job" ends the job; "gave up learning Italian" the plan.
    const ends = (memory: Memory): boolean =>
      cancels?.(memory) === true || ((LIVING_TYPES.includes(memory.type) || isDue(memory)) && ended?.(memory) === true);
    return [{ by, ends }];
  });
  const wishes = proposals.filter(isWish);
  const counts = proposals.filter(({ slot }) => slot.attribute === 'headcount');
  if (endings.length === 0 && wishes.length === 0 && counts.length === 0) return [];
  const now = parts.clock.now();
  const { items } = await listMemories(reader, scope, { types: PLANNED_TYPES, limit: MOST }, { now });
  const ended = [
    ...endings.flatMap(({ by, ends }) =>
      items.filter((memory) => ends(memory) && isBefore(memory, by)).map((memory) => ({ memory, by })),
    ),
    ...counts.flatMap((by) => items.flatMap((memory) => (isBefore(memory, by) ? outnumbered(memory, by) : []))),
  ];
  if (wishes.length === 0) return ended;
  const waiting = await listMemories(reader, scope, { types: ['reflection'], limit: MOST }, { now });
  return [...ended, ...waiting.items.flatMap((memory) => revoked(memory, wishes))];
}

/** What is to come at a time: "has an interview on Friday". */
function isDue({ type, content }: Memory): boolean {
  return type === 'intention' && /^User has an? /.test(content);
}

/** A reflection says what the user wished then; what they wish now comes from their own words. */
function revoked(memory: Memory, wishes: readonly Proposal[]): Ended[] {
  let last: Ended | null = null;
  for (const by of wishes) {
    if (!isBefore(memory, by)) continue;
    const keeps = withoutRevoked(last?.keeps === undefined ? memory : { ...memory, content: last.keeps }, by);
    if (keeps === null) return [{ memory, by }];
    if (keeps !== undefined) last = { memory, by, keeps };
  }
  return last === null ? [] : [last];
}

const SIZED =
  /^(User(?:'s business)? (?:is|has|works at|runs|owns|founded)) an? (?:\d+|\p{L}+)-(?:person|people|man|strong|employee) (.+)$/u;

/** "User's business is a 14-person startup" is a startup still when they are 16. */
function outnumbered(memory: Memory, by: Proposal): Ended[] {
  const [, said, what] = SIZED.exec(memory.content) ?? [];
  if (said === undefined || what === undefined) return [];
  return [{ memory, by, keeps: `${said} ${/^[aeiou]/i.test(what) ? 'an' : 'a'} ${what}` }];
}

/** Only what was said earlier, elsewhere, and does not outrank it. */
function isBefore(memory: Memory, by: Proposal): boolean {
  return (
    !by.events.some((event) => memory.sourceEvents.includes(event.id)) &&
    memory.content !== by.content &&
    wins({ ...by, correction: by.correction === true }, claimOf(memory))
  );
}

/** What no decision concerns: a memory that is changed or confirmed in the same formation has not ended. */
export function untouched(ended: readonly Ended[], settled: readonly Settled[]): Ended[] {
  const touched = new Set(settled.flatMap(({ resolution }) => ('target' in resolution ? resolution.target.id : [])));
  return ended.filter(({ memory }) => !touched.has(memory.id));
}

/** Archives what has ended, unless it was changed or taken back meanwhile. */
export async function archiveEnded(
  writer: Writer,
  parts: Parts,
  ended: readonly Ended[],
  { scope, why }: { scope: Scope; why: Change },
): Promise<string[]> {
  const archived: string[] = [];
  for (const { memory, by, keeps } of ended) {
    const now = await findMemory(writer, scope, memory.id);
    if (now === null || now.archivedAt !== null || now.version !== memory.version) continue;
    if (keeps !== undefined) {
      await reviseMemory(writer, parts, now, {
        change: { content: keeps },
        why: { ...why, reason: `ended: ${by.content}` },
      });
      continue;
    }
    await archiveMemory(writer, parts, now, {
      reason: 'contradicted',
      until: by.statedAt,
      why: { ...why, reason: `ended: ${by.content}` },
    });
    archived.push(now.id);
  }
  return archived;
}
