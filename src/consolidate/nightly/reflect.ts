import { conflict, messageOf } from '../../errors.ts';
import { renderPrompt } from '../../models/prompt.ts';
import { DAY } from '../../record/clock.ts';
import type { Event } from '../../record/event.ts';
import { PROFILE_SECTIONS, type PromptSection } from '../../record/memory-types.ts';
import { hasOutcome, isoDay, isPresentFact, type Memory } from '../../record/memory.ts';
import type { Change } from '../../record/revision.ts';
import type { Scope } from '../../record/scope.ts';
import { replaceBlock } from '../../store/block-store.ts';
import type { Parts, Reader, Writer } from '../../store/database.ts';
import { decideHeldChanges, holdChange } from '../../store/held-change-store.ts';
import type { RunNotes } from '../../store/history-store.ts';
import {
  changeOwner,
  findProgress,
  type OwnerProgress,
  ownersWithNews,
  saveProgress,
} from '../../store/owner-store.ts';
import { problemOf, type TextSources } from '../check-text.ts';
import { changed, lossOf, readChanges, type RefusedChange } from '../documents/changes.ts';
import {
  type BlockText,
  fitted,
  fittedSections,
  idsOf,
  isUnchanged,
  type Material,
  type OpenDocument,
  type ReadDocument,
  readDocument,
  refreshed,
  type Sentence,
  sourcesOf,
  type StoredDocument,
  unsaid,
  withChangesSince,
  writeBlockText,
} from '../documents/document.ts';
import { readTierNotes } from '../documents/scaffold.ts';
import {
  currentStatements,
  messagesBetween,
  openProfile,
  openWorkingMemory,
  turnMaterial,
} from '../documents/sources.ts';
import { noteRefused } from '../documents/synthesise.ts';
import { rehearse } from '../rehearse.ts';
import { type ActiveRun, type Committed, meteredRun, type RunContext } from '../run-log.ts';
import { applyReflection, countFormed, type Counts, NO_COUNTS } from './apply-reflection.ts';
import { type Numbering, type ParsedReflection, parseReflection, reflectPrompt } from './reflection-prompts.ts';
import type { ConsolidateDeps } from '../consolidate-deps.ts';

/** The counts of a reflection. Their names are those of the HTTP response. */
export interface ReflectionCounts extends Counts {
  /** On how many users the reflection ran. A user with several agents counts once for each agent. */
  users: number;
  /** Whether nothing was done, because there were no new turns. A failed reflection does not count as skipped. */
  skipped: boolean;
  /** Whether the new profile waits for review, because it would lose too many statements. Everything else was applied. */
  profile_held: boolean;
  warnings: string[];
}

const NOTHING: ReflectionCounts = { ...NO_COUNTS, users: 0, skipped: true, profile_held: false, warnings: [] };

// Further turns, for example after weeks of downtime, wait for the next night.
const MOST_STRETCHES = 10;

interface ReflectOptions extends RunContext {
  dryRun?: boolean;
}

/** A document that would lose too much waits for review; the rest is applied. */
export async function reflectOwner(
  deps: ConsolidateDeps,
  scope: Scope,
  { dryRun = false, ...options }: ReflectOptions,
): Promise<ReflectionCounts> {
  if (dryRun) return rehearse(deps, scope.tenant, (rehearsed) => reflectOwner(rehearsed, scope, options));
  const total = { ...NOTHING, warnings: [] as string[] };
  let isUnread = true;
  for (let stretch = 0; isUnread && stretch < MOST_STRETCHES; stretch += 1) {
    const { counts, hasMore } = await reflectOnce(deps, scope, options);
    addCounts(total, counts);
    isUnread = hasMore;
  }
  if (isUnread)
    total.warnings.push(
      `The reflection could not read all messages of ${scope.user}. The next reflection reads the rest.`,
    );
  return { ...total, users: Number(!total.skipped) };
}

/** Among several owners, a failed reflection becomes a warning and the others go on. For a single owner, the error is thrown. */
export async function reflectAll(
  deps: ConsolidateDeps,
  scope: Scope,
  options: ReflectOptions,
): Promise<ReflectionCounts> {
  const now = deps.clock.now();
  const owners = await deps.database.read(scope.tenant, (reader) => ownersWithNews(reader, scope, now));
  const total = { ...NOTHING, warnings: [] as string[] };
  for (const owner of owners) {
    options.signal?.throwIfAborted();
    try {
      addCounts(total, await reflectOwner(deps, owner, options));
    } catch (error) {
      if (owners.length === 1) throw error;
      total.skipped = false;
      total.warnings.push(`The reflection of ${owner.user} failed: ${messageOf(error)}`);
    }
  }
  return total;
}

