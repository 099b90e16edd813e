import { wordsOfAll } from '../language/packs/packs.ts';
import { replaceStatements, withoutEmptyHeadings } from '../language/sentences.ts';
import { createLru } from '../record/cache.ts';
import type { AttributeTable } from '../record/attributes.ts';
import { safeJson, textByTrust } from '../language/inert-text.ts';
import { negationsIn } from '../language/quotes.ts';
import { contentStems, coveredBy } from '../language/words.ts';
import { attributeLabel, spelledKey } from '../record/attribute-table.ts';
import { belongsToUser, isUser, normalValue } from '../record/statement.ts';
import { MINUTE } from '../record/clock.ts';
import { contentHash } from '../record/id.ts';
import { type MemoryTypeTable, type PromptSection, typesThat } from '../record/memory-types.ts';
import { hasEnded, hasOutcome, isPresentFact, type Memory, mergedAmong } from '../record/memory.ts';
import { depthOf, ownerLevel, type Scope, type ScopeLevel, visibleOwners } from '../record/scope.ts';
import {
  knowledgeStamp,
  NOTHING_SAID,
  type QuotedStatement,
  quotedStatements,
  type Said,
  saidSince,
  type VisibleBlock,
  visibleBlocks,
} from '../store/context-rows.ts';
import type { Reader } from '../store/database.ts';
import { changedStatements } from '../store/load-records.ts';
import { ownerStates } from '../store/owner-store.ts';
import { listMemories, listStatements } from '../store/read-memories.ts';
import {
  blockItem,
  entryItems,
  factItem,
  type Item,
  jsonItem,
  markedChanged,
  type Material,
  memoryItem,
} from './section.ts';

/** The records that every prompt of a session contains. They change slowly, so they are cached between turns. */
export interface Knowledge {
  stamp: string;
  /** The owners' incarnations, which change when records are erased. */
  incarnations: string;
  blocks: VisibleBlock[];
  /** The statements on which the blocks are based. */
  behindBlocks: readonly QuotedStatement[];
  /** The ids of the memories, and of the statements behind the blocks, that repeat what was changed later. */
  changed: ReadonlySet<string>;
  facts: Memory[];
  /** The most important memories, except facts and statements that have ended. */
  memories: Memory[];
  learnings: Memory[];
  reflections: Memory[];
  said: Said;
  loadedAt: number;
}

interface KnowledgeRequest {
  scope: Scope;
  connections: readonly string[];
  topMemories: number;
  memoryTypes: MemoryTypeTable;
  attributes: AttributeTable;
  sharesFacts: boolean | undefined;
  now: number;
}

export const NOTHING_KNOWN: Knowledge = {
  stamp: '',
  incarnations: '',
  blocks: [],
  behindBlocks: [],
  changed: new Set(),
  facts: [],
  memories: [],
  learnings: [],
  reflections: [],
  said: NOTHING_SAID,
  loadedAt: 0,
};

