import { withoutEnd } from '../../language/words.ts';
import type { InternalMemory } from '../../record/memory.ts';
import { ownerLevel, type Scope } from '../../record/scope.ts';
import { recordDerivation } from '../../store/derivation-store.ts';
import type { Parts } from '../../store/database.ts';
import { newMemory } from '../../store/record-rows.ts';
import { archiveMemory, supersedeMemory, writeMemory } from '../../store/write-memory.ts';
import { askMerge } from '../ask-model.ts';
import type { RunDeps } from '../consolidate-deps.ts';
import { type ActiveRun, inRun, type RunContext } from '../run-log.ts';
import { sayCount, writeCount } from './count-evidence.ts';
import type { Evidence } from './evidence.ts';
import type { FoundPattern } from './find-patterns.ts';
import { lowestTrust } from '../../record/statement.ts';

const PATTERN_IMPORTANCE = 0.85;
const LEAD_WORDS = 30;

/**
 * Writes the common theme of evidence as a pattern, or replaces the existing pattern. The numbers always come from the counts; a model only
 * writes the sentence before them. The episodes are archived as absorbed.
 */
export async function writePattern(
  deps: Parts & RunDeps,
  scope: Scope,
  found: FoundPattern,
  options: RunContext,
): Promise<string> {
  return inRun(deps, { scope, kind: 'find-patterns', ...options }, async (run) => {
    run.read({ evidence: found.evidence.length, sessions: found.count.sessions });
    const content = await wordPattern(run, found);
    const input = patternMemory(found, content, scope);
    const { id } = await run.commit(async (writer) => {
      const why = { reason: `${found.evidence.length} episodes on one theme`, actor: 'find-patterns', run: run.id };
      const pattern =
        found.known === null
          ? (await writeMemory(writer, deps, scope, input, why)).memory
          : await supersedeMemory(writer, deps, {
              old: found.known,
              next: newMemory(deps, scope, input),
              reason: 'superseded',
              change: why,
            });
      const episodes = found.evidence
        .flatMap(({ memories }) => memories)
        .filter((memory) => memory.archivedAt === null);
      for (const episode of episodes) {
        await archiveMemory(writer, deps, episode, { reason: 'absorbed', by: pattern.id, why });
      }
      const from = found.evidence.flatMap(({ memories }) => memories.map((memory) => memory.id));
      await recordDerivation(writer, scope.tenant, pattern.id, from);
      return { changed: { pattern: pattern.id, absorbed: episodes.map((episode) => episode.id) }, id: pattern.id };
    });
    return id;
  });
}

/** The counts as a sentence. A model, if there is one, writes a sentence that comes before them. */
async function wordPattern(run: ActiveRun, { evidence, count }: FoundPattern): Promise<string> {
  const plain = sayCount(count);
  // If the counts support no claim, a model must not make one either.
  if (run.languageModel === null || count.best === null) return plain;
  const texts = evidence.slice(-50).map(({ text, measure, effect }) => `${text} → ${outcomeText({ measure, effect })}`);
  const subject = count.theme.length === 0 ? 'what was done' : count.theme.join(' ');
  const input = { purpose: 'episodes' as const, subject, texts, wordLimit: LEAD_WORDS };
  const lead = withoutEnd((await askMerge(run.languageModel, input, run.signal)).trim(), '.!');
  // A model's arithmetic is not trusted: a sentence with digits is not used.
  return lead === '' || /\p{N}/u.test(lead) ? plain : `${lead} (${writeCount(count)}).`;
}

function outcomeText({ measure, effect }: Pick<Evidence, 'measure' | 'effect'>): string {
  return (
    [measure === null ? null : `${measure.value} ${measure.name}`, effect].filter((part) => part !== null).join(', ') ||
    'done'
  );
}

function patternMemory({ evidence, count }: FoundPattern, content: string, scope: Scope): InternalMemory {
  const memories = evidence.flatMap((each) => each.memories);
  return {
    type: 'pattern',
    content,
    level: ownerLevel(scope),
    importance: PATTERN_IMPORTANCE,
    sourceType: 'consolidation',
    trust: memories.length === 0 ? 'medium' : lowestTrust(memories.map(({ trust }) => trust)),
    sourceEvents: [...new Set(evidence.flatMap(({ events }) => events))].slice(0, 1000),
    entities: [...new Set(evidence.flatMap(({ entities }) => entities))].slice(0, 200),
    tags: [...new Set(count.theme)].slice(0, 10),
    internal: {
      evidence: evidence.map(({ id }) => id).slice(-1000),
      groups: count.groups.map((group) => ({ ...group })),
      measure: count.measure,
      best: count.best,
      ratio: count.ratio,
      sessions: count.sessions,
      tools: count.tools,
    },
  };
}
