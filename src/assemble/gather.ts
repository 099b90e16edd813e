import type { AttributeTable } from '../record/attributes.ts';
import { createAttempt, type Failed } from './gather-request.ts';
import type { Asked, ContextOptions } from './context-options.ts';
import { decideLookup, type Lookup } from './decide-lookup.ts';
import { type Intent, intentOf } from './intent.ts';
import { type Knowledge, NOTHING_KNOWN } from './knowledge.ts';
import { chooseLookup, intentionSection, lookUp } from './look-up.ts';
import type { GatherRequest, GatherTurn } from './gather-request.ts';
import type { Item, Material, SectionName } from './section.ts';
import { historyItems, knownSections, ownText, pastTurns, profileItems, serviceItems } from './sections.ts';

/** Everything that can go into a context, before anything is fitted. */
export interface Gathered {
  material: Material;
  history: readonly Item[];
  lookup: Lookup;
  intent: Intent;
  failed: Failed;
  /** Of everything that was ever said: about four are a token. */
  charactersSaid: number;
  cached: boolean;
}

/** Gathers the sections that are on, all at once where one does not need the other. */
export async function gather(request: GatherRequest): Promise<Gathered> {
  const { deps, scope, options, on } = request;
  const failed: Failed = [];
  const attempt = createAttempt(failed, options.timeout);
  const now = options.now === undefined ? deps.clock.now() : new Date(options.now).getTime();
  const message = options.message ?? '';
  const turn: GatherTurn = { message, now, attempt, failed };

  const { knowledge, cached } = await openKnowledge(request, turn);
  const past = await pastTurns(request, turn);
  const intent = await chooseIntent(options, turn);
  const asked: Asked = { scope, message, intent };
  const earlier = past.turns.filter(({ origin }) => origin === 'user').map(({ content }) => content);
  const input = { message, intent, earlier };
  const lookup =
    (await attempt('lookup', () => chooseLookup(request, input), null)) ??
    (await decideLookup(input, { ...options, lookup: 'rules' }));
  if (lookup.failed !== undefined) failed.push({ section: 'lookup', error: lookup.failed });

  const [found, intentions, services, structuredProfile, turns] = await Promise.all([
    lookUp(request, lookup, turn),
    on.has('intentions') ? attempt('intentions', () => intentionSection(deps, scope, now), []) : [],
    on.has('services') ? serviceItems(asked, options, attempt) : [],
    on.has('structuredProfile') ? attempt('structuredProfile', () => profileItems(asked, options), []) : [],
    historyItems(request, past, turn),
  ]);

  const material: Material = {
    ...itemsOf(knowledge, deps.attributes),
    ...found,
    intentions,
    services,
    structuredProfile,
    earlier: turns.earlier,
    ...ownText(request, { now, message, history: turns.verbatim }),
  };
  return {
    material: only(material, on),
    history: turns.verbatim,
    lookup,
    intent,
    failed,
    charactersSaid: knowledge.said.characters,
    cached,
  };
}

// Knowledge stays the same for many turns, and so do its items.
const knownBefore = new WeakMap<Knowledge, Material>();

function itemsOf(knowledge: Knowledge, attributes: AttributeTable): Material {
  const known = knownBefore.get(knowledge) ?? knownSections(knowledge, attributes);
  knownBefore.set(knowledge, known);
  return known;
}

async function openKnowledge(
  { deps, scope, options }: GatherRequest,
  { now, attempt }: GatherTurn,
): Promise<{ knowledge: Knowledge; cached: boolean }> {
  const { database, memoryTypes, attributes, access, assembling } = deps;
  const connections = options.connections ?? [];
  const request = { scope, connections, topMemories: options.topMemories ?? 20, memoryTypes, attributes, now };
  const last = assembling.knowledge.last(request) ?? NOTHING_KNOWN;
  const opened = await attempt(
    'knowledge',
    () => database.read(scope.tenant, (reader) => assembling.knowledge.open(reader, request, options.refresh === true)),
    { knowledge: last, loaded: false },
  );
  const read = opened.knowledge.memories.map(({ id }) => ({ kind: 'memory' as const, id }));
  if (opened.loaded) access.note(scope.tenant, read);
  return { knowledge: opened.knowledge, cached: !opened.loaded };
}

async function chooseIntent({ services, intent: hook }: ContextOptions, turn: GatherTurn): Promise<Intent> {
  const byRules = intentOf(turn.message, services);
  if (hook === undefined) return byRules;
  return turn.attempt('intent', async () => ({ ...byRules, ...(await hook(turn.message, byRules)) }), byRules);
}

function only(material: Material, on: ReadonlySet<SectionName>): Material {
  return Object.fromEntries(Object.entries(material).filter(([name]) => on.has(name as SectionName)));
}