/** `before` is the knowledge from the last read. */
async function loadKnowledge(
  reader: Reader,
  request: KnowledgeRequest,
  { stamp, incarnations }: Pick<Knowledge, 'stamp' | 'incarnations'>,
  before: Knowledge,
): Promise<Knowledge> {
  const { scope, now, topMemories, memoryTypes, attributes } = request;
  const connections = [...request.connections];
  const list = async (section: PromptSection, limit: number, order: 'important' | 'oldest'): Promise<Memory[]> => {
    const types = typesThat(memoryTypes, (type) => type.section === section);
    return (await listMemories(reader, scope, { types, limit, order, connections }, { now })).items;
  };
  const permanent = (
    await listMemories(reader, scope, { permanent: true, limit: 1000, order: 'important', connections }, { now })
  ).items;
  const ofHealth = attributes.names().filter((name) => attributes.policyOf(name).category === 'health');
  const ofPeople = await listStatements(reader, scope, { attributes: ofHealth, owner: 'visible', now });
  const facts = innermost(
    [
      ...permanent.filter((memory) => isPresentFact(memory, now)),
      ...ofPeople.filter((memory) => !isUser(memory.subject) && isSafetyFact(memory, now)),
    ],
    request,
  );
  // Facts have a section of their own, and ended statements are not current. Further memories are read to replace them.
  const mostImportant = async (): Promise<Memory[]> => {
    for (let limit = Math.min(1000, topMemories * 2); ; limit = Math.min(1000, limit * 4)) {
      const found = await list('memories', limit, 'important');
      // A merged text already contains its sources.
      const isMerged = mergedAmong(found);
      const shown = found.filter((memory) => isShown(memory, request) && !isMerged(memory)).slice(0, topMemories);
      if (shown.length === topMemories || found.length < limit || limit === 1000) return shown;
    }
  };
  const blocks = await visibleBlocks(reader, scope, connections, { now, memoryTypes });
  const behind = new Set(blocks.flatMap(({ restsOn }) => [...restsOn.values()].flat()));
  const behindBlocks = await quotedStatements(reader, scope.tenant, [...behind]);
  const memories = topMemories === 0 ? [] : await mostImportant();
  return {
    stamp,
    incarnations,
    blocks,
    behindBlocks,
    changed: await changedStatements(reader, scope, [...behindBlocks, ...memories]),
    facts,
    memories,
    // The agent follows learnings, so text from a document or a tool must not become one.
    learnings: (await list('learnings', 100, 'oldest')).filter(
      ({ state, trust }) => state !== 'dismissed' && trust !== 'low',
    ),
    reflections: await list('reflections', 500, 'oldest'),
    said: await saidSince(reader, scope, before.incarnations === incarnations ? before.said : NOTHING_SAID),
    loadedAt: now,
  };
}

/** Every prompt contains the health facts, including those about other people. */
function isSafetyFact(memory: Memory, now: number): boolean {
  const { category, value, polarity, tense, trust } = memory;
  const isStated = category === 'health' && value !== null && polarity === 'affirmed' && trust !== 'low';
  return isStated && tense !== 'planned' && tense !== 'happened' && !hasEnded(memory, now);
}

// The lists contain the beginnings of words for allergies, anaphylaxis and injectors. They are also searched within compounds.
const DANGER = new RegExp(wordsOfAll('danger'), 'iu');
const IMPORTANT = 0.8;

/** A danger to the health of the user or of the people in the user's life, as a statement without an attribute. */
function isDanger({ subject, attribute, content, importance, trust }: Memory): boolean {
  const isOwn = isUser(subject) || belongsToUser(subject);
  return isOwn && attribute === null && importance >= IMPORTANT && trust !== 'low' && DANGER.test(content);
}

function isShown(memory: Memory, { now, memoryTypes }: Pick<KnowledgeRequest, 'now' | 'memoryTypes'>): boolean {
  return !isPresentFact(memory, now) && !hasEnded(memory, now) && !hasOutcome(memory, memoryTypes.get(memory.type));
}

/** If an attribute has one value, that of the innermost scope precedes the others. Otherwise all distinct values stay. */
function innermost(
  facts: readonly Memory[],
  { attributes, sharesFacts }: Pick<KnowledgeRequest, 'attributes' | 'sharesFacts'>,
): Memory[] {
  const precedes = (one: Memory, other: Memory): boolean => {
    const order = depthOf(one.scope, sharesFacts) - depthOf(other.scope, sharesFacts);
    // Of a shared fact and an agent's own, from before facts were shared, the later holds.
    const isLater = one.scope.agent !== other.scope.agent && one.trust !== 'low' && one.statedAt > other.statedAt;
    return order > 0 || (order === 0 && isLater);
  };
  const best = new Map<string, Memory>();
  for (const fact of facts) {
    const attribute = fact.attribute ?? '';
    const { values, shape } = attributes.policyOf(attribute);
    const isOne = values === 'one' || !attributes.isKnown(attribute);
    const whose = isUser(fact.subject) ? '' : `${fact.subject} `;
    const key = whose + (isOne ? attribute : `${attribute} ${normalValue(fact.value ?? '', shape)}`);
    const other = best.get(key);
    if (other === undefined || precedes(fact, other)) best.set(key, fact);
  }
  const order = (one: string | null, other: string | null): number => (one ?? '').localeCompare(other ?? '', 'en');
  return [...best.values()].sort(
    (one, other) =>
      order(one.category, other.category) || order(one.attribute, other.attribute) || order(one.value, other.value),
  );
}

