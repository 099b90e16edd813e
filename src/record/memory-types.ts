import { z } from 'zod';
import { invalidInput, noSuch } from '../errors.ts';
import { parse } from './parse.ts';
import { SCOPE_LEVELS, type ScopeLevel } from './scope.ts';

/** With `long`, an unread fact of importance 0.6 falls below 0.3 after about a year, and can then be archived. */
const LIFESPANS = {
  permanent: { lifespan: 'permanent', decayPerPass: 0, prunable: false },
  long: { lifespan: 'long', decayPerPass: 0.0002, prunable: true },
  medium: { lifespan: 'medium', decayPerPass: 0.0005, prunable: true },
  short: { lifespan: 'short', decayPerPass: 0.002, prunable: true },
  // Consolidation merges and archives the memories of a session instead.
  session: { lifespan: 'session', decayPerPass: 0, prunable: false },
} as const;

/** How long memories of a type stay relevant. */
export type Lifespan = keyof typeof LIFESPANS;

/** How memories of a type behave. */
export interface MemoryType {
  /** What a model reads in its prompt when it chooses a type. */
  description: string;
  /** The heading of a list of these memories, as in the Markdown export. Null: the type's name. */
  heading: string | null;
  /** Sets the defaults of `decayPerPass` and `prunable`. */
  lifespan: Lifespan;
  /** The levels at which these memories may be stored, the default first. */
  levels: readonly [ScopeLevel, ...ScopeLevel[]];
  /** What must be unique among an owner's live memories. */
  unique: (typeof UNIQUE)[number];
  /** Whether readers may form these memories from conversations. */
  formable: boolean;
  /** Whether each memory is a single statement, which other statements may repeat, replace or end. */
  comparable: boolean;
  /** Whether a request to forget may apply to these memories. */
  forgettable: boolean;
  /** Whether these memories may only come from a person's own words, never from a tool or a document. */
  personal: boolean;
  /** Whether the synthesis of working memory and scaffold reads these memories. */
  inWorkingMemory: boolean;
  /** Whether these memories are true until the user says otherwise. Blocks then keep the user's own words, whatever their age. */
  lasting: boolean;
  /** The section of a prompt, if the layout has it, and the source in recall. If recall has no such source, it uses `memories`. */
  section: PromptSection;
  /** The section of the nightly profile, unless a model chooses another. Null: the profile omits these memories. */
  profileSection: ProfileSection | null;
  /** Words in questions about these memories, besides the type's name: "ambitions" for goals. */
  askedFor: readonly string[];
  /** The state of a new memory. Null if the type has no outcomes. */
  initialState: string | null;
  /** Whether near duplicates are merged. */
  mergesDoubles: boolean;
  /** Importance that a memory loses at each maintenance pass (four a day) once it has not been read for a week. 0: it never fades. */
  decayPerPass: number;
  /** Whether a memory of low importance is archived after it has not been read for a long time. */
  prunable: boolean;
  /** Days until a memory is archived, whatever its importance, unless it has a stated end or is a past event. Null: never. */
  expiresAfterDays: number | null;
  /** For how many days after its due date prompts bring a memory up. Null: never. */
  broughtUpForDays: number | null;
  /** Days after its due date until a memory without a known outcome is archived. Null: never. */
  expiresAfterDueDays: number | null;
  /** Whether recall may return these memories. False for reflections, because every context contains them anyway. */
  recalled: boolean;
  title: FieldRule;
  due: FieldRule;
  /** The maximum number of words when formation writes a memory. */
  wordLimit: number | null;
  defaultImportance: number;
}

const PROMPT_SECTIONS = [
  'memories',
  'notes',
  'saved_items',
  'summaries',
  'reflections',
  'intentions',
  'learnings',
] as const;
export type PromptSection = (typeof PROMPT_SECTIONS)[number];

const UNIQUE = ['content', 'title', 'nothing'] as const;
const FIELD_RULES = ['required', 'none'] as const;

export const PROFILE_SECTIONS = [
  'Personal',
  'Goals & Values',
  'Communication Style',
  'Patterns & Rhythms',
  'Preferences',
  'Notes',
] as const;
type ProfileSection = (typeof PROFILE_SECTIONS)[number];

/** Whether memories of a type must have a field. With `none`, a given value is still kept. */
export type FieldRule = (typeof FIELD_RULES)[number];

