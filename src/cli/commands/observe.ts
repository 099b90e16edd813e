import type { EventKind } from '../../record/event.ts';
import type { Origin } from '../../record/trust.ts';
import { type Command, readWords, textOption, UsageError } from '../command.ts';
import { scopeOf, withMemory } from '../open-memory.ts';

/** Appends an event. */
export const observe: Command = {
  usage: 'observe <text> | observe -',
  help: 'Appends what happened. "-" reads the text from standard input. Give a --session and the turns of a conversation become memories once it is quiet or closed.',
  options: {
    origin: { type: 'string', value: 'who', help: 'user, agent, tool, document or system (default user)' },
    kind: {
      type: 'string',
      value: 'kind',
      help: 'message, observation, tool_result, decision, outcome (default message)',
    },
    speaker: { type: 'string', value: 'name', help: 'who speaks, where several do' },
    key: { type: 'string', value: 'text', help: 'the same key again changes nothing' },
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
      throw new UsageError('--close needs a --session.');
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
        () => `${appended.events[0]?.id ?? ''}${appended.repeated > 0 ? ' (was there already)' : ''}`,
      );
    });
  },
};
