import { z } from 'zod';
import type { NewEvent } from './event.ts';
import { parse, textSchema, timeSchema, type TimeInput } from './parse.ts';
import type { Origin } from './statement.ts';

/**
 * A message as chat APIs write it: `{ role: 'user', content: 'Hello' }`. The fields that providers add, such as `tool_calls`, are ignored;
 * other fields are refused, because with a misspelt `timestamp` the message would get the current time.
 */
export interface ChatMessage {
  /** `user`, `assistant`, `tool`, or a synonym such as `human` or `ai`. A `system` message is not stored. */
  role: string;
  /** A text, or a list of parts, of which only the text parts are used; null in a message that only calls tools. */
  content?: string | readonly unknown[] | null;
  /** The name of the speaker, or of the tool that answers. */
  name?: string;
  /** The id of the message within its session. A message with an id that the session already contains is not stored again. */
  id?: string;
  /** When the message was sent. Default: now. */
  timestamp?: TimeInput;
  /** The same as `timestamp`, under the name that events have. */
  occurredAt?: TimeInput;
  /** The same as `timestamp`, under the name that the messages of the AI SDK have. */
  createdAt?: TimeInput;
}

/** The origin of the messages of each role. */
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

/** The fields of messages of OpenAI, Anthropic, the AI SDK, LangChain and compatible servers that Varve does not use. */
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

/** A conversation as chat APIs send it. */
export interface Conversation {
  messages: readonly ChatMessage[];
}

export const conversationSchema: z.ZodType<Conversation, Conversation> = z.strictObject({
  messages: z.array(chatMessageSchema).min(1).max(10_000),
});

/**
 * The events of a conversation. A system message is the application's instruction to its model and often contains recalled memory, so it
 * is not part of the conversation. A message that only calls tools has no text; the result of the call is in the tool's message.
 */
function conversationEvents(messages: readonly ChatMessage[], session: string | null): NewEvent[] {
  return messages.flatMap((message): NewEvent[] => {
    const origin = ROLE_ORIGINS[message.role.trim().toLowerCase()] ?? 'user';
    const content = chatText(message.content);
    if (origin === 'system' || content === '') return [];
    return [
      {
        kind: origin === 'tool' ? 'tool_result' : 'message',
        origin,
        content,
        speaker: message.name,
        occurredAt: message.occurredAt ?? message.timestamp ?? message.createdAt,
        // Many applications count the messages of each conversation from 1.
        idempotencyKey: message.id === undefined ? undefined : `message:${session ?? ''}:${message.id}`,
      },
    ];
  });
}

/** The text of a message's content, whether it is a text or a list of parts. */
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

/** The input of `observe`: one event, several, or a conversation as chat APIs send it. */
export type Observable = NewEvent | ChatMessage | readonly (NewEvent | ChatMessage)[] | Conversation;

/**
 * Converts the input to events of a session. An object with a `role` is a chat message, which is validated here; events are validated by
 * the caller.
 */
export function asEvents(input: Observable, session: string | null): NewEvent[] {
  if (isKeyed(input, 'messages'))
    return conversationEvents(parse(conversationSchema, input, 'The conversation').messages, session);
  const inputs = Array.isArray(input) ? (input as readonly (NewEvent | ChatMessage)[]) : [input];
  return inputs.flatMap((one) =>
    isKeyed(one, 'role')
      ? conversationEvents([parse(chatMessageSchema, one, 'The message')], session)
      : [one as NewEvent],
  );
}

function isKeyed<Key extends string>(input: unknown, key: Key): input is never {
  return typeof input === 'object' && input !== null && !Array.isArray(input) && Object.hasOwn(input, key);
}
