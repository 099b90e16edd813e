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
import { endedByText } from './check/changed-statements.ts';

/** A memory with only these fields is a plain text: its subject, value and time are read from its words. */
const BESIDE_THE_TEXT: ReadonlySet<string> = new Set([
  ...(['type', 'content', 'tags', 'importance', 'statedAt', 'statedBy'] satisfies (keyof InternalMemory)[]),
  ...(['sourceType', 'sourceEvents', 'read'] satisfies (keyof InternalMemory)[]),
]);

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
  /** Whether the text asks for a reminder. It then becomes an intention, unless the application gave another type. */
  isReminder: boolean;
}

/**
 * Reads a text without fields twice: as a turn of the user at its date, and as a note about the user. A text that fills one attribute
 * becomes one statement. With several, each becomes a statement, and the whole text is stored as well if they do not cover all its words.
 * Pass the dependencies of `inOwnZone`. Opens no transaction, because an import calls it within one.
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

/** The known statements that a text makes untrue. Opens a transaction, so the caller must not be in one. */
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

/** Whether statements can replace a text: together they contain all its content words, except words of taste such as "likes". */
function sayAll(statements: readonly ReadStatement[], content: string): boolean {
  const pack = detectPack(content) ?? english;
  const words = contentStems(noteInFirstPerson(content).replace(packPattern(pack, 'taste'), ' '));
  return coveredBy(words, contentStems(statements.map(({ text }) => text).join('. '))) === 1;
}

function namedUser(scope: Scope, content: string): string | undefined {
  const name = userNamesOf(scope, []).find((each) => content.toLowerCase().startsWith(`${each.toLowerCase()} `));
  return name === undefined ? undefined : `User${content.slice(name.length)}`;
}

/** Many notes omit the subject ("Lives in Oslo", "Wife is called Ana") or begin with the user's name. */
function notesOf(scope: Scope, content: string): string[] {
  const [first = '', ...rest] = content;
  const withoutSubject = `${first.toLowerCase()}${rest.join('')}`;
  const named = namedUser(scope, content) ?? [];
  return [content, named, `User ${withoutSubject}`, `User's ${withoutSubject}`].flat();
}

/** The first day that a text names, with the time of day if there is one. A day without a year means its next occurrence. */
export function dayIn(
  content: string,
  { now, timeZone }: { now: Date; timeZone: string },
): { at: Date; written: string } | null {
  const pack = detectPack(content) ?? english;
  const day = findDates(content, pack, { now, timeZone, prefer: 'future' })[0];
  const at = withTime(day?.from ?? null, content, pack, timeZone);
  return day === undefined || at === null ? null : { at, written: day.written };
}

/** An empty turn that is not logged. Its days are resolved in the user's time zone. */
function turnOf(deps: FormDeps, scope: Scope, at: Date): Event {
  return makeEvent(deps, scope, { id: '', kind: 'message', origin: 'user', content: '', occurredAt: new Date(at) });
}

interface TextWork {
  scope: Scope;
  memory: InternalMemory;
  statements: readonly ReadStatement[];
  ends?: readonly Memory[];
  isReminder?: boolean;
  /** Who handed the text in. Stored with each memory as its reader. */
  readBy: string;
  why: Change;
}

/**
 * Stores the statements of a text with the same checks as those of a turn. Returns the memory that contains the text, or the known one that
 * outranks it; null if the text was refused.
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
