import { extractStatements } from '../src/form/local/extract-statements.ts';
import type { ExtractedStatement, ExtractionContext } from '../src/form/local/extracted-statement.ts';
import type { Turn } from '../src/models/distiller.ts';
import type { Origin } from '../src/record/trust.ts';

/** A Sunday. */
export const SAID_AT: Date = new Date('2026-11-15T10:00:00Z');

const ORIGINS: Readonly<Record<string, Origin>> = { A: 'agent', T: 'tool', D: 'document', S: 'system' };

/** A turn of a conversation: a message of the user's unless told otherwise. */
export function turnOf(content: string, given: Partial<Turn> = {}): Turn {
  return { kind: 'message', origin: 'user', speaker: null, content, category: null, occurredAt: SAID_AT, ...given };
}

/** Turns of a conversation: "A: …" is the agent, "T: …" a tool, "D: …" a document, "S: …" the system, else the user. */
export function turnsOf(lines: readonly string[]): Turn[] {
  return lines.map((line) => {
    const [, mark = '', text] = /^([ATDS]): ([\s\S]*)$/.exec(line) ?? [];
    return turnOf(text ?? line, { origin: ORIGINS[mark] ?? 'user' });
  });
}

/** What rules read from a conversation with an agent. */
export function read(lines: string | readonly string[], context: ExtractionContext = {}): ExtractedStatement[] {
  const turns = turnsOf(typeof lines === 'string' ? [lines] : lines);
  return extractStatements({ turns }, { timeZone: 'Europe/Berlin', ...context });
}

/** What rules read from a dialogue of people: "Melanie: I paint." */
export function readDialogue(lines: readonly string[]): ExtractedStatement[] {
  const turns = lines.map((line) => {
    const [, speaker = 'Someone', text = ''] = /^(\w+): (.*)$/s.exec(line) ?? [];
    return turnOf(text, { speaker });
  });
  return extractStatements({ turns });
}

export function contents(statements: readonly ExtractedStatement[]): string[] {
  return statements.map(({ content }) => content);
}
