import { formStatements } from '../../form/form.ts';
import { readStatement, type ReadStatement } from '../../form/read/reader.ts';
import { splitSentences } from '../../language/sentences.ts';
import { contentStems, coveredBy } from '../../language/words.ts';
import { attributeLabel } from '../../record/attribute-table.ts';
import { DAY } from '../../record/clock.ts';
import { contentHash } from '../../record/id.ts';
import type { Event } from '../../record/event.ts';
import type { Memory } from '../../record/memory.ts';
import type { Change } from '../../record/revision.ts';
import { ownerLevel, type Scope } from '../../record/scope.ts';
import type { Parts, Writer } from '../../store/database.ts';
import { closeIntention } from '../../store/forget/forget.ts';
import type { RunNotes } from '../../store/history-store.ts';
import { findMemory } from '../../store/read-memories.ts';
import { archiveMemory, reviseMemory, writeMemory } from '../../store/write-memory.ts';
import { mayBeKept } from '../documents/sources.ts';
import type { ParsedReflection } from './reflection-prompts.ts';
import type { ConsolidateDeps } from '../consolidate-deps.ts';

export const NO_COUNTS = {
  facts_added: 0,
  facts_updated: 0,
  intentions_added: 0,
  intentions_closed: 0,
  learnings_added: 0,
};

export type Counts = typeof NO_COUNTS;

interface Context {
  reflection: ParsedReflection;
  messages: readonly Event[];
  /** The intentions that the model was shown, in the order of their numbers. */
  intentions: readonly Memory[];
  learnings: readonly Memory[];
  reader: string;
  why: Change;
}

const MOST_ITEMS = 50;

/** Facts and intentions pass the same checks as all statements, and must be supported by the user's messages since the last reflection. */
export async function applyReflection(
  writer: Writer,
  deps: ConsolidateDeps,
  scope: Scope,
  { reflection, messages, intentions: open, learnings: known, reader, why }: Context,
): Promise<{ counts: Counts; memories: RunNotes }> {
  const said = saidOn(messages);
  const form = (statements: ReadStatement[]): ReturnType<typeof formStatements> =>
    formStatements(
      { writer, deps, scope, events: messages, readBy: reader, why },
      { statements, sourceType: 'conversation' },
    );
  const facts = await form(
    reflection.facts.slice(0, MOST_ITEMS).map(({ key, value }) => {
      const text = `${attributeLabel(deps.attributes, deps.attributes.resolve(key) ?? key)}: ${value}`;
      return readStatement({ type: 'fact', attribute: key, value, text, quotes: [], explicit: false });
    }),
  );
  const closed = await closeIntentions(writer, deps, { reflection, open, why });
  const news = reflection.intentions.filter(({ text }) => !open.some(({ content }) => isSameIntention(text, content)));
  const intentions = await form(
    news.slice(0, MOST_ITEMS).map(({ text, followUpDays }) => {
      const due = new Date(deps.clock.now() + followUpDays * DAY).toISOString();
      const quotes = quotesOf(text, said);
      return readStatement({ type: 'intention', tense: 'planned', text, due, quotes, explicit: false });
    }),
  );
  await noteContexts(writer, deps, scope, { added: intentions.added, reflection, why });
  const learnings = await writeLearnings(writer, deps, scope, { reflection, learnings: known, reader, why, said });
  const counts: Counts = {
    // A statement that replaced another counts as an update.
    facts_added: Math.max(0, facts.added.length - facts.retired.length),
    facts_updated: facts.updated.length + facts.retired.length,
    intentions_added: intentions.added.length,
    intentions_closed: closed.length,
    learnings_added: learnings.length,
  };
  const formed = [facts.added, facts.updated, intentions.added, intentions.updated];
  return { counts, memories: { memories: [...closed, ...formed.flat(), ...learnings] } };
}

/** Two intentions are the same if each contains at least this share of the other's words. */
const SAME_INTENTION = 0.5;

function isSameIntention(one: string, other: string): boolean {
  const [left, right] = [contentStems(one), contentStems(other)];
  return coveredBy(left, right) >= SAME_INTENTION && coveredBy(right, left) >= SAME_INTENTION;
}

