import { z } from 'zod';
import { inertText } from '../language/inert-text.ts';
import type { Memory } from '../record/memory.ts';
import { defineTool, type AgentTool } from './agent-tool.ts';

const intentionSchema = z.object({
  id: z.string(),
  text: z.string(),
  due: z.string().nullable().describe('When to bring it up, ISO 8601'),
  state: z.string(),
});

const listIntentions: AgentTool = defineTool({
  name: 'list_intentions',
  title: 'List intentions',
  description: `What the user means to do ("I should call the dentist"), with the date on which to bring it up again.
    Only what is open.`,
  input: z.object({
    due_before: z.iso.datetime({ offset: true }).optional().describe('Only what is due before this time'),
  }),
  output: z.object({ intentions: z.array(intentionSchema) }),
  async run(handle, { due_before }) {
    const open = await handle.intentions.list();
    const before = due_before === undefined ? Infinity : Date.parse(due_before);
    return { intentions: open.filter(({ dueAt }) => Number(dueAt) < before).map(shown) };
  },
});

const byId = z.object({ id: z.string().min(1).max(200).describe('The id that list_intentions gave') });

const completeIntention: AgentTool = defineTool({
  name: 'complete_intention',
  title: 'Mark an intention as done',
  description: 'The user has done what they meant to do: it is not brought up again.',
  input: byId,
  output: z.object({ intention: intentionSchema }),
  run: async (handle, { id }) => ({ intention: shown(await handle.intentions.done(id)) }),
});

const dismissIntention: AgentTool = defineTool({
  name: 'dismiss_intention',
  title: 'Dismiss an intention',
  description: 'The user no longer means to do it: it is not brought up again.',
  input: byId,
  output: z.object({ intention: intentionSchema }),
  run: async (handle, { id }) => ({ intention: shown(await handle.intentions.dismiss(id)) }),
});

function shown({ id, content, dueAt, state }: Memory): z.output<typeof intentionSchema> {
  return { id, text: inertText(content), due: dueAt?.toISOString() ?? null, state: state ?? 'open' };
}

/** Tools for what the user means to do (K18). */
export const INTENTION_TOOLS: readonly AgentTool[] = [listIntentions, completeIntention, dismissIntention];
