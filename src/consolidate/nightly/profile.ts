import { splitSentences } from '../../language/sentences.ts';
import { withoutEnd } from '../../language/words.ts';
import { definePrompt, fence, type PromptTemplate } from '../../models/prompt.ts';
import { countWords } from '../../record/block.ts';
import { PROFILE_SECTIONS, type ProfileSection } from '../../record/memory-types.ts';
import type { Change } from '../../record/revision.ts';
import type { Scope } from '../../record/scope.ts';
import { replaceBlock } from '../../store/block-store.ts';
import type { Writer } from '../../store/database.ts';
import { decideHeldChanges } from '../../store/held-change-store.ts';
import type { Parts } from '../../store/parts.ts';
import type { RunNotes } from '../../store/run-store.ts';
import { cutWords, FEW_WORDS, shrinks } from '../check-text.ts';
import type { ConsolidationSettings } from '../consolidation-settings.ts';

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

/** The sections of a profile by their headings; what stands under no heading of ours belongs to the notes. */
export function readSections(profile: string): Record<ProfileSection, string> {
  const sections = Object.fromEntries(PROFILE_SECTIONS.map((name) => [name, ''])) as Record<ProfileSection, string>;
  let current: ProfileSection = 'Notes';
  for (const line of profile.split('\n')) {
    const heading = /^#{1,4}\s/.test(line) ? withoutEnd(line.replace(/^#{1,4}/, ''), '#').trim() : undefined;
    if (heading === undefined) sections[current] += `${line}\n`;
    else current = PROFILE_SECTIONS.find((name) => plain(name) === plain(heading)) ?? 'Notes';
  }
  return Object.fromEntries(PROFILE_SECTIONS.map((name) => [name, sections[name].trim()])) as Record<
    ProfileSection,
    string
  >;
}

function plain(heading: string): string {
  return heading
    .toLowerCase()
    .replace(/\band\b|&/g, '')
    .replace(/[^\p{L}]+/gu, ' ')
    .trim();
}

/** A profile of six sections. The longest ones lose their last sentences until the whole is within the limit. */
export function fitProfile(profile: string, limit: number): string {
  if (!/^#{1,4}\s/m.test(profile)) return cutWords(profile, limit);
  const sections = readSections(profile);
  // First what can never fit: taken off a sentence at a time, a profile of a megabyte would keep the process busy for minutes.
  for (const name of PROFILE_SECTIONS) sections[name] = cutWords(sections[name], limit);
  for (;;) {
    const text = writeSections(sections);
    if (countWords(text) <= limit) return text;
    const [longest = 'Notes'] = PROFILE_SECTIONS.toSorted(
      (one, other) => countWords(sections[other]) - countWords(sections[one]),
    );
    const body = sections[longest];
    const last = splitSentences(body).at(-1);
    const shorter =
      last === undefined || last.span.start === 0 ? '' : withoutEnd(body.slice(0, last.span.start), ' \t\n-*•');
    // A section that is one endless sentence is cut in the middle of it.
    sections[longest] =
      shorter === '' && countWords(body) > 20 ? cutWords(body, Math.floor(countWords(body) / 2)) : shorter;
  }
}

export function writeSections(sections: Record<ProfileSection, string>): string {
  return PROFILE_SECTIONS.map((name) => `## ${name}\n${sections[name]}`.trim()).join('\n\n');
}

/** What a nightly reflection reads. */
export interface ProfileInput {
  profile: string;
  facts: readonly { key: string; value: string; category: string }[];
  intentions: readonly string[];
  learnings: readonly string[];
  /** Oldest first. */
  exchanges: readonly { at: string; user: string; agent: string }[];
  today: string;
  wordLimit: number;
}

/** The nightly profile, with facts, intentions and learnings (K10). */
export const profilePrompt: PromptTemplate<ProfileInput> = definePrompt({
  task: 'profile',
  version: 1,
  system: `You look back on a day of conversations with one person and bring what is known of them up to date.
Answer in exactly this form, with the four markers each on a line of its own:

---PROFILE---
${PROFILE_SECTIONS.map((section) => `## ${section}\n…`).join('\n')}

---FACTS---
[{"key": "home_city", "value": "…", "category": "location"}]

---INTENTIONS---
[{"text": "call the dentist", "follow_up_days": 3, "context": "why it came up"}]

---LEARNINGS---
[{"rule": "confirm before deleting anything", "category": "decision_making"}]

- Profile: prose under the six headings, all six, in this order. It says how to deal with this person. Exact values such
  as addresses and names belong into the facts. If the day taught nothing new, give the profile back unchanged.
- Facts: only new or changed ones that the person stated. Keys are snake_case; categories are location, personal,
  preference, work, health, general. [] when there are none.
- Intentions: soft commitments of the person ("I should call the dentist") that are not listed yet, and after how many
  days to come back to them. [] when there are none.
- Learnings: rules for the agent that follow from corrections by the person and are not listed yet. [] when there are none.
- What the agent said is context, not evidence.`,
  render: ({ profile, facts, intentions, learnings, exchanges, today, wordLimit }) =>
    [
      `Today is ${today}.`,
      profile === '' ? 'There is no profile yet: start afresh.' : fence('profile', profile),
      fence('known_facts', list(facts.map(({ key, value, category }) => `${key} (${category}): ${value}`))),
      fence('known_intentions', list(intentions)),
      fence('known_learnings', list(learnings)),
      fence(
        'conversations',
        exchanges.map(({ at, user, agent }) => `[${at}]\nUser: ${user}\nAgent: ${agent}`).join('\n\n'),
      ),
      `The profile has at most ${wordLimit} words.`,
    ].join('\n\n'),
});

function list(lines: readonly string[]): string {
  return lines.length === 0 ? '(none)' : lines.map((line) => `- ${line}`).join('\n');
}
