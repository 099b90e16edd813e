import type { AssembledContext } from '../assemble/assemble.ts';
import type { ContextOptions } from '../assemble/context-options.ts';
import type { HistoryMessage } from '../assemble/layout.ts';
import { invalidInput, VarveError } from '../errors.ts';
import type { Handle, Logged } from '../handle/handle.ts';
import type { ToolUse } from '../observe/log-interaction.ts';

/** The prompt to send to any model. */
export interface ConversationPrompt {
  system: string;
  /** Past turns, followed by the user's turn with the recalled records. */
  messages: HistoryMessage[];
}

/** A model's answer, and the tools that it called. */
export interface ConversationAnswer {
  text: string;
  toolsUsed?: ToolUse[];
}

/**
 * Runs one turn with any model: context, your call, log. If your call fails, the user's message is still logged. `notLogged` is the error
 * if the turn could not be logged.
 */
export async function converse(
  handle: Pick<Handle, 'context' | 'logInteraction'>,
  options: ContextOptions & { message: string; channel?: string },
  generate: (prompt: ConversationPrompt) => Promise<ConversationAnswer | string>,
): Promise<{ text: string; context: AssembledContext; notLogged: VarveError | null }> {
  if (typeof generate !== 'function')
    throw invalidInput(
      'The third argument of converse() must be the function that calls your model: it takes { system, messages } and returns the answer.',
    );
  const { channel, ...asked } = options;
  const context = await handle.context(asked);
  const messages: HistoryMessage[] = [...context.messages, { role: 'user', content: context.user }];
  const log = async (answer?: ConversationAnswer): Promise<Logged> => {
    const { text: agentResponse, toolsUsed } = answer ?? {};
    try {
      return await handle.logInteraction({ userMessage: asked.message, agentResponse, toolsUsed, channel });
    } catch (error) {
      // The application closed the store while the model was answering. The caller must still get the answer.
      if (VarveError.isInstance(error, 'closed')) return { logged: false, error };
      throw error;
    }
  };
  const given = await generate({ system: context.system, messages }).catch(async (error: unknown) => {
    // The caller must get the model's error, whether or not the message could be logged.
    await Promise.allSettled([log()]);
    throw error;
  });
  const answer = typeof given === 'string' ? { text: given } : given;
  const logged = await log(answer);
  return { text: answer.text, context, notLogged: logged.logged ? null : logged.error };
}
