import { PROFILE_SECTIONS } from '../../record/memory-types.ts';
import { definePrompt, fence, type PromptTemplate } from '../../models/prompt.ts';

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
