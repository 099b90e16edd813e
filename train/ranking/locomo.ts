import type { NewEvent } from '../../src/record/event.ts';

// The files are used as they are, including questions whose gold answers are known to be wrong. src/evaluate leaves these questions out.

/** A conversation in the format of LoCoMo, with the events of each session. */
export interface Conversation {
  id: string;
  sessions: { name: string; events: NewEvent[] }[];
}

/** A question and the turns that answer it. */
export interface Question {
  conversation: string;
  category: number;
  question: string;
  evidence: string[];
}

interface RawTurn {
  speaker: string;
  dia_id: string;
  text: string;
  blip_caption?: string;
}

/**
 * The conversations of a file in the format of LoCoMo. The id of a turn goes into its metadata, and the caption of a photo into its text.
 */
export function readConversations(json: string): Conversation[] {
  const samples = JSON.parse(json) as { sample_id: string; conversation: Record<string, unknown> }[];
  return samples.map(({ sample_id, conversation }) => ({
    id: sample_id,
    sessions: Object.keys(conversation)
      .filter((key) => /^session_\d+$/.test(key))
      .sort((one, other) => Number(one.slice(8)) - Number(other.slice(8)))
      .map((name) => {
        const start = parseTime(String(conversation[`${name}_date_time`]));
        const events = (conversation[name] as RawTurn[]).map((turn, index): NewEvent => ({
          speaker: turn.speaker,
          content: turn.blip_caption ? `${turn.text} [shares ${turn.blip_caption}]` : turn.text,
          occurredAt: start + index * 60_000,
          metadata: { turn: turn.dia_id },
        }));
        return { name, events };
      }),
  }));
}

/** The questions of a file in the format of LoCoMo. */
export function readQuestions(lines: string): Question[] {
  return lines
    .split('\n')
    .filter((line) => line.trim() !== '')
    .map(
      (line) =>
        JSON.parse(line) as { sample_id: string; category: number; question: string; evidence: string[] | null },
    )
    .map(({ sample_id, category, question, evidence }) => ({
      conversation: sample_id,
      category,
      question,
      evidence: evidence ?? [],
    }));
}

/** Parses a time such as "1:56 pm on 8 May, 2023". */
function parseTime(text: string): number {
  const match = /^(\d+):(\d+) (am|pm) on (\d+) (\w+), (\d+)$/.exec(text);
  if (match === null)
    throw new Error(`"${text}" is not a time in the format of LoCoMo, such as "1:56 pm on 8 May, 2023".`);
  const [, hour = '', minute = '', half, day, month, year] = match;
  const hours = (Number(hour) % 12) + (half === 'pm' ? 12 : 0);
  return Date.parse(`${day} ${month} ${year} ${hours}:${minute} UTC`);
}
