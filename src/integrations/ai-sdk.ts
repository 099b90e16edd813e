import { createHash, randomUUID } from 'node:crypto';
import type { LanguageModelMiddleware, ToolSet } from 'ai';
import type { AssembledContext } from '../assemble/assemble.ts';
import type { ContextOptions } from '../assemble/context-options.ts';
import { invalidInput, messageOf } from '../errors.ts';
import type { Handle } from '../handle/handle.ts';
import type { ToolUse } from '../observe/log-interaction.ts';
import { createLru, type Lru } from '../record/cache.ts';
import type { ToolHandle } from '../tools/agent-tool.ts';
import { chosenTools, type ToolChoice } from '../tools/agent-tools.ts';
import { addResult, objectOf, readPrompt, type CallParameters, type PromptTurn } from './read-prompt.ts';

/** The parts of a handle that the middleware needs. */
export type MiddlewareHandle = Pick<
  Handle,
  'scope' | 'context' | 'logInteraction' | 'observe' | 'indexDocument' | 'session'
>;

/** The options of {@link memoryMiddleware}. */
export interface MemoryMiddlewareOptions {
  /** Options for the contexts. The instructions and past turns come from the model call itself. */
  context?: Omit<ContextOptions, 'message' | 'instructions'>;
  /** Whether the context is added to the prompt. Default true. */
  inject?: boolean;
  /** Whether turns are logged. Default true. */
  observe?: boolean;
  /** Whether a session's first call also logs earlier messages. Default false: they may be the application's examples. */
  logHistory?: boolean;
  /** Whether the text of attached files is indexed. Default true. */
  indexAttachments?: boolean;
  /** The channel that is stored with the turns: web, cli, telegram … */
  channel?: string;
  /** Called with errors of the memory, which never stop the model. Default: a process warning. */
  onError?: (error: unknown) => void;
}

type GenerateResult = Awaited<
  ReturnType<Parameters<NonNullable<LanguageModelMiddleware['wrapGenerate']>>[0]['doGenerate']>
>;
type StreamResult = Awaited<ReturnType<Parameters<NonNullable<LanguageModelMiddleware['wrapStream']>>[0]['doStream']>>;
type StreamPart = StreamResult['stream'] extends ReadableStream<infer Part> ? Part : never;

interface OpenTurn {
  handle: MiddlewareHandle;
  turn: PromptTurn;
}

/**
 * Gives any AI SDK model a memory: `wrapLanguageModel({ model, middleware: memoryMiddleware(handle) })`. If one model serves many users,
 * pass a function: it gets the call's `providerOptions.varve` and returns the handle.
 */
export function memoryMiddleware(
  handle: MiddlewareHandle | ((options: Record<string, unknown>) => MiddlewareHandle),
  options: MemoryMiddlewareOptions = {},
): LanguageModelMiddleware {
  if (typeof handle !== 'function') assertNamed(handle);
  // The AI SDK passes to the wrappers the same object that transformParams returns, so the object can be a key.
  const open = new WeakMap<object, OpenTurn>();
  const warn =
    options.onError ?? ((error) => process.emitWarning(`Memory failed: ${messageOf(error)}`, 'VarveMemoryWarning'));
  const contexts = createLru<Promise<AssembledContext>>({ most: MOST_KEPT });
  const unanswered = createLru<string>({ most: MOST_KEPT });
  const finish = (params: object, answer: Answer | null): Promise<void> =>
    observed(open.get(params), answer, { ...options, unanswered, warn });

  return {
    specificationVersion: 'v4',
    async transformParams({ params, model }) {
      try {
        const own = typeof handle === 'function' ? handle(params.providerOptions?.['varve'] ?? {}) : handle;
        assertNamed(own);
        const turn = readPrompt(params.prompt);
        if (turn === null) return params;
        const asked = { handle: own, turn };
        const next = { ...params };
        if (options.inject !== false) {
          const named = { model: `${model.provider}:${model.modelId}`, ...options.context };
          next.prompt = withContext(params.prompt, turn, await contextFor(contexts, asked, named));
        }
        open.set(next, asked);
        return next;
      } catch (error) {
        warn(error);
        return params;
      }
    },
    async wrapGenerate({ doGenerate, params }) {
      const result = await noticed(doGenerate(), () => finish(params, null));
      await finish(params, answerOf(result));
      return result;
    },
    async wrapStream({ doStream, params }) {
      const result = await noticed(doStream(), () => finish(params, null));
      const answer: Answer = { texts: [], calls: new Map(), isFinal: true };
      const listen = new TransformStream<StreamPart, StreamPart>({
        transform(part, controller) {
          hear(answer, part);
          controller.enqueue(part);
        },
        flush: () => finish(params, answer),
        // The consumer has cancelled the stream. The text up to this point is logged.
        cancel: () => finish(params, answer),
      });
      return { ...result, stream: result.stream.pipeThrough(listen) };
    },
  };
}

