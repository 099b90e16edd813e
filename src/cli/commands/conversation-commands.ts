import type { ContextOptions } from '../../assemble/context-options.ts';
import { RECALL_SOURCES, type RecallOptions, type RecallSource } from '../../recall/recall-options.ts';
import type { EventKind } from '../../record/event.ts';
import { type Command, EXIT, listOption, numberOption, readWords, textOption, UsageError } from '../command.ts';
import { embedFew, scopeOf, withMemory, noteOtherScopes } from '../open-memory.ts';
import { oneLine } from '../output.ts';
import type { Origin } from '../../record/statement.ts';

/** Appends an event. */
export const observe: Command = {
  usage: 'observe <text> | observe -',
  help: 'Appends an event. "-" reads the text from standard input. With --session, memories are formed from the turns of the conversation once it is quiet or closed.',
  options: {
    origin: { type: 'string', value: 'who', help: 'user, agent, tool, document or system (default user)' },
    kind: {
      type: 'string',
      value: 'kind',
      help: 'message, observation, tool_result, decision, outcome (default message)',
    },
    speaker: { type: 'string', value: 'name', help: 'the speaker, if several people speak' },
    key: { type: 'string', value: 'text', help: 'an idempotency key: repeating it changes nothing' },
    close: { type: 'boolean', help: 'end the session afterwards' },
  },
  examples: [
    'varve observe "I moved to Oslo" -s today',
    'git log -1 | varve observe - --origin tool',
    'varve observe "Noted." -s today --origin agent --close',
  ],
  async run(input) {
    const content = await readWords(input);
    if (input.options['close'] === true && textOption(input, 'session') === undefined)
      throw new UsageError('--close ends a session, so it needs --session <name>.');
    const event = {
      content,
      origin: textOption(input, 'origin') as Origin | undefined,
      kind: textOption(input, 'kind') as EventKind | undefined,
      speaker: textOption(input, 'speaker'),
      idempotencyKey: textOption(input, 'key'),
    };
    await withMemory(input, {}, async (varve) => {
      const handle = varve.for(scopeOf(input));
      const appended = await handle.observe(event);
      if (input.options['close'] === true) await handle.session.close();
      await input.output.answer(
        appended,
        () => `${appended.events[0]?.id ?? ''}${appended.repeated > 0 ? ' (already stored)' : ''}`,
      );
    });
  },
};

/** Finds the records that help to answer a query. */
export const recall: Command = {
  usage: 'recall <query>',
  help: 'Finds the records that help to answer: memories, notes, saved items, turns, documents. The exit code is 3 when nothing relevant is known.',
  options: {
    limit: { type: 'string', short: 'n', value: 'number', help: 'default 10' },
    mode: { type: 'string', value: 'mode', help: 'hybrid (default), semantic, or text, which loads no model' },
    source: { type: 'string', multiple: true, value: 'name', help: RECALL_SOURCES.join(', ') },
    explain: { type: 'boolean', help: 'show the signals of each result' },
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
      throw new UsageError(
        `There is no source ${JSON.stringify(unknown)}. Give one or more of: ${RECALL_SOURCES.join(', ')}.`,
      );
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
      await noteOtherScopes(varve, input);
      return EXIT.nothing;
    });
  },
};

/** Assembles the prompt of a turn. */
export const context: Command = {
  usage: 'context [message]',
  help: 'Shows what an agent would get for this turn: the system prompt, the user’s turn with the recalled records, and the tokens of each section.',
  options: {
    layout: { type: 'string', value: 'name', help: 'the layout of the prompt' },
    budget: { type: 'string', value: 'tokens', help: 'the most tokens of the whole context' },
    report: { type: 'boolean', help: 'print only the report of the sections' },
  },
  examples: ['varve context "what should I cook?"', 'varve context "hello" --report --json'],
  async run(input) {
    const options = {
      message: input.words.length === 0 ? undefined : input.words.join(' '),
      layout: textOption(input, 'layout'),
      budget: numberOption(input, 'budget'),
      unlogged: true,
    } as ContextOptions;
    await withMemory(input, { embeds: 'query' }, async (varve) => {
      await embedFew(varve, input.output);
      const assembled = await varve.for(scopeOf(input)).context(options);
      const isReport = input.options['report'] === true;
      const { style } = input.output;
      await input.output.answer(isReport ? assembled.report : assembled, () =>
        isReport
          ? JSON.stringify(assembled.report, null, 2)
          : `${style('bold', '── system')}\n${assembled.system}\n\n${style('bold', '── user')}\n${assembled.user}`,
      );
      await noteOtherScopes(varve, input);
    });
  },
};
