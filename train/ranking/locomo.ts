import type { NewEvent } from '../../src/record/event.ts';

// The weights are learned from the files as they are, questions with known wrong gold included: src/evaluate leaves those out.

/** A conversation of LoCoMo, as events to observe, one list for each session. */
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

/** The conversations of a LoCoMo file. A turn's id goes into its metadata, a photo's caption into its text. */
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

/** The questions of a LoCoMo file. */
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

/** "1:56 pm on 8 May, 2023" */
function parseTime(text: string): number {
  const match = /^(\d+):(\d+) (am|pm) on (\d+) (\w+), (\d+)$/.exec(text);
  if (match === null) throw new Error(`Not a time of LoCoMo: ${text}`);
  const [, hour = '', minute = '', half, day, month, year] = match;
  const hours = (Number(hour) % 12) + (half === 'pm' ? 12 : 0);
  return Date.parse(`${day} ${month} ${year} ${hours}:${minute} UTC`);
}
