import type { Pack } from '../language/packs/pack.ts';
import {
  detectPack,
  lowerCase,
  packPattern,
  packRegExp,
  PACKS,
  perPack,
  plainMarks,
  wordsPattern,
} from '../language/packs/packs.ts';
import MATTERS from '../language/packs/matters.json' with { type: 'json' };
import { contentStems, wordSet } from '../language/words.ts';
import { type AttributeTable, normalValue } from '../record/attributes.ts';

/** What a request can mean: a statement, or a sentence of the user's. */
export interface Meanable {
  subject?: string;
  attribute: string | null;
  value: string | null;
  content: string;
  archivedAt?: Date | null;
}

/** How the words of a request are read. Its language is given, because a few words are often too few to detect it. */
export interface AskedIn {
  attributes: AttributeTable;
  /** The language of the turn that asks. */
  pack?: Pack | null;
  /** It asks for everything about a matter: "you can forget that whole story". */
  isAll?: boolean | undefined;
}

const openingOf = perPack(({ requests: { opening = '(?!)' } }) => packRegExp(`^(?:(?:${opening})\\s+)+`));

/** What a request is about, without its opening words ("please forget what I said about my"). */
function withoutOpening(about: string, pack: Pack | null): string {
  const plain = plainMarks(about);
  return (pack === null ? plain : plain.replace(openingOf(pack), '')).trim();
}

/** Below these log-odds of the reading layers a phrase is probably not a request: "Marius is going to lose it". */
export const DOUBTED: number = -6;

/** The least result of `sharedWords` for an item to be meant: with a third of the request's words, with half of them, or with all. */
const THIRD = 0.2;
export const HALF: number = 0.3;
export const WHOLE: number = 1;

/**
 * What the words of a request to forget mean, the narrowest reading first: a value that the request names ("take Mustard out of your
 * notes"), with the statements that repeat it; an attribute, by its names in the table and in the packs ("what I earn"); the items that share
 * the most words with the request, at least the share `least`.
 */
export function meantByRequest<Item extends Meanable>(
  about: string,
  items: readonly Item[],
  { attributes, pack = null, isAll = false, least = THIRD }: AskedIn & { least?: number },
): Item[] {
  const own = pack ?? detectPack(about);
  const words = withoutOpening(about, own);
  if (words === '') return [];
  const asked = { attributes, pack: own, least, isAll: isAllAsked(about, { attributes, pack: own, isAll }) };
  const things = thingsIn(words, own);
  const meant = things.map((thing) => meantByThing(thing, items, asked));
  // "Her name and her school" are two things if both are known.
  if (things.length > 1 && meant.every(({ length }) => length > 0)) return [...new Set(meant.flat())];
  return things.length > 1 ? meantByThing(words, items, asked) : meant.flat();
}

/** The things that a request names: "le prénom de ma fille ni son école" are two. */
function thingsIn(words: string, pack: Pack | null): string[] {
  if (pack === null || pack.requests.joins === '') return [words];
  const { joins, another } = pack.requests;
  return words.split(packRegExp(` (?:${joins}) (?=(?:${another}) )`, 'giu'));
}

function meantByThing<Item extends Meanable>(
  words: string,
  items: readonly Item[],
  asked: AskedIn & { pack: Pack | null; least: number; isAll: boolean },
): Item[] {
  const plain = ` ${normalValue(words)} `;
  const named = items.filter(({ value, attribute }) => attribute !== null && isNamed(value, plain));
  const narrower = asked.isAll ? [] : besideName(words, { named, items, pack: asked.pack });
  if (narrower.length > 0) return withRepeats(narrower, items);
  if (named.length > 0)
    return [...new Set([...withRepeats(named, items), ...(asked.isAll ? aboutNamed(named, items) : [])])];
  const open = items.filter((item) => !namesAnother(words, item, asked.pack));
  const topics = topicsIn(words, asked);
  // An attribute alone means the statement that holds, and not those that it has replaced.
  const byAttribute = open.filter(
    ({ attribute, archivedAt = null }) =>
      attribute !== null && topics.has(attribute) && (archivedAt === null || asked.isAll),
  );
  if (byAttribute.length > 0 && !asked.isAll) return withRepeats(byAttribute, items);
  const shared = sharedWords(words, open, asked);
  const most = Math.max(asked.least, ...shared);
  return open.filter((item, index) => byAttribute.includes(item) || shared[index] === most);
}

