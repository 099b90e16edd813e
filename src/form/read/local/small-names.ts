import { GIVEN_NAMES, PLACES } from '../../../language/entities.ts';
import type { Pack } from '../../../language/packs/pack.ts';
import { packRegExp } from '../../../language/packs/packs.ts';
import { withoutEnd } from '../../../language/words.ts';

/** Where words without capitals were found that may be a name. */
interface Small {
  /** The words that a pattern took. */
  raw: string;
  text: string;
  match: RegExpExecArray;
  pack: Pack;
}

/**
 * Whether a text is typed without capitals: its first letter is small, and none is a capital but that of "I". In such a text a name shows
 * only by the words around it, and by not being an ordinary word of the language.
 */
function isTypedSmall(text: string): boolean {
  return (
    /^\P{L}*\p{Ll}|(?<!\p{L})i(?!\p{L})/u.test(text) && !/\p{Lu}/u.test(text.replace(/(?<!\p{L})I(?!\p{L})/gu, ''))
  );
}

// By list: the source of a pattern would be joined and hashed again for every word.
const wholeWords = new Map<string, RegExp>();

function isOne(list: string | undefined, word: string): boolean {
  if (list === undefined) return false;
  let pattern = wholeWords.get(list);
  if (pattern === undefined) wholeWords.set(list, (pattern = packRegExp(`^(?:${list})$`)));
  return pattern.test(word);
}

/** An ordinary word of the language: such a word begins no name that is typed without a capital, and ends one. */
export function isOrdinary(word: string, { common, lists }: Pack): boolean {
  return word.length < 2 || !/^\p{L}/u.test(word) || isOne(common, word) || isOne(lists['ordinary'], word);
}

/** The words before the first ordinary one that is none of `also`, and that one; null where the text has capitals. */
function nameWords({ raw, text, pack }: Small, also?: string): { words: string[]; next: string | undefined } | null {
  if (!isTypedSmall(text)) return null;
  const words = raw.split(' ').map((word) => withoutEnd(word, '.,'));
  const end = words.findIndex((word, index) => isOrdinary(word, pack) && !(index > 0 && isOne(also, word)));
  return end < 0 ? { words, next: undefined } : { words: words.slice(0, end), next: words[end] };
}

/** What stands between the beginning of a match and its value. */
function leadOf({ raw, text, match }: Small): string {
  const start = match.indices?.groups?.['v']?.[0] ?? text.indexOf(raw, match.index);
  return text.slice(match.index, start);
}

function endsWith(lead: string, list: string | undefined): boolean {
  return list !== undefined && packRegExp(`(?<![\\p{L}])(?:${list})\\s*$`).test(lead);
}

/**
 * Somebody's name: a known given name; or any word that is no ordinary one after "called", between commas after a word for a partner or a
 * child, or between such a word and a verb: "my wife lupita says".
 */
export function smallPerson(small: Small, { isOwn, isPet }: { isOwn: boolean; isPet: boolean }): string | null {
  const { raw, text, pack } = small;
  const first = nameWords(small)?.words[0];
  const lead = leadOf(small);
  // "my boy kwame" may be a friend.
  if (first === undefined || first.length < 3 || endsWith(lead, pack.lists['mate'])) return null;
  if (GIVEN_NAMES.has(first.toLowerCase())) return first;
  if (isOwn) return null;
  if (endsWith(lead, pack.lists['naming'])) return first;
  if (isPet) return null;
  const after = text.slice(text.indexOf(raw, small.match.index) + raw.length);
  if (raw === first && /,\s*$/.test(lead)) return after.startsWith(',') ? first : null;
  const second = raw.split(' ')[1] ?? '';
  return isOne(pack.lists['does'], second) &&
    endsWith(lead, `(?:${pack.partners}|${pack.children})(?: (?:la|el|der|die))?`)
    ? first
    : null;
}

/** A place after words that only a place follows: "live in", "im from". */
export function smallPlace(small: Small): string | null {
  const { raw, pack } = small;
  const [one = '', two = ''] = raw.toLowerCase().split(' ');
  if (PLACES.has(`${one} ${two}`)) return `${one} ${two}`;
  if (PLACES.has(withoutEnd(one, '.,').replace(/'s$/, ''))) return raw.split(' ')[0] ?? null;
  const found = nameWords(small);
  if (found === null || found.words.length === 0 || found.words.length > 2) return null;
  return endsWith(leadOf(small), pack.lists['placeCue']) ? found.words.join(' ') : null;
}

/** A firm: a word that is no ordinary one with a word for a kind of firm ("balgillo care home"), or alone after "work at". */
export function smallOrganisation(small: Small): string | null {
  const { lists } = small.pack;
  const isNamed = !small.raw.startsWith('the ');
  const words = nameWords(isNamed ? small : { ...small, raw: small.raw.slice(4) }, lists['firmWord'])?.words ?? [];
  const kind = words.findLastIndex((word, index) => index > 0 && isOne(lists['firmWord'], word));
  if (kind > 0) return words.slice(0, kind + 1).join(' ');
  return isNamed && words.length === 1 && endsWith(leadOf(small), lists['firmCue']) ? (words[0] ?? null) : null;
}

/** What somebody or something is called, up to four words. */
export function smallTitle(small: Small, isParticle: (word: string) => boolean): string | null {
  const words = nameWords(small)?.words ?? [];
  const end = words.findIndex(isParticle);
  const name = (end < 0 ? words : words.slice(0, end)).slice(0, 4).join(' ');
  return name.length < 3 ? null : name;
}

/** Whether a name without a capital is a guess: not a known given name or place. */
export function isGuessed(value: string): boolean {
  const lower = value.toLowerCase();
  return /^\p{Ll}/u.test(value) && !GIVEN_NAMES.has(lower) && !PLACES.has(withoutEnd(lower, '.,'));
}

const NAMED_PEOPLE: ReadonlySet<string> = new Set(['partner_name', 'child_name', 'pet_name', 'manager_name']);
const MOST_PEOPLE = 40;

/** Names of people of the user's, in lower case: of those whom known statements are about, and of those named in turns with their relation. */
export function peopleOf(
  known: readonly { subject: string; attribute: string | null; value: string | null }[],
  turns: readonly string[],
  pack: Pack | null,
): string[] {
  const names = known.flatMap(({ subject, attribute, value }) => [
    subject.startsWith("User's ")
      ? (subject
          .split(' ')
          .slice(1)
          .findLast((word) => /^\p{Lu}/u.test(word)) ?? '')
      : '',
    attribute !== null && NAMED_PEOPLE.has(attribute) ? (value ?? '') : '',
  ]);
  if (pack !== null && pack.script !== 'han') {
    const named = packRegExp(`(?:${pack.my}) (?:${Object.keys(pack.relations).join('|')}),? (\\p{L}[\\p{L}-]+)`);
    for (const turn of turns) names.push(named.exec(turn)?.[1] ?? '');
  }
  return [...new Set(names.map((name) => name.toLowerCase()))]
    .filter((name) => name.length > 2 && (pack === null || !isOrdinary(name, pack)))
    .slice(-MOST_PEOPLE);
}
