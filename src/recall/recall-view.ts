import { type DocumentProfile, profileDocument, type RecallDocument } from './document-profile.ts';
import { addDocument, createLexicalIndex, type LexicalIndex } from './lexical-index.ts';

/** Somebody whose turns are in the view. */
export interface KnownSpeaker {
  readonly name: string;
  readonly role?: string | undefined;
}

/** Vectors of some documents, by ordinal. */
export interface VectorSample {
  model: string;
  /** How many documents there were then. */
  takenAt: number;
  vectors: ReadonlyMap<number, Float32Array>;
}

/**
 * What a handle sees, in columns by ordinal, kept between recalls and appended to as records come. A record that
 * changes gets a new ordinal, and its old one is withdrawn.
 */
export interface RecallView {
  readonly documents: readonly RecallDocument[];
  readonly profiles: readonly DocumentProfile[];
  /** The ordinals of permanent facts, withdrawn ones among them. */
  readonly keyed: readonly number[];
  /** 0 for ordinals that must not be found any more. */
  readonly live: Uint8Array;
  /** 1 for memories, 0 for events. */
  readonly isMemory: Uint8Array;
  /** 1 for documents that not every recall may find: of a session, of a connection, or with an end. */
  readonly restricted: Uint8Array;
  /** Ordinal of the turn before and after in the same session, −1 where there is none. */
  readonly previous: Int32Array;
  readonly next: Int32Array;
  /** Session number per document, −1 for one that belongs to none. */
  readonly sessions: Int32Array;
  readonly sessionCount: number;
  readonly sessionWordCounts: Float32Array;
  /** Milliseconds per document, NaN when unknown. */
  readonly times: Float64Array;
  /** When a statement that lasts stops being true, NaN for documents of a moment. */
  readonly ends: Float64Array;
  readonly speakers: readonly KnownSpeaker[];
  /** Index into `speakers` per document, −2 for a document without a speaker. */
  readonly speakerNumbers: Int32Array;
  /** Number of the speaker or role per document. */
  readonly voices: Int32Array;
  /** The live documents that say the same in other words: the turns of a statement, the statements of a turn. */
  sameMatter(ordinal: number): readonly number[];
  /** Typical log word count of what this document's voice says. */
  typicalLogLength(ordinal: number): number;
  readonly index: LexicalIndex;
  cohesion: Cohesion;
  /** A sample of vectors, from which cohesion and the usual similarity of strangers are read. */
  sample: VectorSample;
  /** The ordinal of a record as it is now. */
  ordinalOf(kind: RecallDocument['kind'], rowId: number): number | undefined;
  /** The ordinal of each row of a list that only grows, −1 for rows it does not have. Kept between calls. */
  ordinalsOf(kind: RecallDocument['kind'], rows: readonly number[]): Int32Array;
  readonly withdrawn: number;
  /** About how much memory it takes. */
  readonly bytes: number;
  add(document: RecallDocument): number;
  withdraw(ordinal: number): void;
}

// Measured on 5,000 turns of LoCoMo: text, postings and columns together.
const BYTES_PER_DOCUMENT = 900;

