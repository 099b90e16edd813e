import { VarveError } from '../../errors.ts';
import { renderPrompt } from '../../models/prompt.ts';
import type { PromptSection } from '../../record/memory-types.ts';
import type { Change } from '../../record/revision.ts';
import type { Scope } from '../../record/scope.ts';
import { isPresentFact } from '../../record/standing.ts';
import type { Writer } from '../../store/database.ts';
import { decideHeldChanges, insertHeldChange } from '../../store/held-change-store.ts';
import { changeOwner } from '../../store/owner-store.ts';
import { findProgress, saveProgress } from '../../store/progress-store.ts';
import type { RunCause, RunNotes } from '../../store/run-store.ts';
import { checkedText, problemOf } from '../check-text.ts';
import type { ConsolidateDeps } from '../consolidate-deps.ts';
import { type ActiveRun, type Committed, inRun } from '../in-run.ts';
import { rehearse } from '../rehearse.ts';
import { profileWithoutModel } from '../without-model.ts';
import { applyReflection, countFormed } from './apply-reflection.ts';
import { type Day, gatherDay, toExchanges } from './gather-day.ts';
import { type ParsedReflection, parseReflection } from './parse-reflection.ts';
import { applyProfile, checkProfile, profilePrompt, type ProfileToApply } from './profile.ts';
import type { ReflectionCounts } from './reflection-counts.ts';

const NOTHING: ReflectionCounts = {
  facts_added: 0,
  facts_updated: 0,
  intentions_added: 0,
  learnings_added: 0,
  skipped: true,
  profile_held: false,
  warnings: [],
};

/**
 * Looks back on what was said since the last reflection: a new profile, facts, intentions and learnings (K10). A profile
 * that would lose too much waits for review; the rest is applied.
 */
export async function reflectOwner(
  deps: ConsolidateDeps,
  scope: Scope,
  { dryRun = false, ...options }: { cause: RunCause; signal?: AbortSignal; dryRun?: boolean },
): Promise<ReflectionCounts> {
  if (dryRun) return rehearse(deps, scope.tenant, (rehearsed) => reflectOwner(rehearsed, scope, options));
  return inRun(deps, { scope, kind: 'reflect', ...options }, async (run) => {
    const day = await deps.database.read(scope.tenant, (reader) => gatherDay(reader, deps, scope));
    run.read({ messages: day.messages.length, memories: day.memories.length });
    if (!day.messages.some(({ origin }) => origin === 'user')) {
      await run.commit(async () => ({ changed: {}, status: 'skipped' }));
      return NOTHING;
    }
    const reflection = await reflect(deps, run, day);
    const profile = checkProfile(reflection.profile, day.profile.text, deps.consolidation);
    // A list that is written anew from what holds may become shorter by any number of lines: nothing is held for that.
    if (run.languageModel === null) profile.suspicion = null;
    const { counts } = await run.commit(async (writer): Promise<Committed & Applied> => {
      await changeOwner(writer, scope, deps.clock.now());
      const progress = await findProgress(writer, scope);
      if (progress.reflectedUntil !== day.progress.reflectedUntil) throw takenMeanwhile();
      const why = { reason: 'reflected on the day', actor: 'reflect', run: run.id };
      const written = await writeProfile(writer, deps, scope, { ...profile, version: day.profile.version, why });
      const applied =
        run.languageModel === null
          ? formedAlready(day, deps)
          : await applyReflection(writer, deps, scope, {
              reflection,
              day,
              reader: run.languageModel.modelOf('profile'),
              why,
            });
      await saveProgress(writer, scope, { reflectedUntil: day.until });
      const status = profile.suspicion === null ? 'done' : 'held';
      return { changed: { ...applied.changed, ...written }, counts: applied.counts, status };
    });
    const held = profile.suspicion === null ? [] : [`The profile is held for review: ${profile.suspicion}.`];
    return {
      ...counts,
      skipped: false,
      profile_held: profile.suspicion !== null,
      warnings: [...reflection.warnings, ...held],
    };
  });
}

type Applied = Pick<Awaited<ReturnType<typeof applyReflection>>, 'counts'>;

function formedAlready(day: Day, deps: ConsolidateDeps): Applied & { changed: RunNotes } {
  const counts = countFormed(day, deps);
  return { counts, changed: { ...counts } };
}

/** Writes the profile, or holds it for review. */
async function writeProfile(
  writer: Writer,
  deps: ConsolidateDeps,
  scope: Scope,
  { text, suspicion, version, why }: ProfileToApply & { suspicion: string | null; why: Change & { run: string } },
): Promise<RunNotes> {
  // Where nothing is known, no profile is written.
  if (text === '' && version === 0) return { profile: 0 };
  if (suspicion === null) return applyProfile(writer, deps, scope, { apply: { text, version }, why });
  const now = deps.clock.now();
  await decideHeldChanges(writer, scope, { kind: 'profile', decision: 'outdated', now });
  await insertHeldChange(writer, {
    id: deps.ids.next('hld'),
    scope,
    run: why.run,
    kind: 'profile',
    reason: suspicion,
    proposal: { text, version } satisfies ProfileToApply,
    events: [],
    createdAt: new Date(now),
  });
  return { profile: 0, held: 1 };
}

async function reflect(deps: ConsolidateDeps, run: ActiveRun, day: Day): Promise<ParsedReflection> {
  const { words, characters } = deps.consolidation.nightly;
  const now = deps.clock.now();
  if (run.languageModel === null) {
    const profile = profileWithoutModel(day.memories, deps.memoryTypes, { wordLimit: words, now });
    return { profile, facts: [], intentions: [], learnings: [], warnings: [] };
  }
  const contents = (section: PromptSection): string[] =>
    day.memories.filter(({ type }) => deps.memoryTypes.get(type)?.section === section).map(({ content }) => content);
  const prompt = renderPrompt(profilePrompt, {
    profile: day.profile.text,
    facts: day.memories
      .filter((memory) => isPresentFact(memory, now))
      .map(({ attribute, value, category }) => ({
        key: attribute ?? '',
        value: value ?? '',
        category: category ?? 'general',
      })),
    intentions: contents('intentions'),
    learnings: contents('learnings'),
    exchanges: toExchanges(day.messages, characters),
    today: new Date(now).toISOString().slice(0, 10),
    wordLimit: words,
  });
  const { data } = await run.languageModel.generateText({ task: 'profile', prompt, signal: run.signal });
  return borneOut(parseReflection(data), day);
}

/** A reflection without what neither the day nor what was known bears out: see {@link checkedText}. */
function borneOut(reflection: ParsedReflection, { messages, memories, profile }: Day): ParsedReflection {
  const known = [profile.text, ...memories.filter(({ trust }) => trust !== 'low').map(({ content }) => content)];
  const sources = {
    shown: [...known, ...memories.map(({ content }) => content), ...messages.map(({ content }) => content)],
    own: [...known, ...messages.filter(({ origin }) => origin === 'user').map(({ content }) => content)],
  };
  const { text, refused } = checkedText(reflection.profile, sources);
  const learnings = reflection.learnings.filter(({ rule }) => problemOf(rule, sources) === null);
  const left = refused.length + reflection.learnings.length - learnings.length;
  const warnings = left === 0 ? [] : [`${left} sentences have orders or addresses that nobody gave, and are left out.`];
  return { ...reflection, profile: text, learnings, warnings: [...reflection.warnings, ...warnings] };
}

function takenMeanwhile(): VarveError {
  return new VarveError('Another reflection on the same messages was quicker.', { code: 'conflict', retryable: true });
}
