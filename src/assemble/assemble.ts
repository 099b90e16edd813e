import { messageOf } from '../errors.ts';
import type { Scope } from '../record/scope.ts';
import { ownTimeZone } from '../store/owner-store.ts';
import {
  type AssembleDeps,
  type Attributes,
  type ContextLog,
  createAttempt,
  type Failed,
  type GatherRequest,
  type GatherTurn,
  type NotedAlong,
} from './assemble-deps.ts';
import type { Asked, ContextOptions, Intent } from './context-options.ts';
import type { ContextReport, Lookup } from './context-report.ts';
import { fitContext, type FittedContext } from './fit-context.ts';
import { type Knowledge, knownItems, NOTHING_KNOWN } from './knowledge.ts';
import {
  type Budget,
  formatsOf,
  type HistoryMessage,
  type Layout,
  sectionsOf,
  writePlace,
  writingOf,
} from './layout.ts';
import { layoutOf } from './layouts.ts';
import { chooseIntent, chooseLookup, decideLookup, lookUp, mostRecalled } from './look-up.ts';
import { type Item, type Material, SECTION_NAMES, type SectionName, sectionOf } from './section.ts';
import { historyItems, intentionItems, ownText, pastTurns, profileItems, serviceItems } from './sections.ts';
import { estimatingCounter } from '../language/words.ts';

/** The context of one turn for the agent. */
export interface AssembledContext {
  /** The system prompt, which stays the same from turn to turn until the knowledge changes. */
  system: string;
  /** The user's turn: date and time, the results of lookups, and the message. */
  user: string;
  /** The user's turn without the message. */
  beforeMessage: string;
  /** Past turns, oldest first, for layouts in which they are chat messages. */
  messages: HistoryMessage[];
  report: ContextReport;
}

/** Assembles the context of a turn: gather → fit → write → log. Parts that fail are left out and named in the report. */
export async function assemble(deps: AssembleDeps, scope: Scope, asked: ContextOptions): Promise<AssembledContext> {
  const { tracing, settings, log } = deps.assembling;
  const started = performance.now();
  const options: ContextOptions = { ...settings, ...asked, sections: { ...settings.sections, ...asked.sections } };
  const layout = layoutOf(options.layout);
  return tracing.span('assemble_context', spanStart(scope, layout), async (span) => {
    const counter = options.tokenCounter ?? estimatingCounter;
    const budget = budgetOf(layout, options);
    const { on, off } = switchedSections(layout, options);
    const gathered = await gather({ deps, scope, options, layout, on, budget, counter });
    const { tools = '', reserve, lookup } = options;
    const toolTokens = counter.count(typeof tools === 'string' ? tools : JSON.stringify(tools));
    const fitted = fitContext({
      layout,
      material: gathered.material,
      given: gathered.given,
      budget,
      reserve,
      mostRecalled: mostRecalled(layout, options),
      holdsEvidence: on.has('recall') && lookup !== 'never',
      toolTokens,
      counter,
    });
    const { sections, tokens, system, user, beforeMessage, messages } = fitted;
    if (toolTokens > 0) sections.push(toolsReport(toolTokens, budget));
    const stable = stablePrefix(layout, fitted);
    const report: ContextReport = {
      id: deps.ids.next('ctx'),
      layout: layout.name,
      counter: counter.id,
      tokens,
      sections,
      off,
      failed: gathered.failed,
      stable: { characters: stable.length, tokens: counter.count(stable) },
      lookup: gathered.lookup,
      intent: gathered.intent,
      saving: { injected: memoryTokens(sections), raw: Math.ceil(gathered.charactersSaid / 4) },
      cached: gathered.cached,
      milliseconds: performance.now() - started,
    };
    span.set(spanEnd(report, gathered));
    const { model, unlogged } = options;
    // The usage of memory in the prompt is known only if the application names the model that reads it.
    const isEstimated = counter.id === estimatingCounter.id;
    const injection = model === undefined ? null : { model, tokens: report.saving.injected, estimated: isEstimated };
    if (!unlogged) log.note(logged(deps, scope, report), { ...givenIn(sections), injection });
    return { system, user, beforeMessage, messages, report };
  });
}

