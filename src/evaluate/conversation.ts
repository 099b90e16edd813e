import { z } from 'zod';

/** Who speaks in a turn: the user (or one of several), the agent, or a tool. */
export type Role = 'user' | 'assistant' | 'tool';

export interface Turn {
  id: string;
  role: Role;
  speaker: string;
  text: string;
  /** Null if the turn follows shortly after the one before. */
  at: Date | null;
}

export interface Session {
  id: string;
  /** Null if the data set does not contain it. */
  start: Date | null;
  turns: Turn[];
}

/** A statement that memory should keep. */
export interface ExpectedMemory {
  id: string;
  type: string | null;
  /** `User`, or another name. */
  about: string;
  text: string;
  /** An attribute of a person, such as `home_city`. */
  slot: string | null;
  value: string | null;
  /** The turns that contain the statement. Empty if the data set does not name them. */
  stated: string[];
  /** The turn or session at which the statement stops being true. Null if it is true to the end. */
  until: string | null;
  replacedBy: string | null;
  /** Words that the memory's text must contain, if the data set has words instead of a sentence. */
  contains: string[];
  minimumImportance: number | null;
}

/** A question and its expected answer. */
export interface Question {
  id: string;
  /** The session after which the question is asked. Null for the end of the conversation. */
  after: string | null;
  /** The category in the data set, such as `single`, `time` or `unknown`. For `forgotten`, recall must not return the evidence. */
  kind: string;
  question: string;
  answer: string;
  /** Whether the conversation answers the question. */
  isAnswerable: boolean;
  /** The turns that answer the question. Empty if the data set does not name them. */
  evidence: string[];
  /** The expected memories that answer the question. */
  memories: string[];
}

/** A text that is in the store from the start. */
export interface StoredFact {
  id: string;
  text: string;
}

/** A conversation in the common format of all data sets. Ids are unique within a conversation. */
export interface Conversation {
  id: string;
  language: string;
  sessions: Session[];
  memories: ExpectedMemory[];
  questions: Question[];
  facts: StoredFact[];
}

/** The conversations of one data set. */
export interface Dataset {
  name: string;
  conversations: Conversation[];
  /** Sentences about what the loader corrected or left out. Every report shows them. */
  faults: string[];
}

export function expectedMemory(fields: Partial<ExpectedMemory> & Pick<ExpectedMemory, 'id' | 'text'>): ExpectedMemory {
  return {
    type: null,
    about: 'User',
    slot: null,
    value: null,
    stated: [],
    until: null,
    replacedBy: null,
    contains: [],
    minimumImportance: null,
    ...fields,
  };
}

export function conversation(fields: Partial<Conversation> & Pick<Conversation, 'id'>): Conversation {
  return { language: 'en', sessions: [], memories: [], questions: [], facts: [], ...fields };
}

/** A question of the kind `unknown` has no answer. */
export function question(fields: Partial<Question> & Pick<Question, 'id' | 'kind' | 'question' | 'answer'>): Question {
  return { after: null, evidence: [], memories: [], isAnswerable: fields.kind !== 'unknown', ...fields };
}

export function turn(id: string, role: Role, text: string, fields: Partial<Turn> = {}): Turn {
  return { id, role, speaker: role === 'assistant' ? 'Assistant' : 'User', text, at: null, ...fields };
}

/** Removes empty turns, evidence that names no existing turn, and questions with only such evidence. `faults` counts them. */
export function repaired(name: string, conversations: readonly Conversation[], faults: string[] = []): Dataset {
  const counts = { dangling: 0, unanswerable: 0, empty: 0 };
  const mended = conversations.map((each) => {
    const sessions = each.sessions
      .map((session) => ({ ...session, turns: session.turns.filter(({ text }) => text.trim() !== '') }))
      .filter(({ turns }) => turns.length > 0);
    const known = new Set([...sessions.flatMap(({ turns }) => turns), ...each.facts].map(({ id }) => id));
    const sessionIds = new Set(sessions.map(({ id }) => id));
    counts.empty +=
      each.sessions.reduce((sum, { turns }) => sum + turns.length, 0) -
      sessions.reduce((sum, { turns }) => sum + turns.length, 0);
    const questions = each.questions.flatMap((asked) => {
      const evidence = [...new Set(asked.evidence)].filter((id) => known.has(id));
      counts.dangling += new Set(asked.evidence).size - evidence.length;
      if (asked.isAnswerable && asked.evidence.length > 0 && evidence.length === 0) {
        counts.unanswerable += 1;
        return [];
      }
      const after = asked.after !== null && sessionIds.has(asked.after) ? asked.after : null;
      return [{ ...asked, evidence, after }];
    });
    const memories = each.memories.map((memory) => ({
      ...memory,
      stated: memory.stated.filter((id) => known.has(id)),
    }));
    return { ...each, sessions, questions, memories };
  });
  const said = [
    counts.empty > 0 ? `${counts.empty} empty turns were left out.` : '',
    counts.dangling > 0 ? `${counts.dangling} pieces of evidence name no turn and were left out.` : '',
    counts.unanswerable > 0
      ? `${counts.unanswerable} questions have no evidence in the conversation and were left out.`
      : '',
  ].filter((sentence) => sentence !== '');
  return { name, conversations: mended, faults: [...faults, ...said] };
}

/** For fields that some data sets give as a number or a boolean, or omit. */
export const looseText: z.ZodType<string, unknown> = z
  .union([z.string(), z.number(), z.boolean(), z.null()])
  .transform((value) => (value === null ? '' : String(value)))
  .default('');
