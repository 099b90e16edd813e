import { invalidInput } from '../errors.ts';
import type { AgentTool } from './agent-tool.ts';
import { EVERYDAY_TOOLS } from './everyday-tools.ts';
import { FACT_TOOLS, INTENTION_TOOLS, KEEPING_TOOLS } from './fact-tools.ts';
import { OBSERVATION_TOOLS } from './observation-tools.ts';
import { SEARCH_TOOLS } from './search-tools.ts';

export const AGENT_TOOLS: readonly AgentTool[] = [
  ...EVERYDAY_TOOLS,
  ...SEARCH_TOOLS,
  ...FACT_TOOLS,
  ...OBSERVATION_TOOLS,
  ...KEEPING_TOOLS,
  ...INTENTION_TOOLS,
];

/** A tool by its name; undefined if there is none. */
export function agentTool(name: string): AgentTool | undefined {
  return AGENT_TOOLS.find((tool) => tool.name === name);
}

/** Which tools to offer, by the name of a set. */
export type ToolSetName = 'everyday' | 'all';

export const TOOL_SETS: Readonly<Record<ToolSetName, readonly AgentTool[]>> = {
  everyday: EVERYDAY_TOOLS,
  all: AGENT_TOOLS,
};

/** The tools that a text names: sets and tools, separated by commas. No text or an empty text means the everyday set. */
export function toolsNamed(text: string | undefined): readonly AgentTool[] {
  const given = (text ?? '').split(',').map((name) => name.trim());
  const names = given.every((name) => name === '') ? ['everyday'] : given;
  return [...new Set(names.flatMap((name) => (isSetName(name) ? TOOL_SETS[name] : [toolOrFail(name)])))];
}

function isSetName(name: string): name is ToolSetName {
  return Object.hasOwn(TOOL_SETS, name);
}

/** A tool by its name. Throws `invalid_input` for an unknown name, with a list of the known ones. */
export function toolOrFail(name: string): AgentTool {
  const tool = agentTool(name);
  if (tool !== undefined) return tool;
  const known = AGENT_TOOLS.map((one) => one.name).join(', ');
  throw invalidInput(`There is no tool or set of tools ${JSON.stringify(name)}. Sets: everyday, all. Tools: ${known}.`);
}
