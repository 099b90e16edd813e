import { VarveError } from '../../errors.ts';
import type { Decision } from '../../models/distiller.ts';
import type { Resolution } from '../decide-by-rules.ts';
import { isNearDouble } from '../decide-by-rules.ts';
import type { Candidate } from '../find-candidates.ts';
import type { FormationSettings } from '../formation-settings.ts';
import type { Proposal, Rejection } from '../proposal.ts';
import { contentHash } from '../../record/memory.ts';
import type { Scope } from '../../record/scope.ts';
import { TRUST_LEVELS } from '../../record/trust.ts';
import { concernsSame, normaliseAttribute, slotOf, slotOfText, type Slot } from '../slot.ts';
import { findUnsupported } from './check-support.ts';
import { claimOf, wins } from './precedence.ts';
import { applyPrivacy } from '../../language/privacy-policy.ts';
import { contentStems, coveredBy } from './text-overlap.ts';
import { withinWords } from './within-words.ts';

/** A statement, what is to become of it, and what it was compared with. */
export interface Decided {
  proposal: Proposal;
  candidates: readonly Candidate[];
  resolution: Resolution;
}

/** A decision that stands, or a statement that lost against what is known and is kept as archived. */
export interface Settled {
  proposal: Proposal;
  /** `KEYED`: nothing but its keyed facts is written. */
  resolution: Resolution | { action: 'OUTRANKED'; target: Candidate['memory'] } | { action: 'KEYED' };
}

/**
 * Turns a model's decisions into resolutions. A candidate that was not offered, a fact that does not exist and a
 * second decision for the same fact are nothing: the statement is added, and the refusal logged.
 */
export function readDecisions(
  decisions: readonly Decision[],
  asked: readonly { proposal: Proposal; candidates: readonly Candidate[] }[],
): { decided: Decided[]; rejected: Rejection[] } {
  const rejected: Rejection[] = [];
  const decided = asked.map(({ proposal, candidates }, index): Decided => {
    const decision = decisions.find((each) => each.fact === index + 1);
    if (decision === undefined || decision.action === 'ADD')
      return { proposal, candidates, resolution: { action: 'ADD' } };
    const target = candidates[decision.candidate - 1]?.memory;
    if (target === undefined) {
      rejected.push({ what: 'decision', reason: 'unknown_target', content: proposal.content, detail: decision.action });
      return { proposal, candidates, resolution: { action: 'ADD' } };
    }
    if (decision.action === 'UPDATE') {
      return { proposal, candidates, resolution: { action: 'UPDATE', target, content: decision.content } };
    }
    if (decision.action === 'DELETE') {
      return { proposal, candidates, resolution: { action: 'DELETE', target, as: 'contradicted' } };
    }
    return { proposal, candidates, resolution: { action: 'NONE', target } };
  });
  return { decided, rejected };
}

/** What the guards of decisions need to know. */
export interface DecisionContext {
  scope: Scope;
  settings: FormationSettings;
  userNames?: readonly string[];
  /** Whether the attributes of proposals are read from what was said. A model's are its own word, and are checked. */
  attributesAreRead: boolean;
}

/**
 * Lets a decision touch only what it may: the same subject and attribute, nothing of a higher rank or trust, no text
 * that neither side supports. What fails is added beside the known memory instead, or archived as outranked.
 */
export function guardDecisions(
  decided: readonly Decided[],
  context: DecisionContext,
): { settled: Settled[]; rejected: Rejection[] } {
  const rejected: Rejection[] = [];
  const touched = new Set<string>();
  const settled = decided.map((each): Settled => {
    const result = guardDecision(each, context, rejected);
    const { resolution } = result;
    if (resolution.action !== 'UPDATE' && resolution.action !== 'DELETE') return result;
    // A memory is changed once in a formation: the second change would be decided on what is no longer there.
    if (touched.has(resolution.target.id)) {
      rejected.push({ what: 'decision', reason: 'changed_meanwhile', content: each.proposal.content });
      return { proposal: each.proposal, resolution: { action: 'ADD' } };
    }
    touched.add(resolution.target.id);
    return result;
  });
  const retired = settled.filter(({ resolution }) => resolution.action === 'DELETE').length;
  if (retired > context.settings.limits.retired) {
    throw new VarveError(
      `${retired} memories would be retired at once, where ${context.settings.limits.retired} are allowed. Nothing was changed.`,
      { code: 'model_answer_invalid', retryable: true, details: { retired } },
    );
  }
  return { settled, rejected };
}