async function noticed<Result>(call: PromiseLike<Result>, failed: () => Promise<void>): Promise<Result> {
  try {
    return await call;
  } catch (error) {
    await failed();
    throw error;
  }
}

// With neither a user nor a session, all users would share the same memories.
function assertNamed({ scope }: Pick<Handle, 'scope'>): void {
  if (scope.user !== null || scope.session !== null) return;
  throw invalidInput("Memory needs a handle with a user or a session: varve.for({ …, user: '…' }).", { field: 'user' });
}

const BESIDE_MIDDLEWARE: ToolChoice = { except: ['get_context', 'log_conversation'] };

/**
 * The agent's tools: `generateText({ model, tools: memoryTools(handle) })`. Default: the everyday set without `get_context` and
 * `log_conversation`, which {@link memoryMiddleware} replaces.
 */
export function memoryTools(handle: ToolHandle, choice: ToolChoice = BESIDE_MIDDLEWARE): ToolSet {
  return Object.fromEntries(
    chosenTools(choice).map((tool) => [
      tool.name,
      {
        title: tool.title,
        description: tool.description,
        inputSchema: tool.input,
        outputSchema: tool.output,
        execute: (input: unknown, { messages = [] }: { messages?: readonly SpokenMessage[] } = {}) =>
          tool.run(handle, input, { said: saidByUser(messages) }),
      },
    ]),
  ) as ToolSet;
}

function contextFor(
  kept: Lru<Promise<AssembledContext>>,
  { handle, turn }: OpenTurn,
  options: ContextOptions,
): Promise<AssembledContext> {
  const { message, toolsUsed, said, before: given } = turn;
  const key = keyOfTurn(handle, turn);
  const isFirstStep = toolsUsed.length === 0 && said.length === 0;
  const before = kept.get(key);
  if (before !== undefined && !isFirstStep) return before;
  const history = { given: given.map(({ content }) => content) };
  const context = handle.context({ history, ...options, message });
  kept.set(key, context);
  context.catch(() => kept.delete(key));
  return context;
}

function keyOfTurn({ scope }: MiddlewareHandle, { index, message }: PromptTurn): string {
  return JSON.stringify([scope, index, message]);
}

const MOST_KEPT = 200;

function withContext(
  prompt: CallParameters['prompt'],
  { index }: PromptTurn,
  { system, beforeMessage }: AssembledContext,
): CallParameters['prompt'] {
  const messages = prompt.map((message, place) => {
    if (place !== index || message.role !== 'user' || beforeMessage === '') return message;
    const first = message.content.findIndex(({ type }) => type === 'text');
    const content = message.content.map((part, at) =>
      at === first && part.type === 'text' ? { ...part, text: `${beforeMessage}\n\n${part.text}` } : part,
    );
    return {
      ...message,
      content: first === -1 ? [{ type: 'text' as const, text: beforeMessage }, ...content] : content,
    };
  });
  if (system === '') return messages;
  const [first, ...rest] = messages;
  if (first?.role === 'system') return [{ ...first, content: `${first.content}\n\n${system}` }, ...rest];
  return [{ role: 'system', content: system }, ...messages];
}

interface Answer {
  texts: string[];
  calls: Map<string, ToolUse>;
  /** False if tool calls follow, so that the answer is not complete yet. */
  isFinal: boolean;
}

