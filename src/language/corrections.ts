import type { Pack } from './packs/pack.ts';
import {
  isOrdinary,
  listPattern,
  packRegExp,
  PACKS,
  perPack,
  plainMarks,
  wordsOfAll,
  wordsPattern,
} from './packs/packs.ts';
import { isUser } from '../record/statement.ts';
import { withoutEnd } from './words.ts';
import type { TextSpan } from './sentences.ts';

const LONGEST_CORRECTION = 80;
const MOST_CORRECTING_WORDS = 4;

const correctingPattern = perPack(({ requests: { correcting, so }, words: { assent } }) =>
  packRegExp(correcting === '' ? '(?!)' : `^(?:(?:${assent}|${so})[,.!]* +)*?(?:${correcting}){1,2}(.+)$`),
);

/** "A neg" in "No wait, A neg, my wife says". */
export function correctingValue(text: string, pack: Pack): { value: string; kind: string } | null {
  const match = text.length > LONGEST_CORRECTION ? null : correctingPattern(pack).exec(plainMarks(text));
  const words = withoutEnd(match?.[1] ?? '', '.! \t\n').trim();
  if (words.includes('?')) return null;
  // "No, Tom, I live in Leeds" addresses Tom.
  const found = [words, words.split(',')[0] ?? ''].map((value) => ({ value, kind: kindOf(value, pack) }));
  const { value, kind } = found.find((each) => each.kind !== null) ?? { value: '', kind: null };
  const isLong = value.split(' ').length > MOST_CORRECTING_WORDS || (kind === 'name' && value !== words);
  return kind === null || isLong ? null : { value, kind };
}

/** A correction must be of the same kind as the old value. */
export function kindOf(value: string, pack: Pack): string | null {
  const plain = plainMarks(value);
  if (wordsPattern(pack.calendar.weekdays.join('|'), pack.script).test(plain)) return 'weekday';
  if (wordsPattern(pack.calendar.months.join('|'), pack.script).test(plain) && /\d/.test(plain)) return 'date';
  const list = ['bloodType', 'language'].find(
    (name) => listPattern(pack, name).exec(plain)?.[0].length === plain.length,
  );
  if (list !== undefined) return list;
  if (/^[€$£]?\d[\d.,:]*\s?(?:\p{L}{1,8}|[€$£])?$/u.test(plain)) return 'number';
  return isUser(plain) || !/^\p{Lu}[\p{L}'-]+(?: \p{Lu}[\p{L}'-]+){0,2}$/u.test(plain) ? null : 'name';
}

const WORD = "(?:\\p{Lu}['’])?\\p{Lu}[\\p{L}\\p{N}-]*";
const NAME = `${WORD}(?: ${WORD}){0,2}`;

/** "Knivsta" for "It's in Knivsta, not Uppsala". Null if the text is no correction, or corrects another name than `old`. */
export function nameInsteadOf(text: string, pack: Pack, old?: string): string | null {
  const plain = plainMarks(text);
  const insteadOf = pack.lists['insteadOf'];
  if (insteadOf === undefined || !listPattern(pack, 'correction').test(plain)) return null;
  const other = old?.replace(/[^\p{L}\p{N} ]/gu, '.') ?? NAME;
  const source = insteadOf.replaceAll('<old>', `(?:${other})(?![\\p{L}\\p{N}])`).replaceAll('<new>', `(${NAME})`);
  const name = new RegExp(source, 'u').exec(plain)?.slice(1).find(Boolean);
  return name === undefined || isOrdinary((name.split(' ')[0] ?? '').toLowerCase(), pack) ? null : name;
}

export interface Said extends TextSpan {
  /** Whether the words after it take it back: "I'm diabetic. No, just kidding". */
  isTakenBack: boolean;
}

// The words of all languages, because users retract in another language than they write: "I'm off soda forever... no, mentira".
const laughs = PACKS.map(({ words: { joke } }) => joke).join('|');
const openings = PACKS.flatMap(({ words: { assent, joke, greeting, not }, requests: { but, so } }) =>
  [assent, joke, greeting, not, but, so].filter(Boolean),
).join('|');
const BEGINS = '(?<=^|[,;:.!?…–—()，。．！？、；\\p{Extended_Pictographic}] ?| - )';
/** A marker must end its clause: "kidding aside" and "mentira que no me gusta" take nothing back. */
const ENDS = `(?=\\s*(?:$|[^\\p{L}\\p{N}\\s'-])| (?:${laughs})(?![\\p{L}]))`;
const MARKER = packRegExp(`${BEGINS}(?:${wordsOfAll('takesBack')})${ENDS}`);
const OPENING = packRegExp(`^(?:(?:${openings}|\\p{L}+ *[,.!…-])(?![\\p{L}])[^\\p{L}\\p{N}]*){0,3}$`);

/**
 * A marker splits its sentence, because only the words before it are taken back: "I'm vegan, well, who am I kidding, I had a burger". A
 * lone "scratch that" at the beginning is a request about an earlier message, and not marked.
 */
export function markTakenBack(text: string, sentences: readonly TextSpan[]): Said[] {
  const said: Said[] = [];
  for (const { start, end } of sentences) {
    const words = plainMarks(text.slice(start, end));
    const marker = MARKER.exec(words);
    if (marker === null) {
      said.push({ start, end, isTakenBack: false });
      continue;
    }
    const before = words.slice(0, marker.index).trimEnd();
    const last = said.at(-1);
    if (last !== undefined && OPENING.test(before)) last.isTakenBack = true;
    if (before !== '') said.push({ start, end: start + before.length, isTakenBack: true });
    const rest = words.slice(marker.index + marker[0].length);
    const isAlone = said.length === 0 && before === '';
    said.push({ start: start + marker.index, end, isTakenBack: !isAlone && !/[\p{L}\p{N}]/u.test(rest) });
  }
  return said;
}
