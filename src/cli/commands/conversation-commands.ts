import type { ContextOptions } from '../../assemble/context-options.ts';
import { RECALL_SOURCES, type RecallOptions } from '../../recall/recall-options.ts';
import type { EventKind } from '../../record/event.ts';
import { type Command, EXIT, flag, listOption, numberOption, readWords, textOption } from '../command.ts';
import { oneOf, UsageError, valued } from '../command.ts';
import { embedFew, noteOtherScopes, withHandle } from '../open-memory.ts';
import { singleLine } from '../../language/words.ts';
import type { Origin } from '../../record/statement.ts';

export const observe: Command = {
  usage: 'observe <text> | observe -',
  help: 'Appends an event. "-" reads the text from standard input. With --session, memories are formed from the turns of the conversation once it is quiet or closed.',
  options: {
    origin: valued('who', 'user, agent, tool, document or system (default user)'),
    kind: valued('kind', 'message, observation, tool_result, decision, outcome (default message)'),
    speaker: valued('name', 'the speaker, if several people speak'),
    key: valued('text', 'an idempotency key: repeating it changes nothing'),
    close: flag('end the session afterwards'),
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
    await withHandle(input, { creates: true }, async (handle) => {
      const appended = await handle.observe(event);
      if (input.options['close'] === true) await handle.session.close();
      await input.output.answer(
        appended,
        () => `${appended.events[0]?.id ?? ''}${appended.repeated > 0 ? ' (already stored)' : ''}`,
      );
    });
  },
};

const RELEVANCE = 'relevance';

const percent = (share: number): string => `${Math.round(share * 100)} %`;

export const recall: Command = {
  usage: 'recall <query>',
  help: 'Finds the records that help to answer: memories, notes, saved items, turns, documents. The relevance of a record is the estimated probability that it helps to answer. The exit code is 3 when nothing relevant is known.',
  options: {
    limit: valued('number', 'default 10', { short: 'n' }),
    mode: valued('mode', 'hybrid (default), semantic, or text, which loads no model'),
    source: valued('name', RECALL_SOURCES.join(', '), { multiple: true }),
    explain: flag('show the signals of each result'),
  },
  examples: [
    'varve recall "where do I live?"',
    'varve recall "invoices" --mode text -n 3',
    'varve recall "Oslo" --json | jq .results[0].text',
  ],
  async run(input) {
    const query = await readWords(input);
    const mode = textOption(input, 'mode') ?? 'hybrid';
    const sources = listOption(input, 'source')?.map((source) => oneOf('source', RECALL_SOURCES, source));
    const options = { limit: numberOption(input, 'limit'), mode, sources } as RecallOptions;
    return withHandle(input, { embeds: mode === 'text' ? 'nothing' : 'query' }, async (handle, varve) => {
      await embedFew(varve, input.output);
      const recalled = await handle.recall(query, options);
      const { style } = input.output;
      const { results, degraded } = recalled;
      const lines = results.map(({ text, relevance, id, explanation }) => {
        const reasons = explanation.map(({ signal, value, weight }) => `${signal} ${(value * weight).toFixed(2)}`);
        const share = percent(relevance).padStart(RELEVANCE.length);
        const line = `${style('green', share)}  ${singleLine(text, 160)}  ${style('dim', id)}`;
        return input.options['explain'] === true ? `${line}\n      ${style('dim', reasons.join(', '))}` : line;
      });
      const head = lines.length === 0 ? [] : [style('dim', `${RELEVANCE}  text  id`)];
      await input.output.answer(recalled, () => [...head, ...lines].join('\n'));
      for (const part of degraded) input.output.note(`without: ${part}`);
      if (results.length === 0) {
        input.output.note('Nothing relevant is known.');
        await noteOtherScopes(varve, input, handle);
        return EXIT.nothing;
      }
      return EXIT.ok;
    });
  },
};

export const context: Command = {
  usage: 'context [message]',
  help: 'Shows what an agent would get for this turn: the system prompt, the user’s turn with the recalled records, and the tokens of each section.',
  options: {
    layout: valued('name', 'the layout of the prompt'),
    budget: valued('tokens', 'the most tokens of the whole context'),
    report: flag('print only the report of the sections'),
  },
  examples: ['varve context "what should I cook?"', 'varve context "hello" --report --json'],
  async run(input) {
    const options = {
      message: input.words.length === 0 ? undefined : input.words.join(' '),
      layout: textOption(input, 'layout'),
      budget: numberOption(input, 'budget'),
      unlogged: true,
    } as ContextOptions;
    await withHandle(input, { embeds: 'query' }, async (handle, varve) => {
      await embedFew(varve, input.output);
      const assembled = await handle.context(options);
      const isReport = input.options['report'] === true;
      const { style } = input.output;
      await input.output.answer(isReport ? assembled.report : assembled, () =>
        isReport
          ? JSON.stringify(assembled.report, null, 2)
          : `${style('bold', '── system')}\n${assembled.system}\n\n${style('bold', '── user')}\n${assembled.user}`,
      );
      await noteOtherScopes(varve, input, handle);
    });
  },
};
