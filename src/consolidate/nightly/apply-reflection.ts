import { wins, claimOf } from '../../form/guards/precedence.ts';
import { contentStems, coveredBy, lexicalSimilarity } from '../../form/guards/text-overlap.ts';
import { DAY } from '../../record/clock.ts';
import type { Event } from '../../record/event.ts';
import { factLabel } from '../../record/fact-label.ts';
import type { Memory } from '../../record/memory.ts';
import type { Change } from '../../record/revision.ts';
import { ownerLevel, type Scope } from '../../record/scope.ts';
import type { Writer } from '../../store/database.ts';
import type { RunNotes } from '../../store/run-store.ts';
import { writeMemory } from '../../store/write-memory.ts';
import type { ConsolidateDeps } from '../consolidate-deps.ts';
import { mayBeKept } from '../synthesis/observed.ts';
import type { Day } from './gather-day.ts';
import type { ParsedReflection } from './parse-reflection.ts';
import type { ReflectionCounts } from './reflection-counts.ts';

type Counts = Pick<ReflectionCounts, 'facts_added' | 'facts_updated' | 'intentions_added' | 'learnings_added'>;

interface Context {
  reflection: ParsedReflection;
  day: Day;
  why: Change;
}

/** Said in these words, or nearly. */
const KNOWN = 0.85;
const MOST_ITEMS = 50;

/** Stores what a reflection has found, as far as the user's own messages bear it out. */
export async function applyReflection(
  writer: Writer,
  deps: ConsolidateDeps,
  scope: Scope,
  { reflection, day, why }: Context,
): Promise<{ counts: Counts; changed: RunNotes }> {
  const said = day.messages
    .filter(({ origin }) => origin === 'user')
    .map((event) => ({ event, stems: contentStems(event.content) }));
  const counts: Counts = { facts_added: 0, facts_updated: 0, intentions_added: 0, learnings_added: 0 };
  const written: string[] = [];
  const level = ownerLevel(scope);
  const shared = { level, sourceType: 'conversation' as const, metadata: { by: 'reflect' } };
  // What the answer has said once is known when it says it again.
  const known = [...day.memories];

  for (const fact of reflection.facts.slice(0, MOST_ITEMS)) {
    const sources = sourcesOf(fact.value, said, FACT_SUPPORT);
    const content = `${factLabel(fact.key)}: ${fact.value}`;
    if (sources.length === 0 || !mayBeKept(content, deps.privacy) || !mayReplace(fact, day.memories, sources)) continue;
    const input = { ...shared, ...fact, type: 'keyed_fact', content, sourceEvents: idsOf(sources) };
    const { memory, outcome } = await writeMemory(writer, deps, scope, input, why);
    if (outcome === 'created') counts.facts_added += 1;
    if (outcome === 'superseded') counts.facts_updated += 1;
    if (outcome !== 'unchanged') written.push(memory.id);
  }
  for (const { text, followUpDays, context } of reflection.intentions.slice(0, MOST_ITEMS)) {
    const sources = sourcesOf(text, said, LOOSE_SUPPORT);
    if (sources.length === 0 || isKnown(text, 'intention', known) || !mayBeKept(text, deps.privacy)) continue;
    const dueAt = new Date(deps.clock.now() + followUpDays * DAY);
    const metadata = { ...shared.metadata, ...(context === null ? {} : { context }) };
    const input = {
      ...shared,
      type: 'intention',
      content: text,
      dueAt,
      state: 'open',
      metadata,
      sourceEvents: idsOf(sources),
    };
    const { memory, outcome } = await writeMemory(writer, deps, scope, input, why);
    if (outcome !== 'created') continue;
    counts.intentions_added += 1;
    known.push(memory);
    written.push(memory.id);
  }
  for (const { rule, category } of reflection.learnings.slice(0, MOST_ITEMS)) {
    const sources = sourcesOf(rule, said, LOOSE_SUPPORT);
    if (sources.length === 0 || isKnown(rule, 'learning', known) || !mayBeKept(rule, deps.privacy)) continue;
    const input = { ...shared, type: 'learning', content: rule, category, sourceEvents: idsOf(sources) };
    const { memory, outcome } = await writeMemory(writer, deps, scope, input, why);
    if (outcome !== 'created') continue;
    counts.learnings_added += 1;
    known.push(memory);
    written.push(memory.id);
  }
  return { counts, changed: { ...counts, memories: written } };
}

type Said = { event: Event; stems: ReadonlySet<string> };

/** A value stands in a message word for word, or nearly; a rule may be put into other words. */
const FACT_SUPPORT = 0.6;
const LOOSE_SUPPORT = 0.3;

function sourcesOf(text: string, said: readonly Said[], share: number): Event[] {
  const stems = contentStems(text);
  return said.filter((each) => coveredBy(stems, each.stems) >= share).map(({ event }) => event);
}

function idsOf(events: readonly Event[]): string[] {
  return events.map(({ id }) => id).slice(-20);
}

/** An inference does not replace what the user has set explicitly (X3). */
function mayReplace(
  fact: { key: string; value: string },
  memories: readonly Memory[],
  sources: readonly Event[],
): boolean {
  const known = memories.find(({ type, key }) => type === 'keyed_fact' && key === fact.key);
  if (known === undefined || known.value === fact.value) return true;
  const statedAt = new Date(Math.max(...sources.map(({ occurredAt }) => occurredAt.getTime())));
  return wins({ sourceType: 'conversation', trust: 'high', correction: false, statedAt }, claimOf(known));
}

function isKnown(text: string, type: string, memories: readonly Memory[]): boolean {
  return memories.some((memory) => memory.type === type && lexicalSimilarity(memory.content, text) >= KNOWN);
}
