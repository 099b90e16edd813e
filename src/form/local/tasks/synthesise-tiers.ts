import type { ProposedMemory, SynthesiseInput, Synthesis, Turn } from '../../../models/distiller.ts';
import { UnusableJson, unwrapJson } from '../../../models/unwrap-json.ts';
import { proposeMemories } from './extract-memories.ts';
import { mergeTexts } from './merge-texts.ts';
import { relateStatements, withSlot } from './relate-statements.ts';

const LISTS: Readonly<Record<string, string>> = {
  preference: 'preferences',
  feedback: 'preferences',
  goal: 'goals',
  intention: 'goals',
};
const MOST_ITEMS = 20;

/**
 * The next working memory, scaffold and facts by rules: keyed facts become scaffold entries, preferences and goals its
 * lists, updates of the scaffold are taken as written, and the working memory is merged sentence by sentence. Says how
 * sure it is only of the entries that these observations speak of.
 */
export function synthesiseTiers(input: SynthesiseInput, timeZone: string): Synthesis {
  const told = proposeMemories(input.observations, { timeZone });
  const synthesis: Synthesis = {
    scaffold: structuredClone(input.scaffold),
    scaffoldConfidence: {},
    workingMemory: input.workingMemory,
    facts: factsOf(told),
    contradictions: [],
  };
  const allows = (key: string): boolean => input.scaffoldKeys === null || input.scaffoldKeys.includes(key);
  for (const [index, observation] of input.observations.entries()) {
    for (const memory of told.filter(({ turns }) => turns[0] === index + 1)) applyMemory(memory, synthesis, allows);
    for (const [key, value] of scaffoldUpdate(observation)) {
      if (allows(key)) setEntry(synthesis, { key, value, observation: index + 1, confidence: 'high' });
    }
  }
  synthesis.workingMemory = mergeTexts({
    purpose: 'reflections',
    subject: 'user',
    current: input.workingMemory.trim() === '' ? null : input.workingMemory,
    additions: told.filter(({ confidence }) => confidence !== 'low').map(({ content }) => content),
    wordLimit: input.wordLimit,
  });
  return synthesis;
}

function factsOf(told: readonly ProposedMemory[]): Synthesis['facts'] {
  const facts = new Map<string, number[]>();
  for (const { content, turns, confidence } of told) {
    if (confidence !== 'low') facts.set(content, [...new Set([...(facts.get(content) ?? []), ...turns])]);
  }
  return [...facts].map(([content, observations]) => ({ content, observations }));
}

type Allows = (key: string) => boolean;

function applyMemory(memory: ProposedMemory, synthesis: Synthesis, allows: Allows): void {
  const observation = memory.turns[0] ?? 1;
  const { confidence } = memory;
  const keyed = [...(memory.keyed === null ? [] : [memory.keyed]), ...(memory.moreKeyed ?? [])];
  for (const { key, value } of keyed) if (allows(key)) setEntry(synthesis, { key, value, observation, confidence });
  const list = LISTS[memory.type];
  if (list !== undefined && keyed.length === 0 && allows(list)) addItem(synthesis, list, memory);
}

interface Entry {
  key: string;
  value: unknown;
  observation: number;
  confidence: ProposedMemory['confidence'];
}

function setEntry({ scaffold, scaffoldConfidence, contradictions }: Synthesis, entry: Entry): void {
  const { key, value, observation, confidence } = entry;
  const known = Object.hasOwn(scaffold, key) ? scaffold[key] : undefined;
  if (known !== undefined && textOf(known) !== textOf(value)) {
    contradictions.push({ key, observation, reason: `${textOf(value)} instead of ${textOf(known)}.` });
  }
  scaffold[key] = value;
  scaffoldConfidence[key] = confidence;
}

function textOf(value: unknown): string {
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}

/** Adds to a list of statements; the one that it contradicts or repeats goes. An entry of another shape is left alone. */
function addItem(
  { scaffold, scaffoldConfidence, contradictions }: Synthesis,
  key: string,
  memory: ProposedMemory,
): void {
  const known = scaffold[key] ?? [];
  if (!Array.isArray(known)) return;
  const next = withSlot(memory.content, memory.type);
  const kept: unknown[] = [];
  for (const item of known) {
    const relation = typeof item === 'string' ? relateStatements(next, withSlot(item, memory.type)) : 'unrelated';
    if (relation === 'repeats') return;
    if (relation === 'unrelated') kept.push(item);
    if (relation === 'contradicts') {
      contradictions.push({
        key,
        observation: memory.turns[0] ?? 1,
        reason: `${memory.content} Before: ${String(item)}`,
      });
    }
  }
  scaffold[key] = [...kept, memory.content].slice(-MOST_ITEMS);
  scaffoldConfidence[key] = memory.confidence;
}

/** An update is a JSON object, or lines of "key: value". */
function scaffoldUpdate({ kind, category, origin, content }: Turn): [string, unknown][] {
  if (kind !== 'observation' || category !== 'scaffold_update' || origin === 'tool' || origin === 'document') return [];
  const data = readJson(content);
  if (typeof data === 'object' && data !== null && !Array.isArray(data)) return Object.entries(data);
  return content.split('\n').flatMap((line): [string, unknown][] => {
    const [, key, value] =
      /^(?:[-*]\s{0,9})?(\p{L}[\p{L}\p{N}_.-]{0,60})\s{0,9}[:=]\s{0,9}(\S.*)$/u.exec(line.trim()) ?? [];
    return key === undefined || value === undefined ? [] : [[key, value.trim()]];
  });
}

/** Null for JSON that no honest update has, such as one that nests too deep. */
function readJson(content: string): unknown {
  try {
    return unwrapJson(content, {});
  } catch (error) {
    if (error instanceof UnusableJson) return null;
    throw error;
  }
}
