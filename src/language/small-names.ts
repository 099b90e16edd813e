import { PLACES } from './entities.ts';
import { GIVEN_NAMES } from './given-names.ts';
import type { Pack } from './packs/pack.ts';
import { isOrdinary, isTelling, packRegExp, perPack, wordsOfAll } from './packs/packs.ts';
import { withoutEnd } from './words.ts';

// Names that are typed in lower case: "im ana from graz". The words around them and the lists of ordinary words show where a name begins and
// ends.

/** Words in lower case that may be a name, with their place. */
interface Small {
  raw: string;
  text: string;
  match: RegExpExecArray;
  pack: Pack;
}

/** Words inside a name, such as "van" and "de la". */
export const PARTICLES: RegExp = new RegExp(`^(?:${wordsOfAll('nameParticle')})$`, 'iu');

/** Patterns of the lists of a pack for whole words and for the words before a name. */
const patternsOf = perPack(({ lists, partners, children }) => {
  const whole = (list = '(?!)'): RegExp => packRegExp(`^(?:${list})$`);
  const last = (list = '(?!)'): RegExp => packRegExp(`(?<![\\p{L}])(?:${list})\\s*$`);
  return {
    does: whole(`${lists['does'] ?? '(?!)'}|${lists['and'] ?? '(?!)'}`),
    firmWord: whole(lists['firmWord']),
    mate: last(lists['mate']),
    naming: last(lists['naming']),
    relative: last(`(?:${partners}|${children})(?: (?:la|el|der|die))?`),
    placeCue: last(lists['placeCue']),
    moveCue: last(lists['moveCue']),
    firmCue: last(lists['firmCue']),
  };
});

/** The first words of a run, if they are a known value in lower case: "ya no trabajo en zara". */
export function knownName(run: string, values: readonly string[] = []): string | null {
  const words = run.split(' ');
  for (let count = Math.min(words.length, 4); count > 0; count -= 1) {
    const name = withoutEnd(words.slice(0, count).join(' '), '.,');
    if (values.includes(name.toLowerCase())) return name;
  }
  return null;
}

/** Whether a name in lower case is a guess, because it is not a known given name, place or value. */
export function isGuessed(value: string, values: readonly string[] = []): boolean {
  const lower = value.toLowerCase();
  const isKnown = GIVEN_NAMES.has(lower) || PLACES.has(withoutEnd(lower, '.,')) || values.includes(lower);
  return /^\p{Ll}/u.test(value) && !isKnown;
}

/**
 * Whether a text is typed in lower case. Its first letter is in lower case or it contains the word "i", and no word is capitalised except
 * "I". In such a text, a name is recognised only by the words around it, and if it is not an ordinary word.
 */
function isTypedSmall(text: string, { capitalised }: Pack): boolean {
  const words: string[] = text.match(/\p{L}+/gu) ?? [];
  const others = words.filter((word) => word.toLowerCase() !== capitalised);
  const isSmall = (word: string | undefined): boolean => word !== undefined && /^\p{Ll}/u.test(word);
  const beginsSmall = isSmall(words[0]) || (capitalised !== undefined && words.includes(capitalised));
  return beginsSmall && !others.some((word) => /\p{Lu}/u.test(word));
}

/** The words before the first ordinary word that does not match `also`. Empty if the text is not typed in lower case. */
function nameWords({ raw, text, pack }: Small, also?: RegExp): string[] {
  if (!isTypedSmall(text, pack)) return [];
  const words = raw.split(' ').map((word) => withoutEnd(word, '.,'));
  // In English, content words are ordinary too, because users also move "to decaf". In other languages, the frequent content words include
  // names of places. A single letter is an abbreviation: "in leeds w my partner".
  const isWord = (word: string): boolean =>
    /^\p{L}\/?$/u.test(word) ||
    isOrdinary(word, pack) ||
    (pack.language === 'en' && isTelling(word, pack) && !PLACES.has(word));
  const end = words.findIndex((word, index) => isWord(word) && !(index > 0 && also?.test(word)));
  return end < 0 ? words : words.slice(0, end);
}

