import { z } from 'zod';
import { invalidInput } from '../errors.ts';
import { parse, textSchema } from '../record/parse.ts';
import type { Scope } from '../record/scope.ts';
import type { EventInput } from './observe.ts';

/** The categories of a chat agent's observations. */
export const CHAT_CATEGORIES = ['fact', 'preference', 'project_details', 'correction'] as const;
export type ChatCategory = (typeof CHAT_CATEGORIES)[number];
/** The last two are only for agents that work autonomously. */
export type ObservationCategory = ChatCategory | 'scaffold_update' | 'learned_fact';

/** What an autonomous agent has learned. */
export interface UserContextUpdate {
  /** New values for keys of the scaffold, as any JSON. */
  scaffoldUpdates?: Record<string, unknown>;
  /** Statements to remember. */
  persistentInfoAdditions?: readonly string[];
  /** The page, mail or tool that the update comes from. Its values are then unverified and never replace others. */
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
   * Who the words come from. Default: `tool` if a source is named, otherwise `agent`. Words of a tool never become a statement of the user.
   * Words of the user are attributed to the agent that reports them. If an agent reports an order or an authorisation that no turn of the
   * user contains, it is attributed to a tool.
   */
  statedBy?: 'user' | 'agent' | 'tool' | undefined;
  /** Name of the page, mail or tool. */
  source?: string | null | undefined;
}

export const sourceFields: {
  statedBy: z.ZodOptional<z.ZodEnum<{ user: 'user'; agent: 'agent'; tool: 'tool' }>>;
  source: z.ZodOptional<z.ZodNullable<z.ZodType<string, string>>>;
} = { statedBy: z.enum(['user', 'agent', 'tool']).optional(), source: textSchema(200).nullish() };
const sourceSchema = z.strictObject(sourceFields);

/** Null if no source other than the user is named. */
export function namedSource(source: string | null | undefined): string | null {
  return source === undefined || source === null || /^(?:the )?user$/i.test(source.trim()) ? null : source.trim();
}

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

export function ofTool<Input extends EventInput>(observation: Input, from: string): Input {
  return { ...observation, origin: 'tool', metadata: { ...observation.metadata, from } };
}

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
