import { z } from 'zod';

/** Who says a turn: the user (or one of several), the agent, or a tool whose output the turn is. */
export type Role = 'user' | 'assistant' | 'tool';

export interface Turn {
  id: string;
  role: Role;
  speaker: string;
  text: string;
  /** When it was said; null: some time after the turn before it. */
  at: Date | null;
}

export interface Session {
  id: string;
  /** When it begins; null where the data set does not say. */
  start: Date | null;
  turns: Turn[];
}

/** A statement that an attentive listener would want to know later. */
export interface ExpectedMemory {
  id: string;
  type: string | null;
  /** Whom or what it is about: `User`, or another name. */
  about: string;
  text: string;
  /** One of the named slots of a person, such as `home_city`, and its value. */
  slot: string | null;
  value: string | null;
  /** The turns that say it; empty where the data set does not say which. */
  stated: string[];
  /** The turn or the session from which it no longer holds; null while it holds to the end. */
  until: string | null;
  replacedBy: string | null;
  /** Words that its text must have, where the data set gives words instead of a sentence. */
  contains: string[];
  /** How important it must be at least. */
  minimumImportance: number | null;
}

/** What may be asked, and what answers it. */
export interface Question {
  id: string;
  /** The session after which it is asked; null: at the end. */
  after: string | null;
  /** The data set's category, by name: `single`, `time`, `unknown` …. Of `forgotten`, the evidence must not come back. */
  kind: string;
  question: string;
  answer: string;
  /** Whether anything in the conversation answers it. */
  isAnswerable: boolean;
  /** The turns that answer it; empty where the data set does not say which. */
  evidence: string[];
  /** The expected memories that answer it. */
  memories: string[];
}

/** A text that stands in the store from the beginning: the facts of labelled pairs of query and fact. */
export interface StoredFact {
  id: string;
  text: string;
}

/** A conversation of any data set, in one shape. Ids are unique within it. */
export interface Conversation {
  id: string;
  language: string;
  sessions: Session[];
  memories: ExpectedMemory[];
  questions: Question[];
  facts: StoredFact[];
}

/** Conversations of one source, with what is known to be wrong in it. */
export interface Dataset {
  name: string;
  conversations: Conversation[];
  /** What was mended or left out while loading, in sentences; shown with every report. */
  faults: string[];
}

/** A memory that says nothing beyond its text. */
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

/** A conversation without anything: a loader fills in what its data has. */
export function conversation(fields: Partial<Conversation> & Pick<Conversation, 'id'>): Conversation {
  return { language: 'en', sessions: [], memories: [], questions: [], facts: [], ...fields };
}

/** A turn whose time is not given. */
export function turn(id: string, role: Role, text: string, fields: Partial<Turn> = {}): Turn {
  return { id, role, speaker: role === 'assistant' ? 'Assistant' : 'User', text, at: null, ...fields };
}

/**
 * Makes references hold: evidence that names no turn is left out, a question that had only such evidence is left out too, and
 * doubled ids of turns get a number. What was done is said in `faults`.
 */
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
    const questions = each.questions.flatMap((question) => {
      const evidence = [...new Set(question.evidence)].filter((id) => known.has(id));
      counts.dangling += new Set(question.evidence).size - evidence.length;
      if (question.isAnswerable && question.evidence.length > 0 && evidence.length === 0) {
        counts.unanswerable += 1;
        return [];
      }
      const after = question.after !== null && sessionIds.has(question.after) ? question.after : null;
      return [{ ...question, evidence, after }];
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
      ? `${counts.unanswerable} questions have no evidence that is there, and were left out.`
      : '',
  ].filter((sentence) => sentence !== '');
  return { name, conversations: mended, faults: [...faults, ...said] };
}

/** Text that may be a number or missing in the data set. */
export const looseText: z.ZodType<string, unknown> = z
  .union([z.string(), z.number(), z.boolean(), z.null()])
  .transform((value) => (value === null ? '' : String(value)))
  .default('');
