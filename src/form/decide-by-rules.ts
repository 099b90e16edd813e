import { contentHash, type Memory } from '../record/memory.ts';
import { scopeAt, ownerKey, type Scope } from '../record/scope.ts';
import type { Candidate } from './find-candidates.ts';
import type { ThresholdSettings } from './formation-settings.ts';
import { contentStems, coveredBy } from './guards/text-overlap.ts';
import { isRestated } from './is-restated.ts';
import type { Proposal } from './proposal.ts';
import { concernsSame, isRevoked, isSingleValued, slotOf, type Slot } from './slot.ts';

/** What becomes of a new statement, with the known memory that it concerns. */
export type Resolution =
  | { action: 'ADD' }
  | { action: 'UPDATE'; target: Memory; content: string }
  | { action: 'DELETE'; target: Memory; as: 'contradicted' | 'superseded' }
  | { action: 'NONE'; target: Memory };

/**
 * Decides without a model: the same words are known already; another value of the same slot takes its place; a near
 * double of the same owner and type is revised when the new words say more. Everything else is new.
 */
export function decideByRules(
  proposal: Proposal,
  candidates: readonly Candidate[],
  { scope, thresholds }: { scope: Scope; thresholds: ThresholdSettings },
): Resolution {
  const hash = contentHash(proposal.content);
  const same = candidates.find(({ memory }) => contentHash(memory.content) === hash);
  if (same !== undefined) return { action: 'NONE', target: same.memory };
  for (const { memory } of candidates) {
    const slot = slotOf(memory);
    if (!isSameSlot(proposal, slot, memory.content) && !isRevoked(proposal.slot, slot)) continue;
    if (slot.polarity !== proposal.slot.polarity) return { action: 'DELETE', target: memory, as: 'contradicted' };
    const values = compareValues(proposal, memory);
    if (values === 'same') return { action: 'NONE', target: memory };
    if (values === 'more') return { action: 'UPDATE', target: memory, content: proposal.content };
    return { action: 'DELETE', target: memory, as: 'superseded' };
  }
  const corrected = candidates.find(
    ({ memory }) => isCorrected(proposal, memory) || isRestated(proposal.content, memory.content),
  );
  if (corrected !== undefined) return { action: 'DELETE', target: corrected.memory, as: 'superseded' };
  const near = candidates.find((candidate) => isNearDouble(proposal, candidate, { scope, thresholds }));
  if (near === undefined) return { action: 'ADD' };
  return saysMore(proposal.content, near.memory.content)
    ? { action: 'UPDATE', target: near.memory, content: proposal.content }
    : { action: 'NONE', target: near.memory };
}

/** "The launch is on 8 October, not 1 October": the same words with another value. */
function isCorrected(proposal: Proposal, memory: Memory): boolean {
  const known = { slot: slotOf(memory), content: memory.content };
  return (
    proposal.correction === true &&
    proposal.slot.polarity === known.slot.polarity &&
    (proposal.slot.attribute === null || known.slot.attribute === null) &&
    concernsSame(proposal, known) &&
    differInValues(proposal.content, memory.content)
  );
}

/** A near double: same owner and type, alike beyond the threshold, and nothing in its words against it. */
export function isNearDouble(
  proposal: Proposal,
  { memory, similarity }: Candidate,
  { scope, thresholds }: { scope: Scope; thresholds: ThresholdSettings },
): boolean {
  return (
    similarity > thresholds.nearlySame &&
    memory.type === proposal.type &&
    isOwned(memory, scope, proposal) &&
    sayTheSame(proposal, { slot: slotOf(memory), content: memory.content }, { similarity, same: thresholds.same })
  );
}

/** A statement with what it is about. */
interface Statement {
  slot: Slot;
  content: string;
}

// "Has a dog named Max" and "has a cat named Max" are as near as many paraphrases: below "the same", three of four
// words have to agree as well.
const MOST_WORDS = 0.75;

