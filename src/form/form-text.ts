import { noteInFirstPerson } from '../language/first-person.ts';
import { contentStems, coveredBy } from '../language/words.ts';
import { english } from '../language/packs/en.ts';
import { detectPack, packPattern, plainMarks } from '../language/packs/packs.ts';
import { findDates } from '../language/resolve-dates.ts';
import { withTime } from '../language/told-days.ts';
import { makeEvent } from '../observe/observe.ts';
import type { Event } from '../record/event.ts';
import { memoryType } from '../store/record-rows.ts';
import type { InternalMemory, Memory } from '../record/memory.ts';
import type { Change } from '../record/revision.ts';
import { ownerOf, type Scope } from '../record/scope.ts';
import type { Parts, Writer } from '../store/database.ts';
import { findEvents } from '../store/event-store.ts';
import { findMemory, listStatements } from '../store/read-memories.ts';
import { reviseMemory, type WrittenMemory } from '../store/write-memory.ts';
import { endStatement } from './apply/requests.ts';
import { formStatements } from './form.ts';
import { type FormResult, readStatement, type ReadStatement, turnsAlone, userNamesOf } from './read/reader.ts';
import type { FormDeps, Writing } from './formation-settings.ts';
import { endedByText } from './read-turns.ts';

/** A memory that has only these fields is a plain text: its subject, value and time are read from its words. */
const BESIDE_THE_TEXT: ReadonlySet<string> = new Set([
  ...(['type', 'content', 'tags', 'importance', 'statedAt', 'statedBy'] satisfies (keyof InternalMemory)[]),
  ...(['sourceType', 'sourceEvents', 'read'] satisfies (keyof InternalMemory)[]),
]);

/** Checks whether a memory is a plain text, so that its statement can be read from its words. */
export function isPlainText({ memoryTypes }: Parts, scope: Scope, memory: InternalMemory): boolean {
  const isGiven = Object.entries(memory).some(([field, value]) => value != null && !BESIDE_THE_TEXT.has(field));
  const isOfUser = scope.user !== null && scope.connection === null;
  // A statement is one line, so a text of several lines is stored as it is.
  const isOneLine = !memory.content.trim().includes('\n');
  return isOfUser && isOneLine && !isGiven && memoryType(memoryTypes, memory.type).comparable;
}

interface ReadText {
  /** The first statement has the whole text or, if the text was split, its first part. */
  statements: [ReadStatement, ...ReadStatement[]];
  /** Whether the text asks for a reminder. Such a text becomes an intention, unless the application gave another type. */
  isReminder: boolean;
}

/**
 * Reads a text that was handed in without fields. It is read twice: as a turn of the user at its date, and as a note about the user. A slot
 * is an attribute with its value. A text that fills exactly one slot becomes one statement with the slot's fields. Otherwise each slot
 * becomes a statement in its own words, and the whole text is stored as well if the slots do not cover all its words. The caller passes the
 * dependencies that `inOwnZone` returns. The function opens no transaction, because an import calls it within one.
 */
export async function readText(deps: FormDeps, scope: Scope, content: string, at: Date): Promise<ReadText> {
  const own = ownTurn(deps, scope, content, at);
  const note = { ...turnOf(deps, scope, at), kind: 'observation', origin: 'system', category: 'fact' } as const;
  const turns = [own, ...notesOf(scope, content).map((wording) => ({ ...note, content: wording }))];
  const reader = await deps.localReader();
  const { statements } = await reader.read(turnsAlone(turns, deps));
  const read = statements.map((statement) => ({ ...statement, quotes: [] }));
  const said = read.filter((_statement, index) => statements[index]?.quotes[0]?.turn === 1);
  const slots = said.filter(({ attribute }) => attribute !== null);
  const pack = detectPack(content) ?? english;
  return {
    statements: statementsOf(content, { read, said, slots }),
    isReminder: packPattern(pack, 'request:reminder').test(plainMarks(content)),
  };
}

/** Finds the known statements that a text makes untrue. It opens a transaction, so the caller must not be in one. */
export async function endedByNote(deps: FormDeps, scope: Scope, content: string, at: Date): Promise<Memory[]> {
  return endedByText({ deps, scope }, ownTurn(deps, scope, content, at));
}

function ownTurn(deps: FormDeps, scope: Scope, content: string, at: Date): Event {
  return { ...turnOf(deps, scope, at), content: noteInFirstPerson(namedUser(scope, content) ?? content) };
}

function statementsOf(content: string, of: Record<'read' | 'said' | 'slots', ReadStatement[]>): ReadText['statements'] {
  const { read, said, slots } = of;
  const text = readStatement({ text: content, type: 'fact', quotes: [] });
  if (slots.length > 0 && slots.length < said.length && !sayAll(slots, content)) return [text, ...slots];
  const [whole = read.find(({ attribute }) => attribute !== null), ...others] = slots;
  // Several values become several statements, so that each can be shown, changed and forgotten without the others.
  if (whole !== undefined && others.length > 0) return sayAll(slots, content) ? [whole, ...others] : [text, ...slots];
  if (whole !== undefined) return [{ ...whole, text: content }];
  const plan = said.find(({ tense, from }) => tense === 'planned' && from !== null);
  return [plan === undefined ? text : { ...text, tense: plan.tense, from: plan.from, due: plan.due }];
}

/**
 * Checks whether statements can replace a text: together they contain all its content words, except words of taste such as "likes" and
 * "prefers".
 */
