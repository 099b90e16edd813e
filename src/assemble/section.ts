import type { Quote } from '../record/statement.ts';
import type { Trust } from '../record/trust.ts';

/** The sections that a context can have. A layout says which of them it shows, where, and how. */
export const SECTION_NAMES = [
  'instructions',
  'identity',
  'directives',
  'capabilities',
  'structuredProfile',
  'facts',
  'profile',
  'workingMemory',
  'scaffold',
  'learnedInfo',
  'learnings',
  'memories',
  'agentReflections',
  'userReflections',
  'sessionReflections',
  'artifacts',
  'date',
  'intentions',
  'unknown',
  'recall',
  'notes',
  'summaries',
  'savedItems',
  'services',
  'earlier',
  'history',
  'message',
] as const;
export type SectionName = (typeof SECTION_NAMES)[number];

/** A statement as far as a prompt has to know it: by its id, and by the words of turns that it was read from. */
export interface Statement {
  id: string;
  quotes: readonly Quote[];
}

/** One thing that a section says. */
export interface Item {
  /** Cleaned, and without links where it is not trusted; the layout escapes it. */
  text: string;
  kind: 'memory' | 'event' | 'block' | 'application';
  /** The id of the record; null for what the application gives. */
  id: string | null;
  trust: Trust;
  /** The lowest goes first when there is no room. */
  score: number;
  /** The type of a memory, the category of a fact, who speaks, the name of a service or a connection. */
  label?: string;
  title?: string;
  url?: string;
  date?: Date;
  importance?: number;
  summary?: string;
  /** Of a memory: the words of turns that say so. */
  quotes?: readonly Quote[];
  /** Of a text document: the statements behind each sentence, by its hash. */
  restsOn?: ReadonlyMap<string, readonly Statement[]>;
  /** Of a turn: the memories that it tells. */
  statements?: readonly string[];
  /** Of a fact, which is shown as a label and a value: its sentence. */
  sentence?: string;
  /** Of an entry of a JSON block: what it was written from. */
  entry?: { key: string; value: unknown };
  note?: string;
}

/** What was gathered for a context: the items of each section that has any. */
export type Material = Partial<Record<SectionName, readonly Item[]>>;

/** An item of the application's own text: it is not escaped and never dropped. */
export function applicationItem(text: string): Item {
  return { text, kind: 'application', id: null, trust: 'high', score: Infinity };
}
