import type { AttributeTable } from '../record/attributes.ts';
import { createAttempt, type Failed } from './attempt.ts';
import type { Asked, ContextOptions } from './context-options.ts';
import { decideLookup, type Lookup } from './decide-lookup.ts';
import { type Intent, intentOf } from './intent.ts';
import { type Repeated, sayOnce } from './items.ts';
import { type Knowledge, NOTHING_KNOWN } from './knowledge.ts';
import type { History } from './load-history.ts';
import { chooseLookup, intentionSection, lookUp } from './look-up.ts';
import type { GatherRequest, GatherTurn, Item, Material, SectionName } from './section.ts';
import { historyItems, knownSections, ownText, pastTurns, profileItems, serviceItems } from './sections.ts';

/** Everything that can go into a context, before anything is fitted. */
export interface Gathered {
  material: Material;
  /** The known sections as they are when each says all of its own. */
  known: Material;
  history: readonly Item[];
  lookup: Lookup;
  intent: Intent;
  failed: Failed;
  /** What is known or was found, and is said elsewhere already. */
  repeated: Repeated[];
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
  const { known, once } = knownOnce(knowledge, on, deps.attributes);
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

  const { recall, repeated } = withoutRepeats(found.recall ?? [], { ...known, intentions }, past);
  const material: Material = {
    ...once.known,
    ...found,
    recall,
    intentions,
    services,
    structuredProfile,
    earlier: turns.earlier,
    ...ownText(request, { now, message, history: turns.verbatim }),
  };
  return {
    material: only(material, on),
    known,
    history: turns.verbatim,
    lookup,
    intent,
    failed,
    repeated: [...once.repeated, ...repeated],
    charactersSaid: knowledge.said.characters,
    cached,
  };
}

interface KnownOnce {
  known: Material;
  once: ReturnType<typeof sayOnce>;
}

// Taking documents apart costs as much as all else in a turn, and knowledge stays the same for many of them.
const knownBefore = new WeakMap<Knowledge, Map<string, KnownOnce>>();

function knownOnce(knowledge: Knowledge, on: ReadonlySet<SectionName>, attributes: AttributeTable): KnownOnce {
  const key = [...on].join();
  const kept = knownBefore.get(knowledge) ?? new Map<string, KnownOnce>();
  const before = kept.get(key);
  if (before !== undefined) return before;
  const known = only(knownSections(knowledge, attributes), on);
  const result = { known, once: sayOnce(known) };
  knownBefore.set(knowledge, kept.set(key, result));
  return result;
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

/** A statement that another section of the prompt has, or a turn that is in the history, is not said twice. */
function withoutRepeats(
  found: readonly Item[],
  known: Material,
  past: History,
): { recall: Item[]; repeated: Repeated[] } {
  const inPrompt = new Set(Object.values(known).flatMap((items) => items.map(({ id }) => id)));
  const inHistory = new Set<string | null>(past.turns.map(({ id }) => id));
  const repeated: Repeated[] = [];
  const recall = found.filter(({ id }) => {
    const isKnown = id !== null && inPrompt.has(id);
    if (!isKnown && !inHistory.has(id)) return true;
    repeated.push({ section: 'recall', id, reason: `already in the ${isKnown ? 'prompt' : 'history'}` });
    return false;
  });
  return { recall, repeated };
}

function only(material: Material, on: ReadonlySet<SectionName>): Material {
  return Object.fromEntries(Object.entries(material).filter(([name]) => on.has(name as SectionName)));
}