/** A capitalised word that does not begin a sentence. German writes every noun so, but a name follows a preposition without an article. */
const NAME = /(?<=\p{L}[,;]? )\p{Lu}\p{Ll}{2,}(?!\p{L})/gu;
const GERMAN_NAME = /(?<=(?<!\p{L})(?:bei|in|nach|aus) )\p{Lu}\p{Ll}{2,}(?!\p{L})/gu;

/**
 * Whether an item and the words of a request name different things: "that I worked at Bosch" does not mean "works at Siemens". "Where I live
 * in Austria" asks for a value, so a name in such words does not count.
 */
function namesAnother(words: string, { subject = '', content, value }: Meanable, pack: Pack | null): boolean {
  const name = pack?.language === 'de' ? GERMAN_NAME : NAME;
  const asked = pack !== null && packPattern(pack, 'question').test(words) ? [] : (words.match(name) ?? []);
  const told = lowerCase(`${subject} ${content} ${value ?? ''}`);
  return asked.length > 0 && content.search(name) >= 0 && !asked.some((each) => told.includes(lowerCase(each)));
}

/**
 * How much each item shares with the words of a request: 1 where it contains all words of a clause, apart from a topic that it mentions;
 * otherwise less, by the share of the words that it contains and by whether it mentions a topic of the request.
 */
export function sharedWords(words: string, items: readonly Meanable[], { attributes, pack = null }: AskedIn): number[] {
  const topics = topicsIn(words, { attributes, pack });
  const stems = tellingStems(words, pack);
  // Each clause is compared alone: in "right, the burlesque, nobody can know" only the second names anything.
  const clauses = partsOf(words, pack)
    .filter((clause) => !keeps(clause, pack))
    .map((clause) => tellingStems(withoutTopics(clause, pack), pack));
  const isOfTopics = topics.size > 0 && clauses.every(({ size }) => size === 0);
  return items.map(({ attribute, content, value }) => {
    const text = `${content} ${value ?? ''}`;
    const hasTopic = (attribute !== null && topics.has(attribute)) || sharesTopic(content, topics, pack);
    const isWhole = (hasTopic && isOfTopics) || clauses.some((clause) => sharesWords(clause, text) === 1);
    return isWhole ? WHOLE : 0.6 * sharesWords(stems, text) + (hasTopic ? 0.3 : 0);
  });
}

/** "That Anna has depression": the statements that contain all words of a request that names a person and something else. */
function besideName<Item extends Meanable>(
  words: string,
  { named, items, pack }: { named: readonly Item[]; items: readonly Item[]; pack: Pack | null },
): Item[] {
  const stems = tellingStems(words, pack);
  const says = ({ subject = '', content, value }: Item): boolean =>
    sharesWords(stems, `${subject} ${content} ${value ?? ''}`) === 1;
  return named.every(says) ? [] : items.filter(says);
}

/** Recognises the statements that a turn with a request to forget wants to keep: "the allergy should stay". */
export function staysIn(turn: string, { attributes }: Pick<AskedIn, 'attributes'>): (item: Meanable) => boolean {
  const pack = detectPack(turn);
  const clauses = plainMarks(turn)
    .split(
      packRegExp(`[.;!?\\n]${pack === null || pack.script === 'han' ? '' : `|, (?:${pack.requests.but}) `}`, 'giu'),
    )
    .filter(
      (clause) =>
        pack !== null &&
        packPattern(pack, 'request:stays').test(clause) &&
        !(['request:not', 'request:forget'] as const).some((name) => packPattern(pack, name).test(clause)),
    );
  return (item) => clauses.some((clause) => meantByRequest(clause, [item], { attributes, pack }).length > 0);
}

/** Whether a clause asks to keep something, which is then not forgotten: "but remember the name". */
function keeps(clause: string, pack: Pack | null): boolean {
  if (pack === null || packPattern(pack, 'request:not').test(clause)) return false;
  return packPattern(pack, 'request:keep').test(clause) && !packPattern(pack, 'request:drop').test(clause);
}

/** Topics that stand for several attributes: "my health" covers conditions, medication, surgery and more. */
const WIDER: Readonly<Record<string, readonly string[]>> = {
  health: [...wordSet('medical_condition medication illness mental_health surgery skin_and_hair pregnancy addiction')],
};

/** Whether a request means several things or a whole topic: "my name and my school", "everything about …", "my health". */
export function isWide(about: string, { pack = null }: AskedIn): boolean {
  const own = pack ?? detectPack(about);
  const words = withoutOpening(about, own);
  return (
    thingsIn(words, own).length > 1 || hasWords(words, 'request:all', own) || hasWords(words, 'request:general', own)
  );
}

