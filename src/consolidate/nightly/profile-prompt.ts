import { definePrompt, fence, numbered, type PromptTemplate } from '../../models/prompt.ts';
import type { Event } from '../../record/event.ts';
import { PROFILE_SECTIONS } from '../../record/memory-types.ts';
import { CHANGE_RULES, numberedSentences, refusedNote } from '../ask-model.ts';
import type { RefusedChange } from '../documents/changes.ts';
import type { Numbering } from './look-back.ts';

/** What a nightly reflection reads. */
export interface ReflectInput extends Numbering {
  /** Permanent facts: name and value. */
  facts: readonly { key: string; value: string; category: string }[];
  /** Open intentions, numbered by themselves from 1. */
  intentions: readonly string[];
  learnings: readonly string[];
  /** Of the day, oldest first, with the agent's answers. */
  messages: readonly Event[];
  characters: number;
  today: string;
  wordLimits: { profile: number; workingMemory: number };
  refused: readonly RefusedChange[];
}

/** The agent's answers are context, not evidence: their beginning is enough. */
const ANSWER_CHARACTERS = 160;

/** Profile, working memory, facts, intentions and learnings after a day of talk (K10). */
export const reflectPrompt: PromptTemplate<ReflectInput> = definePrompt({
  task: 'profile',
  version: 2,
  system: `You look back on conversations with one person and bring what is known of them up to date: the profile (how to deal with this person, under six headings: ${PROFILE_SECTIONS.join(', ')}) and the working memory (what occupies them now, in plain sentences). The sentences of both, new statements and the person's turns stand under one numbering.
Answer in exactly this form, with the five markers each on a line of its own:

---PROFILE---
[{"text": "…", "section": "Preferences", "from": [2, 14]}, {"drop": [3]}]

---WORKING MEMORY---
[{"text": "…", "from": [7, 15, 16]}]

---FACTS---
[{"key": "home_city", "value": "…", "category": "location"}]

---INTENTIONS---
[{"text": "call the dentist", "follow_up_days": 3, "context": "why it came up"}, {"close": 2, "as": "done"}]

---LEARNINGS---
[{"rule": "confirm before deleting anything", "category": "decision_making"}]

- Profile and working memory: ${CHANGE_RULES}
  Work the new statements in where they tell something lasting (profile) or current (working memory); leave out the rest. What stands among the known facts is not said again. Keep each short: a few sentences a heading.
- Facts: only what these turns change or correct in the known facts, or a lasting fact that is neither known nor among the new statements. Keys are snake_case; categories are location, personal, preference, work, health, general. Mostly [].
- Intentions: soft commitments of the person ("I should call the dentist") that are listed nowhere, and after how many days to come back to them. Close a known one by its number when these turns show that it is done or dropped ("as": "done" or "dropped").
- Learnings: rules for the agent that follow from corrections by the person and are not listed yet.
- What the agent said is context, not evidence.`,
  render(input) {
    const { profile, prose, statements, turns } = input;
    const firstProse = profile.length + 1;
    const firstStatement = firstProse + prose.length;
    const list = (lines: readonly string[]): string =>
      lines.length === 0 ? '(none)' : lines.map((line) => `- ${line}`).join('\n');
    return [
      `Today is ${input.today}.`,
      profile.length === 0 ? 'There is no profile yet: start afresh.' : numberedSentences('profile', profile),
      prose.length === 0 ? '' : numberedSentences('working_memory', prose, firstProse),
      statements.length === 0
        ? ''
        : numbered(
            'new_statements',
            statements.map(({ text, at }) => `[${at.toISOString().slice(0, 10)}] ${text}`),
            firstStatement,
          ),
      input.facts.length === 0
        ? ''
        : fence('known_facts', list(input.facts.map(({ key, value, category }) => `${key} (${category}): ${value}`))),
      input.intentions.length === 0 ? '' : numbered('known_intentions', input.intentions),
      input.learnings.length === 0 ? '' : fence('known_learnings', list(input.learnings)),
      fence('conversations', conversation(input, firstStatement + statements.length, turns)),
      refusedNote(input.refused),
      `The profile has at most ${input.wordLimits.profile} words, the working memory ${input.wordLimits.workingMemory}.`,
    ]
      .filter((part) => part !== '')
      .join('\n\n');
  },
});

function conversation({ messages, characters }: ReflectInput, first: number, turns: Numbering['turns']): string {
  const numbers = new Map(turns.map(({ id }, index) => [id, first + index]));
  const cut = (text: string, most: number): string =>
    (text.length <= most ? text : `${text.slice(0, most)}…`).replace(/\s+/g, ' ').toWellFormed();
  return messages
    .flatMap(({ id, origin, occurredAt, content }) => {
      if (origin === 'user')
        return [`${numbers.get(id)}. [${occurredAt.toISOString().slice(0, 10)}] User: ${cut(content, characters)}`];
      return origin === 'agent' ? [`   Agent: ${cut(content, ANSWER_CHARACTERS)}`] : [];
    })
    .join('\n');
}
