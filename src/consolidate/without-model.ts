import { datedLine, readDatedLine } from '../language/dated-line.ts';
import type { DatedText, Distiller, MergeInput, Synthesis, SynthesiseInput } from '../models/distiller.ts';
import { countWords } from '../record/block.ts';
import { memoryType, type MemoryTypeTable, PROFILE_SECTIONS, type ProfileSection } from '../record/memory-types.ts';
import { contentHash, type Memory } from '../record/memory.ts';
import { hasEnded, hasOutcome, isPlanOver, isPresentFact, timedRendering } from '../record/standing.ts';
import { cutWords } from './check-text.ts';
import { writeSections } from './nightly/profile.ts';

/**
 * Consolidation without a model. Documents are dated lists of renderings, in the order in which they were said: no rule puts
 * words of its own between them.
 */
export const distillerWithoutModel: Distiller = {
  id: 'local',
  kind: 'local',
  merge: async (input) => ({ output: mergeWithoutModel(input), usage: null }),
  synthesise: async (input) => ({ output: synthesiseWithoutModel(input), usage: null }),
};

/** The text so far, and a line for each addition. */
function mergeWithoutModel({ current, additions, wordLimit }: MergeInput): string {
  const { lines, prose } = readDatedList(current ?? '');
  return writeDatedList([...lines, ...additions.map(datedLine)], wordLimit, prose);
}

/**
 * The working memory is the list of what holds, written anew each time: a statement that was replaced, ended or forgotten since
 * is not in it any more. Scaffold entries are taken as they were given.
 */
function synthesiseWithoutModel(input: SynthesiseInput): Synthesis {
  const { prose } = readDatedList(input.workingMemory);
  const synthesis: Synthesis = {
    scaffold: { ...input.scaffold },
    scaffoldConfidence: {},
    workingMemory: writeDatedList(input.holds.map(datedLine), input.wordLimit, prose),
    facts: [],
    contradictions: [],
  };
  for (const [index, { entries, origin }] of input.observations.entries()) {
    if (origin === 'tool' || origin === 'document') continue;
    for (const [key, value] of entries) {
      // Assigned to `__proto__`, a value would not become an entry but the prototype of the object.
      if (key === '__proto__' || input.scaffoldKeys?.includes(key) === false) continue;
      synthesis.scaffold[key] = value;
      // The observation is named as the source of the entry, whatever the old value was.
      synthesis.contradictions.push({ key, observation: index + 1, reason: 'set as it was given' });
    }
  }
  return synthesis;
}

/** What a document without a model lists of the statements of an owner: what holds now and stands nowhere else, oldest first. */
export function listedStatements(
  memories: readonly Memory[],
  types: MemoryTypeTable,
  { now, since = -Infinity }: { now: number; since?: number },
): Memory[] {
  return memories
    .filter(
      (memory) =>
        !isPresentFact(memory, now) &&
        !hasEnded(memory, now) &&
        !isPlanOver(memory, now) &&
        !hasOutcome(memory, types.get(memory.type)) &&
        memory.statedAt.getTime() > since,
    )
    .toSorted((one, other) => one.statedAt.getTime() - other.statedAt.getTime());
}

export function datedRendering(memory: Memory): DatedText {
  return { text: timedRendering(memory), at: memory.statedAt };
}

/**
 * The profile without a model: under each heading the statements whose type belongs there, the most important first when there is
 * no room for all, each section with its share of the words. `memories` are in the order of their importance.
 */
export function profileWithoutModel(
  memories: readonly Memory[],
  types: MemoryTypeTable,
  { wordLimit, now }: { wordLimit: number; now: number },
): string {
  const room = Math.floor((wordLimit - HEADING_WORDS) / PROFILE_SECTIONS.length);
  const listed = new Set(listedStatements(memories, types, { now }).map(({ id }) => id));
  const bySection = Map.groupBy(
    memories.filter(({ id, type }) => listed.has(id) && types.has(type)),
    ({ type }) => memoryType(types, type).profileSection,
  );
  const sections = Object.fromEntries(
    PROFILE_SECTIONS.map((name) => {
      // The list drops its oldest lines: the most important have to come last until then.
      const lines = (bySection.get(name) ?? []).map((memory) => datedLine(datedRendering(memory))).toReversed();
      const kept = readDatedList(writeDatedList(lines, room)).lines;
      return [name, kept.toSorted().join('\n')];
    }),
  ) as Record<ProfileSection, string>;
  return Object.values(sections).every((body) => body === '') ? '' : writeSections(sections);
}

const HEADING_WORDS = 20;

/** A document taken apart: its dated lines, and what somebody has written otherwise. */
export function readDatedList(text: string): { lines: string[]; prose: string } {
  const lines = text.split('\n');
  return {
    lines: lines.filter((line) => readDatedLine(line) !== null),
    prose: lines
      .filter((line) => readDatedLine(line) === null)
      .join('\n')
      .trim(),
  };
}

/**
 * A document of dated lines within a word limit: what does not fit is left out, the oldest first. Of two lines with the same
 * text the later one stays. Prose that somebody else has written stands before the list; it gets what the list leaves, and half of
 * the words at least.
 */
export function writeDatedList(lines: readonly string[], wordLimit: number, prose = ''): string {
  const latest = new Map<string, string>();
  for (const line of lines) {
    const key = contentHash(readDatedLine(line) ?? line);
    latest.delete(key);
    latest.set(key, line);
  }
  const unique = [...latest.values()];
  const listed = unique.reduce((sum, line) => sum + countWords(line), 0);
  const before = cutWords(prose, Math.max(Math.floor(wordLimit / 2), wordLimit - listed));
  let room = wordLimit - countWords(before);
  const kept: string[] = [];
  for (const line of unique.toReversed()) {
    room -= countWords(line);
    if (room < 0) break;
    kept.unshift(line);
  }
  return [before, kept.join('\n')].filter((part) => part !== '').join('\n\n');
}
