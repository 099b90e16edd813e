import { REPORT_BY } from '../../store/doors/usage-store.ts';
import { EXTRACTION_CHECKS, ONLINE_METRICS } from '../../operate/metric-definitions.ts';
import type { Rate } from '../../operate/online-metrics.ts';
import { type Command, EXIT, listOption, oneOf, textOption, valued } from '../command.ts';
import { noteOtherScopes, scopeOf, withMemory } from '../open-memory.ts';
import { table } from '../output.ts';

export const stats: Command = {
  usage: 'stats',
  help: 'Counts the records within the scope. --user "" counts the whole tenant.',
  examples: ['varve stats', 'varve stats --user "" --json'],
  async run(input) {
    await withMemory(input, {}, async (varve) => {
      const { byType, ...counts } = await varve.operator.count(scopeOf(input));
      const rows = Object.entries(counts).map(([name, count]) => [name, String(count)]);
      const types = Object.entries(byType).map(([name, count]) => [`  ${name}`, String(count)]);
      await input.output.answer({ ...counts, byType }, () => table([...rows, ['memories by type', ''], ...types]));
      await noteOtherScopes(varve, input);
    });
  },
};

export const costs: Command = {
  usage: 'costs [--by month,operation]',
  help: 'Shows the use and the cost of models within the tenant. Calls of local models are counted and cost nothing.',
  options: {
    by: valued('keys', `${REPORT_BY.join(', ')} (default month,operation)`, { multiple: true }),
    from: valued('day', 'the first day or month, such as 2026-11'),
    to: valued('day', 'the last day or month'),
  },
  examples: ['varve costs', 'varve costs --by day,model --from 2026-11 --json'],
  async run(input) {
    const by = (listOption(input, 'by') ?? ['month', 'operation']).map((key) => oneOf('grouping', REPORT_BY, key));
    const [from, to] = [textOption(input, 'from'), textOption(input, 'to')];
    await withMemory(input, {}, async (varve) => {
      const items = await varve.ledger.report({ tenant: scopeOf(input).tenant, by, from, to });
      const rows = items.map(({ keys, calls, failed, tokensIn, tokensOut, cost }) => [
        ...by.map((key) => keys[key] ?? ''),
        ...[calls, failed, tokensIn, tokensOut].map((count) => count.toLocaleString('en')),
        (cost / 1e6).toFixed(4),
      ]);
      await input.output.rows({ items }, [[...by, 'calls', 'failed', 'tokens in', 'tokens out', 'dollars'], ...rows]);
    });
  },
};

const percent = (share: number | null): string => (share === null ? '–' : `${(share * 100).toFixed(1)} %`);
const perConversation = ({ rate }: Rate): string => (rate === null ? '–' : `${rate.toFixed(2)} a conversation`);

export const metrics: Command = {
  usage: 'metrics',
  help: 'Shows the quality of memory in use within the scope, measured from the logs of the store: context utilisation, observations, corrections, repeated questions, growth; and checks of what was formed from the first 100 conversations. --user "" measures the whole tenant.',
  examples: ['varve metrics --user ""', 'varve metrics --user "" --json'],
  async run(input) {
    const scope = scopeOf(input);
    await withMemory(input, {}, async (varve) => {
      const found = await varve.operator.metrics(scope);
      const extraction = await varve.operator.checkExtraction({ tenant: scope.tenant });
      const { keys, lateShare } = found.scaffold;
      const values: Record<string, string> = {
        contextUtilisation: percent(found.contextUtilisation.rate),
        observationRate: perConversation(found.observationRate),
        statementRate: perConversation(found.statementRate),
        scaffold:
          keys === null
            ? '–'
            : `${keys.toFixed(1)} keys${lateShare === null ? '' : `, ${percent(lateShare)} of them in the second half`}`,
        correctionRate: percent(found.correctionRate.rate),
        repeatQuestionRate: percent(found.repeatQuestionRate.rate),
      };
      await input.output.answer({ ...found, extraction }, () =>
        [
          table(
            Object.entries(ONLINE_METRICS).map(([name, { title, definition, healthy }]) => [
              title,
              values[name] ?? '–',
              `${definition} ${healthy}`,
            ]),
          ),
          '',
          `Checks of the first ${extraction.conversations} conversations`,
          table(
            extraction.checks.map(({ check, share, of, threshold, isAlert }) => [
              check,
              percent(share),
              `of ${of}, at most ${percent(threshold)}${isAlert ? input.output.style('red', '  too many') : ''}`,
              EXTRACTION_CHECKS[check].definition,
            ]),
          ),
        ].join('\n'),
      );
    });
  },
};

export const doctor: Command = {
  usage: 'doctor',
  help: 'Checks Node, the folder, the store, the embedder, the queue and the keys, and says what is wrong and what to do. The exit code is 1 when something is wrong.',
  examples: ['varve doctor', 'varve doctor --json'],
  async run(input) {
    const { examine } = await import('../examine.ts');
    const findings = await examine(input);
    const { style } = input.output;
    const mark = { good: style('green', 'ok'), note: style('yellow', 'note'), bad: style('red', 'wrong') };
    const rows = findings.map(({ state, what, found, remedy }) => {
      return [mark[state], what, remedy === null ? found : `${found} → ${remedy}`];
    });
    await input.output.rows({ findings }, rows);
    return findings.some(({ state }) => state === 'bad') ? EXIT.failed : EXIT.ok;
  },
};
