import { defineLayout, marked, type Layout } from '../layout.ts';

/** The layout of ToolStream (T12): seven parts in a fixed order, each left out when it has nothing. */
export const toolstreamLayout: Layout = defineLayout({
  name: 'toolstream',
  escape: 'markdown',
  history: 'messages',
  system: [
    { section: 'instructions', item: ({ text }) => text },
    {
      section: 'workingMemory',
      before: '# Your Context',
      item: (item, writing) => marked(item, writing.block(item.text, 1)),
    },
    { section: 'scaffold', before: 'Structured Data:', around: ['{', '}'], item: ({ text }) => text, between: ', ' },
    {
      section: 'learnedInfo',
      before: 'Learned Info:',
      item: ({ label, text }, writing) => (label === undefined ? text : `${writing.line(label)}: ${text}`),
    },
    { section: 'recall', before: 'Relevant Retrieved Facts:' },
    { section: 'identity', before: '# Agent Identity', item: ({ text }) => text },
    { section: 'directives', before: '# Temporal Governance Directives', item: ({ text }) => `- ${text}` },
    { section: 'artifacts', before: 'Your Artifacts' },
  ],
  user: [
    { section: 'date', item: ({ text }) => text },
    { section: 'message', item: ({ text }) => text },
  ],
});
