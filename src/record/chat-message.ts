import { z } from 'zod';
import { invalidInput } from '../errors.ts';
import type { NewEvent } from './event.ts';
import { isObject, parse, textSchema, timeSchema, type TimeInput } from './parse.ts';
import type { Origin } from './statement.ts';

/**
 * A message as in chat APIs: `{ role: 'user', content: 'Hello' }`. Fields that providers add, such as `tool_calls`, are ignored. Other
 * unknown fields are refused: a misspelt `timestamp` would silently become the current time.
 */
export interface ChatMessage {
  /** `user`, `assistant`, `tool`, or a synonym such as `human` or `ai`. Messages with the role `system` are not stored. */
  role: string;
  /** A text, or a list of parts; only text parts are used. Null if the message only calls tools. */
  content?: string | readonly unknown[] | null;
  /** Name of the speaker, or of the tool that answers. */
  name?: string;
  /** The message's id within its session. If the session already has a message with this id, the message is not stored again. */
  id?: string;
  /** When the message was sent. Default: now. */
  timestamp?: TimeInput;
  /** Another name for `timestamp`, as in events. */
  occurredAt?: TimeInput;
  /** Another name for `timestamp`, as in messages of the AI SDK. */
  createdAt?: TimeInput;
}

export const ROLE_ORIGINS: Readonly<Record<string, Origin>> = {
  user: 'user',
  human: 'user',
  assistant: 'agent',
  agent: 'agent',
  ai: 'agent',
  bot: 'agent',
  model: 'agent',
  tool: 'tool',
  function: 'tool',
  system: 'system',
  developer: 'system',
  document: 'document',
};

const roleSchema = z
  .string()
  .transform((role) => role.trim().toLowerCase())
  .refine((role) => Object.hasOwn(ROLE_ORIGINS, role), { error: 'expected user, assistant, tool or system' });

/** Fields that Varve ignores in messages of OpenAI, Anthropic, the AI SDK, LangChain and compatible servers. */
const FIELDS_OF_PROVIDERS: ReadonlySet<string> = new Set(
  (
    'tool_calls tool_call_id function_call refusal annotations audio type model stop_reason stop_sequence usage parts metadata ' +
    'toolInvocations experimental_attachments attachments reasoning reasoning_content reasoning_details thinking ' +
    'additional_kwargs response_metadata usage_metadata invalid_tool_calls example cache_control providerOptions providerMetadata ' +
    'status phase prefix partial is_error container finish_reason index weight'
  ).split(' '),
);

const chatMessageFields = {
  role: roleSchema,
  content: z.union([z.string().max(500_000), z.array(z.unknown()).max(1000)]).nullish(),
  name: textSchema(200).optional(),
  id: textSchema(250).optional(),
  timestamp: timeSchema.optional(),
  occurredAt: timeSchema.optional(),
  createdAt: timeSchema.optional(),
} satisfies Record<keyof ChatMessage, z.ZodType>;

const chatMessageSchema: z.ZodType<ChatMessage, ChatMessage> = z
  .looseObject(chatMessageFields)
  .superRefine((message, context) => {
    for (const key of Object.keys(message)) {
      if (Object.hasOwn(chatMessageFields, key) || FIELDS_OF_PROVIDERS.has(key)) continue;
      const accepted = Object.keys(chatMessageFields).join(', ');
      context.addIssue({ code: 'custom', path: [key], message: `is not a field of a message; expected ${accepted}` });
    }
  });

/** A conversation in the format of chat APIs. */
export interface Conversation {
  messages: readonly ChatMessage[];
}

export const conversationSchema: z.ZodType<Conversation, Conversation> = z.strictObject({
  messages: z.array(chatMessageSchema).min(1).max(10_000),
});

/** Empty for a system message, which often contains recalled memory, and for a message that only calls tools or only has images. */
function messageEvents(message: ChatMessage, session: string | null): NewEvent[] {
  const origin = originOf(message);
  const content = chatText(message.content);
  if (origin === 'system' || content === '') return [];
  return [
    {
      kind: origin === 'tool' ? 'tool_result' : 'message',
      origin,
      content,
      speaker: message.name,
      occurredAt: message.occurredAt ?? message.timestamp ?? message.createdAt,
      // The key includes the session, because many applications number the messages of each conversation from 1.
      idempotencyKey: message.id === undefined ? undefined : `message:${session ?? ''}:${message.id}`,
    },
  ];
}

function originOf({ role }: ChatMessage): Origin {
  return ROLE_ORIGINS[role.trim().toLowerCase()] ?? 'user';
}

export function chatText(content: ChatMessage['content']): string {
  if (typeof content === 'string') return content.trim();
  return (content ?? [])
    .map(partText)
    .filter((text) => text !== '')
    .join('\n')
    .trim();
}

function partText(part: unknown): string {
  if (typeof part === 'string') return part;
  if (typeof part !== 'object' || part === null) return '';
  const { text } = part as { text?: unknown };
  return typeof text === 'string' ? text : '';
}

/** What `observe` accepts: one event, several, or a conversation in the format of chat APIs. */
export type Observable = NewEvent | ChatMessage | readonly (NewEvent | ChatMessage)[] | Conversation;

/** Validates chat messages, which are the objects with a `role`. The caller validates events. */
export function asEvents(input: Observable, session: string | null): NewEvent[] {
  const inputs: readonly (NewEvent | ChatMessage)[] = isKeyed(input, 'messages')
    ? parse(conversationSchema, input, 'The conversation').messages
    : ([input].flat() as (NewEvent | ChatMessage)[]);
  const messages: ChatMessage[] = [];
  const events = inputs.flatMap((one) => {
    if (!isKeyed(one, 'role')) return [one as NewEvent];
    const message = parse(chatMessageSchema, one, 'The message');
    messages.push(message);
    return messageEvents(message, session);
  });
  const isWithoutText = (message: ChatMessage): boolean =>
    originOf(message) === 'user' && !Array.isArray(message.content);
  if (events.length === 0 && messages.some(isWithoutText))
    throw invalidInput('No message has a text: give the words of the user in `content`.', { field: 'content' });
  return events;
}

function isKeyed(input: unknown, key: string): input is never {
  return isObject(input) && Object.hasOwn(input, key);
}
