import { DAY } from '../record/clock.ts';
import type { Memory } from '../record/memory.ts';
import type { SignalShare, SignalWeights } from './recall-options.ts';

/** The weights of the tri-layer design. */
export const SIGNAL_WEIGHTS: SignalWeights = {
  similarity: 0.4,
  recency: 0.25,
  importance: 0.2,
  frequency: 0.1,
  entity: 0.05,
};

/** What a memory is worth besides what it says. */
export interface RecordSignals {
  recency: number;
  importance: number;
  frequency: number;
  entity: number;
}

/** 1 for something read or made just now, falling to 0 within a year. */
export function recencyOf(lastAccess: Date, now: number): number {
  return clamp(1 - (now - lastAccess.getTime()) / (365 * DAY));
}

export function recordSignals(memory: Memory, now: number, isAboutNamed: boolean): RecordSignals {
  return {
    recency: recencyOf(memory.lastAccessedAt ?? memory.createdAt, now),
    importance: memory.importance,
    frequency: Math.min(memory.accessCount / 20, 1),
    entity: isAboutNamed ? 1 : 0,
  };
}

/** The score of five signals, with its parts. */
export function scoreBySignals(
  similarity: number,
  signals: RecordSignals,
  weights: SignalWeights,
): { score: number; explanation: SignalShare[] } {
  const values = { similarity, ...signals };
  const explanation = (Object.keys(weights) as (keyof SignalWeights)[]).map((signal) => ({
    signal,
    value: values[signal],
    weight: weights[signal],
  }));
  return { score: sumOf(explanation), explanation };
}

// On the scale of the evidence score, where a matching word counts about 1: enough to order equals, not to override.
const TIE_WEIGHTS: Record<keyof RecordSignals | 'distrust', number> = {
  recency: 0.2,
  importance: 0.4,
  frequency: 0.1,
  entity: 1,
  distrust: -1.5,
};

/** What a memory's standing adds to a score of relevance. */
export function standingOf(memory: Memory, signals: RecordSignals): SignalShare[] {
  const values = { ...signals, distrust: memory.trust === 'low' ? 1 : 0 };
  return (Object.keys(TIE_WEIGHTS) as (keyof typeof TIE_WEIGHTS)[])
    .map((signal) => ({ signal, value: values[signal], weight: TIE_WEIGHTS[signal] }))
    .filter(({ value }) => value !== 0);
}

/** Up to +0.05 for what is young, falling to 0 at 90 days. */
export function recencyBoost(time: number, now: number): number {
  const days = (now - time) / DAY;
  return days < 0 ? 0.05 : Math.max(0, 0.05 * (1 - days / 90));
}

export function sumOf(shares: readonly SignalShare[]): number {
  return shares.reduce((sum, { value, weight }) => sum + value * weight, 0);
}

function clamp(value: number): number {
  return Math.min(1, Math.max(0, value));
}
