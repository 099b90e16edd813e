import type { AssembledContext } from '../assemble/assemble.ts';
import type { ContextOptions } from '../assemble/context-options.ts';
import type { HistoryMessage } from '../assemble/layout.ts';
import type { VarveError } from '../errors.ts';
import type { Handle } from '../handle/handle.ts';
import type { NewInteraction, ToolUse } from '../observe/log-interaction.ts';

/** What to send to any model. */
export interface ConversationPrompt {
  system: string;
  /** Past turns and, last, the user's turn with the recalled records. */
  messages: HistoryMessage[];
}

/** A model's answer, and the tools that were called on the way. */
export interface ConversationAnswer {
  text: string;
  toolsUsed?: ToolUse[];
}

/** One turn with memory and any model: context → your call → observe. */
export async function converse(
  handle: Pick<Handle, 'context' | 'logInteraction'>,
  options: ContextOptions & { message: string; channel?: string },
  generate: (prompt: ConversationPrompt) => Promise<ConversationAnswer | string>,
): Promise<{ text: string; context: AssembledContext; notLogged: VarveError | null }> {
  const { channel, ...asked } = options;
  const context = await handle.context(asked);
  const messages: HistoryMessage[] = [...context.messages, { role: 'user', content: context.user }];
  const given = await generate({ system: context.system, messages });
  const answer = typeof given === 'string' ? { text: given } : given;
  const interaction: NewInteraction = {
    userMessage: asked.message,
    agentResponse: answer.text,
    toolsUsed: answer.toolsUsed,
    channel,
  };
  const logged = await handle.logInteraction(interaction);
  return { text: answer.text, context, notLogged: logged.logged ? null : logged.error };
}
