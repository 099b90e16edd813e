import type { AgentTool } from './agent-tool.ts';
import { FACT_TOOLS } from './fact-tools.ts';
import { INTENTION_TOOLS } from './intention-tools.ts';
import { KEEPING_TOOLS } from './keeping-tools.ts';
import { OBSERVATION_TOOLS } from './observation-tools.ts';
import { SEARCH_TOOLS } from './search-tools.ts';

/** All tools of the agent. */
export const AGENT_TOOLS: readonly AgentTool[] = [
  ...SEARCH_TOOLS,
  ...FACT_TOOLS,
  ...OBSERVATION_TOOLS,
  ...KEEPING_TOOLS,
  ...INTENTION_TOOLS,
];

/** A tool by its name; undefined when there is none. */
export function agentTool(name: string): AgentTool | undefined {
  return AGENT_TOOLS.find((tool) => tool.name === name);
}
