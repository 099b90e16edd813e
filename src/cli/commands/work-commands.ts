import type { JobState } from '../../store/queue/job.ts';
import { type Command, EXIT, numberOption, textOption, UsageError, valued } from '../command.ts';
import { scopeOf, withHandle, withMemory } from '../open-memory.ts';
import { singleLine } from '../../language/words.ts';
import { countTable } from '../output.ts';

export const consolidate: Command = {
  usage: 'consolidate',
  help: 'Does the background work now: forms memories from all waiting turns, embeds, consolidates, maintains. A server or a worker does this by itself once a conversation is quiet.',
  examples: ['varve consolidate', 'varve consolidate --json'],
  async run(input) {
    const counts = await withMemory(input, { embeds: 'all' }, async (varve) => {
      await varve.operator.formWaiting();
      return varve.drain();
    });
    await input.output.answer(counts, () => countTable(counts));
  },
};

export const reflect: Command = {
  usage: 'reflect',
  help: 'Runs the nightly reflection now, on the turns since the last reflection: it updates the profile, facts, intentions and learnings, and prints the counts. Without a user it reflects for every user with new turns.',
  examples: ['varve reflect', 'varve reflect --user ana --json'],
  async run(input) {
    await withHandle(input, { embeds: 'all' }, async (handle) => {
      const counts = await handle.reflect();
      const { warnings, ...numbers } = counts;
      await input.output.answer(counts, () => [countTable(numbers), ...warnings].join('\n'));
    });
  },
};

export const jobs: Command = {
  usage: 'jobs [counts | show <id> | retry <id>]',
  help: 'Lists jobs, newest first; counts jobs; shows one job; runs a dead job again. Covers all tenants, or one with --tenant.',
  options: {
    state: valued('state', 'waiting, running, done or dead'),
    kind: valued('kind', 'such as embed or form'),
    limit: valued('number', 'default 20', { short: 'n' }),
  },
  examples: ['varve jobs', 'varve jobs --state dead', 'varve jobs retry job_01k…'],
  async run(input) {
    const [action = 'list', id] = input.words;
    // No default tenant, because an operator works on the queue of all tenants.
    const of = { tenant: textOption(input, 'tenant') };
    return withMemory(input, {}, async (varve) => {
      const { jobs: queue } = varve.operator;
      if (action === 'counts') {
        const items = await queue.count(of);
        const rows = items.map(({ kind, state, count }) => [kind, state, String(count)]);
        return input.output.rows({ items }, rows);
      }
      if (action === 'list') {
        const page = await queue.list({
          ...of,
          state: textOption(input, 'state') as JobState | undefined,
          kind: textOption(input, 'kind'),
          limit: numberOption(input, 'limit') ?? 20,
        });
        const rows = page.items.map(({ id: job, kind, state, runAt, lastError }) => {
          return [job, kind, state, runAt.toISOString().slice(0, 19), singleLine(lastError ?? '', 80)];
        });
        return input.output.rows(page, rows, 'There is no such job.');
      }
      if (!['show', 'retry'].includes(action) || id === undefined)
        throw new UsageError('The action is missing or unknown: give list, counts, show <id> or retry <id>.');
      const job = action === 'show' ? await queue.get(id, of) : await queue.retry(id, of);
      if (job === null) {
        input.output.note(`There is no job ${id}.`);
        return EXIT.nothing;
      }
      // A scheduled job has no tenant, so its retry is audited in the tenant of the caller.
      const tenant = job.tenant || scopeOf(input).tenant;
      if (action === 'retry') await varve.operator.acts.record({ tenant, actor: 'cli', act: 'job.retry', subject: id });
      return input.output.answer(job, () => JSON.stringify(job, null, 2));
    });
  },
};

export const refusals: Command = {
  usage: 'refusals',
  help: 'Lists the statements that were read from events and refused, with the reasons, newest first.',
  options: {
    limit: valued('number', 'default 20', { short: 'n' }),
    cursor: valued('cursor', 'the cursor of the previous page, from --json'),
  },
  examples: ['varve refusals', 'varve refusals --session chat-1', 'varve refusals --json -n 100'],
  async run(input) {
    const filter = { limit: numberOption(input, 'limit') ?? 20, cursor: textOption(input, 'cursor') };
    await withHandle(input, {}, async (handle) => {
      const page = await handle.refusals.list(filter);
      const rows = page.items.map(({ id, at, what, reason, text }) => {
        const time = at.toISOString().slice(0, 16);
        return [input.output.style('dim', id), time, what, reason, singleLine(text ?? '', 100)];
      });
      await input.output.rows(page, rows, 'Nothing was refused within this scope.');
    });
  },
};