/** Makes an empty view. */
export function createRecallView(): RecallView {
  const documents: RecallDocument[] = [];
  const profiles: DocumentProfile[] = [];
  const keyed: number[] = [];
  const live = growingArray(Uint8Array);
  const isMemory = growingArray(Uint8Array);
  const restricted = growingArray(Uint8Array);
  const previous = growingArray(Int32Array);
  const next = growingArray(Int32Array);
  const sessions = growingArray(Int32Array);
  const sessionWordCounts = growingArray(Float32Array);
  const times = growingArray(Float64Array);
  const ends = growingArray(Float64Array);
  const speakerNumbers = growingArray(Int32Array);
  const voices = growingArray(Int32Array);
  const speakers: KnownSpeaker[] = [];
  const speakerByName = new Map<string, number>();
  const voiceByName = new Map<string, number>();
  const voiceLengths: { total: number; count: number }[] = [];
  const sessionByName = new Map<string, number>();
  const lastOfSession = new Map<number, number>();
  const eventsById = new Map<string, number>();
  const tellings = new Map<number, number[]>();
  const ordinals = { memory: new Map<number, number>(), event: new Map<number, number>() };
  const index = createLexicalIndex();
  let bytes = 0;
  let withdrawn = 0;
  // Counted up when a row gets another ordinal: lists that were looked up before are out of date then.
  let moves = 0;
  const lookedUp = new WeakMap<readonly number[], { ordinals: Int32Array; length: number; at: string }>();

  const numberOf = (names: Map<string, number>, name: string): number => {
    const known = names.get(name);
    if (known !== undefined) return known;
    names.set(name, names.size);
    return names.size - 1;
  };

  const speakerOf = ({ speaker, role }: RecallDocument): number => {
    if (speaker === null) return -2;
    const number = numberOf(speakerByName, speaker);
    if (number === speakers.length) speakers.push({ name: speaker, role: role ?? undefined });
    return number;
  };

  const joinSession = (
    document: RecallDocument,
    ordinal: number,
    wordCount: number,
  ): { session: number; before: number } => {
    if (document.session === null || document.kind === 'memory') return { session: -1, before: -1 };
    const session = numberOf(sessionByName, document.session);
    if (session === sessionWordCounts.length) sessionWordCounts.push(0);
    sessionWordCounts.set(session, sessionWordCounts.at(session) + wordCount);
    const before = lastOfSession.get(session) ?? -1;
    if (before >= 0) next.set(before, ordinal);
    lastOfSession.set(session, ordinal);
    return { session, before };
  };

  /** Events come into a view before the memories that were learned from them. */
  const joinTellings = (document: RecallDocument, ordinal: number): void => {
    if (document.kind === 'event') {
      eventsById.set(document.id, ordinal);
      return;
    }
    const events = document.sources.flatMap((id) => eventsById.get(id) ?? []);
    if (events.length > 0) tellings.set(ordinal, events);
    for (const event of events) tellings.set(event, [...(tellings.get(event) ?? []), ordinal]);
  };

  const withdraw = (ordinal: number): void => {
    if (live.at(ordinal) === 0) return;
    live.set(ordinal, 0);
    withdrawn += 1;
  };

  return {
    documents,
    profiles,
    keyed,
    speakers,
    index,
    cohesion: { neighbour: 0, session: 0 },
    sample: { model: '', takenAt: 0, vectors: new Map() },
    get live() {
      return live.values;
    },
    get isMemory() {
      return isMemory.values;
    },
    get restricted() {
      return restricted.values;
    },
    get previous() {
      return previous.values;
    },
    get next() {
      return next.values;
    },
    get sessions() {
      return sessions.values;
    },
    get sessionCount() {
      return sessionWordCounts.length;
    },
    get sessionWordCounts() {
      return sessionWordCounts.values;
    },
    get times() {
      return times.values;
    },
    get ends() {
      return ends.values;
    },
    get speakerNumbers() {
      return speakerNumbers.values;
    },
    get voices() {
      return voices.values;
    },
    get withdrawn() {
      return withdrawn;
    },
    get bytes() {
      return bytes;
    },
    sameMatter: (ordinal) => (tellings.get(ordinal) ?? []).filter((other) => live.at(other) === 1),
    typicalLogLength(ordinal) {
      const voice = voiceLengths[voices.at(ordinal)];
      return voice === undefined ? 0 : voice.total / voice.count;
    },
    ordinalOf: (kind, rowId) => ordinals[kind].get(rowId),
    ordinalsOf(kind, rows) {
      const at = `${moves} ${ordinals[kind].size}`;
      const known = lookedUp.get(rows);
      if (known?.at === at && known.length === rows.length) return known.ordinals;
      const found = Int32Array.from(rows, (row) => ordinals[kind].get(row) ?? -1);
      lookedUp.set(rows, { ordinals: found, length: rows.length, at });
      return found;
    },
    add(document) {
      const ordinal = documents.length;
      const outdated = ordinals[document.kind].get(document.rowId);
      if (outdated !== undefined) {
        withdraw(outdated);
        moves += 1;
      }
      ordinals[document.kind].set(document.rowId, ordinal);
      const profile = profileDocument(document.text);
      documents.push(document);
      profiles.push(profile);
      if (document.isPermanent && document.attribute !== null) keyed.push(ordinal);
      addDocument(index, document.text);
      live.push(1);
      isMemory.push(document.kind === 'memory' ? 1 : 0);
      const isBound = document.staysInSession === true || (document.kind === 'memory' && document.session !== null);
      restricted.push(isBound || document.connection !== null || document.expiresAt !== null ? 1 : 0);

      joinTellings(document, ordinal);
      const { session, before } = joinSession(document, ordinal, profile.wordCount);
      sessions.push(session);
      previous.push(before);
      next.push(-1);

      const voice = numberOf(voiceByName, document.role ?? document.speaker ?? '');
      const lengths = (voiceLengths[voice] ??= { total: 0, count: 0 });
      lengths.total += Math.log(profile.wordCount + 1);
      lengths.count += 1;
      voices.push(voice);
      times.push(document.time);
      ends.push(document.until ?? Number.NaN);
      speakerNumbers.push(speakerOf(document));
      bytes += BYTES_PER_DOCUMENT + document.text.length * 2;
      return ordinal;
    },
    withdraw,
  };
}

/** A typed array that can be appended to. */
export interface GrowingArray<Numbers extends Int32Array | Float32Array | Float64Array | Uint8Array> {
  push(value: number): void;
  set(index: number, value: number): void;
  at(index: number): number;
  readonly length: number;
  /** What is in it: a view that is good until the next push. */
  readonly values: Numbers;
}

/** Makes an empty array. Its room doubles when it is full. */
export function growingArray<Numbers extends Int32Array | Float32Array | Float64Array | Uint8Array>(
  make: new (length: number) => Numbers,
): GrowingArray<Numbers> {
  let room = new make(64);
  let length = 0;
  return {
    push(value) {
      if (length === room.length) {
        const larger = new make(room.length * 2);
        larger.set(room);
        room = larger;
      }
      room[length] = value;
      length += 1;
    },
    set: (index, value) => {
      room[index] = value;
    },
    at: (index) => room[index] as number,
    get length() {
      return length;
    },
    get values() {
      return room.subarray(0, length) as Numbers;
    },
  };
}

/** How much the order of a store's documents means: 0 means that the order might be shuffled, 1 that the conversation stays on its topic. */
export interface Cohesion {
  readonly neighbour: number;
  readonly session: number;
}