function addCounts(total: ReflectionCounts, counts: ReflectionCounts): void {
  for (const name of ['users', ...(Object.keys(NO_COUNTS) as (keyof Counts)[])] as const) total[name] += counts[name];
  total.skipped &&= counts.skipped;
  total.profile_held ||= counts.profile_held;
  total.warnings.push(...counts.warnings);
}

async function reflectOnce(
  deps: ConsolidateDeps,
  scope: Scope,
  options: RunContext,
): Promise<{ counts: ReflectionCounts; hasMore: boolean }> {
  return meteredRun(deps, { scope, kind: 'reflect', ...options }, async (run) => {
    const back = await deps.database.read(scope.tenant, (reader) => lookBack(reader, deps, scope));
    run.read({ messages: back.messages.length, memories: back.statements.length });
    if (!back.messages.some(({ origin }) => origin === 'user')) {
      await run.commit(async (writer) => {
        if (back.messages.length > 0) await saveProgress(writer, scope, readUpTo(back));
        return { changed: {}, status: 'skipped' };
      });
      return { counts: NOTHING, hasMore: back.hasMore };
    }
    const { reflection, documents, refused } = await reflect(deps, run, back);
    const held = documents.filter(({ suspicion }) => suspicion !== null);
    const { counts } = await run.commit(async (writer): Promise<Committed & { counts: Counts }> => {
      await changeOwner(writer, scope, deps.clock.now());
      const progress = await findProgress(writer, scope);
      const { reflectedUntil, reflectedSequence } = back.progress;
      if (progress.reflectedUntil !== reflectedUntil || progress.reflectedSequence !== reflectedSequence)
        throw conflict('Another reflection on the same messages was committed first. Reflect again.', {
          retryable: true,
        });
      const why = { reason: 'reflected on the day', actor: 'reflect', run: run.id };
      const written: RunNotes = {};
      for (const document of documents)
        Object.assign(written, await writeOrHold(writer, deps, scope, { document, why }));
      let found = { counts: countFormed(back.statements, back.since, deps), memories: {} };
      if (reflection !== null) {
        const reader = run.languageModel?.modelOf('profile') ?? 'local';
        const shown = { intentions: openIntentions(back, deps), learnings: inSection(back, 'learnings', deps) };
        const applied = { reflection, messages: back.messages, ...shown, reader, why };
        found = await applyReflection(writer, deps, scope, applied);
        await noteRefused(writer, deps, scope, { refused, why });
      }
      await saveProgress(writer, scope, readUpTo(back));
      const notes = { ...found.counts, ...found.memories, ...written, refused: refused.length };
      return { changed: notes, counts: found.counts, status: held.length === 0 ? 'done' : 'held' };
    });
    const counted: ReflectionCounts = {
      ...counts,
      users: 0,
      skipped: false,
      profile_held: held.some(({ kind }) => kind === 'profile'),
      warnings: [
        ...(reflection?.warnings ?? []),
        ...refused.map(({ text, reason }) => `Refused (${reason}): ${text.slice(0, 120)}`),
        ...held.map(({ kind, suspicion }) => `The ${kind.replace('_', ' ')} is held for review: ${suspicion}.`),
      ],
    };
    return { counts: counted, hasMore: back.hasMore };
  });
}

function readUpTo({ until, sequence }: LookBack): Pick<OwnerProgress, 'reflectedUntil' | 'reflectedSequence'> {
  return { reflectedUntil: until, reflectedSequence: sequence };
}

interface LookBack {
  messages: Event[];
  since: number;
  /**
   * The recording time of the last message that was read; the next reflection continues there. If further messages with the same time are
   * unread, `sequence` is the position of the last message, otherwise 0.
   */
  until: number;
  sequence: number;
  hasMore: boolean;
  progress: OwnerProgress;
  /** The live verified memories of the owner, newest first. */
  statements: readonly Memory[];
  profile: OpenDocument;
  workingMemory: OpenDocument;
  refused: readonly RefusedChange[];
}

