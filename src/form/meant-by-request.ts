import { type Pack, plainMarks, wordsPattern } from '../language/packs/pack.ts';
import { detectPack, packPattern, PACKS } from '../language/packs/packs.ts';
import { conceptsIn } from '../language/request-concepts.ts';
import { contentStems } from '../language/words.ts';
import { type AttributeTable, normalValue } from '../record/attributes.ts';

/** What of a memory tells whether a request means it. */
export interface Meanable {
  attribute: string | null;
  value: string | null;
  content: string;
  statedAt: Date;
}

/** Words of a request around what it is about: "please forget what I said about my". */
const REQUEST_WORDS =
  /^(?:(?:please|can you|could you|forget|delete|erase|remove|my|our|the|that|about|everything|anything|what i (?:just )?(?:said|told you) (?:about|on))\s+)+/i;
/**
 * The statements that the words of a request to forget mean, the narrowest reading first: a value that the request names ("take
 * Mustard out of your notes"); an attribute, by its names in the table and in the packs ("what I earn"); all telling words; a topic
 * that the latest statement without an attribute is about. A statement that repeats a value found so is meant as well. Empty where
 * nothing is meant for certain.
 */
export function meantByRequest<Item extends Meanable>(
  about: string,
  items: readonly Item[],
  attributes: AttributeTable,
): Item[] {
  const { wanted: words, spared } = partsOf(plainMarks(about).replace(REQUEST_WORDS, '').trim());
  if (words === '') return [];
  const plain = ` ${normalValue(words)} `;
  const named = items.filter(({ value, attribute }) => attribute !== null && isNamed(value, plain));
  if (named.length > 0) return withRepeats(named, items);
  const topics = topicsIn(words, attributes);
  const byAttribute = items.filter(({ attribute }) => attribute !== null && topics.has(attribute));
  const own = detectPack(words);
  const sharing = items.filter(({ attribute, content }) => attribute === null && sharesTopic(content, topics, own));
  if (hasAll(words, topics) && byAttribute.length + sharing.length > 0)
    return withRepeats([...byAttribute, ...sharing], items);
  if (byAttribute.length > 0) return withRepeats(byAttribute, items);
  const said = meantByWords(tellingStems(words), tellingStems(spared), items, isAll(words));
  if (said.length > 0) return withRepeats(said, items);
  const [latest] = sharing.toSorted((left, right) => right.statedAt.getTime() - left.statedAt.getTime());
  return latest === undefined ? [] : [latest];
}

/** The clauses of a request that name what is to go, and those that name what is to stay: "the debt can go, keep the address". */
function partsOf(words: string): { wanted: string; spared: string } {
  const pack = detectPack(words);
  const clauses = words.split(CLAUSES);
  if (pack === null || clauses.length < 2) return { wanted: words, spared: '' };
  const isSpared = (clause: string): boolean => {
    const concepts = new Set(conceptsIn(clause, pack).map(({ concept }) => concept));
    const keeps = concepts.has('keep') || concepts.has('except');
    return keeps && !['not', 'drop', 'forget', 'gone', 'private'].some((concept) => concepts.has(concept));
  };
  const spared = clauses.filter(isSpared);
  return spared.length === clauses.length
    ? { wanted: words, spared: '' }
    : { wanted: clauses.filter((clause) => !isSpared(clause)).join(', '), spared: spared.join(', ') };
}

const CLAUSES = /[,;.:!?–—…、，。；]\s*| (?=(?:but|aber|pero|mais|ma|però|mas|maar) )/giu;

/** How much less than the best match a statement may share with a request and be meant as well. */
const NEARLY = 0.6;

/** The statements that share the most telling words with a request; a word that few of them have weighs more. */
function meantByWords<Item extends Meanable>(
  wanted: ReadonlySet<string>,
  spared: ReadonlySet<string>,
  items: readonly Item[],
  all: boolean,
): Item[] {
  const stems = items.map(({ content, value }) => [...contentStems(`${content} ${value ?? ''}`)]);
  const weights = new Map(
    [...wanted].map((stem) => [stem, 1 / Math.max(1, stems.filter((each) => has(each, stem)).length)]),
  );
  const shared = (of: ReadonlySet<string>, index: number): number =>
    [...of].reduce((sum, stem) => sum + (has(stems[index] ?? [], stem) ? (weights.get(stem) ?? 1) : 0), 0);
  const scores = items.map((_, index) => (shared(spared, index) > 0 ? 0 : shared(wanted, index)));
  const best = Math.max(0, ...scores);
  return best === 0 ? [] : items.filter((_, index) => (scores[index] ?? 0) >= (all ? 1e-6 : best * NEARLY));
}

/** Whether a turn states something: a question and a task for the assistant are not what a later request means. */
export function isStatement(content: string): boolean {
  const plain = plainMarks(content.trim());
  const pack = detectPack(plain);
  if (/[?？]\s*$/u.test(plain)) return false;
  if (pack === null) return true;
  return !conceptsIn(plain.slice(0, 200), pack).some(
    ({ concept, start }) => start < OPENING && (concept === 'task' || concept === 'ask' || concept === 'question'),
  );
}

const OPENING = 4;

/** What a request means that names nothing: what was said last, or all of it. */
export function justSaid<Item>(about: string, said: readonly Item[]): Item[] {
  return isAll(about) ? [...said] : said.slice(-1);
}

/** Topics that stand for several attributes: "my health" is what somebody has and what they take. */
const WIDER: Readonly<Record<string, readonly string[]>> = { health: ['medical_condition', 'medication'] };