const BASE: MemoryType = {
  description: '',
  heading: null,
  ...LIFESPANS.medium,
  levels: ['user', 'agent', 'tenant'],
  unique: 'content',
  mergesDoubles: true,
  expiresAfterDays: null,
  broughtUpForDays: null,
  expiresAfterDueDays: null,
  recalled: true,
  formable: true,
  comparable: true,
  forgettable: true,
  personal: false,
  inWorkingMemory: true,
  lasting: false,
  section: 'memories',
  profileSection: 'Notes',
  askedFor: [],
  initialState: null,
  title: 'none',
  due: 'none',
  wordLimit: null,
  defaultImportance: 0.5,
};

const wordsOf = (text: string): readonly string[] => text.split(' ');
const GOAL_WORDS = wordsOf(
  'goal goals dream dreams ambition ambitions aspiration aspirations aim aims plan plans objective objectives',
);

/** For types whose memories are whole texts instead of statements. */
const TEXT: MemoryType = {
  ...BASE,
  profileSection: null,
  formable: false,
  comparable: false,
  forgettable: false,
  inWorkingMemory: false,
  mergesDoubles: false,
};

/** Varve's own types. An application adds others with `createVarve({ memoryTypes })`. */
export const MEMORY_TYPES: { readonly [type: string]: MemoryType } = {
  preference: {
    ...BASE,
    ...LIFESPANS.long,
    heading: 'Preferences',
    profileSection: 'Preferences',
    askedFor: wordsOf('preferences prefer like likes taste tastes favorite favourite favorites favourites'),
    personal: true,
    lasting: true,
    description: 'How the user likes things done: style, format, tone, tools, tastes.',
    defaultImportance: 0.7,
  },
  goal: {
    ...BASE,
    heading: 'Goals',
    profileSection: 'Goals & Values',
    askedFor: GOAL_WORDS,
    personal: true,
    initialState: 'open',
    description: 'Something the user wants to reach.',
    defaultImportance: 0.8,
  },
  fact: {
    ...BASE,
    ...LIFESPANS.long,
    heading: 'Facts',
    profileSection: 'Personal',
    description: 'Something that is so, about the user or the world they talk about.',
    wordLimit: 30,
    defaultImportance: 0.6,
  },
  decision: {
    ...BASE,
    ...LIFESPANS.permanent,
    heading: 'Decisions',
    personal: true,
    description: 'A choice that was made, with its date: a historical record.',
    mergesDoubles: false,
    defaultImportance: 0.6,
  },
  context: {
    ...BASE,
    ...LIFESPANS.short,
    heading: 'Context',
    description: 'A situation that will be over within three months; what lasts longer is a fact.',
    expiresAfterDays: 90,
  },
  feedback: {
    ...BASE,
    heading: 'Feedback',
    profileSection: 'Communication Style',
    personal: true,
    description: 'How the user took a suggestion or a result.',
    defaultImportance: 0.6,
  },
  personal: {
    ...BASE,
    heading: 'Personal',
    profileSection: 'Personal',
    personal: true,
    lasting: true,
    description: 'Details of a life that build rapport: family, pets, hobbies, humour.',
    defaultImportance: 0.4,
  },
  episode: {
    ...BASE,
    heading: 'Episodes',
    profileSection: null,
    comparable: false,
    inWorkingMemory: false,
    description: 'What an agent did, why, and what came of it.',
    unique: 'nothing',
    mergesDoubles: false,
    defaultImportance: 0.5,
  },
  pattern: {
    ...BASE,
    ...LIFESPANS.long,
    heading: 'Patterns',
    profileSection: 'Patterns & Rhythms',
    formable: false,
    comparable: false,
    forgettable: false,
    description: 'What several episodes have in common, with the evidence counted.',
    defaultImportance: 0.8,
  },
  entity: {
    ...BASE,
    ...LIFESPANS.long,
    heading: 'Entities',
    profileSection: 'Personal',
    formable: false,
    inWorkingMemory: false,
    description: 'What is known of a person, organisation, place, product or project.',
  },
  note: {
    ...TEXT,
    ...LIFESPANS.permanent,
    heading: 'Notes',
    section: 'notes',
    description: 'A text that was written down on purpose.',
    unique: 'nothing',
    title: 'required',
  },
  saved_item: {
    ...TEXT,
    ...LIFESPANS.permanent,
    heading: 'Saved items',
    section: 'saved_items',
    description: 'A link kept for later: title, URL, tags, summary, own note.',
    unique: 'nothing',
    title: 'required',
  },
  summary: {
    ...TEXT,
    heading: 'Summaries',
    section: 'summaries',
    description: 'What a conversation was about, one per topic.',
    unique: 'title',
    title: 'required',
  },
  reflection: {
    ...TEXT,
    ...LIFESPANS.session,
    heading: 'Reflections',
    personal: true,
    section: 'reflections',
    description: 'An interpreted observation, waiting to be merged into what is always in mind.',
    levels: ['session', 'user', 'agent'],
    recalled: false,
    wordLimit: 35,
  },
  intention: {
    ...BASE,
    heading: 'Intentions',
    profileSection: 'Goals & Values',
    askedFor: GOAL_WORDS,
    personal: true,
    inWorkingMemory: false,
    section: 'intentions',
    initialState: 'open',
    description: 'Something the user means to do, to be brought up again when it is due.',
    broughtUpForDays: 3,
    expiresAfterDueDays: 14,
    // An intention ends some days after its due date, and does not fade before.
    decayPerPass: 0,
    prunable: false,
    due: 'required',
    defaultImportance: 0.6,
  },
  learning: {
    ...BASE,
    ...LIFESPANS.permanent,
    heading: 'Learning',
    profileSection: 'Communication Style',
    formable: false,
    forgettable: false,
    personal: true,
    inWorkingMemory: false,
    section: 'learnings',
    description: 'A rule for the agent, learned from a correction.',
    defaultImportance: 0.8,
  },
};

