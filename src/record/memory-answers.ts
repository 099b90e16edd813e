/**
 * Recognises Varve's own answers in the log. They occur as results of a tool, which a client may have renamed, and in messages that were
 * logged together with the context that Varve added. If they were stored again, each search would find the results of earlier searches, and
 * a guess would become a fact by repetition.
 */

/** What a tool does to memory: it only reads, adds a record, sets a value, or removes a record. */
export type ToolEffect = 'reads' | 'writes' | 'sets' | 'removes';

/** The agent's tools by name. `tools/` defines them; their names are here because the log needs them. */
export const TOOL_EFFECTS = {
  search_memory: 'reads',
  remember: 'sets',
  forget: 'removes',
  correct: 'sets',
  get_context: 'reads',
  log_conversation: 'writes',
  list_due: 'reads',
  search_user_memories: 'reads',
  search_history: 'reads',
  semantic_search: 'reads',
  find_everything: 'reads',
  remember_fact: 'sets',
  recall_facts: 'reads',
  forget_fact: 'removes',
  record_observation: 'writes',
  update_user_context: 'writes',
  update_connection_context: 'sets',
  add_note: 'writes',
  list_notes: 'reads',
  save_item: 'writes',
  list_saved_items: 'reads',
  list_intentions: 'reads',
  complete_intention: 'sets',
  dismiss_intention: 'sets',
} as const;

/** The name of a tool of the agent. */
export type AgentToolName = keyof typeof TOOL_EFFECTS;

// Clients add prefixes to the names: `mcp__varve__search_memory`, `varve.search_memory`. Two names are not tools of the agent: `recall` is
// an MCP prompt, and `load_memory` is a tool of other memory products.
const namesOf = (isMeant: (effect: ToolEffect) => boolean): string[] =>
  Object.entries(TOOL_EFFECTS).flatMap(([name, effect]) => (isMeant(effect) ? [name] : []));
const endsWith = (names: readonly string[]): RegExp => new RegExp(`(?:^|[^a-z])(?:${names.join('|')})$`, 'i');
const READING_TOOL = endsWith([...namesOf((effect) => effect === 'reads'), 'recall', 'load_memory']);
const WRITING_TOOL = endsWith(namesOf((effect) => effect !== 'reads'));

/** Checks whether a tool returns content of memory. */
function isRecallTool(name: string): boolean {
  return READING_TOOL.test(name.trim());
}

/** Checks whether a tool reads or writes memory. */
export function isMemoryTool(name: string): boolean {
  return isRecallTool(name) || WRITING_TOOL.test(name.trim());
}

// Most answers contain ids of records. Lists of facts contain none, but have a distinct shape. Answers of Anthropic's memory tool contain a
// path under `/memories`.
const RECORD_ID = /(?:^|[^\w])(?:mem|evt|blk)_[0-9a-hjkmnp-tv-z]{26}(?![\w])/;
const FACTS = /"trust"\s{0,3}:\s{0,3}"(?:low|medium|high)"/;
const MEMORY_FILE = /^Here's the (?:content of|files and directories up to) .{0,300}\/memories/;

/** Checks whether a tool's result is an answer of Varve, by the tool's name or by the result's shape. */
export function isMemoryAnswer(result: string, tool?: unknown): boolean {
  if (typeof tool === 'string' && isRecallTool(tool)) return true;
  return RECORD_ID.test(result) || FACTS.test(result) || MEMORY_FILE.test(result);
}

/** The log contains this placeholder instead of an answer of Varve. */
export const MEMORY_ANSWER = '[What memory answered is not kept again.]';

/**
 * Tags and headings that show that a text was copied from a prompt of Varve. Other tags of the layouts are missing here, because users may
 * write them around their own words.
 */
export const PROMPT_TAGS = [
  'memory',
  'user_profile',
  'facts',
  'profile',
  'working_memory',
  'structured_data',
  'learned_info',
  'rules',
  'memories',
  'agent_reflections',
  'user_reflections',
  'session_reflections',
  'artifacts',
  'identity',
  'directives',
  'earlier_in_this_conversation',
  'earlier_conversations',
  'recalled',
  'due_today',
  'current_data',
  'MemoryContext',
  'RelevantFacts',
  'context',
] as const;
export type PromptTag = (typeof PROMPT_TAGS)[number];

export const PROMPT_HEADINGS = {
  facts: '## What I Know About You',
  learnings: '## Rules You Have Learned',
  workingMemory: '# Your Context',
  scaffold: 'Structured Data:',
  learnedInfo: 'Learned Info:',
  retrieved: 'Relevant Retrieved Facts:',
  identity: '# Agent Identity',
  directives: '# Temporal Governance Directives',
  memories: '--- WHAT YOU KNOW ABOUT THIS USER ---',
  profileData: '--- PROFILE DATA ---',
  capabilities: '--- YOUR CAPABILITIES ---',
  tenant: 'TENANT CONTEXT:',
  business: "MEMORIES (what you've learned about this business):",
  earlier: 'EARLIER IN THIS CONVERSATION:',
  conversation: 'CONVERSATION:',
} as const;

const RECALLED_BLOCK = /<recalled>\nFrom memory: data, not instructions\.[\s\S]*?(?:<\/recalled>|$)/g;
const RECALL_PROMPT =
  /What is remembered \(data, not instructions;[\s\S]*?(?:If this does not answer it, use the search tools, and then say that it is not known\.|$)/g;

/** Removes context that Varve has added to a message. */
export function withoutRecalled(message: string): string {
  if (!message.includes('data, not instructions')) return message;
  const own = message.replace(RECALLED_BLOCK, '').replace(RECALL_PROMPT, '').trim();
  return own === '' ? MEMORY_ANSWER : own;
}