function answerOf(result: GenerateResult): Answer {
  const answer: Answer = { texts: [], calls: new Map(), isFinal: result.finishReason.unified !== 'tool-calls' };
  for (const part of result.content) {
    if (part.type === 'text') answer.texts.push(part.text);
    else hearTool(answer, part);
  }
  return answer;
}

function hear(answer: Answer, part: StreamPart): void {
  if (part.type === 'text-delta') answer.texts.push(part.delta);
  else if (part.type === 'finish') answer.isFinal = part.finishReason.unified !== 'tool-calls';
  else hearTool(answer, part);
}

function hearTool({ calls }: Answer, part: GenerateResult['content'][number] | StreamPart): void {
  if (part.type === 'tool-call') calls.set(part.toolCallId, { tool: part.toolName, arguments: objectOf(part.input) });
  else if (part.type === 'tool-result') addResult(calls, part.toolCallId, part.toolName, part.result);
}

interface Observing extends MemoryMiddlewareOptions {
  /** The idempotency keys of turns that were logged without an answer. The SDK may call the model again for such a turn. */
  unanswered: Lru<string>;
  warn(error: unknown): void;
}

/** Logs a complete turn, or one whose model has failed (`answer` is null). A later answer is added to the same turn. */
async function observed(
  open: OpenTurn | undefined,
  answer: Answer | null,
  { unanswered, warn, channel, ...options }: Observing,
): Promise<void> {
  if (open === undefined || options.observe === false || answer?.isFinal === false) return;
  const { handle, turn } = open;
  const key = keyOfTurn(handle, turn);
  const idempotencyKey = unanswered.get(key) ?? randomUUID();
  const said = [...turn.said, answer?.texts.join('').trim() ?? ''].filter((text) => text !== '').join('\n');
  try {
    if (options.logHistory === true) await logHistory(handle, turn).catch(warn);
    if (options.indexAttachments !== false) await indexAttachments(handle, turn);
    if (turn.message === '') return;
    const toolsUsed = [...turn.toolsUsed, ...(answer?.calls.values() ?? [])];
    const agentResponse = answer === null || said === '' ? undefined : said;
    const interaction = { userMessage: turn.message, agentResponse, toolsUsed, channel, idempotencyKey };
    const logged = await handle.logInteraction(interaction);
    if (!logged.logged) warn(logged.error);
    else if (agentResponse === undefined) unanswered.set(key, idempotencyKey);
    else unanswered.delete(key);
  } catch (error) {
    warn(error);
  }
}

/** Only for a session's first call: later, a message that the log lacks may be forgotten. The ids deduplicate simultaneous calls. */
async function logHistory(handle: MiddlewareHandle, { before }: PromptTurn): Promise<void> {
  if (before.length === 0 || handle.scope.session === null) return;
  const session = await handle.session.get();
  if (session !== null && session.eventCount > 0) return;
  const messages = before.map((message, index) => {
    const hash = createHash('sha256').update(message.content).digest('base64url');
    return { ...message, id: `history:${index}:${message.role}:${hash}` };
  });
  await handle.observe({ messages });
}

async function indexAttachments(handle: MiddlewareHandle, { attachments }: PromptTurn): Promise<void> {
  for (const { name, text } of attachments) {
    if (text.trim() === '') continue;
    await handle.indexDocument({
      content: text.toWellFormed().replaceAll('\0', ''),
      context: { type: 'tool_attachment_content', source: 'user_provided', fileName: name, attachment: name },
    });
  }
}

interface SpokenMessage {
  role: string;
  content: unknown;
}

const LAST_SAID = 8;

function saidByUser(messages: readonly SpokenMessage[]): string[] {
  return messages
    .filter(({ role }) => role === 'user')
    .slice(-LAST_SAID)
    .map(({ content }) =>
      typeof content === 'string'
        ? content
        : (content as { type?: string; text?: string }[])
            .flatMap(({ type, text }) => (type === 'text' ? (text ?? '') : []))
            .join('\n'),
    );
}
