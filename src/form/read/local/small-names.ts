import { GIVEN_NAMES, PLACES } from '../../../language/entities.ts';
import type { Pack } from '../../../language/packs/pack.ts';
import { isOrdinary, isTelling, packRegExp, perPack } from '../../../language/packs/packs.ts';
import { withoutEnd } from '../../../language/words.ts';

/** Words without capitals that may be a name, and where they were found. */
interface Small {
  /** The words that a pattern matched. */
  raw: string;
  text: string;
  match: RegExpExecArray;
  pack: Pack;
}

/**
 * Whether a text is typed without capitals: its first letter is small or it contains a small "i", and no word has a capital except "I",
 * which many always capitalise. In such a text a name is recognised only by the words around it, and by not being an ordinary word.
 */
function isTypedSmall(text: string, { capitalised }: Pack): boolean {
  const words: string[] = text.match(/\p{L}+/gu) ?? [];
  const others = words.filter((word) => word.toLowerCase() !== capitalised);
  const isSmall = (word: string | undefined): boolean => word !== undefined && /^\p{Ll}/u.test(word);
  const beginsSmall = isSmall(words[0]) || (capitalised !== undefined && words.includes(capitalised));
  return beginsSmall && !others.some((word) => /\p{Lu}/u.test(word));
}

/** Lists of a pack that are compared with whole words, and with the words before a value. */
const patternsOf = perPack(({ lists, partners, children }) => {
  const whole = (list = '(?!)'): RegExp => packRegExp(`^(?:${list})$`);
  const last = (list = '(?!)'): RegExp => packRegExp(`(?<![\\p{L}])(?:${list})\\s*$`);
  return {
    does: whole(lists['does']),
    firmWord: whole(lists['firmWord']),
    mate: last(lists['mate']),
    naming: last(lists['naming']),
    relative: last(`(?:${partners}|${children})(?: (?:la|el|der|die))?`),
    placeCue: last(lists['placeCue']),
    moveCue: last(lists['moveCue']),
    firmCue: last(lists['firmCue']),
  };
});

/** The words before the first ordinary one that does not match `also`; none where the text has capitals. */
function nameWords({ raw, text, pack }: Small, also?: RegExp): string[] {
  if (!isTypedSmall(text, pack)) return [];
  const words = raw.split(' ').map((word) => withoutEnd(word, '.,'));
  // In English one also moves to decaf; the frequent words of the other languages include names of places. A letter stands for a word:
  // "in leeds w my partner".
  const isWord = (word: string): boolean =>
    /^\p{L}\/?$/u.test(word) ||
    isOrdinary(word, pack) ||
    (pack.language === 'en' && isTelling(word, pack) && !PLACES.has(word));
  const end = words.findIndex((word, index) => isWord(word) && !(index > 0 && also?.test(word)));
  return end < 0 ? words : words.slice(0, end);
}

/** The words between the beginning of a match and its value. */
function leadOf({ raw, text, match }: Small): string {
  const start = match.indices?.groups?.['v']?.[0] ?? text.indexOf(raw, match.index);
  return text.slice(match.index, start);
}

/**
 * A person's name: a known given name; or any word that is not ordinary after "called", between commas after a word for a partner or a
 * child, or between such a word and a verb: "my wife lupita says".
 */
export function smallPerson(small: Small, { isOwn, isPet }: { isOwn: boolean; isPet: boolean }): string | null {
  const { raw, text } = small;
  const { mate, naming, does, relative } = patternsOf(small.pack);
  const first = nameWords(small)[0];
  const lead = leadOf(small);
  // "my boy kwame" may be a friend.
  if (first === undefined || first.length < 3 || mate.test(lead)) return null;
  if (GIVEN_NAMES.has(first.toLowerCase())) return first;
  if (isOwn) return null;
  if (naming.test(lead)) return first;
  if (isPet) return null;
  const after = text.slice(text.indexOf(raw, small.match.index) + raw.length);
  if (raw === first && /,\s*$/.test(lead)) return after.startsWith(',') ? first : null;
  const second = raw.split(' ')[1] ?? '';
  return does.test(second) && relative.test(lead) ? first : null;
}

/** First words of names of places, which mean no place alone: "san sebastián", "new york". */
const PLACE_OPENING =
  /^(?:new|san|santa|santo|são|sao|st|saint|sainte|sankt|buenos|belo|joão|joao|porto|puerto|port|fort|bad|den|villa|vila|nova|novo|milton|salt|kuala|sri)$/u;

/** A place after words that only a place follows: "live in", "im from". */
export function smallPlace(small: Small): string | null {
  const { raw, pack } = small;
  const [one = '', two = ''] = raw.toLowerCase().split(' ');
  if (PLACE_OPENING.test(one) && /^\p{L}{3}/u.test(two) && isTypedSmall(small.text, pack))
    return withoutEnd(`${one} ${two}`, '.,');
  if (PLACES.has(withoutEnd(one, '.,').replace(/'s$/, ''))) return raw.split(' ')[0] ?? null;
  const words = nameWords(small);
  const isShort = words.length === 1 || words.length === 2;
  const { placeCue, moveCue } = patternsOf(pack);
  const lead = leadOf(small);
  return isShort && (placeCue.test(lead) || moveCue.test(lead)) ? words.join(' ') : null;
}

/** Whether words end with a verb of moving, after which a place needs no capital: "i moved to". */
export function isMove(lead: string, pack: Pack): boolean {
  return patternsOf(pack).moveCue.test(lead);
}

/** A firm: a word that is not ordinary with a word for a kind of firm ("balgillo care home"), or alone after "work at". */
export function smallOrganisation(small: Small): string | null {
  const { firmWord, firmCue } = patternsOf(small.pack);
  const isNamed = !small.raw.startsWith('the ');
  const words = nameWords(isNamed ? small : { ...small, raw: small.raw.slice(4) }, firmWord);
  const kind = words.findLastIndex((word, index) => index > 0 && firmWord.test(word));
  if (kind > 0) return words.slice(0, kind + 1).join(' ');
  return isNamed && words.length === 1 && firmCue.test(leadOf(small)) ? (words[0] ?? null) : null;
}

/** The name of a person or a thing, up to four words. */
export function smallTitle(small: Small, isParticle: (word: string) => boolean): string | null {
  const words = nameWords(small);
  const end = words.findIndex(isParticle);
  const name = (end < 0 ? words : words.slice(0, end)).slice(0, 4).join(' ');
  return name.length < 3 ? null : name;
}
