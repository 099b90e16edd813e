import { UsageError, type CommandInput } from './command.ts';

/** The words of a command as one text; "-" reads it from standard input. */
export async function readWords({ words }: CommandInput): Promise<string> {
  const given = words.length === 1 && words[0] === '-' ? await standardInput() : words.join(' ');
  if (given.trim() === '') throw new UsageError('Some text is missing.');
  return given.trim();
}

async function standardInput(): Promise<string> {
  const { text } = await import('node:stream/consumers');
  return text(process.stdin);
}

/** The one word that a command needs. */
export function oneWord({ words }: CommandInput, what: string): string {
  const [word] = words;
  if (word === undefined) throw new UsageError(`Say which: ${what}.`);
  if (words.length > 1) throw new UsageError(`Only one ${what} at a time.`);
  return word;
}
