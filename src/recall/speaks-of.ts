import { KINSHIP } from '../language/kinship.ts';
import { words } from '../language/words.ts';

const GREETING =
  /(?:^|[.!?]\s+|\b)(?:hey|hi|hello|thanks|thank you|dear|yo|wow|yeah|yes|sure|ok|okay|oh|congrats|bye|morning|night)[\s,]*$/iu;

/** Whether the text speaks of the person ("Anna got a dog", "Anna's dog") rather than to them ("Hey Anna!", "nice, Anna"). */
export function speaksOf(text: string, name: string): boolean {
  let from = 0;
  for (;;) {
    const at = text.indexOf(name, from);
    if (at < 0) return false;
    from = at + name.length;
    const before = text.slice(Math.max(0, at - 16), at);
    const after = text.slice(from, from + 3);
    if (/[\p{L}\p{N}]$/u.test(before) || /^[\p{L}\p{N}]/u.test(after)) continue;
    if (/^['’]s/u.test(after)) return true;
    const addressed = /^\s*[,.!?;:\-–—]|^\s*$/u.test(after) || /,\s*$/u.test(before) || GREETING.test(before);
    if (!addressed) return true;
  }
}

const RELATIVES: ReadonlySet<string> = new Set(words(`${[...KINSHIP].join(' ')} pet dog cat puppy kitten`));

/** The words of a query that name somebody who belongs to the user: a sister, a boss, a cat. */
export function relativesIn(terms: readonly string[]): string[] {
  return terms.filter((term) => RELATIVES.has(term));
}

/** Whether a text begins with somebody who belongs to the user: "My brother lives in Toronto", "User's boss …". */
export function isAboutRelative(text: string): boolean {
  const start = /^\W*(?:my|our|(?:the )?user['’]s)\s+((?:[\p{L}-]+\s+){0,2}[\p{L}-]+)/iu.exec(text)?.[1] ?? '';
  return start
    .toLowerCase()
    .split(/\s+/)
    .some((word) => KINSHIP.has(word));
}
