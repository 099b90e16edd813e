import { messageOf } from '../errors.ts';
import type { Scope } from '../record/scope.ts';
import { ownTimeZone } from '../store/owner-store.ts';
import {
  type AssembleDeps,
  type Attributes,
  createAttempt,
  type Failed,
  type Gathering,
  type NotedContext,
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
import { asksForDue, chooseIntent, chooseLookup, lookUp, mostRecalled } from './look-up.ts';
import { type Item, type Material, SECTION_NAMES, type SectionName, sectionOf } from './section.ts';
import { historyItems, intentionItems, ownText, pastTurns, profileItems, serviceItems } from './sections.ts';
import { estimatingCounter } from '../language/words.ts';

/** One turn's context for the agent. */
export interface AssembledContext {
  /** The system prompt. It stays the same from turn to turn until the knowledge changes. */
  system: string;
  /** The user's turn: the date and time, what was looked up, and the message. */
  user: string;
  /** The user's turn without the message. */
  beforeMessage: string;
  /** Past turns, oldest first. Only for layouts that show them as chat messages. */
  messages: HistoryMessage[];
  report: ContextReport;
}

/** Parts that fail are left out, and the report names them. */
export async function assemble(deps: AssembleDeps, scope: Scope, asked: ContextOptions): Promise<AssembledContext> {
  const { tracing, settings, log } = deps.assembling;
  const started = performance.now();
  const options: ContextOptions = { ...settings, ...asked, sections: { ...settings.sections, ...asked.sections } };
  const layout = layoutOf(options.layout);
  return tracing.span('assemble_context', spanStart(scope, layout), async (span) => {
    const { off, ...gathering } = beginGathering(deps, scope, { options, layout });
    const { on, budget, counter } = gathering;
    const gathered = await gather(gathering);
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
    const report = reportOf(gathering, gathered, { fitted, toolTokens, off, started });
    span.set(spanEnd(report, gathered));
    if (!options.unlogged) log.note(logged(gathering, report));
    const { system, user, beforeMessage, messages } = fitted;
    return { system, user, beforeMessage, messages, report };
  });
}

function beginGathering(
  deps: AssembleDeps,
  scope: Scope,
  { options, layout }: Pick<Gathering, 'options' | 'layout'>,
): Gathering & { off: SectionName[] } {
  const failed: Failed = [];
  return {
    deps,
    scope,
    options,
    layout,
    ...switchedSections(layout, options),
    budget: budgetOf(layout, options),
    counter: options.tokenCounter ?? estimatingCounter,
    message: options.message ?? '',
    now: new Date(options.now ?? deps.clock.now()).getTime(),
    timeZone: deps.settings.timeZone,
    attempt: createAttempt(failed, options.timeout),
    failed,
  };
}

function reportOf(
  { deps, layout, budget, counter, failed }: Gathering,
  { lookup, intent, charactersSaid, cached }: Gathered,
  made: { fitted: FittedContext; toolTokens: number; off: SectionName[]; started: number },
): ContextReport {
  const { fitted, toolTokens, off, started } = made;
  const sections = toolTokens > 0 ? [...fitted.sections, toolsReport(toolTokens, budget)] : fitted.sections;
  const stable = stablePrefix(layout, fitted);
  return {
    id: deps.ids.next('ctx'),
    layout: layout.name,
    counter: counter.id,
    tokens: fitted.tokens,
    sections,
    off,
    // A part that timed out may still fail later, but a returned report must not change.
    failed: [...failed],
    stable: { characters: stable.length, tokens: counter.count(stable) },
    lookup,
    intent,
    saving: { injected: memoryTokens(sections), raw: Math.ceil(charactersSaid / 4) },
    cached,
    milliseconds: performance.now() - started,
  };
}

function budgetOf(layout: Layout, { budget }: ContextOptions): Budget {
  if (budget === undefined) return layout.budget ?? {};
  if (typeof budget === 'number') return { ...layout.budget, total: budget };
  return { ...layout.budget, ...budget, sections: { ...layout.budget?.sections, ...budget.sections } };
}

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

/** The system prompt up to the first section that can change from turn to turn. */
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

/** Leaves out the application's own text, its tools and the running conversation. */
function memoryTokens(sections: ContextReport['sections']): number {
  const isMemory = (name: SectionName | 'tools'): boolean =>
    name !== 'tools' && name !== 'history' && sectionOf(name).overflow !== 'keep';
  return sections.reduce((sum, { section, taken }) => sum + (isMemory(section) ? taken : 0), 0);
}

function logged({ deps, scope, options, counter }: Gathering, report: ContextReport): NotedContext {
  const { model } = options;
  // The ledger needs the name of the model that reads the prompt.
  const isEstimated = counter.id === estimatingCounter.id;
  const injection = model === undefined ? null : { model, tokens: report.saving.injected, estimated: isEstimated };
  return {
    ...givenIn(report.sections),
    injection,
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

function givenIn(sections: ContextReport['sections']): Pick<NotedContext, 'given' | 'always'> {
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

interface Gathered {
  material: Material;
  history: readonly Item[];
  given: readonly Item[];
  lookup: Lookup;
  intent: Intent;
  /** The characters of all turns. About four characters make a token. */
  charactersSaid: number;
  cached: boolean;
}

async function gather(begun: Gathering): Promise<Gathered> {
  const { deps, scope, on, message, attempt } = begun;
  const { knowledge, cached, timeZone } = await openKnowledge(begun);
  const gathering = { ...begun, timeZone };
  const past = await pastTurns(gathering);
  const intent = await chooseIntent(gathering);
  const asked: Asked = { scope, message, intent };
  const earlier = past.filter(({ origin }) => origin === 'user').map(({ content }) => content);
  const lookup = await chooseLookup(gathering, { message, intent, earlier });
  const [found, intentions, services, structuredProfile, turns] = await Promise.all([
    lookUp(gathering, lookup),
    on.has('intentions') ? attempt('intentions', () => intentionItems(gathering), []) : [],
    on.has('services') ? serviceItems(gathering, asked) : [],
    on.has('structuredProfile') ? attempt('structuredProfile', () => profileItems(gathering, asked), []) : [],
    historyItems(gathering, past),
  ]);
  const material: Material = {
    ...knownItems(knowledge, deps.attributes),
    ...found,
    // The due items answer such a question, although recall found nothing.
    ...(intentions.length > 0 && asksForDue(message, gathering.now, timeZone) ? { unknown: [] } : {}),
    intentions,
    services,
    structuredProfile,
    earlier: turns.earlier,
    ...ownText(gathering, turns.verbatim),
  };
  const shown = Object.entries(material).filter(([name]) => on.has(name as SectionName));
  return {
    material: Object.fromEntries(shown),
    history: turns.verbatim,
    given: turns.given ?? [],
    lookup,
    intent,
    charactersSaid: knowledge.said.characters,
    cached,
  };
}

async function openKnowledge({
  deps,
  scope,
  options,
  now,
  timeZone,
  attempt,
}: Gathering): Promise<{ knowledge: Knowledge; cached: boolean; timeZone: string }> {
  const { database, memoryTypes, attributes, sharesFacts, access, assembling } = deps;
  const { connections = [], topMemories = 20 } = options;
  const request = { scope, connections, topMemories, memoryTypes, attributes, sharesFacts, now };
  const last = assembling.knowledge.last(request) ?? NOTHING_KNOWN;
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
