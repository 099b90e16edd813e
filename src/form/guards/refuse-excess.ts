import { VarveError } from '../../errors.ts';
import type { ProposedMemory } from '../../models/distiller.ts';
import { countWords } from '../../record/block.ts';
import type { GuardContext } from './guard-proposals.ts';

/** Refuses the answer of a model that proposes more than a conversation of this size can hold. */
export function refuseExcess(proposals: readonly ProposedMemory[], { events, settings }: GuardContext): void {
  const { memories, memoriesPerTurn } = settings.limits;
  if (proposals.length > memories) throw excess(`${proposals.length} memories, of which ${memories} are believed`);
  const counts = new Map<number, number>();
  for (const { turns } of proposals)
    if (turns.length === 1) counts.set(turns[0] ?? 0, (counts.get(turns[0] ?? 0) ?? 0) + 1);
  for (const [turn, count] of counts) {
    // A long message can hold many facts: one for every eight words.
    const most = Math.max(memoriesPerTurn, Math.floor(countWords(events[turn - 1]?.content ?? '') / 8));
    if (count > most) throw excess(`${count} memories from one turn, of which ${most} are believed`);
  }
}

function excess(what: string): VarveError {
  return new VarveError(`The model proposes ${what}. Nothing was changed.`, {
    code: 'model_answer_invalid',
    retryable: true,
  });
}