async function closeIntentions(
  writer: Writer,
  deps: Parts,
  { reflection, open, why }: { reflection: ParsedReflection; open: readonly Memory[]; why: Change },
): Promise<string[]> {
  const closed: string[] = [];
  for (const { number, as } of reflection.closes.slice(0, MOST_ITEMS)) {
    const shown = open[number - 1];
    const intention = shown === undefined ? null : await findMemory(writer, shown.scope, shown.id);
    if (intention === null || intention.archivedAt !== null || closed.includes(intention.id)) continue;
    const reason = { ...why, reason: `the reflection found that the intention is ${as}` };
    const revised = await reviseMemory(writer, deps, intention, { change: { state: as }, why: reason });
    await closeIntention(writer, deps, revised, { as, by: 'reflect', why: reason });
    await archiveMemory(writer, deps, revised, { reason: 'expired', why: reason });
    closed.push(intention.id);
  }
  return closed;
}

/** Stores why each new intention came up, in the metadata field that `intentions.add()` uses. */
async function noteContexts(
  writer: Writer,
  deps: ConsolidateDeps,
  scope: Scope,
  { added, reflection, why }: { added: readonly string[]; reflection: ParsedReflection; why: Change },
): Promise<void> {
  for (const id of added) {
    const memory = await findMemory(writer, scope, id);
    const context = reflection.intentions.find(({ text }) => text === memory?.content)?.context ?? null;
    if (memory !== null && context !== null && mayBeKept(context, deps.privacy)) {
      await reviseMemory(writer, deps, memory, { change: { metadata: { ...memory.metadata, context } }, why });
    }
  }
}

/** A sentence supports a model's text only if it contains at least this share of the text's words. */
const LOOSE_SUPPORT = 0.3;

interface Said {
  event: Event;
  turn: number;
  words: string;
  stems: ReadonlySet<string>;
}

function saidOn(messages: readonly Event[]): Said[] {
  return messages.flatMap((event, index) => {
    const sentences = event.origin === 'user' ? splitSentences(event.content) : [];
    return sentences.map(({ text }) => ({ event, turn: index + 1, words: text, stems: contentStems(text) }));
  });
}

/** The sentence that best supports a text becomes its quote, because the reflection prompt does not ask for quotes. */
function quotesOf(text: string, said: readonly Said[]): ReadStatement['quotes'] {
  const stems = contentStems(text);
  const [best] = said
    .map((each) => ({ ...each, share: coveredBy(stems, each.stems) }))
    .filter(({ share }) => share >= LOOSE_SUPPORT)
    .toSorted((one, other) => other.share - one.share || other.turn - one.turn);
  return best === undefined ? [] : [{ turn: best.turn, words: best.words }];
}

/** A rule must share enough words with a sentence of the user. Returns the ids of the stored rules. */
async function writeLearnings(
  writer: Writer,
  deps: ConsolidateDeps,
  scope: Scope,
  { reflection, learnings, reader, why, said }: Omit<Context, 'messages' | 'intentions'> & { said: readonly Said[] },
): Promise<string[]> {
  const known = new Set(learnings.map(({ content }) => contentHash(content)));
  const written: string[] = [];
  for (const { rule, category } of reflection.learnings.slice(0, MOST_ITEMS)) {
    const stems = contentStems(rule);
    const sources = said.filter((each) => coveredBy(stems, each.stems) >= LOOSE_SUPPORT).map(({ event }) => event);
    const last = sources.at(-1);
    if (last === undefined || known.has(contentHash(rule)) || !mayBeKept(rule, deps.privacy)) continue;
    known.add(contentHash(rule));
    const input = {
      type: 'learning',
      content: rule,
      category,
      level: ownerLevel(scope),
      sourceType: 'conversation' as const,
      sourceEvents: [...new Set(sources.map(({ id }) => id))].slice(-20),
      statedAt: last.occurredAt,
      statedBy: last.origin,
      reader,
    };
    const { memory, outcome } = await writeMemory(writer, deps, scope, input, why);
    if (outcome === 'created') written.push(memory.id);
  }
  return written;
}

/** Used without a model, because formation has already read the messages. */
export function countFormed(statements: readonly Memory[], since: number, { memoryTypes }: ConsolidateDeps): Counts {
  const counts = { ...NO_COUNTS };
  for (const memory of statements) {
    if (memory.createdAt.getTime() <= since || memory.reader === null) continue;
    const section = memoryTypes.get(memory.type)?.section;
    if (section === 'learnings') counts.learnings_added += 1;
    else if (section === 'intentions') counts.intentions_added += 1;
    else if (memory.permanent && memory.contradicts === null) counts.facts_added += 1;
    else if (memory.permanent) counts.facts_updated += 1;
  }
  return counts;
}
