import { bareStatement } from '../language/bare-statement.ts';
import { replaceStatements, statementsIn } from '../language/dated-line.ts';
import { entryWithout } from './items.ts';
import type { Item, Material, SectionName } from './section.ts';

/** An item that is left out because another section says it. */
export interface Repeated {
  section: SectionName;
  id: string | null;
  reason: string;
}

/** Who says it when several do: the same order in which sections stay when there is no room. */
const SPEAKERS = ['facts', 'learnings', 'profile', 'workingMemory', 'scaffold', 'memories'] as const;

/** Sections of which nothing may be lost when others are silent for them. */
export const SPEAKING: ReadonlySet<SectionName | 'tools'> = new Set(SPEAKERS);

/**
 * What is known, without what an earlier section of `SPEAKERS` has. A statement is known by its id; in a document, which is text, by
 * its sentence.
 */
export function sayOnce(known: Material): { known: Material; repeated: Repeated[] } {
  const said = new Map<string, SectionName>();
  const ids = new Map<string, SectionName>();
  const repeated: Repeated[] = [];
  const once: Material = { ...known };
  for (const section of SPEAKERS) {
    const items = known[section] ?? [];
    const left = items.flatMap((item) => {
      const before = item.kind === 'memory' && item.id !== null ? ids.get(item.id) : undefined;
      const rest =
        before === undefined ? without(section, item, (statement) => said.has(bareStatement(statement))) : null;
      if (rest !== null) return [rest];
      const by = before ?? said.get(bareStatement(item.text)) ?? 'prompt';
      repeated.push({ section, id: item.id, reason: `already in the ${by}` });
      return [];
    });
    once[section] = left;
    for (const { id, kind } of left) if (kind === 'memory' && id !== null) ids.set(id, section);
    for (const statement of left.flatMap((item) => statementsOf(section, item))) {
      if (!said.has(statement)) said.set(statement, section);
    }
  }
  return { known: once, repeated };
}

/** What is left of an item, or null. */
function without(section: SectionName, item: Item, isSaid: (statement: string) => boolean): Item | null {
  // A name and its value stand for themselves, whoever else has a sentence of them.
  if (section === 'facts') return item;
  if (section === 'scaffold') return entryWithout(item, isSaid);
  if (item.kind === 'memory') return isSaid(item.text) ? null : item;
  const text = replaceStatements(item.text, (statement) => (isSaid(statement) ? null : statement));
  if (text === item.text) return item;
  const rest = { ...item, text };
  return statementsOf(section, rest).length === 0 ? null : rest;
}

function statementsOf(section: SectionName, item: Item): string[] {
  if (section === 'facts') {
    return [`${item.title}: ${item.text}`, item.sentence].flatMap((text) => (text ? [bareStatement(text)] : []));
  }
  if (item.kind === 'memory') return [bareStatement(item.text)];
  if (item.entry !== undefined) {
    const { value } = item.entry;
    return Array.isArray(value) ? value.filter((each) => typeof each === 'string').map(bareStatement) : [];
  }
  // Titles are no statements: two documents may have the same.
  return statementsIn(item.text)
    .filter((statement) => !statement.startsWith('#'))
    .map(bareStatement);
}
