import type { AgentTool, ToolHandle, ToolTurn } from './agent-tool.ts';
import { modelSchema } from './model-schema.ts';
import { TOOL_SETS, toolOrFail, type ToolSetName } from './agent-tools.ts';

/** A tool in the form that model providers take: a name, a description and a JSON schema. */
export interface ToolDefinition {
  name: string;
  description: string;
  parameters: Record<string, unknown>;
}

/** Which tools to offer. Default: the everyday set. */
export interface ToolChoice {
  /** Default `everyday`. */
  set?: ToolSetName;
  /** These by name, of whatever set. */
  only?: readonly string[];
  except?: readonly string[];
}

/** The tools of a choice. A name that does not exist is refused. */
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

/** Runs a tool that a model has called. Throws `invalid_input` for a name that does not exist or input that is wrong. */
export async function runTool(
  handle: ToolHandle,
  name: string,
  input: unknown,
  turn?: ToolTurn,
): Promise<Record<string, unknown>> {
  return toolOrFail(name).run(handle, input, turn);
}
