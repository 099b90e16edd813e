import { createLru } from '../record/cache.ts';
import { isMemoryAnswer, MEMORY_ANSWER } from '../record/memory-answers.ts';
import type { MemoryTypeTable } from '../record/memory-types.ts';
import { type Scope, visibleOwners } from '../record/scope.ts';
import type { Reader } from '../store/database.ts';
import {
  type EventForRecall,
  eventsForRecall,
  memoriesAsOf,
  memoriesForRecall,
  type MemoryForRecall,
} from '../store/load-records.ts';
import { type OwnerState, ownerStates } from '../store/owner-store.ts';
import { addDocument, createLexicalIndex, type LexicalIndex } from './lexical-index.ts';
import { eventDocuments, memoryDocument, profileDocument, type RecallDocument, sourceOf } from './recall-document.ts';
import { RECALL_SOURCES } from './recall-options.ts';

export interface KnownSpeaker {
  readonly name: string;
  readonly role?: string | undefined;
}

interface VectorSample {
  model: string;
  /** Documents in the view when the sample was taken. 0 if most of them had no vector yet. */
  takenAt: number;
  vectors: ReadonlyMap<number, Float32Array>;
}

/** 0: the order of turns carries no information. 1: neighbouring turns, and those of one session, stay on one topic. */
export interface Cohesion {
  readonly neighbour: number;
  readonly session: number;
}

// Approximate, without the text. Measured on 3,638 turns of English lives.
const BYTES_PER_DOCUMENT = 1700;

/**
 * All documents that a handle can see, as columns by ordinal. The view is cached between recalls, and new records are appended. A changed
 * record gets a new ordinal, and its old one is withdrawn. A column is valid only until the next document is added.
 */
export class RecallView {
  readonly documents: RecallDocument[] = [];
  /** Ordinals of permanent facts, including withdrawn ones. */
  readonly keyed: number[] = [];
  /** Ordinals that some recalls must not find: documents of a session or a connection, and those that expire. Some are withdrawn. */
  readonly restricted: number[] = [];
  readonly speakers: KnownSpeaker[] = [];
  readonly index: LexicalIndex = createLexicalIndex();
  cohesion: Cohesion = { neighbour: 0, session: 0 };
  sample: VectorSample = { model: '', takenAt: 0, vectors: new Map() };
  /** Approximate. */
  bytes = 0;
  withdrawn = 0;
  firstTime: number = Infinity;
  lastTime: number = -Infinity;

  readonly #memoryTypes: MemoryTypeTable;
  readonly #live = growingArray(Uint8Array);
  readonly #isMemory = growingArray(Uint8Array);
  readonly #sources = growingArray(Uint8Array);
  readonly #wordCounts = growingArray(Int32Array);
  readonly #marks = growingArray(Uint8Array);
  readonly #previous = growingArray(Int32Array);
  readonly #next = growingArray(Int32Array);
  readonly #sessions = growingArray(Int32Array);
  readonly #sessionWordCounts = growingArray(Float32Array);
  readonly #times = growingArray(Float64Array);
  readonly #ends = growingArray(Float64Array);
  readonly #speakerNumbers = growingArray(Int32Array);
  readonly #voices = growingArray(Int32Array);

  readonly #speakerByName = new Map<string, number>();
  readonly #voiceByName = new Map<string, number>();
  readonly #voiceLengths: { total: number; count: number }[] = [];
  readonly #sessionByName = new Map<string, number>();
  readonly #lastOfSession = new Map<number, number>();
  readonly #eventsById = new Map<string, number>();
  readonly #tellings = new Map<number, number[]>();
  readonly #ordinals = { memory: new Map<number, number>(), event: new Map<number, number>() };
  // Incremented when a row gets another ordinal, because the cached results of `ordinalsOf` are then outdated.
  #moves = 0;
  readonly #lookedUp = new WeakMap<readonly number[], { ordinals: Int32Array; moves: number; size: number }>();