/** Whether a request asks for everything about a matter: "everything about Danny". */
function isAllAsked(about: string, { pack = null, isAll = false }: AskedIn): boolean {
  return isAll || hasWords(plainMarks(about), 'request:all', pack ?? detectPack(about));
}

function hasWords(words: string, list: 'request:all' | 'request:general', pack: Pack | null): boolean {
  return pack !== null && packPattern(pack, list).test(words);
}

/** Whether the words of a request name something that the tables know: "where I work". */
export function namesTopic(about: string, reading: AskedIn): boolean {
  return topicsIn(withoutOpening(about, reading.pack ?? detectPack(about)), reading).size > 0;
}

/** Whether the words of a request name nothing, so that it means what was said just before. */
export function namesNothing(about: string, reading: AskedIn): boolean {
  const words = withoutOpening(about, reading.pack ?? detectPack(about));
  return tellingStems(words, reading.pack ?? null).size === 0 && topicsIn(words, reading).size === 0;
}

function isNamed(value: string | null, plain: string): boolean {
  const wanted = normalValue(value ?? '');
  if (wanted.length < 3 || /^\d{1,3}$/.test(wanted)) return false;
  return /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]/u.test(wanted)
    ? plain.includes(wanted)
    : plain.includes(` ${wanted} `);
}

/** "All I told you of Javier": the statements about a person who is the value of a found statement. */
function aboutNamed<Item extends Meanable>(named: readonly Item[], items: readonly Item[]): Item[] {
  const names = named.map(({ value }) => ` ${normalValue(value ?? '')} `);
  return items.filter(({ subject = '' }) => names.some((name) => ` ${normalValue(subject)} `.includes(name)));
}

/** The found statements, and the statements without an attribute whose text contains the value of a found one. */
export function withRepeats<Item extends Meanable>(found: readonly Item[], items: readonly Item[]): Item[] {
  const values = found.flatMap(({ value }) =>
    value === null || normalValue(value).length < 2 ? [] : normalValue(value),
  );
  const repeats = (content: string): boolean => {
    const plain = ` ${normalValue(content)} `;
    return values.some((value) => plain.includes(` ${value} `) || (/\p{Lo}/u.test(value) && plain.includes(value)));
  };
  return items.filter((item) => found.includes(item) || (item.attribute === null && repeats(item.content)));
}

/** Words for a relation in all languages, with the English word for it. */
const RELATIONS: ReadonlyMap<string, string> = new Map(PACKS.flatMap((pack) => Object.entries(pack.relations)));

