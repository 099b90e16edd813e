import { defineLayout, marked, type Layout, type SectionFormat } from '../layout.ts';
import type { SectionName } from '../section.ts';

function memoryOf(tag: string, section: SectionName): SectionFormat {
  return {
    section,
    before: `<${tag}>`,
    after: `</${tag}>`,
    group: ({ label }) => (label === 'recent' ? '  Recent:' : ''),
    item: (item, writing) =>
      item.label === 'recent'
        ? `  - ${marked(item, writing.line(item.text))}`
        : marked(item, writing.block(item.text)).replace(/^(?=.)/gm, '  '),
  };
}

/** The layout of Eden (E7): what is always in context as XML, by agent, user and session; facts with the turn. */
export const edenLayout: Layout = defineLayout({
  name: 'eden',
  escape: 'xml',
  history: 'messages',
  system: [
    { section: 'instructions', item: ({ text }) => text },
    {
      open: '<MemoryContext>',
      close: '</MemoryContext>',
      indent: '  ',
      sections: [
        memoryOf('AgentMemory', 'agentReflections'),
        memoryOf('UserMemory', 'userReflections'),
        memoryOf('SessionMemory', 'sessionReflections'),
      ],
    },
  ],
  user: [
    { section: 'recall', before: '<RelevantFacts>', after: '</RelevantFacts>' },
    { section: 'message', item: ({ text }) => text },
  ],
});
