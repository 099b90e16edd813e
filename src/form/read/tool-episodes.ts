import type { Event } from '../../record/event.ts';
import { isMemoryTool } from '../../record/memory-answers.ts';
import { readStatement, type ReadStatement } from './reader.ts';

const LONGEST_VALUE = 60;
const LONGEST_REQUEST = 80;
const MOST_VALUES = 3;
const MOST_WORDS = 30;
const SECRET = /pass(?:word|wd)?|secret|token|api.?key|authorization|credential|cookie/i;

/** What the agent did with its tools, and for which request: one episode for each call. What a tool answered is not read. */
export function toolEpisodes(events: readonly Event[]): ReadStatement[] {
  return events.flatMap((event, index) =>
    callsOf(event)
      .filter(({ name }) => !isMemoryTool(name))
      .map(({ name, input }) => {
        const detail = describeInput(input);
        const request = requestBefore(events, index);
        const text = `Agent ran ${humanName(name)}${detail === '' ? '' : ` (${detail})`} for User${request === null ? '' : ` because User asked "${request}"`}.`;
        return readStatement({
          type: 'episode',
          subject: 'Agent',
          tense: 'happened',
          text: text.split(' ').slice(0, MOST_WORDS).join(' '),
          quotes: [{ turn: index + 1, words: '' }],
          from: event.occurredAt.toISOString(),
          importance: 0.4,
          explicit: false,
          tags: ['tool', name],
        });
      }),
  );
}

function callsOf({ metadata, origin }: Event): { name: string; input: Record<string, unknown> }[] {
  const used = metadata['toolsUsed'];
  if (origin !== 'agent' || !Array.isArray(used)) return [];
  return used.flatMap((use: unknown) => {
    if (typeof use !== 'object' || use === null || !('tool' in use) || typeof use.tool !== 'string') return [];
    const input =
      'arguments' in use && typeof use.arguments === 'object' ? (use.arguments as Record<string, unknown>) : {};
    return [{ name: use.tool, input: input ?? {} }];
  });
}

/** What the user asked for, in the same exchange or just before. */
function requestBefore(events: readonly Event[], index: number): string | null {
  const asked = events.slice(0, index).findLast((event) => event.origin === 'user' && event.kind === 'message');
  return asked === undefined ? null : oneLine(asked.content, LONGEST_REQUEST).toWellFormed();
}

function describeInput(input: Readonly<Record<string, unknown>>): string {
  return Object.entries(input)
    .filter(([key, value]) => !SECRET.test(key) && ['string', 'number', 'boolean'].includes(typeof value))
    .slice(0, MOST_VALUES)
    .map(([key, value]) => `${humanName(key)}: ${oneLine(String(value), LONGEST_VALUE)}`)
    .join(', ');
}

function humanName(name: string): string {
  return name
    .replace(/([\p{Ll}\p{N}])(\p{Lu})/gu, '$1 $2')
    .replace(/[_.-]+/g, ' ')
    .toLowerCase()
    .slice(0, LONGEST_VALUE);
}

function oneLine(text: string, limit: number): string {
  const line = text
    .slice(0, limit * 2)
    .replace(/\s+/g, ' ')
    .trim();
  return line.length > limit ? `${line.slice(0, limit - 1)}…` : line;
}
