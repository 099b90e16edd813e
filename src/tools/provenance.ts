import { z } from 'zod';
import { foreignSpans } from '../language/foreign-text.ts';
import { contentStems, coveredBy } from '../language/words.ts';
import type { ToolHandle, ToolTurn } from './agent-tool.ts';

/** Where the content of a tool call comes from, as far as it can be seen. */
export interface Provenance {
  /** `user`: the user's own last turns say so. `agent`: the agent says so. `tool`: a source says so that the agent has named. */
  statedBy: 'user' | 'agent' | 'tool';
  /** The name of the source. */
  source: string | null;
  /** The turns of the user that say so. */
  events: string[];
}

/** The parameter by which an agent says where something comes from. */
export const sourceParameter: z.ZodOptional<z.ZodString> = z
  .string()
  .min(1)
  .max(200)
  .optional()
  .describe(
    'Where this comes from: "user" if the user said it in this conversation, otherwise the page, mail, file or tool that says it. What does not come from the user is kept as unverified',
  );

const LAST_TURNS = 8;

/**
 * Finds out who stands behind what an agent wants to keep. What an agent says of its source is believed only downwards: a page that has
 * talked the agent into "the user said so" gains nothing, because the words must stand in the user's own turns, outside of what was
 * pasted there.
 */
export async function provenanceOf(
  handle: ToolHandle,
  content: string,
  { source, said = [] }: { source?: string } & ToolTurn,
): Promise<Provenance> {
  const named = source === undefined || /^(?:the )?user$/i.test(source.trim()) ? null : source.trim();
  if (named !== null) return { statedBy: 'tool', source: named, events: [] };
  if (said.some((text) => says(text, content))) return { statedBy: 'user', source: null, events: [] };
  const { session } = handle.scope;
  // A client that names no session has the user's last turns, wherever they were said.
  const { items } = await handle.events.list({
    kinds: ['message'],
    session: session ?? undefined,
    limit: LAST_TURNS * 2,
  });
  const turns = items.filter(({ origin }) => origin === 'user').slice(0, LAST_TURNS);
  const events = turns.filter((turn) => says(turn.content, content)).map(({ id }) => id);
  return events.length === 0
    ? { statedBy: 'agent', source: null, events }
    : { statedBy: 'user', source: null, events: events.slice(0, 1) };
}

/** Whether the user's own words in a turn say something: it stands there, or nearly all of its words do. */
function says(turn: string, content: string): boolean {
  const own = ownWords(turn.slice(0, 20_000));
  const value = content.trim().toLowerCase();
  const place = own.toLowerCase().indexOf(value);
  if (place >= 0 && !isInsideWord(own, place, value.length)) return true;
  const stems = contentStems(content.replace(/\b(?:the )?user(?:['’]s)?\b/gi, ' '));
  return stems.size >= 2 && coveredBy(stems, contentStems(own)) >= MOST_WORDS;
}

const MOST_WORDS = 0.8;

/** A turn without what was pasted into it. */
function ownWords(turn: string): string {
  let own = '';
  let last = 0;
  for (const { start, end } of foreignSpans(turn)) {
    own += turn.slice(last, Math.max(last, start));
    last = Math.max(last, end);
  }
  return own + turn.slice(last);
}

function isInsideWord(text: string, start: number, length: number): boolean {
  const isLetter = (character: string): boolean => /[\p{L}\p{N}]/u.test(character);
  return isLetter(text.charAt(start - 1)) || isLetter(text.charAt(start + length));
}
