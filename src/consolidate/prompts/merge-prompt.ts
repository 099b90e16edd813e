import type { MergeInput } from '../../models/distiller.ts';
import { definePrompt, fence, numbered, type PromptTemplate } from '../../models/prompt.ts';

const FOCUS: Record<MergeInput['purpose'], string> = {
  reflections: '',
  tag: 'They are statements about one person that share a topic. Keep every distinct name, number, date and place.',
  episodes:
    'They are things that were done and what came of them. Say in one sentence what they have in common. ' +
    'Write no numbers: the counting is done elsewhere.',
};

const LEVELS: Readonly<Record<string, string>> = {
  agent: 'Keep how the agent’s character develops, where its projects stand and what it has learned of its field.',
  user: 'Keep what this person prefers, has asked for, and how they like to be spoken to.',
  session: 'Keep what has happened so far, where the task stands, and instructions that hold for now.',
};

/** Several texts into one within a word limit (E6, Q8, L8). */
export const mergePrompt: PromptTemplate<MergeInput> = definePrompt({
  task: 'merge',
  version: 1,
  system: `You keep a memory short. You are given the text so far and additions to it, oldest first.
Write the one text that replaces them all.

- Keep what is still worth knowing from the text so far, and work every addition into it.
- Where two contradict each other the later one holds; drop the other without mentioning it.
- Say nothing that is not in the texts. No headings, no lists, no preface, no comment on your work.
- Stay within the word limit. Shorten the least important parts first.

Answer with the text alone.`,
  render: ({ purpose, subject, current, additions, wordLimit }) =>
    [
      purpose === 'reflections' ? (LEVELS[subject] ?? '') : FOCUS[purpose],
      purpose === 'reflections' ? '' : fence('topic', subject),
      current === null || current === '' ? 'There is no text so far.' : fence('text_so_far', current),
      numbered(
        'additions',
        additions.map(({ text }) => text),
      ),
      `At most ${wordLimit} words.`,
    ]
      .filter((part) => part !== '')
      .join('\n\n'),
});