function sayAll(statements: readonly ReadStatement[], content: string): boolean {
  const pack = detectPack(content) ?? english;
  const words = contentStems(noteInFirstPerson(content).replace(packPattern(pack, 'taste'), ' '));
  return coveredBy(words, contentStems(statements.map(({ text }) => text).join('. '))) === 1;
}

/** Replaces the user's name at the beginning of a note with "User". Undefined if the note begins otherwise. */
function namedUser(scope: Scope, content: string): string | undefined {
  const name = userNamesOf(scope, []).find((each) => content.toLowerCase().startsWith(`${each.toLowerCase()} `));
  return name === undefined ? undefined : `User${content.slice(name.length)}`;
}

/**
 * Returns the wordings in which a note about the user is read. Many notes omit the subject ("Lives in Oslo", "Wife is called Ana") or begin
 * with the user's name.
 */
function notesOf(scope: Scope, content: string): string[] {
  const [first = '', ...rest] = content;
  const withoutSubject = `${first.toLowerCase()}${rest.join('')}`;
  const named = namedUser(scope, content) ?? [];
  return [content, named, `User ${withoutSubject}`, `User's ${withoutSubject}`].flat();
}

/**
 * Finds the first day that a text names: its date, with the time of day if the text gives one, and the words that name it. Null if the text
 * names no day. A day without a year means its next occurrence.
 */
export function dayIn(
  content: string,
  { now, timeZone }: { now: Date; timeZone: string },
): { at: Date; written: string } | null {
  const pack = detectPack(content) ?? english;
  const day = findDates(content, pack, { now, timeZone, prefer: 'future' })[0];
  const at = withTime(day?.from ?? null, content, pack, timeZone);
  return day === undefined || at === null ? null : { at, written: day.written };
}

/** Returns an empty turn of the user at a time. It is not logged, and its days are resolved in the user's time zone. */
function turnOf(deps: FormDeps, scope: Scope, at: Date): Event {
  return makeEvent(deps, scope, { id: '', kind: 'message', origin: 'user', content: '', occurredAt: new Date(at) });
}

/** A text to store, with its statements, its scope and the reason. */
interface TextWork {
  scope: Scope;
  memory: InternalMemory;
  statements: readonly ReadStatement[];
  /** The known statements that the text makes untrue. */
  ends?: readonly Memory[];
  isReminder?: boolean;
  /** Who handed the text in. It is stored with each memory as its reader. */
  readBy: string;
  why: Change;
}

/**
 * Stores the statements of a text. They are checked, compared and decided like those of a turn. Returns the memory that contains the text,
 * or the known memory that outranks it. Returns null if the text was refused.
 */
export async function formText(writer: Writer, deps: FormDeps, work: TextWork): Promise<WrittenMemory | null> {
  const { scope, memory, statements, readBy, why } = work;
  const events = await findEvents(writer, scope, memory.sourceEvents ?? []);
  if (events.length < (memory.sourceEvents?.length ?? 0)) return null;
  const writing = { writer, deps, scope, events: [], readBy, why };
  const { statedBy: by = 'system', statedAt: at = new Date(deps.clock.now()), sourceType = 'explicit' } = memory;
  const form = (some: ReadStatement[]): Promise<FormResult> =>
    formStatements(writing, { statements: some, stated: { at, by, events }, sourceType });
  const [text, ...slots] = statements;
  if (text === undefined) return null;
  const { tags = [] } = memory;
  const type = work.isReminder === true && text.due !== null && memory.type === 'fact' ? 'intention' : memory.type;
  const importanceOf = (read: ReadStatement): number | null => memory.importance ?? read.importance;
  const applied = await form([{ ...text, type, importance: importanceOf(text), tags, explicit: true }]);
  const also = slots.length > 0 ? await form(slots.map((slot) => ({ ...slot, importance: importanceOf(slot) }))) : null;
  for (const { id } of work.ends ?? []) await endStatement(writing, { id, by, at });
  const written = await writtenBy({ ...writing, result: applied }, text);
  const others = await Promise.all((also?.added ?? []).map((id) => findMemory(writer, scope, id)));
  const kept = others.filter((other) => other !== null);
  return written === null || kept.length === 0 ? written : { ...written, others: kept };
}

async function writtenBy(writing: Writing, text: ReadStatement): Promise<WrittenMemory | null> {
  const { writer, deps, scope, why } = writing;
  const { added, updated, confirmed, retired, refused } = writing.result;
  const id = added[0] ?? updated[0] ?? confirmed[0];
  const memory = id === undefined ? null : await findMemory(writer, scope, id);
  if (memory !== null) {
    const outcome = added.length === 0 ? 'unchanged' : retired.length > 0 ? 'superseded' : 'created';
    // A draft would be replaced when a model reads the turns again. The text must stay, so its memory must not count as a draft.
    const isDraft = memory.reader === 'local';
    const kept = isDraft ? await reviseMemory(writer, deps, memory, { change: { reader: null }, why }) : memory;
    return { memory: kept, outcome };
  }
  if (text.attribute === null || !refused.some(({ reason }) => reason === 'outranked')) return null;
  const standing = { subjects: [text.subject], attributes: [text.attribute], owner: 'visible' as const };
  const [stronger] = await listStatements(writer, ownerOf(scope), standing);
  return stronger === undefined ? null : { memory: stronger, outcome: 'unchanged' };
}