/** An application's type. Absent fields come from Varve's type of the same name, or else from the lifespan and general defaults. */
export type MemoryTypeInput = Partial<MemoryType> & Pick<MemoryType, 'description'>;

export type MemoryTypeTable = ReadonlyMap<string, MemoryType>;

const flag = z.boolean().optional();
const days = z.number().min(0).nullable().optional();
const share = z.number().min(0).max(1).optional();
const fieldRule = z.enum(FIELD_RULES).optional();

const memoryTypeSchema: z.ZodType<MemoryTypeInput, MemoryTypeInput> = z.strictObject({
  description: z.string(),
  heading: z.string().nullable().optional(),
  lifespan: z.enum(Object.keys(LIFESPANS) as Lifespan[]).optional(),
  levels: z.tuple([z.enum(SCOPE_LEVELS)], z.enum(SCOPE_LEVELS)).optional(),
  unique: z.enum(UNIQUE).optional(),
  formable: flag,
  comparable: flag,
  forgettable: flag,
  personal: flag,
  inWorkingMemory: flag,
  lasting: flag,
  section: z.enum(PROMPT_SECTIONS).optional(),
  profileSection: z.enum(PROFILE_SECTIONS).nullable().optional(),
  askedFor: z.array(z.string()).optional(),
  initialState: z.string().nullable().optional(),
  mergesDoubles: flag,
  decayPerPass: share,
  prunable: flag,
  expiresAfterDays: days,
  broughtUpForDays: days,
  expiresAfterDueDays: days,
  recalled: flag,
  title: fieldRule,
  due: fieldRule,
  wordLimit: z.number().min(1).nullable().optional(),
  defaultImportance: share,
});

/** An application may also change the policies of Varve's types. */
export function memoryTypeTable(added: Record<string, MemoryTypeInput> = {}): MemoryTypeTable {
  const table = new Map(Object.entries(MEMORY_TYPES));
  for (const [name, policy] of Object.entries(added)) {
    if (!/^[a-z][a-z0-9_]{0,49}$/.test(name)) {
      throw invalidInput(`The memory type ${JSON.stringify(name)} needs a snake_case name of at most 50 characters.`);
    }
    parse(memoryTypeSchema, policy, `The memory type ${name}`);
    const [own] = MEMORY_TYPES[name]?.levels ?? [];
    if (own !== undefined && policy.levels !== undefined && policy.levels[0] !== own)
      throw invalidInput(`The levels of Varve's memory type ${name} must begin with its default level, ${own}.`);
    const lifespan = policy.lifespan === undefined ? {} : LIFESPANS[policy.lifespan];
    table.set(name, { ...(table.get(name) ?? BASE), ...lifespan, ...policy });
  }
  return table;
}

/** A misspelt type would otherwise select nothing. */
export function assertTypes(
  types: readonly string[] = [],
  table: MemoryTypeTable,
  kinds: readonly string[] = [],
): void {
  const unknown = types.find((type) => !table.has(type) && !kinds.includes(type));
  if (unknown === undefined) return;
  throw invalidInput(noSuch('type', unknown, [...table.keys(), ...kinds]), { field: 'types' });
}

export function typesThat(table: MemoryTypeTable, meets: (type: MemoryType) => boolean): string[] {
  return [...table].filter(([, type]) => meets(type)).map(([name]) => name);
}
