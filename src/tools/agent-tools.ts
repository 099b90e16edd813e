import { z } from 'zod';
import { invalidInput } from '../errors.ts';
import type { AgentTool, ToolHandle, ToolTurn } from './agent-tool.ts';
import { EVERYDAY_TOOLS } from './everyday-tools.ts';
import { RECORD_TOOLS } from './record-tools.ts';
import { SEARCH_TOOLS } from './search-tools.ts';

export const AGENT_TOOLS: readonly AgentTool[] = [...EVERYDAY_TOOLS, ...SEARCH_TOOLS, ...RECORD_TOOLS];

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
  const sets = new Map<string, readonly AgentTool[]>(Object.entries(TOOL_SETS));
  return [...new Set(names.flatMap((name) => sets.get(name) ?? [toolOrFail(name)]))];
}

/** A tool by its name. Throws `invalid_input` for an unknown name, with a list of the known ones. */
export function toolOrFail(name: string): AgentTool {
  const tool = agentTool(name);
  if (tool !== undefined) return tool;
  const known = AGENT_TOOLS.map((one) => one.name).join(', ');
  throw invalidInput(`There is no tool or set of tools ${JSON.stringify(name)}. Sets: everyday, all. Tools: ${known}.`);
}

// Bounds are checked when a tool is called, and the error states them, so a model need not read them in every conversation.
const LEFT_OUT: ReadonlySet<string> = new Set(
  '$schema additionalProperties minLength maxLength minItems maxItems minimum maximum pattern format'.split(' '),
);

/** The JSON schema of a tool's input or output as a model reads it: names, types, choices, and, for an input, descriptions. */
export function modelSchema(schema: z.ZodType, io: 'input' | 'output'): Record<string, unknown> {
  const leftOut = io === 'input' ? LEFT_OUT : new Set([...LEFT_OUT, 'description', 'required']);
  return shortened(z.toJSONSchema(schema, { io }), { leftOut }) as Record<string, unknown>;
}

/** A JSON schema without the keys of `leftOut`. With `isNames` the keys are property names, and none of them is left out. */
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

/** The tools of a choice. Throws `invalid_input` for an unknown name. */
export function chosenTools({ set = 'everyday', only, except = [] }: ToolChoice = {}): AgentTool[] {
  const left = new Set(except.map(toolOrFail));
  return (only?.map(toolOrFail) ?? TOOL_SETS[set]).filter((tool) => !left.has(tool));
}

/** Definitions for any provider's API. */
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