async function lookBack(reader: Reader, deps: ConsolidateDeps, scope: Scope): Promise<LookBack> {
  const progress = await findProgress(reader, scope);
  const now = deps.clock.now();
  const since = reflectedSince(progress.reflectedUntil, now);
  const limit = deps.consolidation.nightly.exchanges * 2;
  const sequence = since === progress.reflectedUntil ? progress.reflectedSequence : 0;
  const current = await currentStatements(reader, deps, scope);
  return {
    ...(await messagesBetween(reader, scope, { since, sequence, until: now, limit })),
    since,
    progress,
    statements: current.statements,
    profile: await openProfile(reader, deps, scope, current),
    workingMemory: await openWorkingMemory(reader, deps, scope, current),
    refused: (await readTierNotes(reader, scope)).refused,
  };
}

/** A time in the future means that the clock was set back. The reflection then reads the last day. */
function reflectedSince(reflectedUntil: number | null, now: number): number {
  if (reflectedUntil === null) return 0;
  return reflectedUntil > now ? now - DAY : reflectedUntil;
}

/** `suspicion` is why a person must review the document. */
interface NextDocument {
  kind: 'profile' | 'working_memory';
  before: ReadDocument;
  document: BlockText;
  written: (document: BlockText) => Pick<StoredDocument, 'text' | 'basis'>;
  suspicion: string | null;
}

async function reflect(
  deps: ConsolidateDeps,
  run: ActiveRun,
  back: LookBack,
): Promise<{ reflection: ParsedReflection | null; documents: NextDocument[]; refused: RefusedChange[] }> {
  if (run.languageModel === null) {
    const document = refreshed(back.profile.document, back.profile.materials, deps.clock.now());
    return { reflection: null, documents: [nextProfile(deps, back, document, null)], refused: [] };
  }
  const numbering = numberingOf(back);
  const prompt = renderPrompt(reflectPrompt, inputOf(deps, back, numbering));
  const { data } = await run.languageModel.generateText({ task: 'profile', prompt, signal: run.signal });
  const parsed = parseReflection(data);
  const sources = textSources(back);
  const learnings = parsed.learnings.filter(({ rule }) => problemOf(rule, sources) === null);
  const reflection = { ...parsed, learnings };
  const { shrinkShare, words } = deps.consolidation.tiers;
  const shown = { numbering, sources, back };
  const profile = rewritten('profile', { ...shown, answer: parsed.profile });
  const elsewhere = idsOf(profile.document);
  const working = rewritten('working_memory', { ...shown, answer: parsed.workingMemory, elsewhere });
  const next: NextDocument = {
    kind: 'working_memory',
    before: back.workingMemory.read,
    document: working.document,
    written: (document) => writeBlockText(fitted(document, words, elsewhere)),
    suspicion: lossOf(working, shrinkShare, 'the working memory'),
  };
  return {
    reflection,
    documents: [nextProfile(deps, back, profile.document, lossOf(profile, shrinkShare, 'the profile')), next],
    refused: [...profile.refused, ...working.refused],
  };
}

function nextProfile(
  deps: ConsolidateDeps,
  { profile }: LookBack,
  document: BlockText,
  suspicion: string | null,
): NextDocument {
  const importance = new Map(profile.materials.wanted.map(({ id, importance: weight }) => [id, weight]));
  const { words } = deps.consolidation.nightly;
  const sections = PROFILE_SECTIONS;
  const written = (next: BlockText) => writeBlockText(fittedSections(next, words, { sections, importance }), sections);
  return { kind: 'profile', before: profile.read, document, written, suspicion };
}

interface Rewriting {
  answer: string;
  numbering: Numbering;
  sources: TextSources;
  back: LookBack;
  elsewhere?: ReadonlySet<string>;
}

function rewritten(
  kind: 'profile' | 'working_memory',
  { answer, numbering, sources, back, elsewhere }: Rewriting,
): ReturnType<typeof changed> {
  const { profile, prose, statements: stated, turns } = numbering;
  const open = kind === 'profile' ? back.profile : back.workingMemory;
  const materials = newItemsFor(open, kind === 'profile' ? prose : profile, numbering);
  const shown = [...profile, ...prose, ...stated, ...turns];
  const changes = readChanges(answer, open.document, materials, shown) ?? [];
  const known = new Map([...open.materials.known, ...materials.map((each) => [each.id, each] as const)]);
  const result = changed(open.document, changes, { materials, known, sources, elsewhere });
  const statements = new Set(back.statements.map(({ id }) => id));
  const isKept = (id: string): boolean => statements.has(id) || open.document.omitted.includes(id);
  return { ...result, document: { ...result.document, omitted: result.document.omitted.filter(isKept) } };
}

