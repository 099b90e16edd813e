import { cached } from '../record/cache.ts';

const COUNTING =
  'zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen';
const TENS = 'twenty thirty forty fifty sixty seventy eighty ninety';

export const ENGLISH_NUMBERS: ReadonlyMap<string, number> = new Map([
  ...COUNTING.split(' ').map((word, value): [string, number] => [word, value]),
  ...TENS.split(' ').map((word, index): [string, number] => [word, (index + 2) * 10]),
]);

/** "a couple of" → 2, "an" → 1, "12" → 12; NaN for other words. */
export function numberOf(word: string | undefined): number {
  const lower = (word ?? '').toLowerCase();
  if (lower === 'a' || lower === 'an') return 1;
  return lower.startsWith('a couple') ? 2 : (ENGLISH_NUMBERS.get(lower) ?? Number(lower));
}

const WORD = /\p{Extended_Pictographic}|[\p{L}\p{M}\p{N}]+(?:['’][\p{L}]+)*/gu;
const HAN_KANA_HANGUL = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}ー]/u;
const HAN_KANA_HANGUL_RUNS =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}ー]+|[^\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}ー]+/gu;
const UNSPACED = /[\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]/u;
const ARABIC = /\p{Script=Arabic}/u;
const HAN = /\p{Script=Han}/u;
const LATIN_MARKS = /\p{Mn}/gu;

// Only the numbers up to twelve are normalised. For more, existing texts would have to be indexed again.
const NUMBER_WORDS: ReadonlyMap<string, string> = new Map(
  Array.from(ENGLISH_NUMBERS, ([word, value]): [string, string] => [word, String(value)]).slice(0, 13),
);

let segmenter: Intl.Segmenter | undefined;

// Chinese and Japanese have no spaces, and Korean attaches particles to words. Overlapping pairs find "北京" within any longer run.
function pairs(run: string): string[] {
  const characters = [...run];
  if (characters.length < 2) return characters;
  const tokens: string[] = [];
  for (let index = 0; index < characters.length; index += 1) {
    const character = characters[index] as string;
    if (HAN.test(character)) tokens.push(character);
    const next = characters[index + 1];
    if (next !== undefined) tokens.push(character + next);
  }
  return tokens;
}

