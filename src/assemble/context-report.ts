import type { Intent } from './context-options.ts';
import type { SectionName } from './section.ts';

export interface SectionReport {
  section: SectionName | 'tools';
  place: 'system' | 'user' | 'history' | 'tools';
  /** The budget of the section; null if it has none of its own. */
  budget: number | null;
  /** The number of tokens of all gathered items, and of the items that were taken. */
  wanted: number;
  taken: number;
  items: number;
  /** The ids of the records that were taken. */
  ids: string[];
  /** The items that were left out, with the reason. */
  dropped: { id: string | null; reason: string }[];
  /** Whether a text was cut. */
  cut: boolean;
}

/** The queries to look up before a turn, and the reason. */
export interface Lookup {
  /** If there are no queries, nothing is looked up. */
  queries: string[];
  by: 'rules' | 'model' | 'always' | 'never';
  reason: string;
  /** Why the model was not asked or its answer was not used. */
  failed?: string;
}

/** The report of a context, which explains its content. */
export interface ContextReport {
  id: string;
  layout: string;
  /** `estimate`, or the name of the tokenizer that counted exactly. */
  counter: string;
  tokens: {
    /** The number of tokens of the whole context, including tools. */
    total: number;
    /** The number of tokens of all gathered items. */
    wanted: number;
    limit: number;
    system: number;
    user: number;
    history: number;
    tools: number;
    /** The number of tokens that had to stay free for this context, and the number that the budget plans. */
    reserve: number;
    plannedReserve: number;
  };
  sections: SectionReport[];
  /** Sections that are switched off. */
  off: SectionName[];
  /** Parts that failed and were left out. */
  failed: { section: SectionName | 'knowledge' | 'intent' | 'lookup' | 'semanticHistory'; error: string }[];
  /** The size of the prefix of the system prompt that stays the same until the knowledge changes. */
  stable: { characters: number; tokens: number };
  lookup: Lookup;
  intent: Intent;
  /** The number of tokens of memory in the context (`injected`), compared with the tokens of all turns (`raw`). */
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

/** The report as a table for people: how much of its budget each section took. */
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
