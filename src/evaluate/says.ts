import type { ExpectedMemory } from './conversation.ts';

// Statements are compared by words, not by meaning: "talks into the phone, which writes for User" does not count as "dictates messages to
// the phone". So compare runs, and read the failures before you trust a single figure.

const STOP = new Set(
  "user user's users a an the is are was were be been has have had do does did to of in on at for with and or but that this it its their they them he she his her not no from by as about into who which what when will would wants want likes like prefers".split(
    ' ',
  ),
);

export function flat(text: string): string {
  return text
    .toLowerCase()
    .replace(/\[[^[\]]{0,300}\]/g, ' ')
    .replace(/[^\p{L}\p{N}]+/gu, ' ')
    .trim();
}

// Shorter sentences ("Do.", "No, thanks.") occur in any long text and do not identify their source.
const SHORTEST = 12;

/** The share of a text's characters that `flatText` quotes, sentence by sentence. `flatText` is a result of {@link flat}. */
export function quotedShare(text: string, flatText: string): number {
  const sentences = text
    .split(/(?<=[.!?…。！？])\s*|\n/u)
    .map(flat)
    .filter((sentence) => sentence.length >= SHORTEST);
  const length = sentences.reduce((sum, sentence) => sum + sentence.length, 0);
  const found = sentences.filter((sentence) => flatText.includes(sentence));
  return length === 0 ? 0 : found.reduce((sum, sentence) => sum + sentence.length, 0) / length;
}

/** Stemmed content words. In scripts without spaces, pairs of characters. */
export function tellingWords(text: string): Set<string> {
  const signs = text.replace(/[^\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]/gu, '');
  if (signs.length > 5)
    return new Set(Array.from({ length: signs.length - 1 }, (_, index) => signs.slice(index, index + 2)));
  const words =
    text
      .toLowerCase()
      .replace(/[’']s\b/g, '')
      .match(/[\p{L}\p{N}]+/gu) ?? [];
  return new Set(words.filter((word) => !STOP.has(word)).map(stem));
}

function stem(word: string): string {
  if (!/^[a-z]+$/.test(word)) return word;
  return word.replace(/(?:ingly|edly|ings|ing|ied|ies|ed|es|s|ly)$/, (ending) =>
    word.length - ending.length >= 3 ? '' : ending,
  );
}

export function covers(expected: string, text: string): number {
  return shareOf(tellingWords(expected), tellingWords(text));
}

export function shareOf(needed: ReadonlySet<string>, given: ReadonlySet<string>): number {
  let shared = 0;
  for (const word of needed) if (given.has(word)) shared += 1;
  return needed.size === 0 ? 0 : shared / needed.size;
}

export interface SaidStatement {
  text: string;
  value: string | null;
  turns: readonly string[];
}

// The share of an expected statement's content words that a statement must contain.
const ENOUGH = 0.6;
// Enough for a statement that quotes the turn verbatim.
const ENOUGH_QUOTED = 0.25;

/** Both must share a turn. The statement must contain the value of the memory's slot, or enough of its content words. */
export function says(
  expected: ExpectedMemory,
  statement: SaidStatement,
  textOf: (turn: string) => string | undefined,
): boolean {
  if (!restsOn(expected, statement)) return false;
  const value = expected.value?.toLowerCase();
  if (value !== undefined && `${statement.value ?? ''}\n${statement.text}`.toLowerCase().includes(value)) return true;
  const quoted = flat(statement.text);
  const isQuote =
    quoted.length > 7 && expected.stated.some((turn) => flat(textOf(turn) ?? '').includes(quoted) === true);
  return covers(expected.text, statement.text) >= (isQuote ? ENOUGH_QUOTED : ENOUGH);
}

/** A reader may split an expected memory into several statements. */
export function sayTogether(expected: ExpectedMemory, statements: readonly SaidStatement[]): boolean {
  const together = statements.filter((statement) => restsOn(expected, statement));
  return covers(expected.text, together.map(({ text, value }) => `${text} ${value ?? ''}`).join(' ')) >= ENOUGH;
}

/** For a slot, a line with the value and a word of the slot's name is enough: "Home city: Ghent". */
export function isSaidIn(expected: ExpectedMemory, lines: readonly ReadonlySet<string>[]): boolean {
  const needed = tellingWords(expected.text);
  const value = tellingWords(expected.value ?? '');
  const slot = tellingWords((expected.slot ?? '').replaceAll('_', ' '));
  return lines.some(
    (line) =>
      shareOf(needed, line) >= ENOUGH || (value.size > 0 && shareOf(value, line) === 1 && shareOf(slot, line) > 0),
  );
}

function restsOn(expected: ExpectedMemory, { turns }: SaidStatement): boolean {
  return expected.stated.some((turn) => turns.includes(turn));
}

export function isAboutUser({ about }: Pick<ExpectedMemory, 'about'>): boolean {
  return (
    /^(?:user|nutzer|usuari|utilisat|usuário|用户|ユーザー|gebruiker|utente|użytkowni|사용자|пользовател|المستخدم|उपयोगकर्ता|kullanıcı)/i.test(
      about,
    ) && !/['’]s |的|の|des |de la |del |di |d'/.test(about)
  );
}

/** Equal means that one value contains the other. */
export function isSameFilling(one: string | null, other: string | null): boolean {
  const [left, right] = [(one ?? '').toLowerCase(), (other ?? '').toLowerCase()];
  return left !== '' && right !== '' && (left.includes(right) || right.includes(left));
}