function budgetOf(layout: Layout, { budget }: ContextOptions): Budget {
  if (budget === undefined) return layout.budget ?? {};
  if (typeof budget === 'number') return { ...layout.budget, total: budget };
  return { ...layout.budget, ...budget, sections: { ...layout.budget?.sections, ...budget.sections } };
}

/** The sections of the layout that are switched on (`on`), and the sections that are switched off (`off`). */
function switchedSections(
  layout: Layout,
  { sections = {}, history }: ContextOptions,
): { on: Set<SectionName>; off: SectionName[] } {
  const isOff = (name: SectionName): boolean => {
    const { tier } = sectionOf(name);
    if (history === false && (name === 'history' || name === 'earlier')) return true;
    return sections[name] === false || (tier !== undefined && sections[tier] === false);
  };
  const shown = sectionsOf(layout);
  const off = SECTION_NAMES.filter((name) => shown.has(name) && isOff(name));
  return { on: new Set([...shown].filter((name) => !isOff(name))), off };
}

/** The beginning of the system prompt, up to the first section that can change from turn to turn. */
function stablePrefix(layout: Layout, { system, material }: FittedContext): string {
  const writing = writingOf(layout);
  const first = layout.system.findIndex((entry) =>
    formatsOf(entry).some(({ section }) => sectionOf(section).perTurn && (material[section]?.length ?? 0) > 0),
  );
  return first === -1 ? system : writePlace(layout.system.slice(0, first), material, writing);
}

function toolsReport(tokens: number, budget: Budget): ContextReport['sections'][number] {
  return {
    section: 'tools',
    place: 'tools',
    budget: budget.sections?.tools ?? null,
    wanted: tokens,
    taken: tokens,
    items: 1,
    ids: [],
    dropped: [],
    cut: false,
  };
}

/** The tokens of all sections except the application's own text, its tools and the running conversation. */
function memoryTokens(sections: ContextReport['sections']): number {
  const isMemory = (name: SectionName | 'tools'): boolean =>
    name !== 'tools' && name !== 'history' && sectionOf(name).overflow !== 'keep';
  return sections.reduce((sum, { section, taken }) => sum + (isMemory(section) ? taken : 0), 0);
}

function logged(deps: AssembleDeps, scope: Scope, report: ContextReport): Parameters<ContextLog['note']>[0] {
  return {
    id: report.id,
    scope,
    at: new Date(deps.clock.now()),
    layout: report.layout,
    tokens: report.tokens.total,
    milliseconds: Math.round(report.milliseconds),
    parts: report.sections.map(({ section, taken, ids, items, dropped, cut }) => ({
      section,
      tokens: taken,
      ids,
      items,
      dropped: dropped.length,
      reasons: Object.fromEntries(
        Object.entries(Object.groupBy(dropped, ({ reason }) => reason)).map(([reason, all = []]) => [
          reason,
          all.length,
        ]),
      ),
      cut,
    })),
    failed: report.failed.map(({ section, error }) => ({ section, error: messageOf(error) })),
  };
}

/** The memories that were found for this turn, and the memories and documents that every prompt contains. */
function givenIn(sections: ContextReport['sections']): Pick<NotedAlong, 'given' | 'always'> {
  const idsOf = (how: 'found' | 'always'): string[] =>
    sections
      .filter(({ section }) => section !== 'tools' && sectionOf(section).gives === how)
      .flatMap((report) => report.ids)
      .filter((id) => /^(?:mem|blk)_/.test(id));
  return { given: idsOf('found'), always: idsOf('always') };
}

function spanStart(scope: Scope, layout: Layout): Attributes {
  return {
    'gen_ai.operation.name': 'search_memory',
    'gen_ai.memory.store.id': scope.tenant,
    'varve.layout': layout.name,
    ...(scope.session === null ? {} : { 'gen_ai.conversation.id': scope.session }),
  };
}

