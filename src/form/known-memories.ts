import { sql } from 'kysely';
import { estimateTokens } from '../language/token-count.ts';
import { indexWords } from '../language/words.ts';
import type { Memory } from '../record/memory.ts';
import { visibleOwners, type Scope } from '../record/scope.ts';
import type { Event } from '../record/event.ts';
import type { Reader } from '../store/database.ts';
import { loadMemories } from '../store/load-records.ts';
import { listMemories } from '../store/read-memories.ts';
import { toMemory } from '../store/memory-rows.ts';
import type { FormDeps } from './form-deps.ts';

/** Types that are not statements to be compared: texts of their own, and what is kept elsewhere. */
export const UNCOMPARED_TYPES: readonly string[] = [
  'reflection',
  'summary',
  'note',
  'saved_item',
  'keyed_fact',
  'episode',
  'pattern',
];

const LONGEST_QUERY = 400;

/**
 * What is known that has to do with these events, most fitting first: at most `limits.existing`, within the tokens that
 * they may take. The most important fill up what is left.
 */
export async function knownMemories(
  reader: Reader,
  deps: FormDeps,
  scope: Scope,
  events: readonly Event[],
): Promise<Memory[]> {
  const { existing, existingTokens } = deps.settings.limits;
  if (existing === 0) return [];
  const said = events
    .filter((event) => event.origin === 'user' || event.kind === 'observation')
    .map((event) => event.content);
  const words = [...new Set(indexWords(said.join(' ')))].slice(0, LONGEST_QUERY);
  const condition = sql<boolean>`record.type not in (${sql.join(UNCOMPARED_TYPES)})`;
  const owners = visibleOwners(scope);
  const hits = await deps.database.text.search(reader, {
    tenant: scope.tenant,
    kind: 'memory',
    owners,
    words,
    limit: existing,
    condition,
  });
  const found = await loadMemories(reader, deps.database, { scope, rowIds: hits.map((hit) => hit.rowId) });
  const important = await listMemories(
    reader,
    scope,
    { order: 'important', limit: existing * 2 },
    { now: deps.clock.now() },
  );
  const ordered = [
    ...hits.flatMap((hit) => found.get(hit.rowId) ?? []),
    ...important.items.filter((memory) => !UNCOMPARED_TYPES.includes(memory.type)),
  ];
  return withinTokens(
    [...new Map(ordered.map((memory) => [memory.id, memory])).values()].slice(0, existing),
    existingTokens,
  );
}

function withinTokens(memories: readonly Memory[], most: number): Memory[] {
  let tokens = 0;
  return memories.filter((memory) => {
    tokens += estimateTokens(memory.content) + 4;
    return tokens <= most;
  });
}

/** All memories that were learned from these events, archived ones too: what has been formed is not formed again. */
export async function formedBefore(reader: Reader, scope: Scope, events: readonly Event[]): Promise<Memory[]> {
  if (events.length === 0) return [];
  const rows = await reader
    .selectFrom('memories')
    .selectAll()
    .where('tenant_id', '=', scope.tenant)
    .where('id', 'in', (eb) =>
      eb
        .selectFrom('memory_sources')
        .select('memory_id')
        .where('tenant_id', '=', scope.tenant)
        .where(
          'event_id',
          'in',
          events.map((event) => event.id),
        ),
    )
    .execute();
  return rows.map(toMemory);
}
