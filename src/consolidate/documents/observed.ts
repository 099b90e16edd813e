import { SOURCE_RANK } from '../../form/decide/claim-rank.ts';
import { type PrivacyPolicy, redactJson } from '../../language/privacy-policy.ts';
import { contentStems, coveredBy } from '../../language/words.ts';
import { UnusableJson, unwrapJson } from '../../models/parse-answer.ts';
import type { Event } from '../../record/event.ts';
import type { InternalMemory, Memory, SourceType } from '../../record/memory.ts';
import { cutWords } from '../check-text.ts';
import type { Material } from './document.ts';
import { mayBeKept, observedMaterial } from './sources.ts';
import { type Trust, trustOf } from '../../record/statement.ts';
import { isObject } from '../../record/parse.ts';
import type { ConsolidateDeps } from '../consolidate-deps.ts';

/** An observation that is to enter the working memory and the scaffold. The privacy policy has already redacted its text. */
export interface Observed extends Material {
  event: Event;
  sequence: number;
  /** The keys and values of a scaffold update. Empty for other observations. */
  entries: readonly (readonly [key: string, value: unknown])[];
  sourceType: SourceType;
  /** The rank of the source: explicit › correction › chat › autonomous. */
  rank: number;
  trust: Trust;
  stems: ReadonlySet<string>;
}

const AUTONOMOUS: ReadonlySet<string> = new Set(['scaffold_update', 'learned_fact']);

const CORRECTION_RANK = 3;
const UNVERIFIED_RANK = 0;

export function toObserved({ event, sequence }: { event: Event; sequence: number }, deps: ConsolidateDeps): Observed {
  const sourceType: SourceType =
    event.origin === 'user' ? 'explicit' : AUTONOMOUS.has(event.category ?? '') ? 'inference' : 'conversation';
  const material = observedMaterial(event, deps);
  const trust = trustOf(event.origin);
  const rank = trust === 'low' ? UNVERIFIED_RANK : SOURCE_RANK[sourceType];
  return {
    ...material,
    event,
    sequence,
    entries: scaffoldEntries(event, deps.privacy),
    sourceType,
    rank: event.category === 'correction' && trust !== 'low' ? Math.max(rank, CORRECTION_RANK) : rank,
    trust,
    stems: contentStems(material.text),
  };
}

/** A scaffold update is a call of the tool `update_user_context` or a JSON object. Its values are redacted. */
function scaffoldEntries({ category, content, metadata }: Event, privacy: PrivacyPolicy): [string, unknown][] {
  if (category !== 'scaffold_update') return [];
  const { key, value } = metadata;
  const given: unknown = typeof key === 'string' && value !== undefined ? { [key]: value } : readJson(content);
  if (!isObject(given)) return [];
  return Object.entries(given)
    .filter(([name, each]) => mayBeKept(`${name}: ${JSON.stringify(each)}`, privacy))
    .map(([name, each]) => [name, redactJson(each, privacy, name)]);
}

/** Returns any other text unchanged. Returns null if the JSON is too deeply nested or has a key `__proto__`. */
function readJson(content: string): unknown {
  try {
    return unwrapJson(content, {});
  } catch (error) {
    if (error instanceof UnusableJson) return null;
    throw error;
  }
}

const MOST_WORDS = 30;
/** An observation supports a fact if it contains at least this share of its words. */
const SUPPORTED = 0.5;

export interface CitedFact {
  content: string;
  from: readonly Observed[];
}

/** Omits facts that formation has already formed, even if archived: storing them again would restore outdated statements. */
export function factsToKeep(
  facts: readonly CitedFact[],
  observed: readonly Observed[],
  { privacy, reader, formed }: { privacy: PrivacyPolicy; reader: string; formed: readonly Memory[] },
): InternalMemory[] {
  return facts.flatMap((fact) => {
    const content = cutWords(fact.content, MOST_WORDS);
    if (content === '' || !mayBeKept(content, privacy)) return [];
    const stems = contentStems(content);
    const saying = (each: Observed): boolean => coveredBy(stems, each.stems) >= SUPPORTED;
    const cited = fact.from.filter(saying);
    const said = cited.length > 0 ? cited : observed.filter(saying);
    const best = said.toSorted((one, other) => other.rank - one.rank)[0];
    if (best === undefined) return [];
    const sourceEvents = said.map(({ event }) => event.id);
    const isFormed = formed.some(
      (memory) =>
        memory.sourceEvents.some((event) => sourceEvents.includes(event)) &&
        coveredBy(stems, contentStems(memory.content)) >= SUPPORTED,
    );
    if (isFormed) return [];
    return [
      {
        type: said.every(({ event }) => event.category === 'preference') ? 'preference' : 'fact',
        content,
        sourceType: best.sourceType,
        confidence: best.rank >= 3 ? ('high' as const) : ('medium' as const),
        sourceEvents,
        sourceSession: best.event.scope.session,
        statedAt: best.event.occurredAt,
        statedBy: best.event.origin,
        reader,
      },
    ];
  });
}
