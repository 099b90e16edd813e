import type { TokenCounter } from '../language/token-count.ts';
import type { Writing } from './escape.ts';
import { writePlace, type Layout } from './layout.ts';
import type { Item, Material } from './section.ts';

/** A past turn as a chat message. */
export interface HistoryMessage {
  role: 'user' | 'assistant';
  content: string;
}

/** A context as text, with its tokens. */
export interface WrittenContext {
  system: string;
  user: string;
  /** The user's turn without the message. */
  beforeMessage: string;
  messages: HistoryMessage[];
  tokens: { system: number; user: number; history: number; tools: number; total: number };
}

/** Writes material as its layout says, and counts what it comes to. */
export function writeContext(
  { layout, counter, toolTokens }: { layout: Layout; counter: TokenCounter; toolTokens: number },
  material: Material,
  writing: Writing,
): WrittenContext {
  const system = writePlace(layout.system, material, writing);
  const user = writePlace(layout.user, material, writing);
  const beforeMessage = writePlace(layout.user, { ...material, message: [] }, writing);
  const messages =
    layout.history === 'text'
      ? []
      : fromFirstQuestion(material.history ?? []).map(({ label, text }): HistoryMessage => ({
          role: label === 'agent' ? 'assistant' : 'user',
          content: text,
        }));
  const tokens = {
    system: counter.count(system),
    user: counter.count(user),
    history: messages.reduce((sum, { content }) => sum + counter.count(content), 0),
    tools: toolTokens,
  };
  const total = tokens.system + tokens.user + tokens.history + tokens.tools;
  return { system, user, beforeMessage, messages, tokens: { ...tokens, total } };
}

/** Providers want a conversation to begin with the user: half an exchange at the beginning goes. */
function fromFirstQuestion(turns: readonly Item[]): readonly Item[] {
  const first = turns.findIndex(({ label }) => label !== 'agent');
  return first === -1 ? [] : turns.slice(first);
}
