import type { ProposedMemory } from '../models/distiller.ts';
import type { Event } from '../record/event.ts';
import type { SourceType } from '../record/memory.ts';
import type { Trust } from '../record/trust.ts';
import type { PrivacyCategory } from '../language/privacy-policy.ts';
import type { Slot } from './slot.ts';

/** A proposed memory that has passed the guards: ready to be compared with what is known. */
export interface Proposal extends ProposedMemory {
  slot: Slot;
  /** The events that say so, oldest first. */
  events: Event[];
  trust: Trust;
  sourceType: SourceType;
  /** When it was said: of two equals the later one holds. */
  statedAt: Date;
  /** What of it is sensitive. */
  marks: PrivacyCategory[];
}

/** Why something that a distiller proposed was not done. */
export type RejectionReason =
  | 'no_source'
  | 'too_long'
  | 'private'
  | 'not_the_users_own'
  | 'instruction_from_outside'
  | 'recalled_text'
  | 'unsupported'
  | 'double'
  | 'outranked'
  | 'unrelated_target'
  | 'less_trusted'
  | 'changed_meanwhile'
  | 'repeats_higher_level'
  | 'unknown_target';

/** Something that was refused, for the log of the run. */
export interface Rejection {
  what: 'memory' | 'decision' | 'reflection' | 'summary' | 'keyed_fact';
  reason: RejectionReason;
  /** What it said, unless that must not be kept. */
  content: string | null;
  detail?: string;
}