function numberingOf({ messages, profile, workingMemory }: LookBack): Numbering {
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

function newItemsFor({ materials }: OpenDocument, others: readonly Sentence[], numbering: Numbering): Material[] {
  const behind = others.flatMap(sourcesOf).flatMap((id) => materials.known.get(id) ?? []);
  return withoutDoubles([...numbering.statements, ...numbering.turns, ...behind]);
}

function withoutDoubles(materials: readonly Material[]): Material[] {
  return [...Map.groupBy(materials, ({ id }) => id).values()].flatMap(([first]) => first ?? []);
}

function inputOf(
  deps: ConsolidateDeps,
  back: LookBack,
  numbering: Numbering,
): Parameters<typeof reflectPrompt.render>[0] {
  const { words, characters } = deps.consolidation.nightly;
  const now = deps.clock.now();
  return {
    ...numbering,
    facts: back.statements
      .filter((memory) => isPresentFact(memory, now))
      .map(({ attribute, value, category }) => `${attribute ?? ''} (${category ?? 'general'}): ${value ?? ''}`),
    intentions: openIntentions(back, deps).map(
      ({ content, dueAt }) => `${content}${dueAt === null ? '' : ` (due ${isoDay(dueAt)})`}`,
    ),
    learnings: inSection(back, 'learnings', deps).map(({ content }) => content),
    messages: back.messages,
    characters,
    today: isoDay(new Date(now)),
    wordLimits: { profile: words, workingMemory: deps.consolidation.tiers.words },
    refused: back.refused,
  };
}

function inSection({ statements }: LookBack, section: PromptSection, { memoryTypes }: ConsolidateDeps): Memory[] {
  return statements.filter(({ type }) => memoryTypes.get(type)?.section === section);
}

/** The intentions that a reflection may close, in the order in which the model was shown them. */
function openIntentions(back: LookBack, deps: ConsolidateDeps): Memory[] {
  return inSection(back, 'intentions', deps).filter((memory) => !hasOutcome(memory, deps.memoryTypes.get(memory.type)));
}

/** An address in an answer must occur in a shown text, and an order in the user's own words or in a known statement. */
function textSources({ messages, statements, profile, workingMemory }: LookBack): TextSources {
  const sentences = [...profile.document.sentences, ...workingMemory.document.sentences].map(({ text }) => text);
  const known = [...sentences, ...statements.map(({ content }) => content)];
  return {
    shown: [...known, ...messages.map(({ content }) => content)],
    own: [...known, ...messages.filter(({ origin }) => origin === 'user').map(({ content }) => content)],
  };
}

/** Another job may have changed the document during the model call. Its changes are then merged into the model's answer. */
async function writeOrHold(
  writer: Writer,
  deps: Parts,
  scope: Scope,
  { document, why }: { document: NextDocument; why: Change & { run: string } },
): Promise<RunNotes> {
  const { kind, before, suspicion } = document;
  const current = await readDocument(writer, scope, kind);
  const { version } = current.stored;
  const isSame = version === before.stored.version;
  const next = isSame ? document.document : withChangesSince(document.document, before, current);
  const apply = { ...document.written(next), version };
  if (isUnchanged(apply, current.stored)) return { [kind]: 0 };
  if (suspicion === null) return applyDocument(writer, deps, scope, { kind, apply, why });
  await decideHeldChanges(writer, scope, { kind, decision: 'outdated', now: deps.clock.now() });
  const held = { scope, run: why.run, kind, reason: suspicion, proposal: apply, events: [] };
  await holdChange(writer, deps, held);
  return { [kind]: 0, held: 1 };
}

/** Throws `conflict` if the version that `apply` names is no longer the current one. */
export async function applyDocument(
  writer: Writer,
  parts: Parts,
  scope: Scope,
  { kind, apply, why }: Pick<NextDocument, 'kind'> & { apply: StoredDocument; why: Change },
): Promise<RunNotes> {
  const replacement = { kind, content: apply.text, basis: apply.basis, expectedVersion: apply.version };
  const { version } = await replaceBlock(writer, parts, scope, replacement, why);
  if (version === apply.version) return { [kind]: 0 };
  // Any held changes were made for the version that has just been replaced.
  await decideHeldChanges(writer, scope, { kind, decision: 'outdated', now: parts.clock.now() });
  return { [kind]: 1 };
}