function tokensOfWord(raw: string): string[] {
  if (HAN_KANA_HANGUL.test(raw)) {
    return (raw.match(HAN_KANA_HANGUL_RUNS) ?? []).flatMap((run) =>
      HAN_KANA_HANGUL.test(run) ? pairs(run) : tokensOfWord(run),
    );
  }
  if (UNSPACED.test(raw)) {
    segmenter ??= new Intl.Segmenter('th', { granularity: 'word' });
    return Array.from(segmenter.segment(raw), (part) => part.segment);
  }
  if (ARABIC.test(raw)) return [stemArabic(raw.normalize('NFKD').replace(LATIN_MARKS, ''))];
  let word = raw
    .toLowerCase()
    .replace(/[’']s$/u, '')
    .replace(/[’']/gu, '');
  // "café" equals "cafe".
  if (/[^\u0000-\u007f]/u.test(word)) word = word.normalize('NFKD').replace(LATIN_MARKS, '').replace(/ß/gu, 'ss');
  if (word === '') return [];
  return [NUMBER_WORDS.get(word) ?? stemEnglish(word)];
}

/** Normalises a text's words. Texts and queries must both use this function, in the database and in memory. */
export function words(text: string): string[] {
  const tokens: string[] = [];
  for (const match of text.match(WORD) ?? []) {
    if (PLAIN_WORD.test(match)) tokens.push(plainToken(match));
    // A spread would fail: a long text without spaces has more parts than a call may have arguments.
    else for (const token of tokensOfWord(match)) tokens.push(token);
  }
  return tokens;
}

// Longer words are not cached, because V8 stores a longer substring as a reference to the whole text.
const PLAIN_WORD = /^[A-Za-z]{1,12}$/;
const MOST_PLAIN_WORDS = 20_000;
const plainToken = cached(MOST_PLAIN_WORDS, (word) => {
  const lower = word.toLowerCase();
  return NUMBER_WORDS.get(lower) ?? stemEnglish(lower);
});

/** Returns {@link words} without single Han characters that are part of a longer word: a query for 北京 should not find every 京. */
export function queryWords(text: string): string[] {
  const found = words(text);
  const within = new Set(found.flatMap((word) => (HAN_ALONE.test(word) ? [] : [...word])));
  return found.filter((word) => !HAN_ALONE.test(word) || !within.has(word));
}

const HAN_ALONE = /^\p{Script=Han}$/u;

// PostgreSQL accepts at most 1 MiB of words per record.
const MOST_INDEXED_WORDS = 10_000;
const LONGEST_WORD = 64;

export function indexWords(text: string): string[] {
  return words(text.slice(0, MOST_INDEXED_WORDS * 12))
    .slice(0, MOST_INDEXED_WORDS)
    .map((word) => word.slice(0, LONGEST_WORD));
}

// Irregular forms from conversations about everyday life, which suffix stripping cannot unify.
const IRREGULAR_FORMS: ReadonlyMap<string, string> = new Map(
  (
    'went:go gone:go goes:go does:do bought:buy brought:bring taught:teach thought:think caught:catch fought:fight sought:seek ' +
    'found:find met:meet got:get gotten:get gave:give given:give took:take taken:take made:make said:say told:tell ' +
    'ran:run began:begin begun:begin wrote:write written:write read:read drove:drive driven:drive rode:ride ridden:ride ' +
    'flew:fly flown:fly grew:grow grown:grow knew:know known:know threw:throw thrown:throw drew:draw drawn:draw ' +
    'saw:see seen:see ate:eat eaten:eat drank:drink drunk:drink sang:sing sung:sing swam:swim swum:swim won:win ' +
    'wore:wear worn:wear broke:break broken:break spoke:speak spoken:speak chose:choose chosen:choose froze:freeze ' +
    'stole:steal woke:wake fell:fall fallen:fall felt:feel left:leave lost:lose kept:keep slept:sleep spent:spend ' +
    'sent:send built:build lent:lend held:hold sold:sell paid:pay heard:hear led:lead fed:feed hid:hide hidden:hide ' +
    'sat:sit stood:stand understood:understand became:become came:come shot:shoot shook:shake swore:swear tore:tear ' +
    'hung:hang stuck:stick struck:strike dug:dig bit:bite hurt:hurt cut:cut put:put quit:quit hit:hit let:let set:set ' +
    'dealt:deal dreamt:dream meant:mean leapt:leap learnt:learn burnt:burn forgot:forget forgotten:forget forgave:forgive ' +
    'laid:lay lit:light shown:show wed:wed rose:rise risen:rise did:do done:do had:have has:have was:be were:be been:be is:be are:be am:be ' +
    'children:child kids:kid men:man women:woman people:person feet:foot teeth:tooth mice:mouse geese:goose ' +
    'wives:wife knives:knife leaves:leaf shelves:shelf halves:half wolves:wolf selves:self ' +
    'better:good best:good worse:bad worst:bad dying:die lying:lie tying:tie ' +
    'mom:mother mum:mother mommy:mother dad:father daddy:father grandma:grandmother grandpa:grandfather bro:brother sis:sister ' +
    'photo:picture pic:picture photograph:picture photography:picture bike:bicycle tv:television fav:favorite favourite:favorite ' +
    'colour:color edu:education uni:university vet:veterinarian doc:doctor gym:gym bday:birthday xmas:christmas fridge:refrigerator ' +
    'tourney:tournament fam:family vacay:vacation exam:exam lab:lab'
  )
    .split(' ')
    .map((pair) => pair.split(':') as [string, string]),
);

const VOWEL = /[aeiouy]/;

function endsInDoubledConsonant(word: string): boolean {
  const last = word.at(-1);
  return word.length > 3 && last === word.at(-2) && last !== undefined && !'aeioulsz'.includes(last);
}

function stripVerbEnding(word: string, length: number): string {
  const stem = word.slice(0, -length);
  if (stem.length < 3 || !VOWEL.test(stem)) return word;
  if (endsInDoubledConsonant(stem)) return stem.slice(0, -1);
  return stem;
}

// "paint", "painted", "painting" and "paintings" have the same stem; "hope", "hoped" and "hoping" have the stem "hop".
function stripSuffixes(word: string): string {
  let stem = word;
  if (stem.endsWith('ies') && stem.length > 4) stem = `${stem.slice(0, -3)}y`;
  else if (/(?:ss|sh|ch|x|z)es$/.test(stem)) stem = stem.slice(0, -2);
  else if (stem.endsWith('s') && stem.length > 3 && !/(?:ss|us|is)$/.test(stem)) stem = stem.slice(0, -1);
  if (stem.endsWith('ied') && stem.length > 4) stem = `${stem.slice(0, -3)}y`;
  else if (stem.endsWith('ing')) stem = stripVerbEnding(stem, 3);
  else if (stem.endsWith('ed')) stem = stripVerbEnding(stem, 2);
  if (stem.endsWith('ly') && stem.length > 5) stem = stem.slice(0, -2);
  if (stem.endsWith('e') && stem.length > 3) stem = stem.slice(0, -1);
  if (stem.endsWith('y') && stem.length > 3) stem = `${stem.slice(0, -1)}i`;
  return stem;
}

function stemEnglish(word: string): string {
  const irregular = IRREGULAR_FORMS.get(word);
  if (irregular !== undefined) return stripSuffixes(irregular);
  if (word.length < 4) return word;
  const stem = stripSuffixes(word);
  const again = IRREGULAR_FORMS.get(stem);
  return again === undefined ? stem : stripSuffixes(again);
}

const ARABIC_PREFIX = /^(?:وال|بال|كال|فال|لل|ال)/u;
const ARABIC_SUFFIX = /(?:ها|ان|ات|ون|ين|يه|ه|ي)$/u;

function stemArabic(word: string): string {
  let stem = word
    .replace(/[أإآٱ]/gu, 'ا')
    .replace(/ى/gu, 'ي')
    .replace(/ة/gu, 'ه')
    .replace(/ـ/gu, '');
  const withoutPrefix = stem.replace(ARABIC_PREFIX, '');
  if (withoutPrefix.length >= 2) stem = withoutPrefix;
  const withoutSuffix = stem.replace(ARABIC_SUFFIX, '');
  return withoutSuffix.length >= 3 ? withoutSuffix : stem;
}

const STOP_WORDS: ReadonlySet<string> = wordSet(`
  a an the and or but if then so as at by for from in into of off on onto out over to up with without about after before
  between during through under until while than that this these those there here it its he him his she her hers they them
  their theirs themself themselves i me my mine myself we us our ours ourselves you your yours who whom whose which what when
  where why how be am is are was were been being do does did done doing have has had having will would shall should can
  could may might must not no nor never n't s t d ll m re ve just also too very really quite much many more most lot lots
  some any all both each every few several such only own same other another again ever even still yet already now one ones
  get gets got getting going gonna let us oh well yes yeah yep okay ok sure thing things stuff way kind sort bit little
  like likes user because since though although actually definitely pretty always usually often sometimes like's upon per
  via etc else instead rather together along around ago back away anymore something anything everything nothing
  someone anyone everyone nobody somebody anybody everybody`);

export function isContentWord(lower: string): boolean {
  return lower.length > 1 ? !STOP_WORDS.has(lower) && /[\p{L}\p{N}]/u.test(lower) : /[\p{N}\p{Lo}]/u.test(lower);
}

const TOKEN = /[\p{L}\p{M}\p{N}]+(?:['’][\p{L}]+)*/gu;
// Words that belong to the form of a statement: "The user mentioned that…".
const FRAME = new Set(['user', 'users', 'mentioned', 'said', 'says', 'stated', 'states', 'told', 'agent', 'assistant']);

export function contentStems(text: string): Set<string> {
  const stems = new Set<string>();
  for (const token of text.match(TOKEN) ?? []) {
    const lower = token.toLowerCase().replace(/['’]s$/u, '');
    if (!isContentWord(lower) || FRAME.has(lower)) continue;
    for (const stem of words(lower)) stems.add(stem);
  }
  return stems;
}

/** Returns the share of `part` that is in `whole`; 0 if `part` is empty. */
export function coveredBy(part: ReadonlySet<string>, whole: ReadonlySet<string>): number {
  if (part.size === 0) return 0;
  let shared = 0;
  for (const stem of part) if (whole.has(stem)) shared += 1;
  return shared / part.size;
}

/** A statement says the same as a quote from this share of the quote's content words. */
const SAID_SHARE = 0.6;

/** "Lives in Oslo" leaves out half of "I live in Oslo and work at Equinor". All names and numbers must be there. */
export function saysQuoted(statement: string, quoted: string): boolean {
  const wanted = contentStems(quoted);
  const isParaphrased = wanted.size === 0 || coveredBy(wanted, contentStems(statement)) >= SAID_SHARE;
  return isParaphrased && saysNamesAndNumbers(statement, quoted);
}

export function saysNamesAndNumbers(statement: string, quoted: string): boolean {
  const lower = statement.toLowerCase();
  const names = quoted.match(/(?<=[\p{L}\p{N},;] )\p{Lu}[\p{L}\p{M}]+|\p{N}+/gu) ?? [];
  const said = contentStems(statement);
  return names.every((name) => lower.includes(name.toLowerCase()) || coveredBy(contentStems(name), said) === 1);
}

export function overlap(one: ReadonlySet<string>, other: ReadonlySet<string>): number {
  let shared = 0;
  for (const stem of one) if (other.has(stem)) shared += 1;
  const all = one.size + other.size - shared;
  return all === 0 ? 0 : shared / all;
}

/** On the scale of calibrated cosines: 0.70 (related) with half of all words shared, 0.95 (the same) with all of them. */
export function lexicalSimilarity(one: string, other: string): number {
  const [left, right] = [contentStems(one), contentStems(other)];
  const share = overlap(left, right);
  if (share === 0) return 0;
  return Math.min(0.95, 0.45 + 0.5 * share);
}

/** Ends a sentence with a full stop, unless it ends already. */
export function ended(sentence: string): string {
  return /[.!?…。！？]$/u.test(sentence) ? sentence : `${sentence}.`;
}

/** Removes trailing characters. The pattern `/[.,]+$/` is quadratic and takes half a minute for a hundred thousand dots. */
export function withoutEnd(text: string, characters: string): string {
  let end = text.length;
  while (end > 0 && characters.includes(text.charAt(end - 1))) end -= 1;
  return text.slice(0, end);
}

/** Collapses spaces and removes control and invisible characters, some of which databases reject. */
export function plainText(text: string): string {
  return (
    text
      .toWellFormed()
      // oxlint-disable-next-line no-control-regex -- control characters are removed here
      .replace(/[\u0000-\u001f\u007f\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]+/gu, ' ')
      .replace(/\s+/gu, ' ')
      .trim()
  );
}

/** Removes line breaks, so that no part of the text looks like another item of a list. */
export function singleLine(text: string, limit: number = Infinity): string {
  const line = text
    .slice(0, limit * 2)
    .replace(/\s+/g, ' ')
    .trim();
  return line.length > limit ? `${line.slice(0, limit - 1)}…` : line;
}

/** `matchAll` clones the pattern, and V8 compiles the clone again after every major collection: 4 ms for the dates of one query. */
export function matchesOf(text: string, pattern: RegExp): RegExpExecArray[] {
  if (!pattern.global) throw new TypeError(`The pattern ${pattern} is not global.`);
  const found: RegExpExecArray[] = [];
  pattern.lastIndex = 0;
  for (let match = pattern.exec(text); match !== null; match = pattern.exec(text)) {
    found.push(match);
    // By a whole character: with the flag `u`, a pattern steps back from the middle of a surrogate pair.
    if (match[0] === '') pattern.lastIndex += (text.codePointAt(pattern.lastIndex) ?? 0) > 0xffff ? 2 : 1;
  }
  return found;
}

export function wordSet(words: string): ReadonlySet<string> {
  return new Set(words.trim().split(/\s+/));
}

export interface TokenCounter {
  /** `estimate`, or the name of the tokenizer. */
  readonly id: string;
  count(text: string): number;
}

// Tokens per character by script, fitted on o200k_base (GPT-4o and later).
const HAN_TOKENS = 0.66;
const KANA = 0.67;
const HANGUL = 0.63;
const CYRILLIC = 0.3;
const OTHER_LETTER = 0.35;
const RARE = 1;

const ASCII_LETTER = 1;
const DIGIT = 2;
const SPACE = 3;
const NEWLINE = 4;
const SYMBOL = 5;
const OTHER = 6;

const KINDS = Uint8Array.from({ length: 128 }, (_, code) => {
  if ((code >= 65 && code <= 90) || (code >= 97 && code <= 122)) return ASCII_LETTER;
  if (code >= 48 && code <= 57) return DIGIT;
  if (code === 10 || code === 13) return NEWLINE;
  return code === 32 || code === 9 ? SPACE : SYMBOL;
});

/** Estimates tokens about 20 times as fast as a tokenizer, within 10 % for prose and code, and 15 % for Chinese, Japanese and Korean. */
export function estimateTokens(text: string): number {
  let tokens = 0;
  let index = 0;
  while (index < text.length) {
    const code = text.charCodeAt(index);
    const kind = code < 128 ? (KINDS[code] as number) : OTHER;
    if (kind === OTHER) {
      tokens += otherScript(code);
      index += 1;
      continue;
    }
    const start = index;
    do index += 1;
    while (index < text.length && text.charCodeAt(index) < 128 && KINDS[text.charCodeAt(index)] === kind);
    tokens += runTokens(kind, index - start, code);
  }
  return Math.ceil(tokens);
}

function runTokens(kind: number, length: number, first: number): number {
  switch (kind) {
    case ASCII_LETTER:
      return length <= 6 ? 1 : 1 + (length - 6) * 0.11;
    case DIGIT:
      return Math.ceil(length / 3);
    case SPACE:
      return length === 1 ? 0.02 : 0.75;
    case NEWLINE:
      return 0.75;
    default:
      // An apostrophe is often one token with the letters after it.
      return first === 39 && length === 1 ? 0.2 : 0.75 + (length - 1) * 0.28;
  }
}

function otherScript(code: number): number {
  if (code >= 0x4e00 && code <= 0x9fff) return HAN_TOKENS;
  if (code >= 0x3040 && code <= 0x30ff) return KANA;
  if (code >= 0xac00 && code <= 0xd7af) return HANGUL;
  if (code >= 0x0400 && code <= 0x052f) return CYRILLIC;
  if (code < 0x1000 || (code >= 0x1e00 && code <= 0x1fff)) return OTHER_LETTER;
  // An emoji is two UTF-16 code units and about two tokens.
  return code >= 0x2000 && code <= 0x206f ? 0.6 : RARE;
}

export const estimatingCounter: TokenCounter = { id: 'estimate', count: estimateTokens };

/** Creates an exact counter from the `encode` of a tokenizer such as `gpt-tokenizer` or `js-tiktoken`. */
export function tokenizerCounter(id: string, encode: (text: string) => ArrayLike<unknown>): TokenCounter {
  return { id, count: (text) => encode(text).length };
}

/** FNV-1a over the UTF-16 code units. */
export function fnv1a(text: string): number {
  let hash = 0x81_1c_9d_c5;
  for (let index = 0; index < text.length; index += 1) hash = Math.imul(hash ^ text.charCodeAt(index), 0x01_00_01_93);
  return hash >>> 0;
}