function guardDecision(
  { proposal, candidates, resolution }: Decided,
  context: DecisionContext,
  rejected: Rejection[],
): Settled {
  const refuse = (reason: Rejection['reason'], detail?: string): void =>
    void rejected.push({ what: 'decision', reason, content: proposal.content, detail: detail ?? resolution.action });
  if (resolution.action === 'ADD') return { proposal, resolution: nearDouble(proposal, candidates, context) };
  const { target } = resolution;
  const known = { slot: slotOf(target), content: target.content };
  const isAboutIt = concernsSame(proposal, known) && (context.attributesAreRead || isPlausible(proposal, known));
  if (resolution.action === 'NONE') {
    if (isAboutIt) return { proposal, resolution };
    refuse('unrelated_target');
    return { proposal, resolution: { action: 'ADD' } };
  }
  if (!isAboutIt) {
    refuse('unrelated_target');
    return { proposal, resolution: nearDouble(proposal, candidates, context) };
  }
  const claim = { ...proposal, correction: proposal.correction === true };
  const isExtension = resolution.action === 'UPDATE' && extendsKnown(proposal, target);
  if (!wins(claim, claimOf(target)) && !isExtension) {
    refuse('outranked');
    return { proposal, resolution: { action: 'OUTRANKED', target } };
  }
  if (resolution.action === 'DELETE') return { proposal, resolution };
  return { proposal, resolution: { ...resolution, content: mergedText(proposal, resolution, context, refuse) } };
}

// A label alone retires nothing: a third of the words has to agree, or the value of the key that it names.
const SOME_WORDS = 0.34;

/** Whether the words of a statement bear out the attribute that a model has given it. */
function isPlausible(proposal: Proposal, known: { slot: Slot; content: string }): boolean {
  const read = slotOfText(proposal.content, proposal.type).attribute;
  if (read !== null && known.slot.attribute !== null)
    return concernsSame({ ...proposal, slot: { ...proposal.slot, attribute: read } }, known);
  const { keyed } = proposal;
  const isKey = keyed !== null && normaliseAttribute(keyed.key) === known.slot.attribute;
  if (isKey && proposal.content.toLowerCase().includes(keyed.value.toLowerCase())) return true;
  const [said, before] = [contentStems(proposal.content), contentStems(known.content)];
  return Math.max(coveredBy(said, before), coveredBy(before, said)) >= SOME_WORDS;
}

/** More of the same contradicts nobody, whoever says it: all that is known is in it, and it is trusted as far. */
function extendsKnown(proposal: Proposal, target: Candidate['memory']): boolean {
  return (
    TRUST_LEVELS.indexOf(proposal.trust) >= TRUST_LEVELS.indexOf(target.trust) &&
    coveredBy(contentStems(target.content), contentStems(proposal.content)) === 1
  );
}

/** X2: what a model would add beside a near double of the same owner and type revises it all the same. */
function nearDouble(
  proposal: Proposal,
  candidates: readonly Candidate[],
  { scope, settings }: DecisionContext,
): Resolution {
  const hash = contentHash(proposal.content);
  const same = candidates.find(({ memory }) => contentHash(memory.content) === hash);
  if (same !== undefined) return { action: 'NONE', target: same.memory };
  const double = candidates.find((candidate) =>
    isNearDouble(proposal, candidate, { scope, thresholds: settings.thresholds }),
  );
  if (double === undefined) return { action: 'ADD' };
  const claim = { ...proposal, correction: proposal.correction === true };
  if (!wins(claim, claimOf(double.memory))) return { action: 'NONE', target: double.memory };
  return { action: 'UPDATE', target: double.memory, content: proposal.content };
}

/** The text of an update says what both said; where it says more than that, the new statement stands alone. */
function mergedText(
  proposal: Proposal,
  { target, content }: Extract<Resolution, { action: 'UPDATE' }>,
  { settings, userNames = [] }: DecisionContext,
  refuse: (reason: Rejection['reason'], detail?: string) => void,
): string {
  const text = withinWords(content, 30);
  const cleaned = text === null ? null : applyPrivacy(text, settings.privacy);
  if (cleaned === null || cleaned.dropped !== null) return proposal.content;
  const sources = [
    { text: target.content, at: target.createdAt },
    { text: proposal.content, at: proposal.statedAt },
    ...proposal.events.map((event) => ({ text: event.content, at: event.occurredAt })),
  ];
  const unsupported = findUnsupported(cleaned.text, sources, { names: userNames, timeZone: settings.timeZone });
  if (unsupported === null) return cleaned.text;
  refuse('unsupported', unsupported);
  return proposal.content;
}