function spanEnd({ tokens, sections, lookup }: ContextReport, { history }: Gathered): Attributes {
  const found = sections.filter(({ place }) => place === 'user' || place === 'system');
  return {
    'gen_ai.memory.record.count': new Set(found.flatMap(({ ids }) => ids)).size,
    'varve.est_tokens_history': tokens.history,
    'varve.est_tokens_context': memoryTokens(sections),
    'varve.est_tokens_user_turn': tokens.user,
    'varve.est_tokens_total': tokens.total,
    'varve.context_layers': sections.map(({ section }) => section),
    'varve.history_interactions': history.filter(({ label }) => label === 'user').length,
    'varve.lookup': lookup.queries.length > 0,
  };
}

/** All items that can go into a context, before they are fitted into the budget. */
interface Gathered {
  material: Material;
  history: readonly Item[];
  /** The turns that the application sends itself. */
  given: readonly Item[];
  lookup: Lookup;
  intent: Intent;
  failed: Failed;
  /** The number of characters of all turns; about four make a token. */
  charactersSaid: number;
  cached: boolean;
}

/** Gathers the sections that are on, in parallel where they do not depend on each other. */
async function gather(asking: GatherRequest): Promise<Gathered> {
  const { deps, scope, on } = asking;
  const failed: Failed = [];
  const attempt = createAttempt(failed, asking.options.timeout);
  const now = asking.options.now === undefined ? deps.clock.now() : new Date(asking.options.now).getTime();
  const message = asking.options.message ?? '';
  const turn: GatherTurn = { message, now, attempt, failed };

  const { knowledge, cached, timeZone } = await openKnowledge(asking, turn);
  const options = { ...asking.options, timeZone };
  const request = { ...asking, options };
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
    on.has('intentions') ? attempt('intentions', () => intentionItems(deps, scope, { now, timeZone }), []) : [],
    on.has('services') ? serviceItems(asked, options, attempt) : [],
    on.has('structuredProfile') ? attempt('structuredProfile', () => profileItems(asked, options), []) : [],
    historyItems(request, past, turn),
  ]);

  const material: Material = {
    ...knownItems(knowledge, deps.attributes),
    ...found,
    intentions,
    services,
    structuredProfile,
    earlier: turns.earlier,
    ...ownText(request, { now, message, history: turns.verbatim }),
  };
  const shown = Object.entries(material).filter(([name]) => on.has(name as SectionName));
  return {
    material: Object.fromEntries(shown),
    history: turns.verbatim,
    given: turns.given ?? [],
    lookup,
    intent,
    failed,
    charactersSaid: knowledge.said.characters,
    cached,
  };
}

async function openKnowledge(
  { deps, scope, options }: GatherRequest,
  { now, attempt }: GatherTurn,
): Promise<{ knowledge: Knowledge; cached: boolean; timeZone: string }> {
  const { database, memoryTypes, attributes, access, assembling } = deps;
  const connections = options.connections ?? [];
  const request = { scope, connections, topMemories: options.topMemories ?? 20, memoryTypes, attributes, now };
  const last = assembling.knowledge.last(request) ?? NOTHING_KNOWN;
  const { timeZone } = deps.settings;
  const opened = await attempt(
    'knowledge',
    () =>
      database.readReplica(scope, async (reader) => ({
        ...(await assembling.knowledge.open(reader, request, options.refresh === true)),
        timeZone: await ownTimeZone(reader, scope, timeZone),
      })),
    { knowledge: last, loaded: false, timeZone },
  );
  const read = opened.knowledge.memories.map(({ id }) => ({ kind: 'memory' as const, id }));
  if (opened.loaded) access.note(scope.tenant, read);
  return { knowledge: opened.knowledge, cached: !opened.loaded, timeZone: options.timeZone ?? opened.timeZone };
}
