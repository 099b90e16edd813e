import type { Pack, SlotRule } from './pack.ts';
import { packRegExp, perPack, relationsOf, wordsPattern } from './packs.ts';

export interface CompiledRule {
  rule: SlotRule;
  /** Compiles the pattern at its first use, in a variant that is several times as fast if the text has no word for a relation. */
  find: (text: RuleText, from?: number) => RegExpExecArray | null;
  /** Checks for the words and tokens that every match of the pattern contains. */
  mayMatch: (text: RuleText) => boolean;
  /** The name of the value's token, which determines how the value is cut from the matched words. */
  shape: string;
}

export interface RuleText {
  text: string;
  bare: string;
  hasRelation: boolean;
  mayHave: (token: string) => boolean;
}

export function ruleText(text: string, pack: Pack): RuleText {
  const bare = bareLetters(text, pack);
  const tests = tokenTests(pack);
  const tested = new Map<string, boolean>();
  return {
    text,
    bare,
    hasRelation: relationWords(pack).some((word) => bare.includes(word)),
    mayHave: (token) => memoized(tested, token, () => memoized(tests, token, () => tokenTest(token, pack))(bare)),
  };
}

function memoized<Key, Value>(known: Map<Key, Value>, key: Key, make: () => Value): Value {
  if (!known.has(key)) known.set(key, make());
  return known.get(key) as Value;
}

