import { factLabel } from '../record/fact-label.ts';
import type { Settled } from './guards/guard-decisions.ts';
import { contentStems } from './guards/text-overlap.ts';
import type { Proposal } from './proposal.ts';
import { isUser } from './slot.ts';

// What a statement brings in by being a sentence: "works at Globex" says no more than "Employer: Globex".
const FRAME = contentStems(
  'works working work lives living live resides based located is named called name years year old aged age allergic job ' +
    'title employed speaks takes taking born from comes favourite favorite married has number address new current',
);

/**
 * A statement that says no more than its keyed facts is not written beside them: memory would hold everything twice.
 * Only what is new: a statement that takes the place of another, or confirms one, stays a statement.
 */
export function withoutTwins(settled: readonly Settled[]): Settled[] {
  return settled.map((each) =>
    each.resolution.action === 'ADD' && isSaidByKeys(each.proposal)
      ? { ...each, resolution: { action: 'KEYED' } }
      : each,
  );
}

/** Whether the keyed facts of a statement say all of it, its slot included. */
export function isSaidByKeys(proposal: Proposal): boolean {
  const facts = [proposal.keyed, ...(proposal.moreKeyed ?? [])].filter((fact) => fact !== null);
  const { slot, validFrom, validTo, type, correction } = proposal;
  if (facts.length === 0 || !isUser(slot.subject) || slot.polarity === 'negative') return false;
  if (validFrom !== null || validTo !== null || correction === true || !/^(?:fact|personal|preference)$/.test(type))
    return false;
  // Likes and wishes are compared by their object: "hates trains" has to find "prefers trains".
  if (slot.attribute === null || /^(?:likes|instruction):/.test(slot.attribute)) return false;
  if (slot.attribute === 'preferred_name' && /^User wants to be called \S+\.?$/.test(proposal.content)) return true;
  return isCovered(proposal.content, facts);
}

/** Whether a statement says no more than keyed facts. */
export function isCovered(content: string, facts: readonly { key: string; value: string }[]): boolean {
  const said = contentStems(facts.map(({ key, value }) => `${factLabel(key)} ${value}`).join(' '));
  return [...contentStems(content)].every((stem) => said.has(stem) || FRAME.has(stem));
}
