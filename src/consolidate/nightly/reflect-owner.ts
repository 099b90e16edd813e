import { VarveError } from '../../errors.ts';
import { renderPrompt } from '../../models/prompt.ts';
import { countWords } from '../../record/block.ts';
import type { Scope } from '../../record/scope.ts';
import { replaceBlock } from '../../store/block-store.ts';
import { changeOwner } from '../../store/owner-store.ts';
import { findProgress, saveProgress } from '../../store/progress-store.ts';
import type { RunCause } from '../../store/run-store.ts';
import type { ConsolidateDeps } from '../consolidate-deps.ts';
import { inRun, type ActiveRun } from '../in-run.ts';
import { profilePrompt } from '../prompts/profile-prompt.ts';
import { applyReflection } from './apply-reflection.ts';
import { fitProfile } from './fit-profile.ts';
import { gatherDay, toExchanges, type Day } from './gather-day.ts';
import { localReflection } from './local-reflection.ts';
import type { ReflectionCounts } from './reflection-counts.ts';
import { parseReflection, type ParsedReflection } from './parse-reflection.ts';

const NOTHING: ReflectionCounts = {
  facts_added: 0,
  facts_updated: 0,
  intentions_added: 0,
  learnings_added: 0,
  skipped: true,
  warnings: [],
};

/** Looks back on what was said since the last reflection: a new profile, facts, intentions and learnings (K10). */
export async function reflectOwner(
  deps: ConsolidateDeps,
  scope: Scope,
  options: { cause: RunCause; signal?: AbortSignal; dryRun?: boolean },
): Promise<ReflectionCounts> {
  return inRun(deps, { scope, kind: 'reflect', ...options }, async (run) => {
    const day = await deps.database.read(scope.tenant, (reader) => gatherDay(reader, deps, scope));
    run.read({ messages: day.messages.length, memories: day.memories.length });
    if (!day.messages.some(({ origin }) => origin === 'user')) {
      await run.commit(async () => ({ changed: {}, status: 'skipped' }));
      return NOTHING;
    }
    const reflection = await reflect(deps, run, day);
    const { counts } = await run.commit(async (writer) => {
      await changeOwner(writer, scope, deps.clock.now());
      const progress = await findProgress(writer, scope);
      if (progress.reflectedUntil !== day.progress.reflectedUntil) throw takenMeanwhile();
      const why = { reason: 'reflected on the day', actor: 'reflect', run: run.id };
      const profile = nextProfile(reflection.profile, day.profile.text, deps);
      if (profile !== null) {
        const replacement = { kind: 'profile' as const, content: profile, expectedVersion: day.profile.version };
        await replaceBlock(writer, deps, scope, replacement, why);
      }
      const applied = await applyReflection(writer, deps, scope, { reflection, day, why });
      await saveProgress(writer, scope, { reflectedUntil: day.until });
      return { changed: { ...applied.changed, profile: Number(profile !== null) }, counts: applied.counts };
    });
    return { ...counts, skipped: false, warnings: reflection.warnings };
  });
}

async function reflect(deps: ConsolidateDeps, run: ActiveRun, day: Day): Promise<ParsedReflection> {
  const { words, characters, timeZone } = deps.consolidation.nightly;
  const now = deps.clock.now();
  if (run.languageModel === null) {
    const types = [...deps.memoryTypes].map(([name, { description }]) => ({ name, description }));
    const zone = day.progress.timeZone ?? timeZone;
    return localReflection(await deps.local(), day, {
      wordLimit: words,
      types,
      now,
      timeZone: zone,
      signal: run.signal,
    });
  }
  const contents = (type: string): string[] =>
    day.memories.filter((memory) => memory.type === type).map(({ content }) => content);
  const prompt = renderPrompt(profilePrompt, {
    profile: day.profile.text,
    facts: day.memories
      .filter(({ type }) => type === 'keyed_fact')
      .map(({ key, value, category }) => ({ key: key ?? '', value: value ?? '', category: category ?? 'general' })),
    intentions: contents('intention'),
    learnings: contents('learning'),
    exchanges: toExchanges(day.messages, characters),
    today: new Date(now).toISOString().slice(0, 10),
    wordLimit: words,
  });
  const { data } = await run.languageModel.generateText({ task: 'profile', prompt, signal: run.signal });
  return parseReflection(data);
}

const FEW_WORDS = 40;

/** The profile to write; null when it is the old one, none at all, or has lost most of what was there. */
function nextProfile(text: string, before: string, deps: ConsolidateDeps): string | null {
  const next = fitProfile(text, deps.consolidation.nightly.words);
  const [words, left] = [countWords(before), countWords(next)];
  const hasShrunk = words >= FEW_WORDS && left < words * (1 - deps.consolidation.tiers.shrinkShare);
  return left === 0 || hasShrunk || next === before ? null : next;
}

function takenMeanwhile(): VarveError {
  return new VarveError('Another reflection on the same messages was quicker.', { code: 'conflict', retryable: true });
}
