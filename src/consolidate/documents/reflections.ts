import { VarveError } from '../../errors.ts';
import { DAY } from '../../record/clock.ts';
import { digest } from '../../record/id.ts';
import type { Memory } from '../../record/memory.ts';
import { ownerKey, ownerOf, type Scope, scopeAt } from '../../record/scope.ts';
import { findBlock, replaceBlock } from '../../store/block-store.ts';
import type { Reader, Writer } from '../../store/database.ts';
import { listRuns, type Run } from '../../store/history-store.ts';
import { ownMemories } from '../../store/own-rows.ts';
import { sessionsWithReflections } from '../../store/session-store.ts';
import { archiveMemory } from '../../store/write-memory.ts';
import { askAbsorb } from '../ask-model.ts';
import { type ActiveRun, meteredRun, type RunContext } from '../run-log.ts';
import { changed, lossOf, readChanges } from './changes.ts';
import { type BlockText, fitted, lineOf, type Material, readDocument, standInsOf, writeBlockText } from './document.ts';
import { reflectionTypes, toMaterial, waitingReflections } from './sources.ts';
import { countWords } from '../../record/parse.ts';
import type { ConsolidateDeps } from '../consolidate-deps.ts';

type BufferLevel = 'agent' | 'user' | 'session';

interface ReflectionBuffer {
  level: BufferLevel;
  scope: Scope;
  reflections: Memory[];
}

const MOST_AT_ONCE = 60;

export async function reflectionBuffers(
  reader: Reader,
  deps: ConsolidateDeps,
  scope: Scope,
): Promise<ReflectionBuffer[]> {
  const owner = ownerOf(scope);
  const levels: { level: BufferLevel; scope: Scope }[] = [
    ...(scope.agent === null ? [] : [{ level: 'agent' as const, scope: scopeAt(owner, 'agent') }]),
    ...(scope.user === null ? [] : [{ level: 'user' as const, scope: owner }]),
  ];
  const buffers: ReflectionBuffer[] = [];
  for (const { level, scope: place } of levels) {
    const waiting = await waitingReflections(reader, deps, place);
    for (const [session, reflections] of Map.groupBy(waiting, (memory) => memory.scope.session)) {
      buffers.push({ level: session === null ? level : 'session', scope: { ...place, session }, reflections });
    }
  }
  return buffers;
}

/** After an unusable answer, the model is not asked about the same reflections again for this long. */
const ASKED_AGAIN_AFTER = DAY;

/** One transaction writes the text and archives the reflections, so after a failure all of them are still waiting. */
export async function mergeReflections(
  deps: ConsolidateDeps,
  { level, scope, reflections }: ReflectionBuffer,
  options: RunContext,
): Promise<number> {
  const { threshold, words } = deps.consolidation.reflections[level];
  if (reflections.length < threshold) return 0;
  const additions = reflections.slice(0, MOST_AT_ONCE);
  const ids = additions.map(({ id }) => id);
  const group = digest(ids, 16);
  if (await wasRefused(deps, scope, group)) return 0;
  return meteredRun(deps, { scope, kind: 'merge-reflections', ...options }, async (run) => {
    const document = await deps.database.read(scope.tenant, (reader) => readDocument(reader, scope, 'reflections'));
    const { stored } = document;
    run.read({ reflections: additions.length, words: countWords(stored.text) });
    const materials = additions.map((memory) => toMaterial(memory, null));
    const next = await absorbed(deps, run, { level, document, materials, words }).catch((error: unknown) => {
      if (VarveError.isInstance(error, 'model_answer_invalid')) run.read({ refused: group });
      throw error;
    });
    const { text, basis } = writeBlockText({ ...fitted(next, words), omitted: [] });
    await run.commit(async (writer) => {
      const why = { reason: `merged ${additions.length} reflections`, actor: 'merge-reflections', run: run.id };
      const replacement = { kind: 'reflections' as const, content: text, basis, expectedVersion: stored.version };
      await replaceBlock(writer, deps, scope, replacement, why);
      for (const reflection of additions) await archiveMemory(writer, deps, reflection, { reason: 'absorbed', why });
      return { changed: { absorbed: ids, words: countWords(text) } };
    });
    return additions.length;
  });
}

