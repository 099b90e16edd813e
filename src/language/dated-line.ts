import { replaceSentences, splitSentences } from './sentences.ts';

const DATED = /^(- \d{4}-\d{2}-\d{2}: )(.*)$/;
/** A line of a dated list: its day, and what it says. */
export const DATED_LINE: RegExp = /^- (\d{4}-\d{2}-\d{2}): (.*)$/;

/** A text as a line of a dated list: `- 2026-01-05: User likes tea.` */
export function datedLine({ text, at }: { text: string; at: Date }): string {
  return `- ${at.toISOString().slice(0, 10)}: ${text.replace(/\s+/gu, ' ').trim()}`;
}

/** What a line of a dated list says, without its date; null for any other line. */
export function readDatedLine(line: string): string | null {
  return DATED.exec(line)?.[2] ?? null;
}

/** The statements of a document: the lines of its dated lists, and the sentences of the rest. */
export function statementsIn(text: string): string[] {
  return text.split('\n').flatMap((line) => {
    const listed = readDatedLine(line);
    return listed === null ? splitSentences(line).map((sentence) => sentence.text) : [listed];
  });
}

/**
 * A document with some of its statements replaced, or left out where there is nothing in their place. A line of a dated list is one
 * statement, and goes with its date; everything else is read sentence by sentence.
 */
export function replaceStatements(
  text: string,
  next: (statement: string, place: { isListed: boolean }) => string | null,
): string {
  const parts: string[] = [];
  let prose: string[] = [];
  const endProse = (): void => {
    if (prose.length === 0) return;
    const before = prose.join('\n');
    const after = replaceSentences(before, (sentence) => next(sentence, { isListed: false }));
    if (after !== '' || before.trim() === '') parts.push(after);
    prose = [];
  };
  for (const line of text.split('\n')) {
    const [, date, listed] = DATED.exec(line) ?? [];
    if (date === undefined || listed === undefined) {
      prose.push(line);
      continue;
    }
    endProse();
    const replacement = next(listed, { isListed: true });
    if (replacement !== null) parts.push(replacement === listed ? line : date + replacement);
  }
  endProse();
  const result = parts.join('\n');
  return result === text ? text : result.replace(/\n{3,}/g, '\n\n').trim();
}
