import type { Intent } from './context-options.ts';
import type { SectionName } from './section.ts';

export interface SectionReport {
  section: SectionName | 'tools';
  place: 'system' | 'user' | 'history' | 'tools';
  /** The section's own budget. Null if it has none. */
  budget: number | null;
  /** The tokens of all gathered items. */
  wanted: number;
  taken: number;
  items: number;
  /** The ids of the records that were taken. */
  ids: string[];
  /** The items that were left out, and why. */
  dropped: { id: string | null; reason: string }[];
  /** Whether a text was cut. */
  cut: boolean;
}

/** The queries to look up before a turn, and why. */
export interface Lookup {
  /** If empty, nothing is looked up. */
  queries: string[];
  by: 'rules' | 'model' | 'always' | 'never';
  reason: string;
  /** Why the model was not asked, or why its answer was not used. */
  failed?: string;
}

/** Explains what a context contains and why. */
export interface ContextReport {
  id: string;
  layout: string;
  /** `estimate`, or the name of the tokenizer with which the tokens were counted exactly. */
  counter: string;
  tokens: {
    /** The tokens of the whole context, including tools. */
    total: number;
    /** The tokens of all gathered items. */
    wanted: number;
    limit: number;
    system: number;
    user: number;
    history: number;
    tools: number;
    /** How many tokens had to stay free for this context. */
    reserve: number;
    plannedReserve: number;
  };
  sections: SectionReport[];
  /** Sections that are switched off. */
  off: SectionName[];
  /** Parts that failed and were left out. */
  failed: { section: SectionName | 'knowledge' | 'intent' | 'lookup' | 'semanticHistory'; error: string }[];
  /** The size of the system prompt's beginning that stays the same until the knowledge changes. */
  stable: { characters: number; tokens: number };
  lookup: Lookup;
  intent: Intent;
  /** The tokens of memory in the context (`injected`), and those of all turns (`raw`). */
  saving: { injected: number; raw: number };
  /** Whether the knowledge came from the cache. */
  cached: boolean;
  milliseconds: number;
}

const NAMES: Partial<Record<SectionReport['section'], string>> = {
  instructions: 'System prompt',
  structuredProfile: 'Tenant profile',
  recall: 'Memories',
  services: 'Service data',
  history: 'Conversation',
  tools: 'Tools',
};

/** Formats the report as a table that shows how much of its budget each section took. */
export function budgetTable({ sections, tokens }: ContextReport): string {
  const line = (name: string, used: number, of: number | null): string =>
    `${`${name}:`.padEnd(24)}${used} / ${of ?? '–'} ${of !== null && used > of ? '⚠️' : '✅'}`;
  const rows = sections.map(({ section, taken, budget, items }) => {
    const name = NAMES[section] ?? section;
    return line(section === 'recall' ? `${name} (${items} items)` : name, taken, budget);
  });
  if (tokens.plannedReserve > 0) rows.push(line('Safety buffer', tokens.reserve, tokens.plannedReserve));
  return [...rows, '─'.repeat(33), line('Total', tokens.total, tokens.limit)].join('\n');
}