async function wasRefused({ database, clock }: ConsolidateDeps, scope: Scope, group: string): Promise<boolean> {
  const filter = { kinds: ['merge-reflections'], statuses: ['failed'] as const };
  const runs = await database.read(scope.tenant, (reader) => listRuns(reader, scope, filter));
  const isRecent = ({ finishedAt }: Run): boolean => clock.now() - finishedAt.getTime() < ASKED_AGAIN_AFTER;
  return runs.some((run) => run.read['refused'] === group && isRecent(run));
}

async function absorbed(
  deps: ConsolidateDeps,
  run: ActiveRun,
  { level, document, materials, words }: { level: string; document: BlockText; materials: Material[]; words: number },
): Promise<BlockText> {
  if (run.languageModel === null) {
    return { ...document, sentences: [...document.sentences, ...materials.map(lineOf)] };
  }
  const { sentences } = document;
  const additions = materials.map(({ text }) => text);
  const answer = await askAbsorb(run.languageModel, { level, sentences, additions, wordLimit: words }, run.signal);
  const shown = [...sentences.map(({ text }) => text), ...additions];
  const changes = readChanges(answer, document, materials);
  const result = changed(document, changes ?? [], {
    materials,
    known: new Map([...sentences.flatMap(standInsOf), ...materials].map((each) => [each.id, each])),
    sources: { shown, own: shown },
  });
  const problem =
    changes === null
      ? 'its list of changes cannot be read'
      : result.document.sentences.length === 0
        ? 'the text would be empty'
        : lossOf(result, deps.consolidation.tiers.shrinkShare, 'the text');
  if (problem === null) return result.document;
  throw new VarveError(`The answer cannot be used: ${problem}.`, {
    code: 'model_answer_invalid',
    retryable: true,
    details: { held: result.held, lost: result.lost },
  });
}

/** The reflections of a session expire this long after its last event, even if the session was not closed. */
const SESSION_LIFETIME = DAY;

const MOST_SESSIONS = 500;

/** One owner, or the whole tenant if both agent and user are null. */
type Whose = Pick<Scope, 'tenant' | 'agent' | 'user'>;

/** Does the same as {@link endSessions} for one owner, in a separate run. */
export async function endOwnSessions(deps: ConsolidateDeps, scope: Scope, options: RunContext): Promise<number> {
  const over = await deps.database.read(scope.tenant, (reader) => sessionsOver(reader, deps, scope));
  if (over.length === 0) return 0;
  return meteredRun(deps, { scope, kind: 'end-sessions', ...options }, async (run) => {
    const { changed } = await run.commit(async (writer) => ({
      changed: { sessionsEnded: await endSessions(writer, deps, scope, run.id) },
    }));
    return changed.sessionsEnded;
  });
}

/** Empties the merged text and archives the reflections of ended sessions. Processes at most {@link MOST_SESSIONS} sessions. */
export async function endSessions(writer: Writer, parts: ConsolidateDeps, whose: Whose, run: string): Promise<number> {
  const over = await sessionsOver(writer, parts, whose);
  for (const scope of over) await endSession(writer, parts, scope, run);
  return over.length;
}

function sessionsOver(reader: Reader, parts: ConsolidateDeps, { tenant, agent, user }: Whose): Promise<Scope[]> {
  return sessionsWithReflections(reader, {
    tenant,
    owner: agent === null && user === null ? null : ownerKey({ tenant, agent, user }),
    types: reflectionTypes(parts),
    quietSince: parts.clock.now() - SESSION_LIFETIME,
    limit: MOST_SESSIONS,
  });
}

async function endSession(writer: Writer, parts: ConsolidateDeps, scope: Scope, run: string): Promise<void> {
  const why = { reason: 'the session is over', actor: 'end-sessions', run };
  const block = await findBlock(writer, scope, 'reflections');
  if (block !== null && block.content !== '') {
    await replaceBlock(writer, parts, scope, { kind: 'reflections', content: '' }, why);
  }
  const memories = await ownMemories(writer, scope, { types: reflectionTypes(parts) });
  for (const memory of memories.filter(({ scope: { session } }) => session === scope.session)) {
    await archiveMemory(writer, parts, memory, { reason: 'expired', why });
  }
}
