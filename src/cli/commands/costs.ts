import { listOption, textOption, UsageError, type Command } from '../command.ts';
import { scopeOf, withMemory } from '../open-memory.ts';
import { table } from '../output.ts';
import type { ReportBy } from '../../ledger/usage-report.ts';

const BY = ['month', 'day', 'operation', 'task', 'model', 'user', 'agent', 'run'];

/** What models cost. */
export const costs: Command = {
  usage: 'costs [--by month,operation]',
  help: 'What models were used for and what that cost, of the tenant. Models on this machine cost nothing and are counted.',
  options: {
    by: { type: 'string', multiple: true, value: 'keys', help: `${BY.join(', ')} (default month,operation)` },
    from: { type: 'string', value: 'day', help: 'the first day or month, such as 2026-11' },
    to: { type: 'string', value: 'day', help: 'the last one' },
  },
  examples: ['varve costs', 'varve costs --by day,model --from 2026-11 --json'],
  async run(input) {
    const by = (listOption(input, 'by') ?? ['month', 'operation']) as ReportBy[];
    const unknown = by.find((key) => !BY.includes(key));
    if (unknown !== undefined) throw new UsageError(`Costs cannot be listed by ${unknown}: ${BY.join(', ')}.`);
    const { tenant = 'default' } = scopeOf(input);
    await withMemory(input, {}, async (varve) => {
      const items = await varve.ledger.report({
        tenant,
        by,
        from: textOption(input, 'from'),
        to: textOption(input, 'to'),
      });
      const head = [...by, 'calls', 'tokens in', 'tokens out', 'dollars'];
      await input.output.answer({ items }, () =>
        table([
          head,
          ...items.map(({ keys, calls, tokensIn, tokensOut, cost }) => [
            ...by.map((key) => keys[key] ?? ''),
            ...[calls, tokensIn, tokensOut].map((count) => count.toLocaleString('en')),
            (cost / 1e6).toFixed(4),
          ]),
        ]),
      );
    });
  },
};