const STALE_AFTER: number = 5 * MINUTE;

export interface KnowledgeCache {
  /** The knowledge includes everything that any process has committed. */
  open(reader: Reader, request: KnowledgeRequest, refresh: boolean): Promise<OpenedKnowledge>;
  /** Returns the last known knowledge, however old, for use while the store is unavailable. */
  last(request: KnowledgeRequest): Knowledge | null;
}

interface OpenedKnowledge {
  knowledge: Knowledge;
  /** Whether the knowledge was read from the store. If so, its memories count as accessed. */
  loaded: boolean;
}

interface Kept {
  knowledge: Knowledge;
  /** The owners' versions at the last read. While they stay the same, no record has changed. */
  owners: string;
}

const MOST_SESSIONS = 1000;

export function createKnowledgeCache(staleAfter: number = STALE_AFTER): KnowledgeCache {
  const cache = createLru<Kept>({ most: MOST_SESSIONS });
  return {
    async open(reader, request, refresh) {
      const key = keyOf(request);
      const { scope, now } = request;
      const kept = cache.get(key);
      const states = await ownerStates(reader, scope.tenant, visibleOwners(scope));
      const owners = JSON.stringify(states);
      // Callers choose the time of a context, so cached knowledge may come from a later time.
      const isFresh = kept !== undefined && !refresh && Math.abs(now - kept.knowledge.loadedAt) < staleAfter;
      if (isFresh && kept.owners === owners) return { knowledge: kept.knowledge, loaded: false };
      // The stamp is read before the knowledge, so that the next call detects a change between the two reads.
      const incarnations = JSON.stringify(states.map(({ owner, incarnation }) => [owner, incarnation]));
      const stamp = await knowledgeStamp(reader, scope);
      // An observed turn changes the owner's version but not the knowledge.
      if (isFresh && kept.knowledge.stamp === stamp && kept.knowledge.incarnations === incarnations) {
        cache.set(key, { ...kept, owners });
        return { knowledge: kept.knowledge, loaded: false };
      }
      const before = kept?.knowledge ?? NOTHING_KNOWN;
      const loaded = await loadKnowledge(reader, request, { stamp, incarnations }, before);
      const knowledge = steady(loaded, before, request);
      cache.set(key, { knowledge, owners });
      return { knowledge, loaded: true };
    },
    last: (request) => cache.get(keyOf(request))?.knowledge ?? null,
  };
}

/** Keeps the order of the memories, so that the prompt stays the same. Reading them increments access counts, which break ties. */
function steady(next: Knowledge, before: Knowledge, request: KnowledgeRequest): Knowledge {
  if (next.stamp !== before.stamp || next.incarnations !== before.incarnations || next.loadedAt < before.loadedAt)
    return next;
  const holds = before.memories.every(
    (memory) => isShown(memory, request) && (memory.expiresAt === null || memory.expiresAt.getTime() > request.now),
  );
  return holds ? { ...next, memories: before.memories, changed: before.changed } : next;
}

function keyOf({ scope, connections, topMemories }: KnowledgeRequest): string {
  return JSON.stringify([scope, connections, topMemories]);
}

const knownBefore = new WeakMap<Knowledge, Material>();

/** These items do not depend on the message. They are cached, because knowledge stays the same for many turns. */
export function knownItems(knowledge: Knowledge, attributes: AttributeTable): Material {
  const known = knownBefore.get(knowledge) ?? itemsOf(knowledge, attributes);
  knownBefore.set(knowledge, known);
  return known;
}

