import { sql, type RawBuilder } from 'kysely';
import { estimateTokens } from '../language/token-count.ts';
import { STOP_WORDS } from '../language/stop-words.ts';
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

/** Memories that consolidation has merged from several: each of their sentences is a statement of its own. */
export const IS_MERGED: RawBuilder<boolean> = sql<boolean>`record.source_type = 'consolidation'`;

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

const AROUND = 20;
const NAME = /(?<![\p{L}\p{N}])\p{Lu}[\p{L}-]+/gu;
const TAKES_BACK =
  /\b(?:actually|correction|sorry|meant|mean|wrong|not|now|new|moved|moves|pushed|postponed|delayed|rescheduled|shifted|slipped|brought forward|bumped|deferred|changed|raised|increased|reduced|lowered|dropped|extended|switched|swapped|replaced|opening|only|just|instead|again|any ?more|longer|up|down|upped|cut|put|scrap|forget|drop|ditch|left|different)\b/i;

/**
 * What is known of those whom these events name, and of what they may take back: the words of rules, not to be compared.
 * No search where nobody is named and nothing taken back.
 */
export async function knownAround(
  reader: Reader,
  deps: FormDeps,
  scope: Scope,
  events: readonly Event[],
): Promise<string[]> {
  const said = events
    .filter((event) => event.origin === 'user' && event.kind === 'message')
    .map((event) => event.content.slice(0, 2_000))
    .join('\n');
  const names = (said.match(NAME) ?? []).filter((name) => !STOP_WORDS.has(name.toLowerCase()));
  const words = [...new Set(indexWords(TAKES_BACK.test(said) ? said : names.join(' ')))].slice(0, AROUND * 2);
  if (words.length === 0) return [];
  const hits = await deps.database.text.search(reader, {
    tenant: scope.tenant,
    kind: 'memory',
    owners: visibleOwners(scope),
    words,
    limit: AROUND,
    condition: sql<boolean>`record.type in ('fact', 'personal', 'context', 'intention', 'goal', 'keyed_fact')`,
  });
  const found = await loadMemories(reader, deps.database, { scope, rowIds: hits.map((hit) => hit.rowId) });
  const memories = hits.flatMap((hit) => found.get(hit.rowId) ?? []);
  // Facts first: of two that name somebody the later one counts, and "my wife" says more than "partner".
  const isFact = ({ key }: Memory): number => (key === null ? 1 : 0);
  return memories.sort((one, other) => isFact(one) - isFact(other)).map(asSentence);
}

/** "Partner name: Inés" as a rule reads it. */
function asSentence({ key, value, content }: Memory): string {
  const relation = /^(.+)_name$/u.exec(key ?? '')?.[1]?.replaceAll('_', ' ');
  return relation === undefined ? content : `User's ${relation} is named ${value ?? ''}.`;
}

function withinTokens(memories: readonly Memory[], most: number): Memory[] {
  let tokens = 0;
  return memories.filter((memory) => {
    tokens += estimateTokens(memory.content) + 4;
    return tokens <= most;
  });
}

/** All memories that were learned from these events, archived ones too. */
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
