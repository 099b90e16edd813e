import type { SectionSwitches } from '../assemble/context-options.ts';
import { SECTION_NAMES, type SectionName } from '../assemble/section.ts';
import type { LanguageModel } from '../models/language-model.ts';
import type { Task } from '../models/prompt.ts';
import type { VarveOptions } from '../varve.ts';
import type { AskOptions } from './measure-questions.ts';

/** A configuration of the product that a run compares with others. */
export interface Arm {
  /** A description, shown in tables. */
  about: string;
  /** The options of createVarve() that differ in this arm. Arms with the same options share one replay. */
  varve: VarveOptions;
  /** The options of recall and of contexts that differ in this arm. */
  ask: AskOptions;
  /** Whether the arm is meaningless without a language model. */
  needsModel?: true;
  /** If set, this task's model does all tasks. */
  oneModelOf?: Task;
}

function arm(about: string, changes: Partial<Arm> = {}): Arm {
  return { about, varve: {}, ask: {}, ...changes };
}

const STATEMENTS: readonly SectionName[] = ['facts', 'memories', 'learnings', 'intentions', 'notes', 'savedItems'];
const DOCUMENTS: readonly SectionName[] = [
  'profile',
  'workingMemory',
  'scaffold',
  'learnedInfo',
  'agentReflections',
  'userReflections',
  'sessionReflections',
];
const LOOKED_UP: readonly SectionName[] = ['recall', 'notes', 'summaries', 'savedItems'];
const MEMORY = new Set<SectionName>([...STATEMENTS, ...DOCUMENTS, ...LOOKED_UP, 'earlier', 'history']);

function only(...kept: readonly SectionName[]): SectionSwitches {
  return Object.fromEntries(
    SECTION_NAMES.filter((name) => MEMORY.has(name) && !kept.includes(name)).map((name) => [name, false]),
  );
}

function withoutLookup(sections: SectionSwitches): AskOptions {
  return { context: { sections, lookup: 'never' } };
}

const nothingFormed: VarveOptions = {
  formation: { facts: false, reflections: false, summaries: false },
  consolidation: {
    tiers: { enabled: false },
    reflections: { enabled: false },
    tags: { enabled: false },
    patterns: { enabled: false },
    nightly: { enabled: false },
  },
};

// The attributes that people ask for most, for an arm with a fixed scaffold schema.
const FIXED_KEYS = ['name', 'home_city', 'employer', 'job_title', 'family', 'health', 'preferences', 'goals', 'plans'];

/** The ablations. `all` is the product with its defaults; every other arm differs from it in one setting. */
export const ARMS: Readonly<Record<string, Arm>> = {
  all: arm('everything, with the defaults'),
  'no-memory': arm('no memory in the prompt', { ask: withoutLookup(only()) }),
  'working-memory': arm('the working memory alone', { ask: withoutLookup(only('workingMemory')) }),
  turns: arm('raw turns alone: nothing is formed', { varve: nothingFormed }),
  statements: arm('statements alone: no turns, no documents', {
    ask: {
      recall: { sources: ['memories', 'notes', 'saved_items'] },
      context: { sections: only(...STATEMENTS, 'recall'), recallSources: ['memories', 'notes', 'saved_items'] },
    },
  }),
  documents: arm('documents alone: profile, working memory, scaffold, reflections', {
    ask: withoutLookup(only(...DOCUMENTS)),
  }),
  'no-lookup': arm('nothing is looked up for the question', { ask: withoutLookup({ lookups: false }) }),
  'no-vectors': arm('no embedder: words alone', { varve: { embedder: null } }),
  'fixed-scaffold': arm('a scaffold with a fixed schema', {
    varve: { consolidation: { tiers: { scaffoldKeys: FIXED_KEYS } } },
  }),
  deferred: arm('deferred writes: nothing is read before a session is formed', {
    varve: { formation: { writes: 'deferred' } },
  }),
  'local-reader': arm('the local reader instead of the model', {
    varve: { formation: { tasks: { read: 'local', decide: 'local', reflect: 'local' } } },
    needsModel: true,
  }),
  'one-model-fast': arm('one model for all tasks: the one that reads', { needsModel: true, oneModelOf: 'read' }),
  'one-model-slow': arm('one model for all tasks: the one that writes documents', {
    needsModel: true,
    oneModelOf: 'profile',
  }),
};

/** Returns why an arm cannot run with this language model, or null if it can. */
export function whyNot(name: string, model: LanguageModel | null): string | null {
  const { needsModel, oneModelOf } = ARMS[name] ?? {};
  if (needsModel && model === null) return `The arm ${name} needs a language model.`;
  if (oneModelOf === undefined || model === null) return null;
  if (model.withOneModel === undefined) return `The arm ${name} needs a language model from createLanguageModel().`;
  return model.modelOf('read') === model.modelOf('profile')
    ? `The arm ${name} needs a fast and a slow model: all tasks are done by ${model.modelOf('read')}.`
    : null;
}

interface ArmGroup extends Pick<Arm, 'varve' | 'oneModelOf'> {
  names: string[];
}

/** Arms with the same store options share one replay. */
export function groupArms(names: readonly string[]): ArmGroup[] {
  const groups = new Map<string, ArmGroup>();
  for (const name of names) {
    const { varve = {}, oneModelOf } = ARMS[name] ?? {};
    const key = JSON.stringify([varve, oneModelOf]);
    const group = groups.get(key) ?? { varve, oneModelOf, names: [] };
    group.names.push(name);
    groups.set(key, group);
  }
  return [...groups.values()];
}
