import { defineLayout, marked, type Layout } from '../layout.ts';

/** The layout of Qwestly (Q6): `- [TYPE] content` lines between who the agent is and what it can do. */
export const qwestlyLayout: Layout = defineLayout({
  name: 'qwestly',
  escape: 'markdown',
  history: 'messages',
  system: [
    { section: 'instructions', item: ({ text }) => text },
    {
      section: 'memories',
      before: '--- WHAT YOU KNOW ABOUT THIS USER ---',
      item: (item, writing) =>
        `- [${writing.line(item.label ?? 'memory').toUpperCase()}] ${marked(item, writing.line(item.text))}`,
    },
    {
      section: 'structuredProfile',
      before: '--- PROFILE DATA ---',
      item: (item, writing) => `- ${writing.line(item.title ?? '')}: ${marked(item, writing.line(item.text))}`,
    },
    { section: 'capabilities', before: '--- YOUR CAPABILITIES ---', item: ({ text }) => text },
  ],
  user: [{ section: 'message', item: ({ text }) => text }],
});
