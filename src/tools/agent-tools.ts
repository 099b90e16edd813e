import { z } from 'zod';
import { invalidInput } from '../errors.ts';
import type { AgentTool, ToolHandle, ToolTurn } from './agent-tool.ts';
import { EVERYDAY_TOOLS } from './everyday-tools.ts';
import { RECORD_TOOLS } from './record-tools.ts';
import { SEARCH_TOOLS } from './search-tools.ts';

export const AGENT_TOOLS: readonly AgentTool[] = [...EVERYDAY_TOOLS, ...SEARCH_TOOLS, ...RECORD_TOOLS];

/** Finds a tool by its name. */
export function agentTool(name: string): AgentTool | undefined {
  return AGENT_TOOLS.find((tool) => tool.name === name);
}

/** The name of a set of tools. */
export type ToolSetName = 'everyday' | 'all';

export const TOOL_SETS: Readonly<Record<ToolSetName, readonly AgentTool[]>> = {
  everyday: EVERYDAY_TOOLS,
  all: AGENT_TOOLS,
};

export function toolsNamed(text: string | undefined): readonly AgentTool[] {
  const given = (text ?? '').split(',').map((name) => name.trim());
  const names = given.every((name) => name === '') ? ['everyday'] : given;
  const sets = new Map<string, readonly AgentTool[]>(Object.entries(TOOL_SETS));
  return [...new Set(names.flatMap((name) => sets.get(name) ?? [toolOrFail(name)]))];
}

export function toolOrFail(name: string): AgentTool {
  const tool = agentTool(name);
  if (tool !== undefined) return tool;
  const known = AGENT_TOOLS.map((one) => one.name).join(', ');
  throw invalidInput(`There is no tool or set of tools ${JSON.stringify(name)}. Sets: everyday, all. Tools: ${known}.`);
}

// Left out of the schemas for models to save tokens. A call is still checked against the bounds, and its error states them.
const LEFT_OUT: ReadonlySet<string> = new Set(
  '$schema additionalProperties minLength maxLength minItems maxItems minimum maximum pattern format'.split(' '),
);

export function modelSchema(schema: z.ZodType, io: 'input' | 'output'): Record<string, unknown> {
  const leftOut = io === 'input' ? LEFT_OUT : new Set([...LEFT_OUT, 'description', 'required']);
  return shortened(z.toJSONSchema(schema, { io }), { leftOut }) as Record<string, unknown>;
}

/** With `isNames`, the keys are names of properties, and all of them are kept. */
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

/** A tool in the form that model providers accept. */
export interface ToolDefinition {
  name: string;
  description: string;
  parameters: Record<string, unknown>;
}

/** Which tools to offer. */
export interface ToolChoice {
  /** Default `everyday`. */
  set?: ToolSetName;
  /** Tools by name, from any set. */
  only?: readonly string[];
  except?: readonly string[];
}

export function chosenTools({ set = 'everyday', only, except = [] }: ToolChoice = {}): AgentTool[] {
  const left = new Set(except.map(toolOrFail));
  return (only?.map(toolOrFail) ?? TOOL_SETS[set]).filter((tool) => !left.has(tool));
}

/** The definitions of tools for any provider's API. */
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