/** The form of hasty typing: lower case, without apostrophes and accents. */
function bareLetters(text: string, { script }: Pack): string {
  const lower = text.toLowerCase();
  return script === 'han'
    ? lower
    : lower
        .normalize('NFD')
        .replace(/[\p{M}']/gu, '')
        .replaceAll('ß', 'ss');
}

/** Makes a pattern that also finds words typed without apostrophes and accents: "im", "azucar". */
function asTyped(source: string, { script }: Pack): string {
  if (script === 'han') return source;
  let isInClass = false;
  return source.replace(/\\.|[[\]'ß]|[à-öø-ÿ]/gu, (found, at: number) => {
    if (found.length > 1) return found;
    if (found === '[' || found === ']') isInClass = found === '[';
    if (found === 'ß' && !isInClass) return '(?:ß|ss)';
    if (found === "'") return isInClass || isNeeded(source, at) ? found : "'?";
    const plain = found.normalize('NFD')[0] ?? found;
    // A word of one letter would become another word without its accent: Italian "è" and "e".
    const isAlone = !/\p{L}/u.test(source.slice(at - 1, at) + source.slice(at + 1, at + 2));
    if (plain === found || isAlone) return found;
    return isInClass ? found + plain : `[${found}${plain}]`;
  });
}

/** Without its apostrophe, "we're" is another word, and an "s" after a value may be the last letter of a name: "<name>'s my son". */
function isNeeded(source: string, at: number): boolean {
  const before = source.slice(Math.max(0, at - 4), at);
  return (
    /<\w+>(?:\(\?:)?$/.test(source.slice(0, at)) ||
    /\bwe$/.test(before) ||
    (/\b(?:i|s?he)$/.test(before) && source.startsWith('ll', at + 1))
  );
}

const WORD = "[\\p{L}\\p{N}](?:[\\p{L}\\p{N}'&/+_-]|\\.(?=[\\p{L}\\p{N}]))*\\.?";
const RUN = `(?<v>${WORD}(?: (?:& )?${WORD}){0,5})`;
const HAN_RUN = '(?<v>[\\p{L}\\p{N}ー々·・]{1,14}?)';
// Names contain no hiragana, except for the particle の in names of firms.
const HAN_NAME = '(?<v>[\\p{Script=Han}\\p{Script=Katakana}\\p{Script=Latin}ー々·・]{1,12}?)';
const HAN_ORGANISATION = '(?<v>[\\p{Script=Han}\\p{Script=Katakana}\\p{Script=Latin}の\\p{N}ー々·・]{2,14}?)';
const CLOCK =
  '(?:\\d{1,2}(?:[:.]\\d\\d)?(?: ?(?:am|pm|h|uhr|heures?|uur|点|時|时))?|(?:half|quarter) (?:past )?\\w+|noon|midnight|midday)';
const SYMBOL = '[€$£₦₹¥₵]';

export const rulesOf: (pack: Pack) => CompiledRule[] = perPack((pack) =>
  pack.slots.map((rule) => compileRule(rule, pack)),
);

const relationWords = perPack((pack) => Object.keys(pack.relations).map((word) => bareLetters(word, pack)));

export const answersOf: (pack: Pack) => { attribute: string; pattern: RegExp; rule: CompiledRule }[] = perPack((pack) =>
  pack.answers.map(([attribute, question, token]) => ({
    attribute,
    pattern: wordsPattern(question, pack.script),
    // The answer begins the turn, after up to three words such as an article or a word of assent.
    rule: compileRule({ attribute, pattern: `^(?:[\\p{L}']+,? ){0,3}?${token}` }, pack),
  })),
);

function compileRule(rule: SlotRule, pack: Pack): CompiledRule {
  const patterns = new Map<boolean, RegExp>();
  const words = neededWords(rule.pattern, pack);
  const tokens = neededTokens(rule.pattern);
  return {
    rule,
    shape: shapeOf(rule.pattern),
    mayMatch: ({ bare, mayHave }) =>
      (words === null || words.some((word) => bare.includes(word))) && tokens.every(mayHave),
    find({ text, hasRelation }, from = 0) {
      const pattern = memoized(patterns, hasRelation, () => patternOf(rule, pack, hasRelation));
      pattern.lastIndex = from;
      return pattern.exec(text);
    },
  };
}

function shapeOf(pattern: string): string {
  const tokens = [...pattern.matchAll(/<([a-zA-Z_]+)>/g)].map((match) => match[1] ?? '');
  return tokens.findLast((name) => !/^(?:who|whois|whose|related|am|v|rel|relname|role|dose)$/.test(name)) ?? '';
}

function patternOf(rule: SlotRule, pack: Pack, hasRelation: boolean): RegExp {
  const isHan = pack.script === 'han';
  const related = hasRelation ? relatedSource(pack) : '(?!)';
  const { and = '(?!)' } = pack.lists;
  // A gap must not extend into another clause: "I work nights, but I start at Globex", "I work nights and my wife is at Globex".
  const gap = `(?!(?:${and}|${pack.requests.but}) (?:${pack.i}|${pack.my})(?![\\p{L}]))[^\\s,;]+`;
  // One or two digits without a currency are a day or a number of rooms, not a rent.
  const small = `(?!\\d{1,2}[.,;!?)]*(?: (?!${pack.lists['currency'] ?? '€'})|$))`;
  const money = rule.attribute === 'rent' && !isHan ? `${small}<money>` : '<money>';
  const words = withRelatives(rule.pattern.replaceAll('<money>', money), pack)
    .replaceAll('\\S+', isHan ? '\\S+' : gap)
    .replace(/(?<!\\p)\{([a-zA-Z]{2,})\}/g, (_, name: string) => `(?:${pack.lists[name] ?? '(?!)'})`)
    .replaceAll('<whois>', `(?:(?:${pack.iAm})|${related}(?:${pack.is}))`)
    .replaceAll('<related>', related)
    .replaceAll('<whose>', `${related}'s`)
    .replaceAll('<who>', `(?:(?:${pack.i})|${related})${pack.notVerb === undefined ? '' : `(?:${pack.notVerb})?`}`)
    .replaceAll('<am>', `(?:${pack.iAm})`);
  const source = asTyped(words, pack).replace(/<([a-z_A-Z]+)>/g, (token, name: string) =>
    /^(?:v|rel|relname|role|dose)$/.test(name) ? token : valueSource(name, pack),
  );
  return packRegExp(isHan ? source : `(?<![\\p{L}\\p{N}'])(?:${source})`, 'giu');
}

function withRelatives(pattern: string, { partners, children, pets }: Pack): string {
  return pattern.replaceAll('PARTNERS', partners).replaceAll('CHILDREN', children).replaceAll('PETS', pets);
}

function relatedSource(pack: Pack): string {
  const relations = relationsOf(pack);
  return pack.script === 'han'
    ? `(?:${pack.my})(?<rel>${relations})(?<relname>(?!${pack.lists['noNameStart'] ?? '(?!)'})[\\p{Script=Han}\\p{Script=Katakana}]{2,3})??`
    : `(?:${pack.my}) (?<rel>${relations})(?:,? (?<relname>[\\p{L}'-]+),?)??`;
}

function valueSource(name: string, pack: Pack): string {
  const isHan = pack.script === 'han';
  const source = VALUE_SOURCES[name]?.(pack, isHan);
  if (source !== undefined) return source;
  const list = pack.lists[name];
  if (list === undefined) throw new Error(`The pack ${pack.language} has no list for <${name}>.`);
  return `(?<v>${asTyped(list, pack)})${isHan ? '' : '(?![\\p{L}])'}`;
}

const HAN_DATE = '(?<v>(?:\\d{4}年)?\\d{1,2}月\\d{1,2}[日号])';
const nameSource = (_: Pack, isHan: boolean): string => (isHan ? HAN_NAME : RUN);
const organisationSource = (_: Pack, isHan: boolean): string => (isHan ? HAN_ORGANISATION : RUN);

const VALUE_SOURCES: Readonly<Record<string, (pack: Pack, isHan: boolean) => string>> = {
  age: ({ lists: { numberWord } }) =>
    `(?<v>\\d{1,3}${numberWord === undefined ? '' : `|${numberWord}`})(?![\\d.,:%]*\\d)`,
  money: ({ lists, calendar }) => {
    const units = `(?:${SYMBOL}|${lists['currency'] ?? '€'})`;
    // A day ("1.4.", "1/4", "1 April", "1st"), a count ("3 weeks", "12%") and a difference ("50 euros more") are not an amount.
    const day = `\\d{1,2}(?:[/-]\\d|\\.\\d{1,2}\\.|\\.(?:\\d|1[0-2])(?!\\d| ?(?:k|m|${units}|an?|per)(?![\\p{L}]))|\\. \\p{L}|(?:st|nd|rd|th|er|º|ª|\\.)?(?: of| de)? ?(?:${calendar.months.join('|')})(?![\\p{L}])|(?:st|nd|rd|th|er|º|ª)(?![\\p{L}]))`;
    const other = `%|${Object.values(calendar.units).join('|')}|(?:${units} )?(?:${lists['difference'] ?? '(?!)'})(?![\\p{L}])`;
    return `(?!${day}|20\\d\\d \\d|(?:${SYMBOL} ?)?\\d[\\d.,']* ?(?:${other}))(?<v>(?:${SYMBOL} ?)?\\d+(?:[.,' ]\\d{3})*(?:[.,]\\d+)? ?(?:k\\b|mil\\b|m\\b)?(?: ?(?:thousand|hundred|million|mio|mille|tausend|万|千))?(?: ?${units}(?![\\p{L}]))?)`;
  },
  hours: () =>
    `(?<v>(?:[\\p{L}]+(?: ?[-–] ?| (?:to|till|bis|a|à|tot|t/m|tm|al|através) )[\\p{L}]+,? (?:from )?)?${CLOCK} ?(?:to|till|til|until|-|–|bis|a|à|às|alle|tot|到|から) ?${CLOCK})`,
  date: ({ calendar }, isHan) => {
    const month = calendar.months.join('|');
    return isHan
      ? HAN_DATE
      : `(?<v>(?:\\d{1,2}(?:st|nd|rd|th|er|º|\\.)?(?: (?:of|de))? (?:${month})|(?:${month}) \\d{1,2}(?:st|nd|rd|th)?|\\d{4}-\\d\\d-\\d\\d|\\d{1,2}[./]\\d{1,2}[./](?:\\d{4})?)(?:,?(?: de| del)? \\d{4})?)`;
  },
  day: ({ calendar }, isHan) => {
    const month = calendar.months.join('|');
    const weekday = calendar.weekdays.join('|');
    return isHan
      ? HAN_DATE
      : `(?<v>(?:(?:next |this |coming )?(?:${weekday})\\.?,? (?:the )?)?(?:(?:\\d{1,2})(?:st|nd|rd|th|er|º|\\.)?(?: (?:of|de))? (?:${month})|(?:${month})\\.? (?:the )?\\d{1,2}(?:st|nd|rd|th)?)(?:,? (?:de )?\\d{4})?|tomorrow|(?:next|this) (?:${weekday}))(?![\\p{L}\\d])`;
  },
  email: () => '(?<v>[\\p{L}\\p{N}._%+-]{1,64}@[\\p{L}\\p{N}.-]{1,80}\\.[a-z]{2,10})',
  phone: () => '(?<v>\\+?\\d[\\d ()/.-]{5,18}\\d)',
  street: () => '(?<v>[^;!?\\n]{3,70})',
  name: nameSource,
  anyname: nameSource,
  fullname: nameSource,
  wholename: nameSource,
  called: nameSource,
  place: nameSource,
  town: () => `(?<v>${WORD}(?: ${WORD})??)`,
  org: organisationSource,
  school: organisationSource,
  ownJob: ({ lists }) =>
    `(?<v>(?:(?!an? |the |no |not |never )[\\p{L}-]+ )?(?:${lists['commonJob'] ?? '(?!)'}))(?![\\p{L}])`,
  job: ({ lists }, isHan) => (isHan ? `(?<v>${lists['job'] ?? '(?!)'})` : RUN),
  words: (_, isHan) => (isHan ? HAN_RUN : RUN),
  clause: (_, isHan) => (isHan ? HAN_RUN : '(?<v>[^.;:!?()\\n]{3,70}?)(?= *(?:[.;:!?()\\n]|$))'),
  plain: (_, isHan) => (isHan ? HAN_RUN : `(?<v>${WORD}(?: ${WORD})?)`),
};

interface Element {
  source: string;
  isOptional: boolean;
}

const SIMPLE = /<[a-zA-Z_]+>|\{[a-zA-Z]{2,}\}|\\p\{[^}]*\}|\\?./suy;

/** Returns the elements outside all groups. Empty if there are alternatives among them. */
function elementsOf(pattern: string): Element[] {
  const elements: Element[] = [];
  for (let at = 0; at < pattern.length;) {
    SIMPLE.lastIndex = at;
    const simple = SIMPLE.exec(pattern)?.[0] ?? '';
    if (simple === '|') return [];
    const end = simple === '(' || simple === '[' ? closingAt(pattern, at) : at + simple.length;
    elements.push({ source: pattern.slice(at, end), isOptional: /^(?:[?*]|\{\d)/.test(pattern.slice(end, end + 2)) });
    at = end;
  }
  return elements;
}

function neededTokens(pattern: string): string[] {
  return elementsOf(pattern).flatMap(({ source, isOptional }) => {
    const token = /^(?:<([a-zA-Z_]+)>|\{([a-zA-Z]{2,})\})$/.exec(source);
    return token === null || isOptional ? [] : [token[1] ?? token[2] ?? ''];
  });
}

const tokenTests = perPack(() => new Map<string, (text: string) => boolean>());

/** All patterns with a token share its test. */
function tokenTest(token: string, pack: Pack): (text: string) => boolean {
  const hasWord = (words: string): ((text: string) => boolean) => {
    if (/^[\p{L}\p{N} '|-]+$/u.test(words)) {
      const plain = bareLetters(words, pack).split('|');
      return (text) => plain.some((word) => text.includes(word));
    }
    const pattern = packRegExp(`(?:${asTyped(words, pack)})`);
    return (text) => pattern.test(text);
  };
  switch (token) {
    case 'who':
      return hasWord(`${pack.i}|${pack.my}`);
    case 'whois':
      return hasWord(`${pack.iAm}|${pack.my}`);
    case 'am':
      return hasWord(pack.iAm);
    case 'related':
    case 'whose':
      return hasWord(pack.my);
    case 'money':
    case 'phone':
    case 'street':
    case 'date':
      return (text) => /[\d０-９]/.test(text);
    case 'email':
      return (text) => text.includes('@');
    case 'ownJob':
      return pack.lists['commonJob'] === undefined ? () => true : hasWord(pack.lists['commonJob']);
    default: {
      const list = pack.lists[token];
      return list === undefined || token === 'job' ? () => true : hasWord(list);
    }
  }
}

/** Every match of the pattern contains at least one of these words. The longest are the most selective. Null if there are none. */
function neededWords(pattern: string, pack: Pack): string[] | null {
  const shortest = pack.script === 'han' ? 1 : 2;
  const lengthOf = (words: readonly string[]): number => Math.min(...words.map((word) => word.length));
  let best: string[] | null = null;
  const offer = (words: string[]): void => {
    if (lengthOf(words) >= Math.max(shortest, best === null ? 0 : lengthOf(best) + 1)) best = words;
  };
  let literal = '';
  for (const { source, isOptional } of elementsOf(withRelatives(pattern, pack))) {
    if (/^[\p{L} ']$/u.test(source) && !isOptional) {
      literal += source;
      continue;
    }
    offer([literal.trim()]);
    literal = '';
    const inner = isOptional ? undefined : /^\(\?(?::|<v>)([^()[\]\\]+)\)$/u.exec(source)?.[1];
    // The letter before "?" or "*" may be missing.
    const heads = inner?.split('|').map((word) => /^(?:[\p{L} '-](?![?*]))*/u.exec(word)?.[0].trim() ?? '');
    if (heads !== undefined) offer(heads);
  }
  offer([literal.trim()]);
  return (best as string[] | null)?.map((word) => bareLetters(word, pack)) ?? null;
}

function closingAt(source: string, from: number): number {
  let depth = 0;
  let isInClass = false;
  for (let at = from; at < source.length; at += 1) {
    const character = source[at];
    if (character === '\\') at += 1;
    else if (isInClass) isInClass = character !== ']';
    else if (character === '[') isInClass = true;
    else if (character === '(') depth += 1;
    else if (character === ')') depth -= 1;
    if (!isInClass && depth === 0) return at + 1;
  }
  return source.length;
}