/** The words of a match before its value. All of its words if it has no value. */
export function leadOf({ text, match }: Pick<Small, 'text' | 'match'>): string {
  return text.slice(match.index, match.indices?.groups?.['v']?.[0] ?? match.index + match[0].length);
}

/**
 * A person's name in lower case: a known given name, or a word that is not ordinary in one of three places. It follows "called", or stands
 * between commas, or stands between a word for a partner or a child and a verb: "my wife lupita says".
 */
export function smallPerson(cut: Small, { isOwn, isPet }: { isOwn: boolean; isPet: boolean }): string | null {
  const { raw, text } = cut;
  const { mate, naming, does, relative } = patternsOf(cut.pack);
  const first = nameWords(cut)[0];
  const lead = leadOf(cut);
  // "my boy kwame" may be a friend.
  if (first === undefined || first.length < 3 || mate.test(lead)) return null;
  if (GIVEN_NAMES.has(first.toLowerCase())) return first;
  if (isOwn) return null;
  if (naming.test(lead)) return first;
  if (isPet) return null;
  const after = text.slice(text.indexOf(raw, cut.match.index) + raw.length);
  if (raw === first && /,\s*$/.test(lead)) return after.startsWith(',') ? first : null;
  const second = raw.split(' ')[1] ?? '';
  return does.test(second) && relative.test(lead) ? first : null;
}

/** First words of place names that are not a place by themselves: "san sebastián", "new york". */
const PLACE_OPENING = new RegExp(`^(?:${wordsOfAll('placeOpening')})$`, 'u');

/** A place in lower case: a known one, or one after words that only a place follows: "live in", "im from". */
export function smallPlace(cut: Small): string | null {
  const { raw, pack } = cut;
  const [one = '', two = ''] = raw.toLowerCase().split(' ');
  if (PLACE_OPENING.test(one) && /^\p{L}{3}/u.test(two) && isTypedSmall(cut.text, pack))
    return withoutEnd(`${one} ${two}`, '.,');
  if (PLACES.has(withoutEnd(one, '.,').replace(/'s$/, ''))) return raw.split(' ')[0] ?? null;
  const words = nameWords(cut);
  const isShort = words.length === 1 || words.length === 2;
  const { placeCue, moveCue } = patternsOf(pack);
  const lead = leadOf(cut);
  return isShort && (placeCue.test(lead) || moveCue.test(lead)) ? words.join(' ') : null;
}

/** Whether words end with a verb of moving, after which a place is certain even in lower case: "i moved to". */
export function isMove(lead: string, pack: Pack): boolean {
  return patternsOf(pack).moveCue.test(lead);
}

/**
 * The name of a firm in lower case: words that are not ordinary, followed by a kind of firm ("balgillo care home"), or one such word after
 * "work at".
 */
export function smallOrganisation(cut: Small): string | null {
  const { firmWord, firmCue } = patternsOf(cut.pack);
  const isNamed = !cut.raw.startsWith('the ');
  const words = nameWords(isNamed ? cut : { ...cut, raw: cut.raw.slice(4) }, firmWord);
  const kind = words.findLastIndex((word, index) => index > 0 && firmWord.test(word));
  if (kind > 0) return words.slice(0, kind + 1).join(' ');
  return isNamed && words.length === 1 && firmCue.test(leadOf(cut)) ? (words[0] ?? null) : null;
}

/** The name of a person or a thing in lower case, of up to four words. */
export function smallTitle(cut: Small): string | null {
  const words = nameWords(cut);
  const end = words.findIndex((word) => PARTICLES.test(word));
  const name = (end < 0 ? words : words.slice(0, end)).slice(0, 4).join(' ');
  return name.length < 3 ? null : name;
}
