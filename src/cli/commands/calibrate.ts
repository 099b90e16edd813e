import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { textOption, UsageError, valued, type Command } from '../command.ts';
import { readConfig } from '../open-memory.ts';
import { table } from '../output.ts';
import { calibrate } from '../../models/calibrate.ts';
import { createLocalEmbedder } from '../../models/local-embedder/local-embedder.ts';

export const calibrateCommand: Command = {
  usage: 'calibrate [--config file] [--output file]',
  help: 'Measures the distribution of the embedder’s cosine similarities on pairs of texts, so that the thresholds 0.70, 0.85 and 0.92 mean the same with every model. Measures the embedder of --config, or the local one.',
  options: { output: valued('file', 'writes the calibration as JSON', { short: 'o' }) },
  examples: ['varve calibrate', 'varve calibrate --config varve.config.js -o calibration.json'],
  async run(input) {
    const { embedder = createLocalEmbedder() } = await readConfig(input);
    const none =
      'The configuration has no embedder to measure: set `embedder` in it, or leave out --config to measure the local one.';
    if (embedder === null) throw new UsageError(none);
    const { calibration, report } = await calibrate(embedder);
    const file = textOption(input, 'output');
    if (file !== undefined) {
      mkdirSync(dirname(resolve(file)), { recursive: true });
      writeFileSync(file, `${JSON.stringify(calibration, null, 2)}\n`);
    }
    await input.output.answer({ calibration, report }, () =>
      [
        `${report.embedder}: ${report.usable ? 'usable' : 'cannot distinguish related texts from unrelated ones'}`,
        table([
          ['similarity', 'cosine', 'accuracy'],
          ...report.boundaries.map(({ similarity, cosine, accuracy }) => [
            similarity.toFixed(2),
            cosine.toFixed(3),
            accuracy.toFixed(2),
          ]),
        ]),
        ...report.warnings,
      ].join('\n'),
    );
    await embedder.close?.();
  },
};
