import type { PrivacyPolicy } from '../../language/privacy-policy.ts';
import { contentStems, coveredBy } from '../../language/words.ts';
import type { Synthesis } from '../../models/distiller.ts';
import type { InternalMemory, Memory } from '../../record/memory.ts';
import { lowestTrust } from '../../record/trust.ts';
import { cutWords } from '../check-text.ts';
import { mayBeKept, type Observed } from './observed.ts';

const MOST_WORDS = 30;
/** Half of what a fact says must have been observed. */
const SUPPORTED = 0.5;

/** The facts of a synthesis that observations really say, as memories. What was learned of memories is known already. */
export function factsToKeep(
  facts: Synthesis['facts'],
  observed: readonly Observed[],
  { privacy, reader }: { privacy: PrivacyPolicy; reader: string },
): InternalMemory[] {
  return facts.flatMap((fact) => {
    const content = cutWords(fact.content, MOST_WORDS);
    if (content === '' || !mayBeKept(content, privacy)) return [];
    const sources = sourcesOf(content, fact.observations, observed);
    const said = sources.filter(({ event }) => event !== null);
    const best = said.toSorted((one, other) => other.rank - one.rank)[0];
    if (best === undefined) return [];
    const isPreference = said.every(({ turn }) => turn.category === 'preference');
    return [
      {
        type: isPreference ? 'preference' : 'fact',
        content,
        level: 'user' as const,
        sourceType: best.sourceType,
        trust: lowestTrust(said.map(({ trust }) => trust)),
        confidence: best.rank >= 3 ? ('high' as const) : ('medium' as const),
        sourceEvents: said.flatMap(({ event }) => event?.id ?? []),
        sourceSession: best.event?.scope.session ?? null,
        statedAt: best.turn.occurredAt,
        statedBy: best.turn.origin,
        reader,
        internal: { by: 'synthesise' },
      },
    ];
  });
}

/**
 * Leaves out what formation has made of the same observations already, also what it has archived since: said a second
 * time here, an outdated statement would come back.
 */
export function notFormedBefore(facts: readonly InternalMemory[], formed: readonly Memory[]): InternalMemory[] {
  return facts.filter(({ content, sourceEvents = [] }) => {
    const stems = contentStems(content);
    return !formed.some(
      (memory) =>
        memory.sourceEvents.some((event) => sourceEvents.includes(event)) &&
        coveredBy(stems, contentStems(memory.content)) >= SUPPORTED,
    );
  });
}

/** The observations that say it: those that are cited, when they do, or any. */
function sourcesOf(content: string, cited: readonly number[], observed: readonly Observed[]): Observed[] {
  const stems = contentStems(content);
  const saying = (each: Observed): boolean => coveredBy(stems, each.stems) >= SUPPORTED;
  const named = cited.flatMap((number) => observed[number - 1] ?? []).filter(saying);
  return named.length > 0 ? named : observed.filter(saying);
}
