import { countWords } from '../../record/block.ts';
import type { Change } from '../../record/revision.ts';
import type { Scope } from '../../record/scope.ts';
import { replaceBlock } from '../../store/block-store.ts';
import type { Writer } from '../../store/database.ts';
import { decideHeldChanges } from '../../store/held-change-store.ts';
import type { Parts } from '../../store/parts.ts';
import type { RunNotes } from '../../store/run-store.ts';
import type { ConsolidationSettings } from '../consolidation-settings.ts';
import { FEW_WORDS, shrinks } from '../shrinks.ts';
import { fitProfile, readSections } from './fit-profile.ts';

/** A profile to write. Kept as it is while it is held for review. */
export interface ProfileToApply {
  text: string;
  /** The version of the profile that it takes the place of; 0 when there is none. */
  version: number;
}

/** Writes a profile, unless the one that it was made of has changed: then a `conflict`. */
export async function applyProfile(
  writer: Writer,
  parts: Parts,
  scope: Scope,
  { apply, why }: { apply: ProfileToApply; why: Change },
): Promise<RunNotes> {
  const replacement = { kind: 'profile' as const, content: apply.text, expectedVersion: apply.version };
  const { version } = await replaceBlock(writer, parts, scope, replacement, why);
  if (version === apply.version) return { profile: 0 };
  // One that still waits was made of the profile that is replaced.
  await decideHeldChanges(writer, scope, { kind: 'profile', decision: 'outdated', now: parts.clock.now() });
  return { profile: 1 };
}

/** The profile of a reflection as it may be written, and why it must not be without somebody looking at it; null: it may. */
export function checkProfile(
  proposed: string,
  current: string,
  { nightly, tiers }: Pick<ConsolidationSettings, 'nightly' | 'tiers'>,
): { text: string; suspicion: string | null } {
  const text = fitProfile(proposed, nightly.words);
  const [before, after] = [wordsOf(current), wordsOf(text)];
  const isSuspicious = shrinks({ before, after }, { share: tiers.shrinkShare, few: FEW_WORDS });
  return { text, suspicion: isSuspicious ? `the profile would shrink from ${before} words to ${after}` : null };
}

/** Headings say nothing about anybody. */
function wordsOf(profile: string): number {
  return Object.values(readSections(profile)).reduce((sum, body) => sum + countWords(body), 0);
}
