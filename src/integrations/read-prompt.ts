import type { LanguageModelMiddleware } from 'ai';
import type { ToolUse } from '../observe/log-interaction.ts';
import { type ChatMessage, chatText } from '../record/chat-message.ts';
import { isObject } from '../record/parse.ts';
import { agentTool } from '../tools/agent-tools.ts';

export type CallParameters = Parameters<NonNullable<LanguageModelMiddleware['transformParams']>>[0]['params'];
type PromptMessage = CallParameters['prompt'][number];

/** The user's turn that a model call answers, with the tool calls since then. */
export interface PromptTurn {
  /** The place of the turn's message in the prompt. */
  index: number;
  message: string;
  before: (ChatMessage & { content: string })[];
  said: string[];
  toolsUsed: ToolUse[];
  attachments: { name: string | undefined; text: string }[];
}

export function readPrompt(prompt: CallParameters['prompt']): PromptTurn | null {
  const index = prompt.findLastIndex(({ role }) => role === 'user');
  const spoken = prompt[index];
  if (spoken?.role !== 'user') return null;
  const turn: PromptTurn = { index, message: '', before: [], said: [], toolsUsed: [], attachments: [] };
  const texts: string[] = [];
  for (const part of spoken.content) {
    if (part.type === 'text') texts.push(part.text);
    else addAttachment(turn, part);
  }
  turn.message = texts.join('\n').trim();
  for (const { role, content } of prompt.slice(0, index)) {
    const text = chatText(content);
    if (role !== 'system' && text !== '') turn.before.push({ role, content: text });
  }
  const calls = new Map<string, ToolUse>();
  for (const message of prompt.slice(index + 1)) {
    if (message.role !== 'assistant' && message.role !== 'tool') continue;
    for (const part of message.content) {
      if (part.type === 'text' && part.text.trim() !== '') turn.said.push(part.text.trim());
      else if (part.type === 'tool-call')
        calls.set(part.toolCallId, { tool: part.toolName, arguments: objectOf(part.input) });
      else if (part.type === 'tool-result') addResult(calls, part.toolCallId, part.toolName, part.output);
    }
  }
  turn.toolsUsed = [...calls.values()];
  return turn;
}

const LONGEST_RESULT = 100_000;

/** Leaves out results of Varve's own tools: learning them again would duplicate memories and turn guesses into facts. */
export function addResult(calls: Map<string, ToolUse>, id: string, tool: string, output: unknown): void {
  const use = calls.get(id) ?? { tool };
  const text = textOf(output);
  const isOurs = agentTool(tool) !== undefined;
  calls.set(id, isOurs || text.trim() === '' ? use : { ...use, result: text.slice(0, LONGEST_RESULT).toWellFormed() });
}

function textOf(output: unknown): string {
  if (typeof output === 'string') return output;
  if (typeof output !== 'object' || output === null) return String(output ?? '');
  const { value } = output as { value?: unknown };
  return typeof value === 'string' ? value : JSON.stringify(value ?? output);
}

export function objectOf(input: unknown): Record<string, unknown> {
  const value: unknown = typeof input === 'string' ? parsed(input) : input;
  return isObject(value) ? value : {};
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    return { invalid: String(error) };
  }
}

type FilePart = Extract<Extract<PromptMessage, { role: 'user' }>['content'][number], { type: 'file' }>;

function addAttachment(turn: PromptTurn, part: FilePart): void {
  const { data, mediaType, filename } = part;
  if (data.type === 'text') turn.attachments.push({ name: filename, text: data.text });
  else if (data.type === 'data' && /^text(\/|$)|json|xml|yaml/.test(mediaType)) {
    const bytes = typeof data.data === 'string' ? Buffer.from(data.data, 'base64') : Buffer.from(data.data);
    turn.attachments.push({ name: filename, text: bytes.toString('utf8') });
  }
}
