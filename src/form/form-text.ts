import type { Event } from '../record/event.ts';
import { memoryType } from '../store/record-rows.ts';
import type { InternalMemory, Memory } from '../record/memory.ts';
import type { Change } from '../record/revision.ts';
import type { Scope } from '../record/scope.ts';
import type { Parts, Writer } from '../store/database.ts';
import { findEvents } from '../store/event-store.ts';
import { findMemory, listStatements } from '../store/read-memories.ts';
import { reviseMemory, type WrittenMemory } from '../store/write-memory.ts';
import type { Applied } from './apply/apply.ts';
import { ownerOf } from './compare.ts';
import { formStatements } from './form.ts';
import type { FormDeps } from './formation-settings.ts';
import { userNamesOf } from './read-turns.ts';
import { readStatement, type ReadStatement, turnsAlone } from './read/reader.ts';

/** The fields of a memory that say nothing about its subject, its value or its time. */
const BESIDE_THE_TEXT: ReadonlySet<string> = new Set([
  ...(['type', 'content', 'tags', 'importance', 'statedAt', 'statedBy'] satisfies (keyof InternalMemory)[]),
  ...(['sourceType', 'sourceEvents', 'read'] satisfies (keyof InternalMemory)[]),
]);

/** Whether a memory is a text without fields, whose statement can be read from its words. */
export function isPlainText({ memoryTypes }: Parts, scope: Scope, memory: InternalMemory): boolean {
  const isGiven = Object.entries(memory).some(([field, value]) => value != null && !BESIDE_THE_TEXT.has(field));
  const isOfUser = scope.user !== null && scope.connection === null;
  // A text of several lines is kept with its lines, which a statement does not have.
  const isOneLine = !memory.content.trim().includes('\n');
  return isOfUser && isOneLine && !isGiven && memoryType(memoryTypes, memory.type).comparable;
}

/**
 * Reads a text that was handed in without fields, as a turn of the user at its date and as a note about the user. The first statement has
 * the whole text. If slots say all of it, that statement has the fields of the first slot. Other slots are statements of their own.
 */
export async function readText(
  deps: FormDeps,
  scope: Scope,
  { content, at }: { content: string; at: Date },
): Promise<[ReadStatement, ...ReadStatement[]]> {
  const turns = [
    turnOf(scope, content, at, { kind: 'message', origin: 'user' }),
    ...notesOf(scope, content).map((note) => turnOf(scope, note, at, { kind: 'observation', origin: 'system' })),
  ];
  const reader = await deps.localReader();
  const { statements } = await reader.read(turnsAlone(turns, deps));
  const read = statements.map((statement) => ({ ...statement, quotes: [] }));
  const said = read.filter((_statement, index) => statements[index]?.quotes[0]?.turn === 1);
  const text = readStatement({ text: content, type: 'fact', quotes: [] });
  const slots = said.filter(({ attribute }) => attribute !== null);
  if (slots.length > 0 && slots.length < said.length) return [text, ...slots];
  const [whole = read.find(({ attribute }) => attribute !== null), ...others] = slots;
  if (whole !== undefined) return [{ ...whole, text: content }, ...others];
  const plan = said.find(({ tense, from }) => tense === 'planned' && from !== null);
  return [plan === undefined ? text : { ...text, tense: plan.tense, from: plan.from }];
}

/** The wordings of a note about the user. Many notes leave the subject out ("Lives in Oslo", "Wife is called Ana"), or give the user's name. */
function notesOf(scope: Scope, content: string): string[] {
  const [first = '', ...rest] = content;
  const withoutSubject = `${first.toLowerCase()}${rest.join('')}`;
  const named = userNamesOf(scope, [])
    .filter((name) => content.toLowerCase().startsWith(`${name.toLowerCase()} `))
    .map((name) => `User${content.slice(name.length)}`);
  return [content, ...named, `User ${withoutSubject}`, `User's ${withoutSubject}`];
}

function turnOf(scope: Scope, content: string, at: Date, who: Pick<Event, 'kind' | 'origin'>): Event {
  return {
    ...who,
    id: '',
    scope,
    content,
    position: null,
    speaker: null,
    refersTo: null,
    interaction: null,
    channel: null,
    context: null,
    category: who.kind === 'observation' ? 'fact' : null,
    metadata: {},
    occurredAt: at,
    recordedAt: at,
    processedAt: null,
  };
}

/** A text with its statements, and where and why it is stored. */
interface TextWork {
  scope: Scope;
  memory: InternalMemory;
  statements: readonly ReadStatement[];
  /** Who hands it in. Kept with each memory. */
  reader: string;
  why: Change;
}

/**
 * Stores the statements of a text by the same check, comparison and decision as those of a turn. Returns the memory that has the text, or
 * the more trusted memory that stands against it; null where the text was refused.
 */
export async function formText(writer: Writer, deps: FormDeps, work: TextWork): Promise<WrittenMemory | null> {
  const { scope, memory, statements, reader, why } = work;
  const events = await findEvents(writer, scope, memory.sourceEvents ?? []);
  if (events.length < (memory.sourceEvents?.length ?? 0)) return null;
  const form = (some: ReadStatement[]): Promise<Applied> =>
    formStatements(writer, deps, {
      scope,
      statements: some,
      events: [],
      stated: { at: memory.statedAt ?? new Date(deps.clock.now()), by: memory.statedBy ?? 'system', events },
      sourceType: memory.sourceType ?? 'explicit',
      reader,
      why,
    });
  const [text, ...slots] = statements;
  if (text === undefined) return null;
  const { type, importance = null, tags = [] } = memory;
  const applied = await form([{ ...text, type, importance, tags, explicit: true }]);
  if (slots.length > 0) await form(slots);
  return writtenBy(writer, deps, { applied, text, work });
}

async function writtenBy(
  writer: Writer,
  deps: FormDeps,
  { applied, text, work }: { applied: Applied; text: ReadStatement; work: TextWork },
): Promise<WrittenMemory | null> {
  const { scope, why } = work;
  const { added, updated, confirmed, retired, refused } = applied;
  const id = added[0] ?? updated[0] ?? confirmed[0];
  const memory = id === undefined ? null : await findMemory(writer, scope, id);
  if (memory !== null) {
    const outcome = added.length === 0 ? 'unchanged' : retired.length > 0 ? 'superseded' : 'created';
    return { memory: await withoutDraft(writer, deps, memory, why), outcome };
  }
  if (text.attribute === null || !refused.some(({ reason }) => reason === 'outranked')) return null;
  const standing = { subjects: [text.subject], attributes: [text.attribute], owner: 'visible' as const };
  const [stronger] = await listStatements(writer, ownerOf(scope), standing);
  return stronger === undefined ? null : { memory: stronger, outcome: 'unchanged' };
}

/** What was handed in must stay when a model reads the turns again, so the memory is no longer a draft of the local reader. */
async function withoutDraft(writer: Writer, deps: FormDeps, memory: Memory, why: Change): Promise<Memory> {
  return memory.reader === 'local' ? reviseMemory(writer, deps, memory, { change: { reader: null }, why }) : memory;
}
