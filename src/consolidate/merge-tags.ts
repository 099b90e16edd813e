import { datedLine } from '../language/dated-line.ts';
import { contentStems, coveredBy } from '../language/words.ts';
import { normalValue } from '../record/attributes.ts';
import { countWords } from '../record/block.ts';
import { digest } from '../record/id.ts';
import type { InternalMemory, Memory } from '../record/memory.ts';
import { ownerKey, ownerLevel, type Scope } from '../record/scope.ts';
import { type Confidence, CONFIDENCE_LEVELS, lowestTrust } from '../record/trust.ts';
import type { Reader, Writer } from '../store/database.ts';
import { recordDerivation } from '../store/derivation-store.ts';
import { toMemory } from '../store/memory-rows.ts';
import { listRuns } from '../store/run-store.ts';
import { archiveMemory, writeMemory } from '../store/write-memory.ts';
import { checkedText, cutWords } from './check-text.ts';
import type { ConsolidateDeps } from './consolidate-deps.ts';
import { inRun, type RunContext } from './in-run.ts';
import { datedRendering } from './without-model.ts';

/** Memories of one owner that share a tag, oldest first. */
export interface TagGroup {
  tag: string;
  memories: Memory[];
}

/** What was merged under a tag: the ids of the one and of the many. */
export interface MergedTag {
  tag: string;
  into: string;
  originals: string[];
}

const MOST_AT_ONCE = 40;

/** Marks that Varve sets for what a memory is, not for what it is about. */
const NOT_TOPICS: ReadonlySet<string> = new Set(['tool', 'decision', 'outcome', 'positive', 'negative', 'neutral']);

function isTopic(tag: string): boolean {
  return !NOT_TOPICS.has(tag) && !tag.startsWith('sensitive:');
}

/**
 * The tags of which an owner has more live memories than the setting says. Only single statements without an attribute count:
 * one with an attribute is found, replaced and ended by its fields, which a merged text does not have. Plans and what has a state
 * stay single for the same reason, and what is itself a merged text is not merged again.
 */
export async function crowdedTags(reader: Reader, deps: ConsolidateDeps, scope: Scope): Promise<TagGroup[]> {
  const rows = await reader
    .selectFrom('memories')
    .selectAll()
    .where('tenant_id', '=', scope.tenant)
    .where('owner_key', '=', ownerKey(scope))
    .where('session_id', '=', '')
    .where('connection_id', '=', '')
    .where('archived_at', 'is', null)
    .where('tags', '!=', '[]')
    .orderBy('row_id')
    .execute();
  const groups = new Map<string, Memory[]>();
  for (const memory of rows.map(toMemory)) {
    if (!mayBeMerged(memory, deps)) continue;
    for (const tag of memory.tags) {
      if (isTopic(tag)) groups.set(tag, [...(groups.get(tag) ?? []), memory]);
    }
  }
  return [...groups]
    .filter(([, memories]) => memories.length > deps.consolidation.tags.moreThan)
    .sort(([one], [other]) => (one < other ? -1 : 1))
    .map(([tag, memories]) => ({ tag, memories }));
}

function mayBeMerged(memory: Memory, { memoryTypes }: ConsolidateDeps): boolean {
  return (
    memoryTypes.get(memory.type)?.mergesDoubles === true &&
    memory.state === null &&
    memory.sourceType !== 'consolidation' &&
    memory.attribute === null &&
    memory.tense !== 'planned'
  );
}

/** The groups that have changed since they were last looked at: what could not be merged then is not tried again. */
export async function withoutTried(reader: Reader, scope: Scope, groups: readonly TagGroup[]): Promise<TagGroup[]> {
  if (groups.length === 0) return [];
  const tried = new Map<unknown, unknown>();
  const runs = await listRuns(reader, scope, { kinds: ['merge-tags'], statuses: ['done', 'skipped'], limit: 500 });
  for (const { read, changed } of runs.toReversed()) tried.set(read['tag'], changed['group']);
  return groups.filter(({ tag, memories }) => tried.get(tag) !== groupDigest(memories));
}

function groupDigest(memories: readonly Pick<Memory, 'id'>[]): string {
  return digest(memories.map(({ id }) => id).toSorted(), 16);
}

/**
 * Merges the memories of a tag into one (Q8). The originals are superseded and point to it. An original that the merged
 * text leaves out stays as it is; null when the text holds too few of them to be worth anything.
 */
