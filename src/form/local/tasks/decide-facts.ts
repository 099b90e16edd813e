import type { DecideInput, Decision } from '../../../models/distiller.ts';
import { differInValues, saysMore } from '../../decide-by-rules.ts';
import { concernsSame } from '../../slot.ts';
import { relateStatements, withSlot } from './relate-statements.ts';

// X2: without a model, what is nearly the same and about the same thing is revised.
const NEARLY_SAME = 0.85;

/**
 * One decision for each fact, by subject, attribute, polarity and words: known already → NONE, more of the same →
 * UPDATE, another value of the same slot → DELETE, which adds the new one; else ADD.
 */
export function decideFacts({ facts }: DecideInput): Decision[] {
  return facts.map(({ content, candidates }, index) => decideFact(index + 1, content, candidates));
}

function decideFact(fact: number, content: string, candidates: DecideInput['facts'][number]['candidates']): Decision {
  const next = withSlot(content);
  const known = candidates
    .map((candidate, index) => ({ ...candidate, ...withSlot(candidate.content), number: index + 1 }))
    .sort((left, right) => right.similarity - left.similarity);
  const found = (wanted: string): (typeof known)[number] | undefined =>
    known.find((candidate) => relateStatements(next, candidate) === wanted);
  const repeated = found('repeats');
  if (repeated !== undefined) return { fact, action: 'NONE', candidate: repeated.number };
  const extended = found('extends');
  if (extended !== undefined) return { fact, action: 'UPDATE', candidate: extended.number, content };
  const contradicted = found('contradicts');
  if (contradicted !== undefined) return { fact, action: 'DELETE', candidate: contradicted.number };
  const near = known.find(
    (candidate) =>
      candidate.similarity > NEARLY_SAME &&
      candidate.slot.polarity === next.slot.polarity &&
      concernsSame(next, candidate) &&
      !differInValues(content, candidate.content),
  );
  if (near === undefined) return { fact, action: 'ADD' };
  return saysMore(content, near.content)
    ? { fact, action: 'UPDATE', candidate: near.number, content }
    : { fact, action: 'NONE', candidate: near.number };
}