function itemsOf(knowledge: Knowledge, attributes: AttributeTable): Material {
  const { blocks, behindBlocks, changed, facts, learnings, reflections } = knowledge;
  const memories = knowledge.memories.map((memory) => (changed.has(memory.id) ? markedChanged(memory) : memory));
  const statements = new Map(behindBlocks.map((statement) => [statement.id, statement]));
  const own = (kind: VisibleBlock['kind']): VisibleBlock | undefined =>
    blocks.findLast((block) => block.kind === kind && block.connection === null && block.level !== 'session');
  const text = (kind: VisibleBlock['kind']): Item[] => {
    const block = own(kind);
    if (typeof block?.content !== 'string') return [];
    // A sentence may also be based on an event, which has no quotes.
    const restsOn = new Map(
      [...block.restsOn].map(([key, ids]) => [key, ids.map((id) => statements.get(id) ?? { id, quotes: [] })]),
    );
    // A line of a list is one statement. Prose has sentences of its own, which are left out when their statements change.
    const content = replaceStatements(withoutEmptyHeadings(block.content), (sentence, { isListed }) => {
      const behind = restsOn.get(contentHash(sentence)) ?? [];
      if (!isListed || !behind.some(({ id }) => changed.has(id))) return sentence;
      const { content: line } = markedChanged({ content: sentence });
      restsOn.set(contentHash(line), behind);
      return line;
    });
    return content === '' ? [] : [{ ...blockItem(block.id, content), restsOn }];
  };
  const scaffold = own('scaffold');
  return {
    facts: [
      ...memories.filter(isDanger).map((memory) => ({ ...factItem(memory, 'Health'), label: 'health' })),
      ...facts.map((fact) => factItem(fact, labelOf(fact, attributes))),
    ].map((item) => (item.label === 'health' ? { ...item, score: item.score + 1 } : item)),
    profile: text('profile'),
    workingMemory: text('working_memory'),
    scaffold:
      scaffold === undefined
        ? []
        : entryItems(scaffold.id, scaffold.content).filter(({ entry }) => {
            const isObserved = scaffold.restsOn.has(entry?.key ?? '');
            return !isObserved || !opposesUser(entry, [...facts, ...memories], attributes);
          }),
    learnedInfo: blocks
      .filter(({ kind }) => kind === 'learned_info')
      .flatMap((block) => jsonItem(block.id, block.content, block.connection ?? undefined) ?? []),
    learnings: learnings.map((learning) => memoryItem(learning)),
    memories: memories.map((memory, rank) => memoryItem(memory, -rank)),
    agentReflections: reflectionsOf('agent', blocks, reflections),
    userReflections: reflectionsOf('user', blocks, reflections),
    sessionReflections: reflectionsOf('session', blocks, reflections),
  };
}

/** If an entry omits or negates a value that the user stated, prompts show the user's statement and not the entry. */
function opposesUser(entry: Item['entry'], statements: readonly Memory[], attributes: AttributeTable): boolean {
  const { key = '', value } = entry ?? {};
  const attribute = attributes.resolve(key);
  const words = contentStems(spelledKey(key).replaceAll('_', ' '));
  const said = statements.filter(
    (one) =>
      isUser(one.subject) &&
      one.statedBy === 'user' &&
      one.attribute !== null &&
      one.value !== null &&
      one.polarity === 'affirmed' &&
      (one.attribute === attribute || coveredBy(contentStems(one.attribute.replaceAll('_', ' ')), words) === 1),
  );
  const text = safeJson(value);
  const isSaid = (one: Memory): boolean => normalValue(text).includes(normalValue(one.value ?? ''));
  return said.length > 0 && (negationsIn(text) > 0 || !said.every(isSaid));
}

/** A fact about another person has that person in its label: "Allergy (User's son)". */
function labelOf({ attribute, subject, trust }: Memory, attributes: AttributeTable): string {
  const label = attributeLabel(attributes, attribute ?? '');
  return isUser(subject) ? label : `${label} (${textByTrust(subject, trust)})`;
}

function reflectionsOf(level: ScopeLevel, blocks: readonly VisibleBlock[], waiting: readonly Memory[]): Item[] {
  const merged = blocks.findLast((block) => block.kind === 'reflections' && block.level === level);
  const recent = waiting.filter(({ scope }) => (scope.session !== null ? 'session' : ownerLevel(scope)) === level);
  return [
    ...(typeof merged?.content === 'string' && merged.content.trim() !== ''
      ? [{ ...blockItem(merged.id, merged.content), score: Infinity }]
      : []),
    ...recent.map((reflection, index) => ({ ...memoryItem(reflection, index), label: 'recent' })),
  ];
}
