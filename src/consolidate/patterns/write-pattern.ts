import { withoutEnd } from '../../language/words.ts';
import type { InternalMemory } from '../../record/memory.ts';
import { ownerLevel, type Scope } from '../../record/scope.ts';
import { lowestTrust } from '../../record/trust.ts';
import { recordDerivation } from '../../store/derivation-store.ts';
import { newMemory } from '../../store/memory-rows.ts';
import { archiveMemory, supersedeMemory, writeMemory } from '../../store/write-memory.ts';
import type { ConsolidateDeps } from '../consolidate-deps.ts';
import { type ActiveRun, inRun, type RunContext } from '../in-run.ts';
import { writeCount } from './count-evidence.ts';
import type { FoundPattern } from './find-patterns.ts';

const PATTERN_IMPORTANCE = 0.85;
const LEAD_WORDS = 30;

/**
 * Writes what evidence has in common as a pattern, or brings the one that is there up to date. The numbers are always
 * those that were counted; a model only words the sentence before them. The episodes stay, out of context.
 */
export async function writePattern(
  deps: ConsolidateDeps,
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

/** "Suggest post, recipe worked best: recipe: 3, mean 303 views; …", or a sentence of the model's that can be used. */
async function wordPattern(run: ActiveRun, { evidence, count }: FoundPattern): Promise<string> {
  const theme = count.theme.join(' ');
  const counted = writeCount(count);
  const what = theme === '' ? 'What was done' : theme.charAt(0).toUpperCase() + theme.slice(1);
  const best = count.ratio === null || count.ratio <= 1 ? '' : `, ${count.groups[0]?.label} worked best`;
  const plain = `${what}${best}: ${counted}.`;
  const { distiller } = run;
  if (distiller.kind === 'local') return plain;
  const additions = evidence.slice(-50).map(({ text, measure, effect, at }) => ({
    text: `${text} → ${measure === null ? (effect ?? 'done') : `${measure.value} ${measure.name}`}`,
    at,
  }));
  const { output } = await distiller.merge(
    {
      purpose: 'episodes',
      subject: theme === '' ? 'what was done' : theme,
      current: null,
      additions,
      wordLimit: LEAD_WORDS,
    },
    { signal: run.signal },
  );
  const lead = withoutEnd(output.trim(), '.!');
  // A model's arithmetic is not believed: its sentence has no digits, or is not used.
  return lead === '' || /\p{N}/u.test(lead) ? plain : `${lead} (${counted}).`;
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
      ratio: count.ratio,
      sessions: count.sessions,
      tools: count.tools,
    },
  };
}
