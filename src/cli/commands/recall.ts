import { RECALL_SOURCES, type RecallOptions, type RecallSource } from '../../recall/recall-options.ts';
import { type Command, EXIT, listOption, numberOption, readWords, textOption, UsageError } from '../command.ts';
import { embedFew, scopeOf, withMemory } from '../open-memory.ts';
import { oneLine } from '../output.ts';

/** Finds what helps to answer. */
export const recall: Command = {
  usage: 'recall <query>',
  help: 'Finds what helps to answer: memories, notes, saved items, turns, documents. Exit code 3 when nothing relevant is known.',
  options: {
    limit: { type: 'string', short: 'n', value: 'number', help: 'default 10' },
    mode: { type: 'string', value: 'mode', help: 'hybrid (default), semantic, or text, which loads no model' },
    source: { type: 'string', multiple: true, value: 'name', help: RECALL_SOURCES.join(', ') },
    explain: { type: 'boolean', help: 'say why each result is there' },
  },
  examples: [
    'varve recall "where do I live?"',
    'varve recall "invoices" --mode text -n 3',
    'varve recall "Oslo" --json | jq .results[0].text',
  ],
  async run(input) {
    const query = await readWords(input);
    const mode = textOption(input, 'mode') ?? 'hybrid';
    const sources = listOption(input, 'source') as RecallSource[] | undefined;
    const unknown = sources?.find((source) => !RECALL_SOURCES.includes(source));
    if (unknown !== undefined)
      throw new UsageError(`There is no source ${JSON.stringify(unknown)}: ${RECALL_SOURCES.join(', ')}.`);
    const options = { limit: numberOption(input, 'limit'), mode, sources } as RecallOptions;
    return withMemory(input, { embeds: mode === 'text' ? 'nothing' : 'query' }, async (varve) => {
      await embedFew(varve, input.output);
      const recalled = await varve.for(scopeOf(input)).recall(query, options);
      const { style } = input.output;
      await input.output.answer(recalled, () =>
        recalled.results
          .map(({ text, relevance, id, explanation }) => {
            const reasons = explanation
              .map(({ signal, value, weight }) => `${signal} ${(value * weight).toFixed(2)}`)
              .join(', ');
            const line = `${style('green', relevance.toFixed(2))}  ${oneLine(text, 160)}  ${style('dim', id)}`;
            return input.options['explain'] === true ? `${line}\n      ${style('dim', reasons)}` : line;
          })
          .join('\n'),
      );
      for (const part of recalled.degraded) input.output.note(`without: ${part}`);
      if (recalled.results.length > 0) return EXIT.ok;
      input.output.note('Nothing relevant is known.');
      return EXIT.nothing;
    });
  },
};
