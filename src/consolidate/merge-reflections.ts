import { VarveError } from '../errors.ts';
import { countWords } from '../record/block.ts';
import { typesThat } from '../record/memory-types.ts';
import type { Memory } from '../record/memory.ts';
import { ownerKey, type Scope, scopeAt } from '../record/scope.ts';
import { findBlock, replaceBlock } from '../store/block-store.ts';
import type { Reader } from '../store/database.ts';
import { toMemory } from '../store/memory-rows.ts';
import { archiveMemory } from '../store/write-memory.ts';
import { checkedText, cutWords } from './check-text.ts';
import type { ConsolidateDeps } from './consolidate-deps.ts';
import { inRun, type RunContext } from './in-run.ts';

/** The levels at which reflections wait and are merged. */
export type BufferLevel = 'agent' | 'user' | 'session';

export interface ReflectionBuffer {
  level: BufferLevel;
  scope: Scope;
  /** Those that wait, oldest first. */
  reflections: Memory[];
}

const MOST_AT_ONCE = 60;

/** The buffers that a scope's consolidation looks after: its agent's, its user's, and those of all its sessions. */
export async function reflectionBuffers(
  reader: Reader,
  { memoryTypes }: Pick<ConsolidateDeps, 'memoryTypes'>,
  scope: Scope,
): Promise<ReflectionBuffer[]> {
  const owner = { ...scope, session: null, connection: null };
  const levels: { level: BufferLevel; scope: Scope }[] = [
    ...(scope.agent === null ? [] : [{ level: 'agent' as const, scope: scopeAt(owner, 'agent') }]),
    ...(scope.user === null ? [] : [{ level: 'user' as const, scope: owner }]),
  ];
  const buffers: ReflectionBuffer[] = [];
  for (const { level, scope: place } of levels) {
    const rows = await reader
      .selectFrom('memories')
      .selectAll()
      .where('tenant_id', '=', place.tenant)
      .where('owner_key', '=', ownerKey(place))
      .where(
        'type',
        'in',
        typesThat(memoryTypes, ({ section }) => section === 'reflections'),
      )
      .where('archived_at', 'is', null)
      .orderBy('row_id')
      .limit(1000)
      .execute();
    const bySession = Map.groupBy(rows.map(toMemory), (memory) => memory.scope.session);
    for (const [session, reflections] of bySession) {
      buffers.push({ level: session === null ? level : 'session', scope: { ...place, session }, reflections });
    }
  }
  return buffers;
}

/**
 * Merges a buffer that is full into the text of its scope (E6). The text and the archiving of the reflections are one
 * transaction: when anything fails, all of them still wait. Gives back how many were absorbed.
 */
export async function mergeReflections(
  deps: ConsolidateDeps,
  { level, scope, reflections }: ReflectionBuffer,
  options: RunContext,
): Promise<number> {
  const { threshold, words } = deps.consolidation.reflections[level];
  if (reflections.length < threshold) return 0;
  const additions = reflections.slice(0, MOST_AT_ONCE);
  return inRun(deps, { scope, kind: 'merge-reflections', ...options }, async (run) => {
    const block = await deps.database.read(scope.tenant, (reader) => findBlock(reader, scope, 'reflections'));
    const current = typeof block?.content === 'string' && block.content !== '' ? block.content : null;
    run.read({ reflections: additions.length, words: current === null ? 0 : countWords(current) });
    const { output } = await run.distiller.merge(
      {
        purpose: 'reflections',
        subject: level,
        current,
        additions: additions.map(({ content, statedAt }) => ({ text: content, at: statedAt })),
        wordLimit: words,
      },
      { signal: run.signal },
    );
    const texts = [...additions.map(({ content }) => content), ...(current === null ? [] : [current])];
    const checked = run.distiller.kind === 'local' ? output : checkedText(output, { shown: texts, own: texts }).text;
    const text = cutWords(checked, words);
    if (run.distiller.kind === 'model') assertKeepsMost(text, current, deps.consolidation.tiers.shrinkShare);
    await run.commit(async (writer) => {
      const why = { reason: `merged ${additions.length} reflections`, actor: 'merge-reflections', run: run.id };
      const replacement = { kind: 'reflections' as const, content: text, expectedVersion: block?.version ?? 0 };
      await replaceBlock(writer, deps, scope, replacement, why);
      for (const reflection of additions) await archiveMemory(writer, deps, reflection, { reason: 'absorbed', why });
      return { changed: { absorbed: additions.map(({ id }) => id), words: countWords(text) } };
    });
    return additions.length;
  });
}

/** A merge that empties the text, or most of it, has gone wrong. */
function assertKeepsMost(text: string, current: string | null, share: number): void {
  const [before, after] = [current === null ? 0 : countWords(current), countWords(text)];
  if (after > 0 && (before < 40 || after >= before * (1 - share))) return;
  throw new VarveError(`The merged text has ${after} words, where there were ${before} and reflections to add.`, {
    code: 'model_answer_invalid',
    retryable: true,
    details: { before, after },
  });
}
