import { z } from 'zod';
import { invalidInput } from '../errors.ts';
import { parse, textSchema } from '../record/parse.ts';
import type { Scope } from '../record/scope.ts';
import type { EventInput } from './observe.ts';

/** The categories of a chat agent's observations. */
export const CHAT_CATEGORIES = ['fact', 'preference', 'project_details', 'correction'] as const;
export type ChatCategory = (typeof CHAT_CATEGORIES)[number];

/** New knowledge from an autonomous agent. */
export interface UserContextUpdate {
  /** New values of the scaffold, as any JSON, keyed by the key of the scaffold. */
  scaffoldUpdates?: Record<string, unknown>;
  /** Statements to be kept. */
  persistentInfoAdditions?: readonly string[];
  /**
   * The page, mail or tool that the update comes from. The values and statements are then unverified, and prompts mark them. Values from
   * such a source never replace other values.
   */
  source?: string | null;
}

const observationSchema = z.strictObject({
  content: textSchema(20_000),
  category: z.enum(CHAT_CATEGORIES, { error: `expected one of ${CHAT_CATEGORIES.join(', ')}` }),
});

export const userContextSchema: z.ZodType<UserContextUpdate, UserContextUpdate> = z.strictObject({
  scaffoldUpdates: z.record(textSchema(200), z.json()).optional(),
  persistentInfoAdditions: z.array(textSchema(20_000)).max(1000).optional(),
  source: textSchema(200).nullish(),
});

export interface ObservationSource {
  /**
   * Default `tool` if a source is named, otherwise `agent`. The words of a tool or a page are attributed to the tool, and no statement of
   * the user is formed from them. What the user said (`user`) is attributed to the agent, because the agent reports it. An order or an
   * authorisation of the agent (`agent`) that no turn of the user contains is attributed to a tool.
   */
  statedBy?: 'user' | 'agent' | 'tool' | undefined;
  /** The name of the page, mail or tool. */
  source?: string | null | undefined;
}

/** The fields of {@link ObservationSource}. */
export const sourceFields: {
  statedBy: z.ZodOptional<z.ZodEnum<{ user: 'user'; agent: 'agent'; tool: 'tool' }>>;
  source: z.ZodOptional<z.ZodNullable<z.ZodType<string, string>>>;
} = { statedBy: z.enum(['user', 'agent', 'tool']).optional(), source: textSchema(200).nullish() };
const sourceSchema = z.strictObject(sourceFields);

/** The name of a source other than the user; null if none is named. */
export function namedSource(source: string | null | undefined): string | null {
  return source === undefined || source === null || /^(?:the )?user$/i.test(source.trim()) ? null : source.trim();
}

/** An observation of the chat agent, as an event that waits to be processed. */
export function observationEvent(
  scope: Scope,
  content: string,
  category: ChatCategory,
  from: ObservationSource = {},
): EventInput {
  const checked = parse(observationSchema, { content, category }, 'The observation');
  const { statedBy, source } = parse(sourceSchema, from, 'The source of the observation');
  const named = namedSource(source);
  const event = { ...observed(scope, 'chat'), content: checked.content, category: checked.category };
  const isForeign = statedBy === undefined ? named !== null : statedBy === 'tool';
  return isForeign ? ofTool(event, named ?? 'a tool') : event;
}

/** An observation that is attributed to a tool. */
export function ofTool<Input extends EventInput>(observation: Input, from: string): Input {
  return { ...observation, origin: 'tool', metadata: { ...observation.metadata, from } };
}

/** One `scaffold_update` event for each key, and one `learned_fact` event for each addition. */
export function userContextEvents(scope: Scope, update: UserContextUpdate): EventInput[] {
  const { scaffoldUpdates = {}, persistentInfoAdditions = [], source } = parse(userContextSchema, update, 'The update');
  const events = [
    ...Object.entries(scaffoldUpdates).map(([key, value]): EventInput => {
      const event = observed(scope, 'autonomous');
      const metadata = { ...event.metadata, key, value };
      const text = typeof value === 'string' ? value : JSON.stringify(value);
      return { ...event, category: 'scaffold_update', content: `${key}: ${text}`, metadata };
    }),
    ...persistentInfoAdditions.map((content): EventInput => ({
      ...observed(scope, 'autonomous'),
      category: 'learned_fact',
      content,
    })),
  ];
  if (events.length === 0)
    throw invalidInput('The update is empty: give `scaffoldUpdates` or `persistentInfoAdditions`.');
  const named = namedSource(source);
  return named === null ? events : events.map((event) => ofTool(event, named));
}

function observed(
  scope: Scope,
  source: 'chat' | 'autonomous',
): Omit<EventInput, 'content'> & { metadata: Record<string, unknown> } {
  return {
    kind: 'observation',
    origin: 'agent',
    metadata: { source, session: scope.session, connection: scope.connection },
  };
}
