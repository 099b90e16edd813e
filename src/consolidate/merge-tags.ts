import { datedLine, timedRendering } from '../language/sentences.ts';
import { contentStems, coveredBy } from '../language/words.ts';
import type { LanguageModel } from '../models/language-model.ts';
import { type Confidence, CONFIDENCE_LEVELS, lowestTrust, normalValue } from '../record/statement.ts';
import { digest } from '../record/id.ts';
import { type InternalMemory, type Memory, mergedAmong } from '../record/memory.ts';
import { ownerLevel, type Scope } from '../record/scope.ts';
import type { Reader } from '../store/database.ts';
import { recordDerivation } from '../store/derivation-store.ts';
import { listRuns } from '../store/history-store.ts';
import { ownMemories } from '../store/own-rows.ts';
import { archiveMemory, mergedList, reviseMemory, writeMemory } from '../store/write-memory.ts';
import { askMerge, type MergeInput } from './ask-model.ts';
import { checkedText, cutWords } from './check-text.ts';
import { meteredRun, type RunContext } from './run-log.ts';
import { countWords } from '../record/parse.ts';
import type { ConsolidateDeps } from './consolidate-deps.ts';

interface TagGroup {
  tag: string;
  /** The memories that no merged text contains yet, oldest first. */
  memories: Memory[];
  text: Memory | null;
  /** All single statements with this tag, whether a merged text contains them or not. */
  singles: Memory[];
}

/** The result of merging a tag: the id of the merged text and the ids of the statements in it. */
export interface MergedTag {
  tag: string;
  into: string;
  originals: string[];
}

const MOST_AT_ONCE = 40;

const NOT_TOPICS: ReadonlySet<string> = new Set(['tool', 'decision', 'outcome', 'positive', 'negative', 'neutral']);

const isTopic = (tag: string): boolean => !NOT_TOPICS.has(tag) && !tag.startsWith('sensitive:');

/**
 * Leaves out a tag whose merge failed, until its memories change. Statements with an attribute are not counted: they are found, replaced
 * and ended by fields that a merged text does not have.
 */
export async function crowdedTags(reader: Reader, deps: ConsolidateDeps, scope: Scope): Promise<TagGroup[]> {
  const memories = await ownMemories(reader, scope, { place: { session: null, connection: null }, tagged: true });
  const texts = memories.filter(({ sourceType }) => sourceType === 'consolidation');
  const isMerged = mergedAmong(memories);
  const singles = memories.filter((memory) => mayBeMerged(memory, deps));
  const tags = [...new Set(singles.flatMap((memory) => memory.tags))].filter(isTopic).toSorted();
  const groups = tags.flatMap((tag) => {
    const open = singles.filter((memory) => memory.tags.includes(tag) && !isMerged(memory));
    if (open.length <= deps.consolidation.tags.moreThan) return [];
    const text = texts.find(({ internal }) => internal['tag'] === tag) ?? null;
    const ofTag = singles.filter((memory) => open.includes(memory) || memory.contradictedBy === text?.id);
    return [{ tag, memories: open, text, singles: ofTag }];
  });
  return withoutTried(reader, scope, groups);
}

function mayBeMerged(memory: Memory, { memoryTypes }: ConsolidateDeps): boolean {
  const type = memoryTypes.get(memory.type);
  return (
    type?.mergesDoubles === true &&
    type.expiresAfterDays === null &&
    memory.state === null &&
    memory.sourceType !== 'consolidation' &&
    memory.attribute === null &&
    memory.tense !== 'planned' &&
    memory.validTo === null
  );
}

/** A merged text that was removed is written again only if there is a new statement. */
async function withoutTried(reader: Reader, scope: Scope, groups: readonly TagGroup[]): Promise<TagGroup[]> {
  if (groups.length === 0) return [];
  const tried = new Map<unknown, unknown>();
  const merged = new Map<unknown, Set<unknown>>();
  const runs = await listRuns(reader, scope, { kinds: ['merge-tags'], statuses: ['done', 'skipped'], limit: 500 });
  for (const { read, changed } of runs.toReversed()) {
    tried.set(read['tag'], changed['group']);
    if (Array.isArray(changed['superseded'])) merged.set(read['tag'], new Set(changed['superseded']));
  }
  const isNew = ({ tag, memories }: TagGroup): boolean =>
    !memories.every(({ id }) => merged.get(tag)?.has(id) === true);
  return groups.filter((group) => isNew(group) && tried.get(group.tag) !== groupDigest(group.memories));
}

