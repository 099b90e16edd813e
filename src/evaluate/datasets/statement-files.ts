import { z } from 'zod';
import { conversation, expectedMemory, looseText, question, repaired, turn } from '../conversation.ts';
import type { Conversation, Dataset, Turn } from '../conversation.ts';
import { jsonFiles, jsonObjects } from './read-data.ts';
import { parse } from '../../record/parse.ts';

const dialogueSchema = z.looseObject({
  personas: z.record(z.string(), z.array(looseText)),
  turns: z.array(z.looseObject({ speaker: looseText, text: looseText })),
});

/** Loads Synthetic-Persona-Chat. Each dialogue becomes two conversations, so that each speaker is the user once. */
export function loadPersonaChat(path: string): Dataset {
  const conversations = jsonObjects(path).flatMap(({ data, place: at }, index) => {
    const dialogue = parse(dialogueSchema, data, at);
    return Object.entries(dialogue.personas).map(([speaker, statements]): Conversation => {
      const turns = dialogue.turns.map((each, place) =>
        turn(`t${place + 1}`, each.speaker === speaker ? 'user' : 'assistant', each.text),
      );
      const own = turns.filter(({ role }) => role === 'user').map(({ id }) => id);
      return conversation({
        id: `d${index + 1}.${speaker}`,
        sessions: [{ id: 's1', start: null, turns }],
        memories: statements.map((text, place) => expectedMemory({ id: `m${place + 1}`, text, stated: own })),
      });
    });
  });
  return repaired('persona-chat', conversations, [
    'Some statements of Synthetic-Persona-Chat are never said in its dialogues: no reader can keep all of them.',
  ]);
}

const expectationSchema = z.looseObject({
  transcript: z.string().min(1),
  expected_type: z.string().nullish(),
  expected_contains: z.array(z.string()).nullish(),
  expected_importance_min: z.number().nullish(),
});

/** Entries with the same transcript become one conversation with several expected memories. */
export function loadExpectations(path: string): Dataset {
  const byTranscript = new Map<string, Conversation>();
  for (const { data, place } of jsonObjects(path)) {
    const entry = parse(expectationSchema, data, place);
    const known =
      byTranscript.get(entry.transcript) ??
      conversation({
        id: `t${byTranscript.size + 1}`,
        sessions: [{ id: 's1', start: null, turns: transcriptTurns(entry.transcript) }],
      });
    byTranscript.set(entry.transcript, known);
    const contains = entry.expected_contains ?? [];
    known.memories.push(
      expectedMemory({
        id: `m${known.memories.length + 1}`,
        type: entry.expected_type ?? null,
        text: contains.join(', '),
        contains,
        minimumImportance: entry.expected_importance_min ?? null,
        stated: known.sessions.flatMap(({ turns }) => turns.map(({ id }) => id)),
      }),
    );
  }
  return repaired('expectations', [...byTranscript.values()]);
}

/** Each "User: …" or "Agent: …" begins a turn. Lines without a speaker continue it. */
export function transcriptTurns(transcript: string): Turn[] {
  const turns: Turn[] = [];
  for (const line of transcript.split('\n')) {
    const [, speaker, said] = /^\s*(user|human|customer|agent|assistant|ai|bot|tool)\s*:(.*)$/i.exec(line) ?? [];
    const last = turns.at(-1);
    if (speaker !== undefined) {
      const name = speaker.toLowerCase();
      const role = name === 'tool' ? 'tool' : /user|human|customer/.test(name) ? 'user' : 'assistant';
      turns.push(turn(`t${turns.length + 1}`, role, said?.trim() ?? ''));
    } else if (last !== undefined) last.text = `${last.text}\n${line}`;
    else if (line.trim() !== '') turns.push(turn('t1', 'user', line));
  }
  return turns;
}

const pairsSchema = z.looseObject({
  facts: z.array(z.union([z.string(), z.looseObject({ id: looseText, text: z.string() })])),
  queries: z.array(
    z.looseObject({ query: z.string(), relevant: z.array(z.union([z.string(), z.number()])).default([]) }),
  ),
});

/** Loads `{ facts: [{ id, text }], queries: [{ query, relevant: [ids] }] }`. A fact may be a plain text, whose id is its index from 0. */
export function loadPairs(path: string): Dataset {
  const conversations = jsonFiles(path).map(({ data, place, name }): Conversation => {
    const { facts, queries } = parse(pairsSchema, data, place);
    return conversation({
      id: name,
      facts: facts.map((fact, index) =>
        typeof fact === 'string' ? { id: String(index), text: fact } : { id: fact.id, text: fact.text },
      ),
      questions: queries.map(({ query, relevant }, index) => {
        const kind = relevant.length === 0 ? 'unknown' : 'pair';
        return question({ id: `q${index + 1}`, kind, question: query, answer: '', evidence: relevant.map(String) });
      }),
    });
  });
  return repaired('pairs', conversations);
}
