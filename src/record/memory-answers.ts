/**
 * This file recognises Varve's own answers in the log: as results of a tool, which a client may have renamed, and in messages that were
 * logged together with added context. If they were stored again, each search would find the results of earlier searches, and a guess would
 * become a fact by repetition.
 */

/** `writes` adds a record, `sets` sets a value. */
export type ToolEffect = 'reads' | 'writes' | 'sets' | 'removes';

/** The agent's tools, which `tools/` defines. Their names are here because the log needs them. */
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

export type AgentToolName = keyof typeof TOOL_EFFECTS;

// Clients add prefixes: `mcp__varve__search_memory`. `recall` is an MCP prompt, and `load_memory` a tool of other products.
const namesOf = (isMeant: (effect: ToolEffect) => boolean): string[] =>
  Object.entries(TOOL_EFFECTS).flatMap(([name, effect]) => (isMeant(effect) ? [name] : []));
const endsWith = (names: readonly string[]): RegExp => new RegExp(`(?:^|[^a-z])(?:${names.join('|')})$`, 'i');
const READING_TOOL = endsWith([...namesOf((effect) => effect === 'reads'), 'recall', 'load_memory']);
const WRITING_TOOL = endsWith(namesOf((effect) => effect !== 'reads'));

function isRecallTool(name: string): boolean {
  return READING_TOOL.test(name.trim());
}

export function isMemoryTool(name: string): boolean {
  return isRecallTool(name) || WRITING_TOOL.test(name.trim());
}

// Most answers contain ids, lists of facts contain `trust`, and those of Anthropic's memory tool a path under `/memories`.
const RECORD_ID = /(?:^|[^\w])(?:mem|evt|blk)_[0-9a-hjkmnp-tv-z]{26}(?![\w])/;
const FACTS = /"trust"\s{0,3}:\s{0,3}"(?:low|medium|high)"/;
const MEMORY_FILE = /^Here's the (?:content of|files and directories up to) .{0,300}\/memories/;

export function isMemoryAnswer(result: string, tool?: unknown): boolean {
  if (typeof tool === 'string' && isRecallTool(tool)) return true;
  return RECORD_ID.test(result) || FACTS.test(result) || MEMORY_FILE.test(result);
}

export const MEMORY_ANSWER = '[What memory answered is not kept again.]';

/** Texts with these tags or headings come from a prompt of Varve. Other tags are missing, because users may write them. */
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

export function withoutRecalled(message: string): string {
  if (!message.includes('data, not instructions')) return message;
  const own = message.replace(RECALLED_BLOCK, '').replace(RECALL_PROMPT, '').trim();
  return own === '' ? MEMORY_ANSWER : own;
}