function groupDigest(memories: readonly Pick<Memory, 'id'>[]): string {
  return digest(memories.map(({ id }) => id).toSorted(), 16);
}

/**
 * Prompts show the merged text instead of the statements, which stay live, so that recall finds each of them and a later statement can
 * replace or end it. Returns null if the text contains no new statement, or no more than half of the statements.
 */
export async function mergeTag(
  deps: ConsolidateDeps,
  scope: Scope,
  { tag, memories, text, singles }: TagGroup,
  options: RunContext,
): Promise<MergedTag | null> {
  const wordLimit = deps.consolidation.tags.words;
  return meteredRun(deps, { scope, kind: 'merge-tags', ...options }, async (run) => {
    const { languageModel, signal } = run;
    const newest = singles.slice(-MOST_AT_ONCE);
    const candidates = languageModel === null ? fitting(newest, wordLimit) : newest;
    run.read({ tag, memories: candidates.length });
    const content =
      languageModel === null
        ? mergedList(candidates)
        : await wordedText(languageModel, candidates, { purpose: 'tag', subject: tag, wordLimit }, signal);
    const originals = languageModel === null ? candidates : candidates.filter((memory) => isContained(memory, content));
    const isNew = originals.some(({ id }) => memories.some((memory) => memory.id === id));
    if (!isNew || originals.length <= candidates.length / 2) {
      await run.commit(async () => ({ changed: { merged: 0, group: groupDigest(memories) }, status: 'skipped' }));
      return null;
    }
    const { merged } = await run.commit(async (writer) => {
      const why = { reason: `merged ${originals.length} memories tagged ${tag}`, actor: 'merge-tags', run: run.id };
      const written = await writeMemory(writer, deps, scope, mergedMemory(originals, { content, tag, scope }), why);
      const into = written.memory.id;
      const singled = originals.filter(({ id }) => id !== into);
      const change = { contradictedBy: into };
      for (const original of singled) await reviseMemory(writer, deps, original, { change, why });
      if (text !== null) await archiveMemory(writer, deps, text, { reason: 'superseded', by: into, why });
      const superseded = singled.map(({ id }) => id);
      await recordDerivation(writer, scope.tenant, into, superseded);
      const left = singles.filter(({ id }) => !superseded.includes(id));
      return {
        changed: { into, superseded, group: groupDigest(left) },
        merged: { tag, into, originals: superseded },
      };
    });
    return merged;
  });
}

async function wordedText(
  model: LanguageModel,
  candidates: readonly Memory[],
  input: Omit<MergeInput, 'texts'>,
  signal: AbortSignal | undefined,
): Promise<string> {
  const shown = candidates.map(timedRendering);
  const answer = await askMerge(model, { ...input, texts: shown }, signal);
  const own = candidates.filter(({ trust }) => trust !== 'low').map(({ content }) => content);
  return cutWords(checkedText(answer, { shown, own }), input.wordLimit);
}

function fitting(memories: readonly Memory[], wordLimit: number): Memory[] {
  let words = 0;
  const isTooMuch = (memory: Memory): boolean => {
    words += countWords(datedLine({ text: timedRendering(memory), at: memory.statedAt }));
    return words > wordLimit;
  };
  return memories.slice(memories.findLastIndex(isTooMuch) + 1);
}

function mergedMemory(
  originals: readonly Memory[],
  { content, tag, scope }: { content: string; tag: string; scope: Scope },
): InternalMemory {
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
    internal: { tag },
  };
}

function lowestConfidence(memories: readonly Memory[]): Confidence {
  const lowest = Math.min(...memories.map(({ confidence }) => CONFIDENCE_LEVELS.indexOf(confidence)));
  return CONFIDENCE_LEVELS[lowest] ?? 'low';
}

// A merged text contains a statement if it has this share of the statement's words, its value and all its numbers.
const CONTAINED = 0.6;

function isContained({ content, value }: Memory, text: string): boolean {
  const exact = content.match(/\p{N}+(?:[.,:]\p{N}+)*/gu) ?? [];
  return (
    exact.every((number) => text.includes(number)) &&
    (value === null || normalValue(text).includes(normalValue(value))) &&
    coveredBy(contentStems(content), contentStems(text)) >= CONTAINED
  );
}
