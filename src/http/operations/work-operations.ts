import { z } from 'zod';
import { loose, operationsOf, type Operation } from '../operation.ts';
import * as records from '../record-schemas.ts';

const dryRun = z.strictObject({ dryRun: z.boolean().optional() });
/** No time limit, because the caller waits for the counts. */
const work = operationsOf('work', { access: 'admin', once: false, unhurried: true });

/** Background work, started by hand. */
export const WORK_OPERATIONS: readonly Operation[] = [
  work('reflect', 'POST /v1/reflect', {
    summary:
      'Runs the nightly reflection now, on the user’s turns since the last reflection. Without a user, it runs for every user of the tenant with new turns.',
    secret: true,
    act: 'reflect',
    query: dryRun,
    answer: z.object({
      users: z.int(),
      facts_added: z.int(),
      facts_updated: z.int(),
      intentions_added: z.int(),
      intentions_closed: z.int(),
      learnings_added: z.int(),
      skipped: z.boolean(),
      profile_held: z.boolean(),
      warnings: z.array(z.string()),
    }),
    run: ({ handle, query, goneOrStopping }) => handle.reflect({ dryRun: query.dryRun, signal: goneOrStopping() }),
  }),
  work('backfill', 'POST /v1/backfill', {
    summary:
      'Embeds the records that have no vector, by default ten a second, and returns how many there were of each kind.',
    scoped: false,
    tenantWide: true,
    secret: true,
    act: 'backfill',
    query: z.strictObject({ rate: z.number().positive().max(100_000).optional() }),
    answer: records.counts,
    run: ({ varve, key, query, goneOrStopping }) =>
      varve.backfill({ tenant: key.tenant, rate: query.rate, signal: goneOrStopping() }),
  }),
  work('form', 'POST /v1/form', {
    summary: 'Forms memories now from the turns of the session since the last formation.',
    access: 'write',
    answer: loose,
    run: ({ handle }) => handle.form(),
  }),
  work('consolidate', 'POST /v1/consolidate', {
    summary: 'Consolidates the scope now instead of at its scheduled time.',
    act: 'consolidate',
    query: dryRun,
    answer: loose,
    run: ({ handle, query, goneOrStopping }) =>
      handle.consolidation.run({ dryRun: query.dryRun, signal: goneOrStopping() }),
  }),
  work('maintain', 'POST /v1/maintain', {
    summary: 'Runs the maintenance of the tenant now: decay, archiving, retention.',
    scoped: false,
    tenantWide: true,
    act: 'maintain',
    query: dryRun,
    answer: loose,
    run: ({ varve, key, query, goneOrStopping }) =>
      varve.maintain({ tenant: key.tenant, dryRun: query.dryRun, signal: goneOrStopping() }),
  }),
];
