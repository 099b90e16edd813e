import { UNAMBIGUOUS_DAYS } from '../language/calendar.ts';
import { smallTalkIn, wordsOfAll } from '../language/packs/packs.ts';
import { toldText } from '../record/event.ts';
import type { MemoryTypeTable } from '../record/memory-types.ts';
import { staysInSession } from '../record/scope.ts';
import type { IndexedKind } from '../store/database.ts';
import type { EventForRecall, MemoryForRecall } from '../store/load-records.ts';
import { RECALL_SOURCES, type RecallSource } from './recall-options.ts';

export interface RecallDocument {
  readonly kind: IndexedKind;
  readonly rowId: number;
  readonly id: string;
  readonly text: string;
  /** A memory's type or an event's kind. */
  readonly type: string;
  readonly subject?: string;
  readonly attribute: string | null;
  readonly value?: string | null;
  readonly category: string | null;
  readonly isPermanent: boolean;
  readonly speaker: string | null;
  /** Origin of an event, such as `user`, `agent` or `tool`. Null for a memory, and for a user whose name is known. */
  readonly role: string | null;
  readonly session: string | null;
  /** Only recalls in the same session find the event, because it belongs to no user. */
  readonly staysInSession?: boolean;
  readonly connection: string | null;
  /** Ids of the events from which a memory was formed. */
  readonly sources: readonly string[];
  /** When the event happened, or since when the statement is true, in milliseconds since 1970. */
  readonly time: number;
  /** The day on which a memory is due, planned or happened, or from which it is true. */
  readonly day?: number | null;
  /** When a lasting statement stopped being true; infinite while it is true. Null for a past event. */
  readonly until: number | null;
  /** In milliseconds since 1970. Recall does not find the record afterwards. */
  readonly expiresAt: number | null;
  /** The id of a replaced memory's replacement, which recall returns if the replaced memory matches. */
  readonly successor: string | null;
}

export function memoryDocument({ title, content, isArchived, ...memory }: MemoryForRecall): RecallDocument {
  return {
    ...memory,
    kind: 'memory',
    text: title === null ? content : `${title}. ${content}`,
    speaker: null,
    role: null,
    session: memory.session === '' ? null : memory.session,
    connection: memory.connection === '' ? null : memory.connection,
    successor: isArchived ? memory.successor : null,
  };
}

/** The turns of a session share one string as its name, so that it is hashed only once. */
export function eventDocuments(owner: string): (event: EventForRecall) => RecallDocument {
  const names = new Map<string, string>();
  return (event) => {
    const { session } = event;
    if (session === null) return eventDocument(event, null);
    const name = names.get(session) ?? `${owner} ${session}`;
    names.set(session, name);
    return eventDocument(event, name);
  };
}

function eventDocument(event: EventForRecall, session: string | null): RecallDocument {
  const isSpoken = event.origin === 'user' || event.origin === 'agent';
  return {
    kind: 'event',
    rowId: event.rowId,
    id: event.id,
    text: toldText(event),
    type: event.kind,
    attribute: null,
    category: null,
    isPermanent: false,
    // Without names, the user and the agent still count as two speakers, under names that no query can contain.
    speaker: event.speaker ?? (isSpoken ? `\u0001${event.origin}` : null),
    role: event.speaker !== null && event.origin === 'user' ? null : event.origin,
    session,
    staysInSession: staysInSession(event),
    connection: event.connection,
    sources: [],
    time: event.occurredAt,
    until: null,
    expiresAt: null,
    successor: null,
  };
}

/** A memory belongs to the source with the name of its prompt section, or else to `memories`. */
export function sourceOf({ kind, type }: Pick<RecallDocument, 'kind' | 'type'>, types: MemoryTypeTable): RecallSource {
  if (kind === 'event') return type === 'document_chunk' ? 'documents' : 'events';
  const section = types.get(type)?.section;
  return RECALL_SOURCES.find((source) => source === section) ?? 'memories';
}

export const MARK = {
  endsAsking: 1,
  hasTime: 2,
  hasNumber: 4,
  isOfAgent: 8,
  isOfTool: 16,
  isSmallTalk: 32,
  isCourtesy: 64,
} as const;

interface DocumentProfile {
  readonly wordCount: number;
  readonly marks: number;
}

// In scripts without spaces between words, every character counts as a word.
const WORD = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]|[\p{L}\p{N}]+/gu;

export function profileDocument(text: string, role: string | null = null): DocumentProfile {
  // A bracket at the end is an annotation ("[shares a photo of …]") and was not spoken.
  const spoken = withoutAnnotation(text.trimEnd());
  const smallTalk = smallTalkIn(text);
  return {
    wordCount: (text.match(WORD) ?? []).length,
    marks:
      (/[?？؟]$/u.test(spoken) ? MARK.endsAsking : 0) |
      (TEMPORAL_EXPRESSION.test(text) ? MARK.hasTime : 0) |
      (/\p{N}/u.test(text) ? MARK.hasNumber : 0) |
      (role === 'agent' ? MARK.isOfAgent : 0) |
      (role === 'tool' ? MARK.isOfTool : 0) |
      (smallTalk === null ? 0 : MARK.isSmallTalk) |
      (smallTalk === 'courtesy' ? MARK.isCourtesy : 0),
  };
}

/** No regular expression: with many brackets and spaces, it would take quadratic time. */
function withoutAnnotation(text: string): string {
  if (!text.endsWith(']')) return text;
  const from = text.lastIndexOf(']', text.length - 2) + 1;
  const open = text.indexOf('[', from);
  return open === -1 ? text : text.slice(0, open).trimEnd();
}

// Korean and Arabic have no language pack.
const TEMPORAL_EXPRESSION = new RegExp(
  `\\b(?:${[wordsOfAll('temporal', 'latin'), ...UNAMBIGUOUS_DAYS].join('|')}|[12]\\d{3})\\b|${wordsOfAll('temporal', 'han')}|어제|오늘|내일|지난|أمس|اليوم|غدا|الماضي`,
  'iu',
);