  /** 0 for withdrawn ordinals, which recall must not find. */
  get live(): Uint8Array {
    return this.#live.values;
  }
  /** 1 for memories, 0 for events. */
  get isMemory(): Uint8Array {
    return this.#isMemory.values;
  }
  /** Indexes in `RECALL_SOURCES`. */
  get sources(): Uint8Array {
    return this.#sources.values;
  }
  get wordCounts(): Int32Array {
    return this.#wordCounts.values;
  }
  /** The bits of `MARK`. */
  get marks(): Uint8Array {
    return this.#marks.values;
  }
  /** The ordinal of the previous turn in the same session, or −1. */
  get previous(): Int32Array {
    return this.#previous.values;
  }
  /** The ordinal of the next turn in the same session, or −1. */
  get next(): Int32Array {
    return this.#next.values;
  }
  /** −1 without a session. */
  get sessions(): Int32Array {
    return this.#sessions.values;
  }
  get sessionCount(): number {
    return this.#sessionWordCounts.length;
  }
  get sessionWordCounts(): Float32Array {
    return this.#sessionWordCounts.values;
  }
  /** In milliseconds, or NaN if the time is unknown. */
  get times(): Float64Array {
    return this.#times.values;
  }
  /** When a lasting statement stops being true. NaN for other documents. */
  get ends(): Float64Array {
    return this.#ends.values;
  }
  /** Indexes in `speakers`, or −2 without a speaker. */
  get speakerNumbers(): Int32Array {
    return this.#speakerNumbers.values;
  }
  /** Numbers of speakers or roles. */
  get voices(): Int32Array {
    return this.#voices.values;
  }

  /** Live documents with the same content: the turns behind a statement, or the statements formed from a turn. */
  sameMatter(ordinal: number): readonly number[] {
    return this.#tellings.get(ordinal)?.filter((other) => this.#live.at(other) === 1) ?? [];
  }

  /** Mean logarithm of the word count, over all documents by the same speaker or role. */
  typicalLogLength(ordinal: number): number {
    const voice = this.#voiceLengths[this.#voices.at(ordinal)];
    return voice === undefined ? 0 : voice.total / voice.count;
  }

  ordinalOf(kind: RecallDocument['kind'], rowId: number): number | undefined {
    return this.#ordinals[kind].get(rowId);
  }

