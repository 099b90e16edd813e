import { contentStems, isContentWord } from '../words.ts';
import { german } from './de.ts';
import { english } from './en.ts';
import { spanish } from './es.ts';
import { french } from './fr.ts';
import { italian } from './it.ts';
import { japanese } from './ja.ts';
import { dutch } from './nl.ts';
import type { Pack, PackForget, PackQuestions } from './pack.ts';
import { portuguese } from './pt.ts';
import { chinese } from './zh.ts';
import TELLING_WORDS from './telling-words.json' with { type: 'json' };

export const PACKS: readonly Pack[] = [english, german, spanish, french, portuguese, italian, dutch, chinese, japanese];

const READ_FOR_LANGUAGE = 2_000;
const common = new Map<string, string[]>();
for (const pack of PACKS) {
  for (const word of pack.common.split('|')) common.set(word, [...(common.get(word) ?? []), pack.language]);
}

/**
 * Detects the language by script, function words and words that no other language has. A word of several languages counts as a fraction for
 * each. A short text without a known word, or a text that fits two languages, gives `fallback`. Null if no pack fits.
 */
export function detectPack(text: string, fallback: Pack | null = null): Pack | null {
  const head = text.slice(0, READ_FOR_LANGUAGE);
  const count = (pattern: RegExp): number => head.match(pattern)?.length ?? 0;
  const letters = count(/\p{L}/gu);
  if (letters === 0) return fallback;
  const kana = count(/[\p{Script=Hiragana}\p{Script=Katakana}]/gu);
  const han = count(/\p{Script=Han}/gu);
  if (kana + han > letters * 0.3) return packOf(kana * 8 > han ? 'ja' : 'zh');
  if (count(/\p{Script=Latin}/gu) < letters * 0.6) return null;
  const apart = head.replace(/[’‘]/g, "'");
  const words = apart.match(/[\p{L}']+/gu) ?? [];
  const others = otherLettersIn(words);
  if (others.inWords * 40 > letters) return null;
  return packOfScores(scoresOf(words), { length: words.length, hasForeignName: others.inNames > 0, fallback });
}

type Scores = [language: string, score: number][];
type Scored = { length: number; hasForeignName: boolean; fallback: Pack | null };

function packOfScores(scores: Scores, { length, hasForeignName, fallback }: Scored): Pack | null {
  const [best, second] = scores.toSorted((left, right) => right[1] - left[1]);
  if (best === undefined) return length > 7 ? null : fallback;
  // One Portuguese word does not make the Czech "Já bydlím v Brně" Portuguese, because its name has a foreign letter.
  const isEnough = best[1] >= length * (hasForeignName ? 0.3 : 0.12);
  const isClear = isEnough && best[1] > (second?.[1] ?? 0) * 1.15;
  // "Me mudé a Lugo" has more words of Portuguese than of Spanish, so a few words that may be of the usual language do not change it.
  const mayBeUsual = scores.some(([language]) => language === fallback?.language) && best[1] < 1.5;
  if (isClear && ((length > 3 && !mayBeUsual) || fallback === null || best[0] === fallback.language))
    return packOf(best[0]);
  return fallback ?? (isEnough ? packOf(best[0]) : null);
}

const ACCENTED = /[ß-öø-ɏḀ-ỿ]/gu;
let packLetters: ReadonlySet<string> | null = null;

/** Counts the Latin letters that occur in no word of any pack, in names separately: a sentence in any language may name Tromsø. */
function otherLettersIn(words: readonly string[]): Record<'inWords' | 'inNames', number> {
  packLetters ??= new Set(
    JSON.stringify([PACKS.map((pack) => [pack.common, pack.words]), TELLING_WORDS]).match(ACCENTED),
  );
  const others = { inWords: 0, inNames: 0 };
  for (const [place, word] of words.entries()) {
    const lower = word.toLowerCase();
    const isName = place > 0 && word !== lower;
    for (const letter of lower.match(ACCENTED) ?? []) {
      if (!packLetters.has(letter)) others[isName ? 'inNames' : 'inWords'] += 1;
    }
  }
  return others;
}

function scoresOf(words: readonly string[]): Scores {
  const scores = new Map<string, number>();
  for (const [place, word] of words.entries()) {
    const lower = word.toLowerCase();
    const telling = tellingWords().get(lower);
    // Outside German, a capital inside a sentence marks a name, which is no evidence for the language.
    const isTelling = telling !== undefined && (place === 0 || telling === 'de' || word === lower);
    const languages = common.get(lower) ?? (isTelling ? [telling] : []);
    for (const language of languages) scores.set(language, (scores.get(language) ?? 0) + 1 / languages.length);
  }
  const text = words.join(' ');
  for (const pack of PACKS.filter(({ lists }) => lists['tellingPhrase'] !== undefined)) {
    const phrases = text.match(tellingPhrase(pack))?.length ?? 0;
    if (phrases > 0) scores.set(pack.language, (scores.get(pack.language) ?? 0) + PHRASE_SCORE * phrases);
  }
  return [...scores];
}

/** For words that are also common in another language: "he" before a participle is Spanish. */
const PHRASE_SCORE = 2;

const tellingPhrase = perPack(({ script, lists: { tellingPhrase: phrase = '(?!)' } }) =>
  wordsPattern(phrase, script, 'giu'),
);

let telling: ReadonlyMap<string, string> | null = null;

function tellingWords(): ReadonlyMap<string, string> {
  telling ??= new Map(
    Object.entries(TELLING_WORDS).flatMap(([language, words]) =>
      words.split(' ').map((word): [word: string, language: string] => [word, language]),
    ),
  );
  return telling;
}

export function isTelling(word: string, { language }: Pack): boolean {
  return tellingWords().get(word) === language;
}

export function packOf(language: string): Pack | null {
  return PACKS.find((pack) => pack.language === language) ?? null;
}

/** Caches a value per pack, computed at its first use: patterns are long and most texts need few of them. */
export function perPack<Made>(make: (pack: Pack) => Made): (pack: Pack) => Made {
  const made = new Map<Pack, Made>();
  return (pack) => {
    if (!made.has(pack)) made.set(pack, make(pack));
    return made.get(pack) as Made;
  };
}

export const relationsOf: (pack: Pack) => string = perPack(({ relations }) =>
  Object.keys(relations)
    .toSorted((left, right) => right.length - left.length)
    .join('|'),
);

const patterns = new WeakMap<Partial<Pack>, Map<string, RegExp>>();

export function packPattern(pack: Pack, name: keyof Pack['words'] | `request:${keyof Pack['requests']}`): RegExp {
  return compiledOnce(pack, name, () =>
    name.startsWith('request:')
      ? (pack.requests[name.slice(8) as keyof Pack['requests']] ?? '')
      : pack.words[name as keyof Pack['words']],
  );
}

export function saysAny(pack: Pack, text: string, ...names: readonly Parameters<typeof packPattern>[1][]): boolean {
  return names.some((name) => packPattern(pack, name).test(text));
}

export function listPattern(pack: Pack, ...names: string[]): RegExp {
  return compiledOnce(pack, `list:${names.join()}`, () =>
    names
      .map((name) => pack.lists[name])
      .filter(Boolean)
      .join('|'),
  );
}

type Asking = Pick<Pack, 'questions' | 'script'>;

function compiledOnce(pack: Partial<Pack>, name: string, source: () => string): RegExp {
  let compiled = patterns.get(pack);
  if (compiled === undefined) patterns.set(pack, (compiled = new Map()));
  let pattern = compiled.get(name);
  if (pattern === undefined) compiled.set(name, (pattern = wordsPattern(source(), pack.script)));
  return pattern;
}

const WITHOUT_PACK: readonly Asking[] = [
  {
    script: 'latin',
    questions: {
      stop: '',
      now: 'teraz|obecnie|aktualnie',
      past: 'wcześniej|przedtem|najpierw|początkowo',
      several: 'które|jakie|wszystkie|ile',
      when: 'kiedy',
      howMany: 'ile',
    },
  },
  {
    script: 'han',
    questions: {
      stop: '',
      now: '지금|현재|요즘',
      past: '예전|이전|처음|원래',
      several: '어떤|모든|몇',
      when: '언제|متى',
      howMany: '몇|كم',
    },
  },
];
const ALL: readonly Asking[] = [...PACKS, ...WITHOUT_PACK];

/** Checks whether a question contains a word of a list. Without a pack, the lists of all languages apply. */
export function asksFor(question: string, what: keyof PackQuestions, pack: Pack | null): boolean {
  return (pack === null ? ALL : [pack]).some((one) =>
    compiledOnce(one, `question:${what}`, () => one.questions[what] ?? '').test(question),
  );
}

/** In words. A longer text is a question only if it has a question mark. */
const MOST_UNMARKED = 12;

/** A question word before its verb. Before a subject it begins a clause: "when I was in Rome", "wo ich wohne". */
const questionFirst = perPack(({ script, words: { question, greeting, assent, they }, i, my }) => {
  const isVerb = "(?<=(?:what|who|where|when|how)'?s)";
  const isSubject = ` (?:${[i, my, they].join('|')})(?:(?<=')|(?![\\p{L}]))`;
  return packRegExp(
    script === 'han'
      ? `(?:${question})`
      : `^(?:(?:${greeting}|${assent})[,!.]* )*(?:${question})(?![\\p{L}])(?:${isVerb}|(?!${isSubject}))`,
  );
});

export function isQuestion(text: string): boolean {
  if (/[?？؟]/u.test(text)) return true;
  const plain = plainMarks(text).trim();
  const pack = detectPack(plain) ?? packOf('en');
  return pack !== null && plain.split(' ').length <= MOST_UNMARKED && questionFirst(pack).test(plain);
}

const LONGEST_SMALL_TALK = 100;

/** Small talk is too short to detect its language, so the lists of all languages apply. Any punctuation and emoji may occur. */
function onlyWords(script: Pack['script'], listsOf: (pack: Pack) => readonly (string | undefined)[]): RegExp {
  const lists = PACKS.filter((pack) => pack.script === script).flatMap(listsOf);
  const words = lists.flatMap((list) => list?.replaceAll('^', '') ?? []).join('|');
  const end = script === 'han' ? '' : '(?![\\p{L}\\p{N}])';
  return packRegExp(`^(?:[^\\p{L}\\p{N}]*(?:${words})${end})*[^\\p{L}\\p{N}]*$`);
}

interface SmallTalk {
  any: RegExp;
  courtesy: RegExp;
}

const smallTalk = new Map<Pack['script'], SmallTalk>();

function smallTalkFor(text: string): SmallTalk {
  const script = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]/u.test(text) ? 'han' : 'latin';
  let patterns = smallTalk.get(script);
  if (patterns === undefined) {
    patterns = {
      any: onlyWords(script, ({ words: { greeting, assent }, lists }) => [greeting, assent, lists['courtesy']]),
      courtesy: onlyWords(script, ({ lists }) => [lists['courtesy']]),
    };
    smallTalk.set(script, patterns);
  }
  return patterns;
}

/** `courtesy`: only thanks, wishes and acknowledgements. `reply`: only greetings and agreement, which have content as an answer. */
export function smallTalkIn(text: string): 'courtesy' | 'reply' | null {
  if (text.length > LONGEST_SMALL_TALK) return null;
  const said = plainMarks(text);
  if (!/[\p{L}\p{N}]/u.test(said)) return 'reply';
  const { any, courtesy } = smallTalkFor(said);
  if (!any.test(said)) return null;
  return courtesy.test(said) ? 'courtesy' : 'reply';
}

const LETTERS = 'a-zA-ZÀ-ÖØ-öø-ɏḀ-ỿ';

const KANA_AND_HAN = 'ぁ-ゖァ-ヺー々㐀-鿿';

const CLASSES: Readonly<Record<string, string>> = {
  L: LETTERS + KANA_AND_HAN,
  N: '0-9０-９',
  'Script=Han': '㐀-鿿々',
  'Script=Hiragana': 'ぁ-ゖ',
  'Script=Katakana': 'ァ-ヺー',
  'Script=Latin': LETTERS,
};

/** Replaces classes such as `\\p{L}` by ranges: a class takes a millisecond or more to compile, ranges a few hundredths of one. */
export function packRegExp(source: string, flags = 'iu'): RegExp {
  const key = `${flags}/${source}`;
  let pattern = compiled.get(key);
  if (pattern === undefined) {
    let isInClass = false;
    const plain = source.replace(/\\p\{([^}]+)\}|\\.|[[\]]/gu, (found, name: string | undefined) => {
      const ranges = name === undefined ? undefined : CLASSES[name];
      if (ranges !== undefined) return isInClass ? ranges : `[${ranges}]`;
      if (found === '[' || found === ']') isInClass = found === '[';
      return found;
    });
    const places = /(?<!\\)\((?!\?)|\(\?<[a-z]/.test(plain) ? 'd' : '';
    // Patterns with the flag `u` take V8 three times as long to compile.
    const kept = /\\[pu]\{/.test(plain) ? flags : flags.replace('u', '');
    pattern = flags.includes('i') ? new LowerCaseRegExp(plain, kept.replace('i', places)) : new RegExp(plain, kept);
    compiled.set(key, pattern);
  }
  return pattern;
}

const compiled = new Map<string, RegExp>();

let lastText = '';

let lastLower = '';

/** Keeps every offset, unlike `toLowerCase`, which turns "İ" into two characters. */
export function lowerCase(text: string): string {
  if (text === lastText) return lastLower;
  const lower = text.toLowerCase();
  lastText = text;
  lastLower =
    lower.length === text.length
      ? lower
      : text.replace(/\p{Lu}/gu, (letter) => {
          const small = letter.toLowerCase();
          return small.length === letter.length ? small : letter;
        });
  return lastLower;
}

/** Matches lower-cased text and returns the words as written. The flag `i` makes V8 several times slower. */
class LowerCaseRegExp extends RegExp {
  override exec(text: string): RegExpExecArray | null {
    const match = super.exec(lowerCase(text));
    if (match === null) return null;
    match[0] = text.slice(match.index, match.index + match[0].length);
    match.indices?.forEach((place, index) => {
      if (place !== undefined) match[index] = text.slice(...place);
    });
    for (const [name, place] of Object.entries(match.indices?.groups ?? {}))
      if (match.groups !== undefined && place !== undefined) match.groups[name] = text.slice(...place);
    return match;
  }
}

/** Matches whole words, except in scripts without spaces. */
export function wordsPattern(alternatives: string, script: Pack['script'] = 'latin', flags = 'iu'): RegExp {
  if (alternatives === '') return new RegExp('(?!)', flags);
  const source = script === 'han' ? `(?:${alternatives})` : `(?<![\\p{L}\\p{N}'])(?:${alternatives})(?![\\p{L}\\p{N}])`;
  return packRegExp(source, flags);
}

/** Returns a list's words in all languages, for texts whose language is unknown. Throws if no language has the list. */
export function wordsOfAll(list: string, script?: Pack['script']): string {
  const packs = script === undefined ? PACKS : PACKS.filter((pack) => pack.script === script);
  const words = packs.flatMap(({ lists }) => lists[list] ?? []);
  if (words.length === 0) throw new Error(`No pack has words for the list ${list}.`);
  return words.join('|');
}

export function anyWords(list: string, flags = 'iu'): RegExp {
  return new RegExp(`(?<!\\p{L})(?:${wordsOfAll(list, 'latin')})(?!\\p{L})|${wordsOfAll(list, 'han')}`, flags);
}

/** Keeps every offset. */
export function plainMarks(text: string): string {
  return text.replace(/[’‘ʼ`´]/g, "'").replace(/[\u00a0\u202f\u2009]/g, ' ');
}

export function templateOf({ templates }: Pack, attribute: string): string | undefined {
  return (templates as Readonly<Record<string, string | undefined>>)[attribute];
}

export const topicPatterns: (pack: Pack) => ReadonlyMap<string, RegExp> = perPack(
  ({ topics, script }) =>
    new Map(
      Object.entries(topics).map(([topic, words]) => [topic, wordsPattern(`${words}|${plainLetters(words)}`, script)]),
    ),
);

/** `fallback`: the pack for texts that are too short to detect their language. */
export function topicsNamed(text: string, fallback: Pack | null = null): string[] {
  const pack = detectPack(text, fallback);
  if (pack === null) return [];
  const plain = plainMarks(text);
  return [...topicPatterns(pack)].flatMap(([topic, pattern]) => (pattern.test(plain) ? topic : []));
}

const functionWord = perPack(({ common, questions: { stop }, lists }) =>
  packRegExp(`^(?:${[common, stop, lists['stop'] ?? ''].flatMap((list) => plainLetters(list).split('|')).join('|')})$`),
);

export function isFunctionWord(word: string, pack: Pack): boolean {
  return word.length < 2 || !isContentWord(word) || functionWord(pack).test(word);
}

const ordinaryWord = perPack(({ common, lists: { ordinary } }) =>
  packRegExp(`^(?:${ordinary === undefined ? common : `${common}|${ordinary}`})$`),
);

/** Checks whether a word ends a name that was typed without capitals. */
export function isOrdinary(word: string, pack: Pack): boolean {
  return word.length < 2 || !/^\p{L}/u.test(word) || ordinaryWord(pack).test(word);
}

/** Removes accents, which users on a phone leave out. */
function plainLetters(text: string): string {
  return text.normalize('NFD').replace(/(?<=[a-z])\p{Mn}/giu, '');
}

/** Captures the words between the two parts of an order: "take … out of your memory". */
function capturing(order: string): string {
  return order.replaceAll(/\(\?:\\S\+ \)(\{\d,\d\}\?)/g, '((?:\\S+ )$1)');
}

export function personWord(pack: Pack, name = ''): string {
  return `(?:(?:${pack.my}|${pack.words.my}) )?(${name}${relationsOf(pack)}|\\p{L}[\\p{L}-]*)`;
}

export const forgetPatterns: (pack: Pack) => Record<keyof PackForget, RegExp> = perPack((pack) => {
  const {
    script,
    lists,
    forget: words,
    requests: { lead, polite },
  } = pack;
  const { order, everything, ofMemory, forNow, goesOn } = words;
  const isHan = script === 'han';
  const beside = `[\\s,¿¡(–—-]|(?:${lead}|${polite})(?![\\p{L}])`;
  const after = `[\\s,;.…]|(?:${lists['clauseBreak'] ?? '(?!)'}|${lead}|${polite})(?![\\p{L}])`;
  // The repetition is bounded, because a word may be in several of these lists: "and and and …" would take exponential time.
  const beginning = (list: string): RegExp =>
    packRegExp(isHan ? `^(?:${list})` : `^(?:${after}){0,12}?(?:${list}|${plainLetters(list)})(?![\\p{L}])`);
  const owning = (list: string): RegExp => {
    const people = list.replaceAll('<x>', personWord(pack)).replaceAll('<k>', personWord(pack, '?<known>'));
    return wordsPattern(people, script, 'giu');
  };
  return {
    order: packRegExp(
      isHan
        ? `^(?:请|麻烦|你|就|还是|那){0,3}(?:${order})`
        : `^(?:${beside}){0,16}(?:${capturing(order)}|${capturing(plainLetters(order))})(?![\\p{L}])`,
    ),
    everything: packRegExp(isHan ? `^(?:${everything})$` : `^(?:${beside}){0,16}(?:${everything})(?:${beside}){0,16}$`),
    ofMemory: wordsPattern(ofMemory, script),
    forNow: wordsPattern(forNow, script),
    goesOn: packRegExp(`^(?:${goesOn})${isHan ? '' : '(?![\\p{L}])'}`),
    keeps: beginning(words.keeps),
    spares: beginning(words.spares),
    restores: wordsPattern(`${words.restores}|${plainLetters(words.restores)}`, script),
    stays: wordsPattern(`${words.stays}|${plainLetters(words.stays)}`, script),
    excepts: wordsPattern(`${words.excepts}|${plainLetters(words.excepts)}`, script),
    nots: beginning(words.nots),
    corrects: wordsPattern(`${words.corrects}|${plainLetters(words.corrects)}`, script),
    meant: wordsPattern(words.meant, script),
    theirs: wordsPattern(words.theirs, script),
    // The doers first, because "was" in "was Anja verdient" has the form of an owner.
    owners: owning(words.owners === '' ? '' : `${words.doers}|${words.owners}`),
    doers: owning(words.doers),
    tools: wordsPattern(words.tools, script),
    recalls: wordsPattern(words.recalls, script),
  };
});

/** `isOfMemory`: whether the clause refers to an earlier statement ("what I said about"). */
export function orderIn(clause: string, turn: string): { isOfMemory: boolean } | null {
  const pack = detectPack(turn);
  const words = plainMarks(clause).trim();
  // "If I left, would you forget everything?" is no order.
  const isSupposed = pack !== null && /[?？]$/u.test(words) && listPattern(pack, 'supposes').exec(turn)?.index === 0;
  const patterns = (pack === null ? PACKS : [pack]).map(forgetPatterns).find(({ order }) => order.test(words));
  return patterns === undefined || isSupposed ? null : { isOfMemory: patterns.ofMemory.test(words) };
}

const frame = perPack(({ words: w, common, script, requests: { lead }, calendar: { weekdays, months } }) =>
  wordsPattern(
    [w.taste, w.habit, w.change, w.past, w.me, w.they, common, lead, `(?:${weekdays.join('|')})s?`, ...months].join(
      '|',
    ),
    script,
    'giu',
  ),
);

export function gistOf(text: string, pack: Pack): string[] {
  return [...contentStems(plainMarks(text).replace(frame(pack), ' '))];
}

/** "now 100 instead of 75" */
export function isNewDose(dose: string, known: string, words: string, pack: Pack): boolean {
  const [one, other] = [dose, known].map((each) => each.toLowerCase().split(/\d/u)[0]?.trim());
  const isOther = one === other && /\d/.test(known) && /\d/.test(dose);
  return isOther && listPattern(pack, 'newDose').test(words) && !listPattern(pack, 'inAddition').test(words);
}

const clauseEnd = perPack(({ lists: { and = '(?!)' } }) => packRegExp(`[.,;:!(]| (?:${and}) `));

/** In "I have Hashimoto, take …", the clause of "Hashimoto" names no medicine and has no word for taking one. */
export function isTaken(text: string, start: number, pack: Pack): boolean {
  const before =
    text
      .slice(0, start)
      .split(/[.,;:!(]/u)
      .at(-1) ?? '';
  const clause = before + (text.slice(start).split(clauseEnd(pack))[0] ?? '');
  return listPattern(pack, 'drug', 'takes').test(clause);
}
