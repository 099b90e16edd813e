import type { Event } from '../../record/event.ts';
import { contentStems, coveredBy } from './text-overlap.ts';

// Three words of four are a paraphrase; what is shorter than two words says nothing either way.
const PARAPHRASE = 0.75;

/** Whether a statement says nothing but what was recalled for this conversation, in these words or similar ones. */
export function isRecalledText(content: string, recalled: readonly string[]): boolean {
  const stems = contentStems(content);
  if (stems.size === 0) return false;
  return recalled.some((text) => coveredBy(stems, contentStems(text)) >= PARAPHRASE);
}

const RECALL_TOOLS =
  /^(?:search_(?:user_)?memor(?:y|ies)|recall(?:_facts)?|semantic_search|find_everything|search_history|load_memory)$/;
const MEMORY_TOOLS = /^(?:remember_fact|forget_fact|record_observation|update_(?:user|connection)_context)$/;

/** Whether a tool reads or writes memory: calling it is nothing to be remembered. */
export function isRecallTool(name: string): boolean {
  return RECALL_TOOLS.test(name) || MEMORY_TOOLS.test(name);
}

/** Whether an event is the answer of one of the agent's memory tools: what it says is known already. */
export function isFromRecall(event: Pick<Event, 'origin' | 'metadata'>): boolean {
  const tool = event.metadata['tool'];
  return event.origin === 'tool' && typeof tool === 'string' && RECALL_TOOLS.test(tool);
}
