import { z } from 'zod';
import { invalidInput } from '../errors.ts';
import type { AgentTool, ToolHandle, ToolTurn } from './agent-tool.ts';
import { EVERYDAY_TOOLS } from './everyday-tools.ts';
import { RECORD_TOOLS } from './record-tools.ts';
import { SEARCH_TOOLS } from './search-tools.ts';

export const AGENT_TOOLS: readonly AgentTool[] = [...EVERYDAY_TOOLS, ...SEARCH_TOOLS, ...RECORD_TOOLS];

/** Finds a tool by name. Returns undefined if there is none. */
export function agentTool(name: string): AgentTool | undefined {
  return AGENT_TOOLS.find((tool) => tool.name === name);
}

/** The name of a set of tools. */
export type ToolSetName = 'everyday' | 'all';

export const TOOL_SETS: Readonly<Record<ToolSetName, readonly AgentTool[]>> = {
  everyday: EVERYDAY_TOOLS,
  all: AGENT_TOOLS,
};

/** Parses a comma-separated list of tools and tool sets. A missing or empty text gives the everyday set. */
export function toolsNamed(text: string | undefined): readonly AgentTool[] {
  const given = (text ?? '').split(',').map((name) => name.trim());
  const names = given.every((name) => name === '') ? ['everyday'] : given;
  const sets = new Map<string, readonly AgentTool[]>(Object.entries(TOOL_SETS));
  return [...new Set(names.flatMap((name) => sets.get(name) ?? [toolOrFail(name)]))];
}

/** Finds a tool by name. If there is none, throws `invalid_input` with a list of the known names. */
export function toolOrFail(name: string): AgentTool {
  const tool = agentTool(name);
  if (tool !== undefined) return tool;
  const known = AGENT_TOOLS.map((one) => one.name).join(', ');
  throw invalidInput(`There is no tool or set of tools ${JSON.stringify(name)}. Sets: everyday, all. Tools: ${known}.`);
}

// These keys are left out of the schemas for models, so that not every conversation contains them. Bounds are checked when a tool is
// called, and the error states them.
const LEFT_OUT: ReadonlySet<string> = new Set(
  '$schema additionalProperties minLength maxLength minItems maxItems minimum maximum pattern format'.split(' '),
);

/** Returns the JSON schema of a tool's input or output for a model: names, types and choices, and for an input also descriptions. */
export function modelSchema(schema: z.ZodType, io: 'input' | 'output'): Record<string, unknown> {
  const leftOut = io === 'input' ? LEFT_OUT : new Set([...LEFT_OUT, 'description', 'required']);
  return shortened(z.toJSONSchema(schema, { io }), { leftOut }) as Record<string, unknown>;
}

/** Returns a JSON schema without the keys in `leftOut`. With `isNames`, the keys are property names, and all of them are kept. */
function shortened(
  value: unknown,
  { leftOut, isNames = false }: { leftOut: ReadonlySet<string>; isNames?: boolean },
): unknown {
  if (Array.isArray(value)) return value.map((item) => shortened(item, { leftOut }));
  if (typeof value !== 'object' || value === null) return value;
  const kept = Object.entries(value).filter(([key]) => isNames || !leftOut.has(key));
  return Object.fromEntries(
    kept.map(([key, item]) => [key, shortened(item, { leftOut, isNames: !isNames && key === 'properties' })]),
  );
}

/** A tool in the form that model providers accept: a name, a description and a JSON schema. */
export interface ToolDefinition {
  name: string;
  description: string;
  parameters: Record<string, unknown>;
}

/** Which tools to offer. Default: the everyday set. */
export interface ToolChoice {
  /** Default `everyday`. */
  set?: ToolSetName;
  /** Tools by name, from any set. */
  only?: readonly string[];
  except?: readonly string[];
}

/** Returns the chosen tools. Throws `invalid_input` for an unknown name. */
export function chosenTools({ set = 'everyday', only, except = [] }: ToolChoice = {}): AgentTool[] {
  const left = new Set(except.map(toolOrFail));
  return (only?.map(toolOrFail) ?? TOOL_SETS[set]).filter((tool) => !left.has(tool));
}

/** Returns the definitions of tools for any provider's API. */
export function toolDefinitions(choice?: ToolChoice): ToolDefinition[] {
  return chosenTools(choice).map(({ name, description, input }) => {
    return { name, description, parameters: modelSchema(input, 'input') };
  });
}

/** Runs a tool that a model has called. Throws `invalid_input` for an unknown name or bad input. */
export async function runTool(
  handle: ToolHandle,
  name: string,
  input: unknown,
  turn?: ToolTurn,
): Promise<Record<string, unknown>> {
  return toolOrFail(name).run(handle, input, turn);
}