export async function mergeTag(
  deps: ConsolidateDeps,
  scope: Scope,
  { tag, memories }: TagGroup,
  options: RunContext,
): Promise<MergedTag | null> {
  const wordLimit = deps.consolidation.tags.words;
  return inRun(deps, { scope, kind: 'merge-tags', ...options }, async (run) => {
    const oldest = memories.slice(0, MOST_AT_ONCE);
    const candidates = run.distiller.kind === 'local' ? fitting(oldest, wordLimit) : oldest;
    run.read({ tag, memories: candidates.length });
    const { output } = await run.distiller.merge(
      { purpose: 'tag', subject: tag, current: null, additions: candidates.map(datedRendering), wordLimit },
      { signal: run.signal },
    );
    const texts = candidates.map((memory) => memory.content);
    const own = candidates.filter(({ trust }) => trust !== 'low').map((memory) => memory.content);
    const checked = run.distiller.kind === 'local' ? output : checkedText(output, { shown: texts, own }).text;
    const content = cutWords(checked, wordLimit);
    const isIn = run.distiller.kind === 'local' ? isListed : isContained;
    const originals = candidates.filter((memory) => isIn(memory, content));
    if (originals.length <= candidates.length / 2) {
      await run.commit(async () => ({ changed: { merged: 0, group: groupDigest(memories) }, status: 'skipped' }));
      return null;
    }
    return (
      await run.commit(async (writer) => {
        const merged = await replaceByOne(writer, deps, scope, { tag, originals, content, run: run.id });
        const left = memories.filter(({ id }) => id !== merged.into && !merged.originals.includes(id));
        const group = groupDigest([...left, { id: merged.into }]);
        return { changed: { into: merged.into, superseded: merged.originals, group }, merged };
      })
    ).merged;
  });
}

/** The oldest memories whose lines fit into a list: the others stay single. */
function fitting(memories: readonly Memory[], wordLimit: number): Memory[] {
  let words = 0;
  return memories.filter((memory) => {
    words += countWords(datedLine(datedRendering(memory)));
    return words <= wordLimit;
  });
}

async function replaceByOne(
  writer: Writer,
  deps: ConsolidateDeps,
  scope: Scope,
  { tag, originals, content, run }: { tag: string; originals: readonly Memory[]; content: string; run: string },
): Promise<MergedTag> {
  const why = { reason: `merged ${originals.length} memories tagged ${tag}`, actor: 'merge-tags', run };
  const { memory } = await writeMemory(writer, deps, scope, mergedMemory(originals, content, scope), why);
  const others = originals.filter(({ id }) => id !== memory.id);
  for (const original of others) {
    await archiveMemory(writer, deps, original, { reason: 'superseded', by: memory.id, why });
  }
  await recordDerivation(
    writer,
    scope.tenant,
    memory.id,
    others.map(({ id }) => id),
  );
  return { tag, into: memory.id, originals: others.map(({ id }) => id) };
}

/** The one that takes the place of many: the most frequent type, all tags and sources, the highest importance. */
function mergedMemory(originals: readonly Memory[], content: string, scope: Scope): InternalMemory {
  const counts = Map.groupBy(originals, ({ type }) => type);
  const [type] = [...counts].toSorted(([, one], [, other]) => other.length - one.length)[0] ?? ['fact'];
  return {
    type,
    content,
    level: ownerLevel(scope),
    importance: Math.max(...originals.map(({ importance }) => importance)),
    confidence: lowestConfidence(originals),
    trust: lowestTrust(originals.map(({ trust }) => trust)),
    sourceType: 'consolidation',
    statedAt: new Date(Math.max(...originals.map(({ statedAt }) => statedAt.getTime()))),
    sourceEvents: [...new Set(originals.flatMap(({ sourceEvents }) => sourceEvents))].slice(0, 1000),
    tags: [...new Set(originals.flatMap(({ tags }) => tags))].slice(0, 50),
    entities: [...new Set(originals.flatMap(({ entities }) => entities))].slice(0, 200),
  };
}

function lowestConfidence(memories: readonly Memory[]): Confidence {
  const lowest = Math.min(...memories.map(({ confidence }) => CONFIDENCE_LEVELS.indexOf(confidence)));
  return CONFIDENCE_LEVELS[lowest] ?? 'low';
}

/** Whether a list that was written without a model has the line of a memory. */
function isListed(memory: Memory, text: string): boolean {
  return text.split('\n').includes(datedLine(datedRendering(memory)));
}

// A model may choose other words for some of it; a value, a name or a number it has to keep.
const CONTAINED = 0.6;

function isContained({ content, value }: Memory, text: string): boolean {
  const exact = content.match(/\p{N}+(?:[.,:]\p{N}+)*/gu) ?? [];
  return (
    exact.every((number) => text.includes(number)) &&
    (value === null || normalValue(text).includes(normalValue(value))) &&
    coveredBy(contentStems(content), contentStems(text)) >= CONTAINED
  );
}