/** The stems of the content words of a request, without function words and without the words by which requests are made. */
export function tellingStems(words: string, pack: Pack | null): Set<string> {
  const own = pack ?? detectPack(words);
  const asks = ['request:forget', 'request:drop', 'request:keep'] as const;
  const packs = PACKS.filter((pack) => pack === own || asks.some((name) => packPattern(pack, name).test(words)));
  const common = new Set(packs.flatMap(({ language, common: each }) => (language === 'en' ? [] : each.split('|'))));
  // The object may be inside the phrase, in a capturing group of its pattern: "take Mustard out of your notes".
  const inside = (_: string, ...groups: unknown[]): string =>
    ` ${groups.filter((group) => typeof group === 'string' && group.length < 120 && group !== words).join(' ')} `;
  const asked = packs.reduce((text, pack) => text.replace(requestWords(pack), inside), words);
  const kept = (asked.match(/[\p{L}\p{N}]+(?:['’]\p{L}+)?/gu) ?? []).filter((word) => {
    const lower = word.toLowerCase().replace(/^\p{L}{1,2}['’]/u, '');
    if (RELATIONS.has(lower)) return true;
    if (common.has(lower) || packs.some((pack) => pointingWord(pack).test(lower))) return false;
    return lower.length > 2 || (lower.length > 1 && /\p{Lo}/u.test(lower));
  });
  return stemsOf(kept.join(' '));
}

/** Articles and pronouns that French and Italian write together with a word: "l'esame", "j'ai". */
const ELIDED = /(?<!\p{L})(?:[cdjlmnstv]|qu|(?:a|d[ae]|ne|su)?ll|un|quest|quell)['’](?=\p{L}{2})/giu;

/** The stems of a text. All words for one relation have the same stem: "papà" and "padre". */
function stemsOf(text: string): Set<string> {
  const plain = text.replace(ELIDED, ' ').replace(/\p{L}+/gu, (word) => RELATIONS.get(word.toLowerCase()) ?? word);
  return contentStems(plain);
}

const pointingWord = perPack(({ requests: { pointing } }) => packRegExp(`^(?:${pointing || '(?!)'})$`));

/** The share of a request's stems that a text contains, also in another form: "weight" and "weigh", "debts" and "debt". */
function sharesWords(wanted: ReadonlySet<string>, text: string): number {
  const stems = [...stemsOf(text)];
  const has = (stem: string): boolean =>
    stems.some((other) => {
      if (other === stem) return true;
      const [short, long] = other.length < stem.length ? [other, stem] : [stem, other];
      // A compound: "Laktose" and "laktoseintolerant".
      if (short.length >= 6 && long.startsWith(short)) return true;
      return (
        short.length >= 5 &&
        long.length - short.length <= 3 &&
        long.startsWith(short.slice(0, Math.max(5, short.length - 2)))
      );
    });
  return wanted.size === 0 ? 0 : [...wanted].filter(has).length / wanted.size;
}

function withoutTopics(clause: string, pack: Pack | null): string {
  return (pack === null ? [] : topicsOf(pack))
    .reduce((rest, { pattern }) => rest.replace(pattern, ' '), clause)
    .replace(/ {2,}/g, ' ');
}

const requestWords = perPack(({ language, script, requests, words: { said } }) => {
  const { forget, forgetNamed, lead, drop, keep, not, unsaid, told, all, polite } = requests;
  const more = [script === 'han' ? requests.pointing : '', lead, language === 'en' ? '' : said];
  const words = [forget, forgetNamed, unsaid, told, drop, keep, not, all, polite, ...more];
  return wordsPattern(words.filter(Boolean).join('|'), script, 'giu');
});

const topicsOf = perPack(({ language, topics, script }) => {
  const matters = (MATTERS as Record<string, Record<string, string>>)[language] ?? {};
  return [...new Set([...Object.keys(topics), ...Object.keys(matters)])].map((name) => ({
    attribute: name,
    pattern: wordsPattern([topics[name], matters[name]].filter(Boolean).join('|'), script, 'giu'),
  }));
});

/** The parts of a request between punctuation marks and conjunctions: "my phone number and my address" has two. */
function partsOf(words: string, pack: Pack | null): string[] {
  const joins = (pack === null ? PACKS : [pack]).flatMap(({ script, requests: { joins, but } }) =>
    script === 'han' ? [] : [joins, but],
  );
  return words.split(packRegExp(`[,;.!?，、。]${joins.length === 0 ? '' : `| (?:${joins.join('|')}) `}|和`, 'giu'));
}

/** The attributes that a request names; of two in one part the last one is the head: "my child's school", "adresse mail". */
function topicsIn(words: string, { attributes, pack = null }: AskedIn): Set<string> {
  const own = pack ?? detectPack(words);
  const packs = own === null ? PACKS : [own];
  const topics = new Set<string>();
  for (const part of partsOf(words, own)) {
    let best = { end: 0, length: 0, names: new Set<string>() };
    const offer = (attribute: string, end: number, length: number): void => {
      if (end === best.end && length === best.length) best.names.add(attribute);
      else if (end > best.end || (end === best.end && length > best.length))
        best = { end, length, names: new Set([attribute]) };
    };
    for (const pack of packs) {
      for (const { attribute, pattern } of topicsOf(pack)) {
        // "My husband's name" is about the husband: a name is the user's only where nobody else is mentioned.
        for (const match of part.matchAll(pattern))
          // "From your notes" says where something is stored, and not what.
          if (!pointingWord(pack).test(match[0]))
            offer(attribute, attribute === 'name' ? 1 : match.index + match[0].length, match[0].length);
      }
    }
    if (best.end === 0) {
      const resolved = attributes.resolve(withoutOpening(part, own));
      if (resolved !== null && attributes.isKnown(resolved)) best.names.add(resolved);
    }
    for (const name of best.names) for (const each of [name, ...(WIDER[name] ?? [])]) topics.add(each);
  }
  return topics;
}

/** Whether a statement mentions one of the topics, in its own language or in that of the request. */
function sharesTopic(content: string, topics: ReadonlySet<string>, asked: Pack | null): boolean {
  const own = detectPack(content);
  const plain = plainMarks(content);
  return (own === null ? PACKS : [own, ...(asked === null ? [] : [asked])]).some((pack) =>
    topicsOf(pack).some(({ attribute, pattern }) => topics.has(attribute) && plain.search(pattern) >= 0),
  );
}

/** Whether the words beside a request can be its object. Fewer words are a greeting: "oh, please forget that". */
export function isMoreThanGreeting(words: string): boolean {
  return (words.match(/[\p{L}\p{N}]+/gu)?.length ?? 0) >= 3 || (words.match(/\p{Lo}/gu)?.length ?? 0) >= 5;
}
