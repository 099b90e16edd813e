import { applyPrivacy, redactSensitive, type PrivacyPolicy } from '../../language/privacy-policy.ts';
import { contentStems } from '../../language/text-overlap.ts';
import type { Observation } from '../../models/distiller.ts';
import { UnusableJson, unwrapJson } from '../../models/unwrap-json.ts';
import type { Event } from '../../record/event.ts';
import type { Memory, SourceType } from '../../record/memory.ts';
import { timedRendering } from '../../record/standing.ts';
import { trustOf, type Trust } from '../../record/trust.ts';

/** Something new that the tiers have to take in: an observation, or a memory that was formed. */
export interface Observed {
  turn: Observation;
  /** The row of its event or its memory. */
  row: number;
  event: Event | null;
  memory: Memory | null;
  sourceType: SourceType;
  /** By X3: explicit › correction › chat › autonomous. */
  rank: number;
  trust: Trust;
  stems: ReadonlySet<string>;
}

// T4's categories: what autonomous work has found out by itself.
const AUTONOMOUS: ReadonlySet<string> = new Set(['scaffold_update', 'learned_fact']);

export function fromEvent(event: Event, row: number, privacy: PrivacyPolicy): Observed {
  const sourceType: SourceType =
    event.origin === 'user' ? 'explicit' : AUTONOMOUS.has(event.category ?? '') ? 'inference' : 'conversation';
  const content = redactSensitive(event.content, privacy);
  return {
    turn: {
      kind: event.kind,
      origin: event.origin,
      content,
      category: event.category,
      occurredAt: event.occurredAt,
      entries: scaffoldEntries(event, privacy),
    },
    row,
    event,
    memory: null,
    sourceType,
    rank: rankOf(sourceType, event.category === 'correction'),
    trust: trustOf(event.origin),
    stems: contentStems(content),
  };
}

export function fromMemory(memory: Memory, row: number): Observed {
  return {
    turn: {
      kind: 'observation',
      origin: memory.statedBy,
      content: timedRendering(memory),
      category: memory.type,
      occurredAt: memory.statedAt,
      entries: [],
    },
    row,
    event: null,
    memory,
    sourceType: memory.sourceType,
    rank: rankOf(memory.sourceType),
    trust: memory.trust,
    stems: contentStems(memory.content),
  };
}

// These ranks are kept in the notes of the tiers: another scale would need a migration.
const RANK: Record<SourceType, number> = { explicit: 4, conversation: 2, import: 2, inference: 1, consolidation: 1 };
const CORRECTION_RANK = 3;

/** Explicit statement › correction › chat › autonomous work (X3). */
function rankOf(sourceType: SourceType, isCorrection = false): number {
  return isCorrection ? Math.max(RANK[sourceType], CORRECTION_RANK) : RANK[sourceType];
}

/** The keys and values of an update of the scaffold, as they were given: by `update_user_context`, or as a JSON object. */
function scaffoldEntries({ category, content, metadata }: Event, privacy: PrivacyPolicy): [string, unknown][] {
  if (category !== 'scaffold_update') return [];
  const { key, value } = metadata;
  const given: unknown = typeof key === 'string' && value !== undefined ? { [key]: value } : readJson(content);
  if (typeof given !== 'object' || given === null || Array.isArray(given)) return [];
  return Object.entries(given)
    .filter(([name, each]) => mayBeKept(`${name}: ${JSON.stringify(each)}`, privacy))
    .map(([name, each]) => [name, redactTexts(each, privacy)]);
}

function redactTexts(value: unknown, privacy: PrivacyPolicy): unknown {
  if (typeof value === 'string') return redactSensitive(value, privacy);
  if (Array.isArray(value)) return value.map((item) => redactTexts(item, privacy));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, redactTexts(member, privacy)]));
}

/** Null for what is no JSON, or JSON that no honest update has, such as one that nests too deep. */
function readJson(content: string): unknown {
  try {
    return unwrapJson(content, {});
  } catch (error) {
    if (error instanceof UnusableJson) return null;
    throw error;
  }
}

/** Whether a text may be kept at all under the policy. */
export function mayBeKept(text: string, privacy: PrivacyPolicy): boolean {
  return applyPrivacy(text, privacy).dropped === null;
}
