import { applyPrivacy, redactSensitive, type PrivacyPolicy } from '../../language/privacy-policy.ts';
import { rankOf } from '../../form/guards/precedence.ts';
import { contentStems } from '../../form/guards/text-overlap.ts';
import type { Turn } from '../../models/distiller.ts';
import type { Event } from '../../record/event.ts';
import type { Memory, SourceType } from '../../record/memory.ts';
import { trustOf, type Trust } from '../../record/trust.ts';

/** Something new that the tiers have to take in: an observation, or a memory that was formed. */
export interface Observed {
  turn: Turn;
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
      speaker: event.speaker,
      content,
      category: event.category,
      occurredAt: event.occurredAt,
    },
    row,
    event,
    memory: null,
    sourceType,
    rank: rankOf({ sourceType, correction: event.category === 'correction' }),
    trust: trustOf(event.origin),
    stems: contentStems(content),
  };
}

export function fromMemory(memory: Memory, row: number): Observed {
  return {
    turn: {
      kind: 'observation',
      origin: memory.trust === 'low' ? 'tool' : 'agent',
      speaker: null,
      content: memory.content,
      category: memory.type === 'preference' ? 'preference' : 'fact',
      occurredAt: memory.validFrom ?? memory.createdAt,
    },
    row,
    event: null,
    memory,
    sourceType: memory.sourceType,
    rank: rankOf({ sourceType: memory.sourceType, correction: memory.metadata['correction'] === true }),
    trust: memory.trust,
    stems: contentStems(memory.content),
  };
}

/** Whether a text may be kept at all under the policy. */
export function mayBeKept(text: string, privacy: PrivacyPolicy): boolean {
  return applyPrivacy(text, privacy).dropped === null;
}
