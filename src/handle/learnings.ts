import { z } from 'zod';
import type { Memory } from '../record/memory.ts';
import { parse, textSchema } from '../record/parse.ts';
import type { Scope } from '../record/scope.ts';
import type { Parts } from '../store/database.ts';
import { forget } from '../store/forget/forget.ts';
import { findChangeable, listMemories } from '../store/read-memories.ts';
import { writeMemory } from '../store/write-memory.ts';
import { ruleAuthorises } from '../language/claims.ts';
import { eventReader } from './events.ts';
import { noSuchMemory } from './memories.ts';
import { vouchedBy } from '../form/check/stated-by.ts';

/** A rule for the agent. */
export interface NewLearning {
  rule: string;
  /** Such as `communication` or `decision_making`. Default `general`. */
  category?: string;
  /**
   * Where the rule comes from: `user`, `correction`, `reflection` or `application` (default). Every other source, such as a page, is not
   * trusted, and no prompt contains its rule. Neither does a prompt contain a rule that permits payments or actions without a question,
   * unless a turn of the user says so.
   */
  source?: string;
  /** Ids of the events that the rule was learned from. */
  sourceEvents?: string[];
}

/** Learnings: rules that hold until they are forgotten. */
export interface LearningHandle {
  /** Adds a rule. Adding the same rule again changes nothing. */
  add(learning: NewLearning): Promise<Memory>;
  /** The live rules, the most important first. */
  list(options?: { category?: string }): Promise<Memory[]>;
  /** Forgets a rule: it is hidden everywhere until it is restored or erased. */
  forget(id: string): Promise<Memory>;
}

export const newLearningSchema: z.ZodType<NewLearning, NewLearning> = z.strictObject({
  rule: textSchema(2000),
  category: textSchema(50).optional(),
  source: textSchema(100).optional(),
  sourceEvents: z.array(textSchema(200)).max(1000).optional(),
});

export function learningHandle(parts: Parts, scope: Scope): LearningHandle {
  const { database, clock } = parts;
  const log = { scope, events: eventReader(parts, scope, null) };
  return {
    async add(learning) {
      const checked = parse(newLearningSchema, learning, 'The learning');
      const { rule, category = 'general', source = 'application', sourceEvents } = checked;
      const isOwn = /^(?:application|correction|reflection)$/i.test(source.trim());
      const statedBy = await vouchedBy(log, rule, {
        source: isOwn ? null : source,
        otherwise: 'system',
        needsUser: ruleAuthorises,
      });
      const input = { type: 'learning', content: rule, category, metadata: { source }, sourceEvents, statedBy };
      const why = { reason: 'learned as a rule' };
      return (await database.write(scope.tenant, (writer) => writeMemory(writer, parts, scope, input, why))).memory;
    },
    async list({ category } = {}) {
      const categories = category === undefined ? undefined : [category];
      const filter = { types: ['learning'], categories, order: 'important' as const, limit: 1000 };
      return (await database.read(scope.tenant, (reader) => listMemories(reader, scope, filter, { now: clock.now() })))
        .items;
    },
    async forget(id) {
      return database.write(scope.tenant, async (writer) => {
        const memory = await findChangeable(writer, scope, id);
        if (memory?.type !== 'learning') throw noSuchMemory(id);
        const why = { reason: 'the rule no longer holds' };
        await forget(writer, parts, { scope: memory.scope, memories: [memory], by: 'application', why });
        return (await findChangeable(writer, scope, id)) ?? memory;
      });
    },
  };
}
