import { z } from 'zod';
import { defineTool, type AgentTool } from './agent-tool.ts';
import { provenanceOf, sourceParameter } from './provenance.ts';
import { foundRecordSchema, memoryRecord } from './found-record.ts';

const tags = z.array(z.string().min(1).max(100)).max(50).optional();
const listInput = z.object({
  tags: tags.describe('Only those with all of these tags'),
  limit: z.number().int().min(1).max(100).default(20),
});

const addNote: AgentTool = defineTool({
  name: 'add_note',
  title: 'Add a note',
  description: 'Write a note for the user, with a title, to be found again by words and by meaning.',
  input: z.object({
    title: z.string().min(1).max(500),
    content: z.string().min(1).max(20_000),
    tags,
    source: sourceParameter,
  }),
  output: z.object({ note: foundRecordSchema }),
  async run(handle, { source, ...note }, turn) {
    const { statedBy } = await provenanceOf(handle, note.content, { source, ...turn });
    return { note: memoryRecord(await handle.notes.add({ ...note, statedBy })) };
  },
});

const listNotes: AgentTool = defineTool({
  name: 'list_notes',
  title: 'List notes',
  description: "The user's notes, newest first, optionally by tag.",
  input: listInput,
  output: z.object({ notes: z.array(foundRecordSchema) }),
  run: async (handle, input) => ({ notes: (await handle.notes.list(input)).items.map(memoryRecord) }),
});

const saveItem: AgentTool = defineTool({
  name: 'save_item',
  title: 'Save an item for later',
  description:
    'Keep a link for later: its title and address, and if known a summary, tags and what the user says of it.',
  input: z.object({
    title: z.string().min(1).max(500),
    url: z.url().max(2000),
    tags,
    summary: z.string().max(10_000).optional(),
    note: z.string().max(5000).optional().describe("The user's own words about it"),
    source: sourceParameter,
  }),
  output: z.object({ item: foundRecordSchema }),
  async run(handle, { source, ...item }, turn) {
    const { statedBy } = await provenanceOf(handle, item.url, { source, ...turn });
    return { item: memoryRecord(await handle.savedItems.add({ ...item, statedBy })) };
  },
});

const listSavedItems: AgentTool = defineTool({
  name: 'list_saved_items',
  title: 'List saved items',
  description: 'The links that the user saved for later, newest first, optionally by tag.',
  input: listInput,
  output: z.object({ items: z.array(foundRecordSchema) }),
  run: async (handle, input) => ({ items: (await handle.savedItems.list(input)).items.map(memoryRecord) }),
});

/** Tools for notes and saved items (K19). */
export const KEEPING_TOOLS: readonly AgentTool[] = [addNote, listNotes, saveItem, listSavedItems];
