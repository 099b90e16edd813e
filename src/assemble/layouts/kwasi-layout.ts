import { defineLayout, marked, type Layout, type SectionFormat } from '../layout.ts';
import type { Item, SectionName } from '../section.ts';
import type { Writing } from '../escape.ts';

const titleCase = (text: string): string => text.replace(/(^|\s)\p{Ll}/gu, (letter) => letter.toUpperCase());

/** A block of retrieved memory before the user's message, with a line that says what to do with it. */
function contextBlock(type: string, section: SectionName, advice: string, item?: SectionFormat['item']): SectionFormat {
  return { section, before: `<context type="${type}">`, after: `${advice}\n</context>`, item: item ?? titled };
}

/** `- Title: first 200 characters`. */
function titled(item: Item, writing: Writing): string {
  const text = writing.line(item.text);
  const start =
    text.length > 200
      ? `${text
          .slice(0, 200)
          .toWellFormed()
          .replace(/\uFFFD$/, '')}`
      : text;
  return `- ${marked(item, item.title === undefined ? start : `${writing.line(item.title)}: ${start}`)}`;
}

function savedItem(item: Item, writing: Writing): string {
  const address = item.url === undefined ? '' : ` (${writing.line(item.url)})`;
  return [
    `- "${writing.line(item.title ?? item.text)}"${marked(item, address)}`,
    ...(item.summary === undefined ? [] : [`  Summary: ${writing.line(item.summary)}`]),
    ...(item.note === undefined ? [] : [`  Your note: ${writing.line(item.note)}`]),
  ].join('\n');
}

/** The layout of Kwasi (K2, K3, K7, K11): facts and profile in the system prompt, context blocks before the message. */
export const kwasiLayout: Layout = defineLayout({
  name: 'kwasi',
  escape: 'markdown',
  history: 'messages',
  system: [
    { section: 'instructions', item: ({ text }) => text },
    {
      section: 'facts',
      before: '## What I Know About You\nVerified permanent facts — treat these as ground truth.\n',
      group: ({ label = 'general' }, writing) => `*${titleCase(writing.line(label))}*`,
      apart: true,
      item: (item, writing) =>
        `- ${titleCase(writing.line(item.title ?? ''))}: ${marked(item, writing.line(item.text))}`,
    },
    {
      section: 'profile',
      before:
        '## Your Memory of This User (narrative)\nLet this actively shape your tone and priorities, not just inform you.\n',
      item: (item, writing) => marked(item, writing.block(item.text, 2)),
      cap: { characters: 4800, notice: '[...profile truncated for context]' },
    },
    { section: 'learnings', before: '## Rules You Have Learned' },
    { section: 'capabilities', item: ({ text }) => text },
  ],
  user: [
    { section: 'date', item: ({ text }) => text },
    contextBlock('notes', 'notes', "Build on these — don't repeat them verbatim."),
    contextBlock('summaries', 'summaries', "Use for continuity — don't reference it explicitly."),
    contextBlock('read_later', 'savedItems', 'Mention these and include the URL.', savedItem),
    contextBlock('follow_ups', 'intentions', 'Ask about these when it fits.'),
    { section: 'message', item: ({ text }) => text },
  ],
  budget: {
    total: 16_000,
    sections: { history: 6000 },
    shared: [{ sections: ['notes', 'summaries', 'savedItems'], tokens: 1000 }],
  },
});
