import type { ExtractedStatement, ToolCall } from './extracted-statement.ts';

const LONGEST_VALUE = 60;
const MOST_VALUES = 3;
const SECRET = /pass(?:word|wd)?|secret|token|api.?key|authorization|credential|cookie/i;

/** What the agent did, for what, and why: one episode for each tool call. Tool output is not read. */
export function toolEpisodes(calls: readonly ToolCall[], userName: string): ExtractedStatement[] {
  return calls.map((call): ExtractedStatement => {
    const done = humanName(call.name);
    const failed = call.succeeded === false;
    const detail = describeInput(call.input ?? {});
    const reason = call.reason === undefined ? '' : ` because ${oneLine(call.reason, 90)}`;
    const content = `Agent ${failed ? 'tried to run' : 'ran'} ${done}${detail === '' ? '' : ` (${detail})`} for ${userName}${reason}${failed ? '; it failed' : ''}.`;
    return {
      type: 'episode',
      content: content.split(' ').slice(0, 30).join(' '),
      subject: 'Agent',
      attribute: `tool:${call.name}`,
      polarity: failed ? 'negative' : 'positive',
      importance: failed ? 0.45 : 0.4,
      confidence: 'high',
      tags: ['tool', call.name],
      validFrom: call.calledAt.toISOString(),
      turn: call.turn,
      span: { start: 0, end: 0 },
    };
  });
}

function describeInput(input: Readonly<Record<string, unknown>>): string {
  return Object.entries(input)
    .filter(
      ([key, value]) =>
        !SECRET.test(key) && (typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean'),
    )
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