/** Whether a request means all that is about its topic: "everything about …", or a topic that has many sides. */
export function isWide(about: string, attributes: AttributeTable): boolean {
  const words = plainMarks(about).replace(REQUEST_WORDS, '').trim();
  return hasAll(about, topicsIn(words, attributes));
}

function hasAll(words: string, topics: ReadonlySet<string>): boolean {
  return topics.size > 0 && ([...topics].some((topic) => topic in WIDER) || isAll(words));
}

function isAll(words: string): boolean {
  const own = detectPack(words);
  return own !== null && packPattern(own, 'request:all').test(words);
}

/** Whether the words of a request name something that the tables know: "where I work". */
export function namesTopic(about: string, attributes: AttributeTable): boolean {
  return topicsIn(plainMarks(about).replace(REQUEST_WORDS, '').trim(), attributes).size > 0;
}

/** Whether the words of a request name nothing, so that it means what was said just before. */
export function namesNothing(about: string, attributes: AttributeTable): boolean {
  const words = plainMarks(about).replace(REQUEST_WORDS, '').trim();
  return tellingStems(words).size === 0 && topicsIn(words, attributes).size === 0;
}

function isNamed(value: string | null, plain: string): boolean {
  const wanted = normalValue(value ?? '');
  if (wanted.length < 3 || /^\d{1,3}$/.test(wanted)) return false;
  return /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]/u.test(wanted)
    ? plain.includes(wanted)
    : plain.includes(` ${wanted} `);
}

/** Statements, and those without an attribute that repeat one of their values. */
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

/** Concepts whose words say that something is asked, and not what. */
const ASKING: ReadonlySet<string> = new Set(
  'forget drop keep know tell not memory private gone back point just all except please me my we you assent ask'.split(
    ' ',
  ),
);

/** The words of a request that carry its meaning: neither function words of its language nor words of requests. */
function tellingStems(words: string): Set<string> {
  const pack = detectPack(words);
  const letters = [...words];
  const isPlain = letters.length === words.length;
  for (const { concept, start, end } of pack === null || !isPlain ? [] : conceptsIn(words, pack))
    if (ASKING.has(concept)) letters.fill(' ', start, end);
  const common = new Set(pack === null || pack.language === 'en' ? [] : pack.common.split('|'));
  const kept = (letters.join('').match(/[\p{L}\p{N}]+(?:['’]\p{L}+)?/gu) ?? []).filter((word) => {
    const lower = word.toLowerCase().replace(/^\p{L}{1,2}['’]/u, '');
    return !common.has(lower) && (lower.length > 2 || /\p{Lo}/u.test(lower));
  });
  const stems = contentStems(kept.join(' '));
  // Chinese and Japanese are taken apart into pairs of signs; a sign alone tells nothing.
  return pack?.script === 'han' ? new Set([...stems].filter((stem) => stem.length > 1)) : stems;
}

/** Whether a text has a word, also in another form: "weight" and "weigh", "debts" and "debt". */
function has(stems: readonly string[], stem: string): boolean {
  return stems.some((other) => {
    if (other === stem) return true;
    const [short, long] = other.length < stem.length ? [other, stem] : [stem, other];
    return (
      short.length >= 5 &&
      long.length - short.length <= 3 &&
      long.startsWith(short.slice(0, Math.max(5, short.length - 2)))
    );
  });
}

const topicPatterns = new WeakMap<Pack, [attribute: string, pattern: RegExp][]>();

function topicsOf(pack: Pack): [attribute: string, pattern: RegExp][] {
  let patterns = topicPatterns.get(pack);
  if (patterns === undefined) {
    patterns = Object.entries(pack.topics).map(([attribute, words]) => [
      attribute,
      wordsPattern(words, pack.script, 'giu'),
    ]);
    topicPatterns.set(pack, patterns);
  }
  return patterns;
}

/** "My phone number and my address" are two things. */
const PARTS = /[,;.!?，、。]| (?:and|und|y|et|e|en|ed) |和/giu;

/** The attributes that a request names; of two in one part the last one is the head: "my child's school", "adresse mail". */
function topicsIn(words: string, attributes: AttributeTable): Set<string> {
  const own = detectPack(words);
  const packs = own === null ? PACKS : [own];
  const topics = new Set<string>();
  for (const part of words.split(PARTS)) {
    let best = { end: 0, length: 0, names: new Set<string>() };
    const offer = (attribute: string, end: number, length: number): void => {
      if (end === best.end && length === best.length) best.names.add(attribute);
      else if (end > best.end || (end === best.end && length > best.length))
        best = { end, length, names: new Set([attribute]) };
    };
    for (const pack of packs) {
      for (const [attribute, pattern] of topicsOf(pack)) {
        // "My husband's name" is about the husband: a name is the user's only where nobody else is mentioned.
        for (const match of part.matchAll(pattern))
          offer(attribute, attribute === 'name' ? 1 : match.index + match[0].length, match[0].length);
      }
    }
    if (best.end === 0) {
      const resolved = attributes.resolve(part.trim().replace(REQUEST_WORDS, ''));
      if (resolved !== null && attributes.isKnown(resolved)) best.names.add(resolved);
    }
    for (const name of best.names) for (const each of [name, ...(WIDER[name] ?? [])]) topics.add(each);
  }
  return topics;
}

/** Whether a statement speaks of one of the topics, in the words of its own language or of the request's. */
function sharesTopic(content: string, topics: ReadonlySet<string>, asked: Pack | null): boolean {
  const own = detectPack(content);
  const plain = plainMarks(content);
  return (own === null ? PACKS : [own, ...(asked === null ? [] : [asked])]).some((pack) =>
    topicsOf(pack).some(([attribute, pattern]) => topics.has(attribute) && plain.search(pattern) >= 0),
  );
}
