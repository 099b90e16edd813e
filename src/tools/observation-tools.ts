import { z } from 'zod';
import { CHAT_CATEGORIES, type ChatCategory } from '../observe/record-observation.ts';
import { provenanceOf } from '../form/check/stated-by.ts';
import { type AgentTool, defineTool, mappedChoice, synonymsOf, sourceParameter } from './agent-tool.ts';

const OBSERVATION_SYNONYMS = synonymsOf<ChatCategory>({
  project_details: 'project project_detail work',
  preference: 'like taste style',
  correction: 'update change fix',
});

const recordObservation: AgentTool = defineTool({
  name: 'record_observation',
  title: 'Record an observation',
  description: `Record something new that you noticed about the user during the conversation: a fact, a preference,
    details of a project, or a correction of something you believed. One clear sentence that stands alone. It is worked
    into memory in the background; go on with the conversation.`,
  input: z.object({
    content: z.string().min(1).max(5000).describe('Such as "Prefers short e-mails without greetings"'),
    category: mappedChoice(CHAT_CATEGORIES, { otherwise: 'fact', synonyms: OBSERVATION_SYNONYMS }),
    source: sourceParameter,
  }),
  output: z.object({ recorded: z.boolean(), id: z.string() }),
  async run(handle, { content, category, source }, turn) {
    const { statedBy, source: named } = await provenanceOf(handle, { text: content }, { source, ...turn });
    const { id } = await handle.recordObservation(content, category, { statedBy, source: named });
    return { recorded: true, id };
  },
});

const updateUserContext: AgentTool = defineTool({
  name: 'update_user_context',
  title: 'Update what is known about the user',
  description: `For work without the user present, such as going through an inbox: report what it says about the user.
    scaffold_updates are entries of the structured profile under keys of your own choice (Role, Projects, Goals …);
    persistent_info_additions are single facts. Everything is worked into memory in the background.`,
  input: z.object({
    scaffold_updates: z.record(z.string().min(1).max(200), z.json()).optional(),
    persistent_info_additions: z.array(z.string().min(1).max(5000)).max(100).optional(),
    source: sourceParameter,
  }),
  output: z.object({ events: z.number() }),
  async run(handle, { scaffold_updates, persistent_info_additions, source }) {
    const events = await handle.updateUserContext({
      scaffoldUpdates: scaffold_updates,
      persistentInfoAdditions: persistent_info_additions,
      source,
    });
    return { events: events.length };
  },
});

const updateConnectionContext: AgentTool = defineTool({
  name: 'update_connection_context',
  title: 'Update what is known about a connection',
  description: `Remember how the user wants the connected tool to be used, such as {"default_project": "PROJ"}. Keys that
    exist are replaced; a key set to null is removed. Belongs to this connection alone. An order or a permission that the
    user has not given is refused.`,
  input: z.object({ learned_info: z.record(z.string().min(1).max(200), z.json()) }),
  output: z.object({ learned_info: z.record(z.string(), z.json()), refused: z.array(z.string()).optional() }),
  async run(handle, { learned_info }, turn) {
    // Every prompt of the connection contains the block, which has no mark for unverified entries.
    const learned = { ...learned_info };
    for (const [key, given] of Object.entries(learned_info)) {
      const value = typeof given === 'string' ? given : JSON.stringify(given);
      const { statedBy } = await provenanceOf(handle, { key, value }, turn);
      if (given !== null && statedBy === 'tool') delete learned[key];
    }
    const refused = Object.keys(learned_info).filter((key) => !Object.hasOwn(learned, key));
    const block = await handle.connection.learn(learned);
    const answer = { learned_info: block.content as Record<string, z.core.util.JSONType> };
    return refused.length > 0 ? { ...answer, refused } : answer;
  },
});

export const OBSERVATION_TOOLS: readonly AgentTool[] = [recordObservation, updateUserContext, updateConnectionContext];
