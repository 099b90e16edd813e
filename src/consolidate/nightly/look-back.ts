import type { Event } from '../../record/event.ts';
import type { Memory } from '../../record/memory.ts';
import type { Scope } from '../../record/scope.ts';
import { findBlock, staleKeys } from '../../store/block-store.ts';
import type { Reader } from '../../store/database.ts';
import { findProgress, type OwnerProgress } from '../../store/owner-store.ts';
import type { MaterialDeps } from '../consolidate-deps.ts';
import {
  BARE,
  type BlockText,
  type Material,
  type Materials,
  readBlockText,
  refreshed,
  type Sentence,
  sourcesOf,
  type StoredDocument,
  storedDocument,
  unsaid,
} from '../documents/document.ts';
import { liveStatements, messagesBetween, profileMaterials, turnMaterial, withDoubts } from '../documents/sources.ts';
import { readMaterials, readTiers, type Tiers } from '../documents/synthesise.ts';
import { reflectedSince } from './due-reflections.ts';
import { contentHash } from '../../record/id.ts';

/** The input of a reflection. */
export interface LookBack {
  messages: Event[];
  /** The time of the last reflection. */
  since: number;
  /**
   * The recording time of the last message, after which the next reflection begins. `sequence` is the position of the message if further
   * messages of the same time are unread, otherwise 0.
   */
  until: number;
  sequence: number;
  /** Whether there are more messages than one reflection can read. */
  hasMore: boolean;
  progress: OwnerProgress;
  /** The live verified memories of the owner, newest first. */
  statements: Memory[];
  profile: OpenDocument;
  workingMemory: OpenDocument;
  refused: Tiers['refused'];
}

/** A document with its sources. */
interface OpenDocument {
  /** The document without stale sentences; the working memory has a line for each statement that it lacked. */
  document: BlockText;
  stored: StoredDocument;
  materials: Materials;
}

/** Reads the messages since the last reflection, oldest first, the live statements and the two documents. */
export async function lookBack(reader: Reader, deps: MaterialDeps, scope: Scope): Promise<LookBack> {
  const progress = await findProgress(reader, scope);
  const now = deps.clock.now();
  const since = reflectedSince(progress.reflectedUntil, now);
  const limit = deps.consolidation.nightly.exchanges * 2;
  const sequence = since === progress.reflectedUntil ? progress.reflectedSequence : 0;
  const read = await messagesBetween(reader, scope, { since, sequence, until: now, limit });
  const statements = await liveStatements(reader, deps, scope);
  const tiers = await readTiers(reader, scope);
  const working = await readMaterials(reader, deps, scope, tiers);
  return {
    ...read,
    since,
    progress,
    statements,
    profile: await openProfile(reader, deps, scope, statements),
    workingMemory: { document: refreshed(tiers.workingMemory, working, now), stored: tiers.stored, materials: working },
    refused: tiers.refused,
  };
}

async function openProfile(
  reader: Reader,
  deps: MaterialDeps,
  scope: Scope,
  statements: readonly Memory[],
): Promise<OpenDocument> {
  const stored = storedDocument(await findBlock(reader, scope, 'profile'));
  const { text, basis } = stored;
  const at = { now: deps.clock.now(), memoryTypes: deps.memoryTypes };
  const stale = await staleKeys(reader, scope.tenant, [{ kind: 'profile', content: text, basis }], at);
  const read = readBlockText(text, basis);
  const sentences = read.sentences.filter((sentence) => !stale.has(contentHash(sentence.text)));
  const wanted = profileMaterials(await withDoubts(reader, deps, scope, statements), deps);
  const known = new Map<string, Material>(wanted.map((each) => [each.id, each]));
  // The turns and facts that a sentence rests on still hold, because a sentence whose sources no longer hold is stale.
  for (const [id, hash] of sentences.flatMap(({ basis: rests }) => Object.entries(rests?.rests ?? {}))) {
    if (!known.has(id)) known.set(id, { ...BARE, id, text: '', at: new Date(0), hash });
  }
  const omitted = read.omitted.filter((id) => known.has(id));
  return { document: { sentences, omitted }, stored, materials: { known, wanted } };
}

/**
 * The items that a model is shown under one numbering: the sentences of the profile, the prose of the working memory, the statements that
 * one of the two does not contain yet, and the user's turns.
 */
export interface Numbering {
  profile: readonly Sentence[];
  prose: readonly Sentence[];
  statements: readonly Material[];
  turns: readonly Material[];
}

export function numberingOf({ messages, profile, workingMemory }: LookBack): Numbering {
  const prose = workingMemory.document.sentences.filter(({ day }) => day === null);
  const lines = workingMemory.document.sentences.filter(({ day }) => day !== null);
  const lined = lines.flatMap(sourcesOf).flatMap((id) => workingMemory.materials.known.get(id) ?? []);
  const news = withoutDoubles([...unsaid(profile.document, profile.materials.wanted), ...lined]);
  return {
    profile: profile.document.sentences,
    prose,
    statements: news.toSorted((one, other) => one.at.getTime() - other.at.getTime()),
    turns: messages.filter(({ origin }) => origin === 'user').map(turnMaterial),
  };
}

/** Keeps the first of several materials with the same id. */
function withoutDoubles(materials: readonly Material[]): Material[] {
  return [...Map.groupBy(materials, ({ id }) => id).values()].flatMap(([first]) => first ?? []);
}

/**
 * Translates the numbers that the model was shown into the numbers of one document, which count the sentences of the document first and
 * then the new items.
 */
export function numbersOf(
  { profile, prose, statements, turns }: Numbering,
  kind: 'profile' | 'working_memory',
  open: OpenDocument,
): { materials: Material[]; translate(number: number): number[] } {
  const own = open.document.sentences;
  const others = (kind === 'profile' ? prose : profile).flatMap(sourcesOf);
  const behind = others.flatMap((id) => open.materials.known.get(id) ?? []);
  const materials = withoutDoubles([...statements, ...turns, ...behind]);
  const place = (id: string): number[] => {
    // A new sentence made from this statement replaces the line of the working memory that rests on this statement alone.
    const line = own.findIndex((sentence) => sentence.day !== null && sourcesOf(sentence).join() === id);
    if (line >= 0) return [line + 1];
    const index = materials.findIndex((each) => each.id === id);
    return index < 0 ? [] : [own.length + index + 1];
  };
  const shown = [...profile, ...prose, ...statements, ...turns];
  const isOwn = (index: number): boolean => (kind === 'profile') === index < profile.length;
  return {
    materials,
    translate(number) {
      const item = shown[number - 1];
      if (item === undefined) return [];
      if ('id' in item) return place(item.id);
      if (isOwn(number - 1)) return [own.indexOf(item) + 1];
      return sourcesOf(item).flatMap(place);
    },
  };
}
