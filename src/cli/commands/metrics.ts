import { EXTRACTION_CHECKS, ONLINE_METRICS } from '../../operate/metric-definitions.ts';
import type { Rate } from '../../operate/online-metrics.ts';
import type { Command } from '../command.ts';
import { scopeOf, withMemory } from '../open-memory.ts';
import { table } from '../output.ts';

const percent = (share: number | null): string => (share === null ? '–' : `${(share * 100).toFixed(1)} %`);
const perConversation = ({ rate }: Rate): string => (rate === null ? '–' : `${rate.toFixed(2)} a conversation`);

/** How well memory does in use. */
export const metrics: Command = {
  usage: 'metrics',
  help: 'How well memory does in use within the scope, from what the store has logged: context utilisation, observations, corrections, repeated questions, growth; and checks of what was formed of the first 100 conversations. --user "" for the whole tenant.',
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
