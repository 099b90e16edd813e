import type { Scope } from '../record/scope.ts';
import type { Writer } from '../store/database.ts';
import { changeOwner } from '../store/owner-store.ts';
import { findMemory, listStatements } from '../store/read-memories.ts';
import { restateInBlocks } from '../store/restate-in-blocks.ts';
import { archiveMemory, reviseMemory } from '../store/write-memory.ts';
import { ownerOf } from './compare.ts';
import { conflicts } from './decide/decide.ts';
import { wins } from './decide/precedence.ts';
import type { FormDeps } from './form-deps.ts';

const WHY = { reason: 'the day of the plan has come', actor: 'form' };

/**
 * Puts a plan into effect on its day: it holds from now on, and takes the place of what it excludes. A plan that was ended, replaced
 * or outranked meanwhile stays as it is.
 */
export async function takeEffect(
  deps: FormDeps,
  scope: Scope,
  id: string,
  complete?: (writer: Writer) => Promise<void>,
): Promise<void> {
  await deps.database.write(scope.tenant, async (writer) => {
    const now = deps.clock.now();
    await changeOwner(writer, scope, now);
    const plan = await findMemory(writer, scope, id);
    if (
      plan !== null &&
      plan.archivedAt === null &&
      plan.tense === 'planned' &&
      (plan.validFrom?.getTime() ?? Infinity) <= now
    ) {
      const { attribute, subject, value, polarity } = plan;
      const permanent =
        attribute !== null &&
        value !== null &&
        polarity === 'affirmed' &&
        subject === 'User' &&
        deps.attributes.policyOf(attribute).permanent;
      const current = await reviseMemory(writer, deps, plan, { change: { tense: 'holds', permanent }, why: WHY });
      const same =
        attribute === null
          ? []
          : await listStatements(writer, ownerOf(scope), { attributes: [attribute], owner: 'own' });
      const excluded = same.filter(
        (memory) => memory.id !== id && conflicts(current, memory, { attributes: deps.attributes, now }),
      );
      for (const memory of excluded.filter((other) => wins(current, other))) {
        await archiveMemory(writer, deps, memory, {
          reason: 'superseded',
          by: id,
          until: plan.validFrom ?? new Date(now),
          why: WHY,
        });
        await restateInBlocks(writer, deps, { before: memory, after: current, change: WHY });
      }
    }
    await complete?.(writer);
  });
}
