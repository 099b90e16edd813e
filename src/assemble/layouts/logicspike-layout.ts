import { defuseImages } from '../../language/inert-text.ts';
import { defineLayout, marked, type Layout } from '../layout.ts';

/** The layout of LogicSpike (L12): five steps, each with its budget, 8,000 tokens in all. */
export const logicspikeLayout: Layout = defineLayout({
  name: 'logicspike',
  escape: 'markdown',
  history: 'text',
  system: [
    { section: 'instructions', item: ({ text }) => text },
    {
      section: 'structuredProfile',
      before: 'TENANT CONTEXT:',
      item: (item, writing) => `- ${writing.line(item.title ?? '')}: ${marked(item, writing.line(item.text))}`,
    },
  ],
  user: [
    {
      section: 'recall',
      before: "MEMORIES (what you've learned about this business):",
      item: (item, writing) =>
        `- [${writing.line(item.label ?? 'memory')}] ${marked(item, writing.line(item.text))} (importance: ${(item.importance ?? 0).toFixed(2)})`,
    },
    {
      section: 'services',
      group: ({ label = '' }, writing) => `CURRENT DATA (${writing.line(label)}):`,
      item: (item, writing) => `- ${marked(item, writing.line(item.text))}`,
    },
    { section: 'earlier', before: 'EARLIER IN THIS CONVERSATION:' },
    {
      section: 'history',
      before: 'CONVERSATION:',
      item: (item, writing) =>
        `${item.label === 'user' ? 'User' : 'Assistant'}: ${item.kind === 'application' ? item.text : writing.line(defuseImages(item.text))}`,
    },
  ],
  budget: {
    total: 8000,
    reserve: 300,
    sections: {
      instructions: 500,
      structuredProfile: 200,
      recall: 1500,
      services: 2000,
      history: 2000,
      tools: 1500,
    },
  },
});