  /** The ordinal of each row, or −1 if it is not in the view. Cached, so rows may only be appended to the list. */
  ordinalsOf(kind: RecallDocument['kind'], rows: readonly number[]): Int32Array {
    const ordinals = this.#ordinals[kind];
    let known = this.#lookedUp.get(rows);
    if (known?.moves !== this.#moves) known = { ordinals: new Int32Array(), moves: this.#moves, size: 0 };
    const { length } = known.ordinals;
    if (known.size === ordinals.size && length === rows.length) return known.ordinals;
    const found = new Int32Array(rows.length);
    found.set(known.ordinals);
    for (let index = 0; index < found.length; index += 1) {
      if (index >= length || found[index] === -1) found[index] = ordinals.get(rows[index] as number) ?? -1;
    }
    this.#lookedUp.set(rows, { ordinals: found, moves: this.#moves, size: ordinals.size });
    return found;
  }

  constructor(memoryTypes: MemoryTypeTable) {
    this.#memoryTypes = memoryTypes;
  }

  add(document: RecallDocument): number {
    const ordinal = this.documents.length;
    const outdated = this.#ordinals[document.kind].get(document.rowId);
    if (outdated !== undefined) {
      this.withdraw(outdated);
      this.#moves += 1;
    }
    this.#ordinals[document.kind].set(document.rowId, ordinal);
    const { wordCount, marks } = profileDocument(document.text, document.role);
    this.documents.push(document);
    this.#wordCounts.push(wordCount);
    this.#marks.push(marks);
    if (document.isPermanent && document.attribute !== null) this.keyed.push(ordinal);
    addDocument(this.index, document.text);
    this.#live.push(1);
    this.#isMemory.push(document.kind === 'memory' ? 1 : 0);
    const isBound = document.staysInSession === true || (document.kind === 'memory' && document.session !== null);
    if (isBound || document.connection !== null || document.expiresAt !== null) this.restricted.push(ordinal);
    this.#sources.push(RECALL_SOURCES.indexOf(sourceOf(document, this.#memoryTypes)));
    this.#times.push(document.time);
    if (document.time < this.firstTime) this.firstTime = document.time;
    if (document.time > this.lastTime) this.lastTime = document.time;
    this.#ends.push(document.until ?? Number.NaN);
    this.#joinTellings(document, ordinal);
    this.#joinSession(document, ordinal, wordCount);
    this.#joinVoice(document, wordCount);
    this.bytes += BYTES_PER_DOCUMENT + document.text.length * 2;
    return ordinal;
  }

  withdraw(ordinal: number): void {
    if (this.#live.at(ordinal) === 0) return;
    this.#live.set(ordinal, 0);
    this.withdrawn += 1;
  }

  #joinSession(document: RecallDocument, ordinal: number, wordCount: number): void {
    const isOfNone = document.session === null || document.kind === 'memory';
    const session = isOfNone ? -1 : numberOf(this.#sessionByName, document.session);
    const before = this.#lastOfSession.get(session) ?? -1;
    this.#sessions.push(session);
    this.#previous.push(before);
    this.#next.push(-1);
    if (isOfNone) return;
    const counts = this.#sessionWordCounts;
    if (session === counts.length) counts.push(0);
    counts.set(session, counts.at(session) + wordCount);
    if (before >= 0) this.#next.set(before, ordinal);
    this.#lastOfSession.set(session, ordinal);
  }

  #joinVoice({ speaker, role }: RecallDocument, wordCount: number): void {
    const voice = numberOf(this.#voiceByName, role ?? speaker ?? '');
    const lengths = (this.#voiceLengths[voice] ??= { total: 0, count: 0 });
    lengths.total += Math.log(wordCount + 1);
    lengths.count += 1;
    this.#voices.push(voice);
    const number = speaker === null ? -2 : numberOf(this.#speakerByName, speaker);
    if (speaker !== null && number === this.speakers.length)
      this.speakers.push({ name: speaker, role: role ?? undefined });
    this.#speakerNumbers.push(number);
  }

  /** Events must be added before the memories formed from them. */
  #joinTellings(document: RecallDocument, ordinal: number): void {
    if (document.kind === 'event') {
      this.#eventsById.set(document.id, ordinal);
      return;
    }
    const tellings = this.#tellings;
    const events = document.sources.flatMap((id) => this.#eventsById.get(id) ?? []);
    if (events.length > 0) tellings.set(ordinal, events);
    for (const event of events) tellings.set(event, [...(tellings.get(event) ?? []), ordinal]);
  }
}

function numberOf(names: Map<string, number>, name: string): number {
  const known = names.get(name);
  if (known !== undefined) return known;
  names.set(name, names.size);
  return names.size - 1;
}

type Numbers = Int32Array | Float32Array | Float64Array | Uint8Array;

interface GrowingArray<Values extends Numbers> {
  push(value: number): void;
  set(index: number, value: number): void;
  at(index: number): number;
  readonly length: number;
  /** A subarray that is valid until the next push. */
  readonly values: Values;
}

/** The capacity doubles when it is full. */
export function growingArray<Values extends Numbers>(make: new (length: number) => Values): GrowingArray<Values> {
  let room = new make(64);
  let length = 0;
  // Creating a subarray costs more than reading hundreds of values.
  let values: Values | null = null;
  return {
    push(value) {
      if (length === room.length) {
        const larger = new make(room.length * 2);
        larger.set(room);
        room = larger;
      }
      room[length] = value;
      length += 1;
      values = null;
    },
    set: (index, value) => {
      room[index] = value;
    },
    at: (index) => room[index] as number,
    get length() {
      return length;
    },
    get values() {
      return (values ??= room.subarray(0, length) as Values);
    },
  };
}

/** One view for each set of owners that a handle can see. */
export interface ViewCache {
  /** Includes everything that any process has committed. */
  open(reader: Reader, scope: Scope): Promise<RecallView>;
}

interface CachedView {
  view: RecallView;
  owners: Map<string, Pick<OwnerState, 'version' | 'incarnation'>>;
}

const DEFAULT_BYTES = 128 * 1024 * 1024;

/** If the views exceed `bytes` in total, the least recently used ones are evicted. */
export function createViewCache({
  bytes = DEFAULT_BYTES,
  memoryTypes,
}: {
  bytes?: number;
  memoryTypes: MemoryTypeTable;
}): ViewCache {
  const cache = createLru<CachedView>({ most: bytes, sizeOf: ({ view }) => view.bytes, keepsLatest: true });
  return {
    async open(reader, scope) {
      const owners = visibleOwners(scope);
      const key = owners.join(' ');
      const states = await ownerStates(reader, scope.tenant, owners);
      let cached = cache.get(key);
      if (cached === undefined || isOutdated(cached, states)) {
        cached = { view: new RecallView(memoryTypes), owners: new Map() };
      }
      for (const state of states) await refresh(reader, scope.tenant, state, cached, memoryTypes);
      cache.set(key, cached);
      return cached.view;
    },
  };
}

/** After an erasure, or if so many documents were replaced that rebuilding is cheaper. */
function isOutdated({ view, owners }: CachedView, states: readonly OwnerState[]): boolean {
  if (view.withdrawn > 200 && view.withdrawn > view.documents.length / 3) return true;
  for (const [owner, loaded] of owners) {
    const state = states.find((candidate) => candidate.owner === owner);
    if (state === undefined || state.incarnation !== loaded.incarnation || state.version < loaded.version) return true;
  }
  return false;
}

async function refresh(
  reader: Reader,
  tenant: string,
  { owner, version, incarnation }: OwnerState,
  { view, owners }: CachedView,
  memoryTypes: MemoryTypeTable,
): Promise<void> {
  const loaded = owners.get(owner) ?? { version: -1, incarnation };
  if (loaded.version === version) return;
  const documentOf = eventDocuments(owner);
  for (const event of await eventsForRecall(reader, tenant, owner, loaded.version)) {
    // An event that was written between the last update's two reads is already in the view.
    if (!isOwnAnswer(event) && view.ordinalOf('event', event.rowId) === undefined) {
      view.add(documentOf(event));
    }
  }
  for (const memory of await memoriesForRecall(reader, tenant, owner, loaded.version)) {
    if (isRecalled(memory, memoryTypes)) addMemory(view, memory);
  }
  owners.set(owner, { ...loaded, version });
}

/** For one recall. If a memory has changed since, its earlier text is matched. */
export async function pastView(
  reader: Reader,
  scope: Scope,
  time: Date,
  memoryTypes: MemoryTypeTable,
): Promise<RecallView> {
  const view = new RecallView(memoryTypes);
  for (const owner of visibleOwners(scope)) {
    const documentOf = eventDocuments(owner);
    for (const event of await eventsForRecall(reader, scope.tenant, owner, -1)) {
      if (event.recordedAt <= time.getTime() && !isOwnAnswer(event)) view.add(documentOf(event));
    }
    for (const memory of await memoriesAsOf(reader, scope.tenant, owner, time)) {
      if (isRecalled(memory, memoryTypes)) view.add(memoryDocument(memory));
    }
  }
  return view;
}

function isRecalled({ type }: MemoryForRecall, memoryTypes: MemoryTypeTable): boolean {
  return memoryTypes.get(type)?.recalled !== false;
}

function addMemory(view: RecallView, memory: MemoryForRecall): void {
  const known = view.ordinalOf('memory', memory.rowId);
  const document = memoryDocument(memory);
  const isGone = memory.isArchived && memory.successor === null;
  if (known !== undefined && isGone) view.withdraw(known);
  if (isGone) return;
  const before = known === undefined || view.live[known] !== 1 ? undefined : view.documents[known];
  const isSame = before !== undefined && COMPARED.every((field) => before[field] === document[field]);
  if (!isSame) view.add(document);
}

const COMPARED = ['text', 'subject', 'isPermanent', 'successor', 'time', 'until', 'expiresAt'] as const;

/** Recall must not find Varve's own earlier answers, which old logs contain. */
function isOwnAnswer({ kind, content }: EventForRecall): boolean {
  return content === MEMORY_ANSWER || (kind === 'tool_result' && isMemoryAnswer(content));
}
