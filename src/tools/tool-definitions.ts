import { z } from 'zod';
import { invalidInput } from '../errors.ts';
import type { AgentTool, ToolHandle, ToolTurn } from './agent-tool.ts';
import { AGENT_TOOLS, agentTool } from './agent-tools.ts';

/** A tool in the form that model providers take: a name, a description and a JSON schema. */
export interface ToolDefinition {
  name: string;
  description: string;
  parameters: Record<string, unknown>;
}

/** Which tools to offer. Default: all. */
export interface ToolChoice {
  only?: readonly string[];
  except?: readonly string[];
}

/** The tools of a choice. A name that does not exist is refused. */
export function chosenTools({ only, except = [] }: ToolChoice = {}): AgentTool[] {
  const unknown = [...(only ?? []), ...except].find((name) => agentTool(name) === undefined);
  if (unknown !== undefined) {
    throw invalidInput(`There is no tool ${unknown}. Tools: ${AGENT_TOOLS.map(({ name }) => name).join(', ')}.`);
  }
  return AGENT_TOOLS.filter(({ name }) => (only?.includes(name) ?? true) && !except.includes(name));
}

/** Definitions for any provider's API. */
export function toolDefinitions(choice?: ToolChoice): ToolDefinition[] {
  return chosenTools(choice).map(({ name, description, input }) => {
    const { $schema: _schema, ...parameters } = z.toJSONSchema(input, { io: 'input' });
    return { name, description, parameters };
  });
}

/** Runs a tool that a model has called. Throws `invalid_input` for a name that does not exist or input that is wrong. */
export async function runTool(
  handle: ToolHandle,
  name: string,
  input: unknown,
  turn?: ToolTurn,
): Promise<Record<string, unknown>> {
  const tool = agentTool(name);
  if (tool === undefined) throw invalidInput(`There is no tool ${name}.`);
  return tool.run(handle, input, turn);
}