/** Whether two statements that are alike say the same: one subject, one attribute, one polarity, no other name or number. */
export function sayTheSame(
  one: Statement,
  other: Statement,
  { similarity, same }: { similarity: number; same: number },
): boolean {
  if (one.slot.polarity !== other.slot.polarity || differInValues(one.content, other.content)) return false;
  if (one.slot.subject.toLowerCase() !== other.slot.subject.toLowerCase()) return false;
  if (one.slot.attribute !== null && other.slot.attribute !== null) return concernsSame(one, other);
  if (similarity > same) return true;
  const [left, right] = [contentStems(one.content), contentStems(other.content)];
  return Math.max(coveredBy(left, right), coveredBy(right, left)) >= MOST_WORDS;
}

function isOwned(memory: Memory, scope: Scope, proposal: Proposal): boolean {
  const level =
    proposal.levels.includes('user') && scope.user !== null ? 'user' : scope.agent === null ? 'tenant' : 'agent';
  return ownerKey(memory.scope) === ownerKey(scopeAt(scope, level));
}

const AMOUNT =
  /^User's [\p{L}' -]{2,60} (?:is|are) (?:(?:now|about|around|only|over|under|roughly|almost|nearly|up to|down to|up|down|at) )*[€$£]?\d/u;

function isSameSlot(proposal: Proposal, slot: Slot, known: string): boolean {
  return (
    slot.attribute !== null &&
    slot.attribute === proposal.slot.attribute &&
    slot.subject.toLowerCase() === proposal.slot.subject.toLowerCase() &&
    (isSingleValued(slot.attribute) ||
      proposal.correction === true ||
      // What a thing comes to, it comes to alone.
      (AMOUNT.test(proposal.content) && AMOUNT.test(known)))
  );
}

/** Within one slot: whether the new words say the same, more of the same, or something else. */
function compareValues(proposal: Proposal, memory: Memory): 'same' | 'more' | 'other' {
  const [next, known] = [contentStems(proposal.content), contentStems(memory.content)];
  if (coveredBy(next, known) === 1) return 'same';
  if (coveredBy(known, next) === 1) return 'more';
  const key = proposal.keyed?.value.toLowerCase();
  if (key !== undefined && memory.content.toLowerCase().includes(key)) return next.size > known.size ? 'more' : 'same';
  if (isLikes(proposal.slot)) return 'same';
  return DATED.has(proposal.slot.attribute ?? '') && haveSameDates(proposal.content, memory.content) ? 'same' : 'other';
}

// Slots whose value is a date, however the rest is put.
const DATED = new Set(['due_date', 'birthday', 'deadline']);

function haveSameDates(one: string, other: string): boolean {
  const dates = (text: string): string =>
    (
      text.match(
        /(?:\d{1,2} )?(?:January|February|March|April|May|June|July|August|September|October|November|December)/g,
      ) ?? []
    )
      .sort()
      .join();
  return dates(one) !== '' && dates(one) === dates(other);
}

// "Loves pizza" and "really enjoys pizza" differ in words only: the slot holds the object, the polarity the rest.
function isLikes(slot: Slot): boolean {
  return slot.attribute?.startsWith('likes:') === true;
}

/** Whether one text says more than another: all of its words and some besides, or more words and numbers. */
export function saysMore(one: string, other: string): boolean {
  const [left, right] = [contentStems(one), contentStems(other)];
  if (coveredBy(left, right) === 1) return false;
  return specificity(one, left) > specificity(other, right);
}

function specificity(text: string, stems: ReadonlySet<string>): number {
  const numbers = text.match(/\d+/g)?.length ?? 0;
  const names = text.match(/(?<=\s)\p{Lu}/gu)?.length ?? 0;
  return stems.size + 2 * numbers + names;
}

/** Two statements that are alike but name another number or another name are two statements. */
export function differInValues(one: string, other: string): boolean {
  const values = (text: string): Set<string> =>
    new Set([...(text.match(/\d[\d.,]*/g) ?? []), ...(text.match(/(?<=\s)\p{Lu}[\p{L}\p{N}'-]+/gu) ?? [])]);
  const [left, right] = [values(one), values(other)];
  if (left.size === 0 || right.size === 0) return false;
  return coveredBy(left, right) < 1 && coveredBy(right, left) < 1;
}
