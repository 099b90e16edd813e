import type { Pack } from '../language/packs/pack.ts';
import { packPattern, packRegExp, PACKS, perPack, wordsPattern } from '../language/packs/packs.ts';
import { DAY } from '../record/clock.ts';

/** The fields of a statement that show whether a request means it. */
export interface Meanable {
  subject?: string;
  attribute: string | null;
  value: string | null;
  content: string;
  statedAt: Date;
  archivedAt?: Date | null;
}

/** Topics that people describe in each other's words: "the pills" are antidepressants, "the money" is a debt. */
const KIN: readonly (readonly string[])[] = [
  ['health', 'medical_condition', 'medication', 'illness', 'mental_health', 'surgery', 'skin_and_hair', 'appointment'],
  ['debt', 'gambling', 'bank', 'salary', 'lottery_or_inheritance', 'side_income'],
  ['gift', 'party', 'trip'],
  ['affair', 'breakup', 'quarrel'],
  ['leaving', 'job_loss', 'employer'],
];

/** The topics that are described in the same words as some of `topics`. */
export function akin(topics: ReadonlySet<string>): Set<string> {
  return new Set(KIN.filter((kin) => kin.some((topic) => topics.has(topic))).flat());
}

const MATTER_DAYS = 90;

/** "Everything about the trip" is this trip, and not the one of last year. */
export function recent<Item extends Meanable>(items: readonly Item[]): Item[] {
  const latest = Math.max(...items.map(({ statedAt }) => statedAt.getTime()));
  return items.filter(({ statedAt }) => latest - statedAt.getTime() <= MATTER_DAYS * DAY);
}

/** A name in more statements than this does not belong to one matter alone: a home town, a spouse. */
export const MOST_WITH_NAME: number = 3;

/**
 * "All of that with the neighbour": statements that name the same person or place belong to the matter. German writes every noun like a
 * name.
 */
export function withSameNames<Item extends Meanable>(
  found: readonly Item[],
  items: readonly Item[],
  own: Pack | null,
): Item[] {
  if (own === null || own.language === 'de') return [...found];
  const { date } = patternsOf(own);
  const names = new Set(
    found
      .flatMap(({ content }) => content.match(NAME) ?? [])
      .filter(
        (name) => !date.test(name) && items.filter(({ content }) => content.includes(name)).length <= MOST_WITH_NAME,
      ),
  );
  const isNaming = ({ attribute, content }: Meanable): boolean =>
    attribute === null && (content.match(NAME) ?? []).some((name) => names.has(name));
  return items.filter((item) => found.includes(item) || isNaming(item));
}

/** A capitalised word that does not begin a sentence. */
const NAME = /(?<=\p{L}[,;]? )\p{Lu}\p{Ll}{2,}(?!\p{L})/gu;

/** German writes every noun with a capital letter, but a name follows a preposition without an article: "bei Bosch". */
const GERMAN_NAME = /(?<=(?<!\p{L})(?:bei|in|nach|aus) )\p{Lu}\p{Ll}{2,}(?!\p{L})/gu;

function namesIn(text: string, pack: Pack | null): string[] {
  const found: string[] = text.match(pack?.language === 'de' ? GERMAN_NAME : NAME) ?? [];
  return found.filter((name) => pack === null || !patternsOf(pack).date.test(name)).map((name) => name.toLowerCase());
}

/**
 * Whether a statement and the words of a request name different things: "that I worked at Bosch" does not mean "works at Siemens". "Where I
 * live in Austria" and "the job that I told Anna about" state no value, so a name in such words tells nothing.
 */
export function namesAnother(words: string, item: Meanable, pack: Pack | null): boolean {
  const asked = pack !== null && !patternsOf(pack).isStated(words) ? [] : namesIn(words, pack);
  const told = `${item.subject ?? ''} ${item.content} ${item.value ?? ''}`.toLowerCase();
  return asked.length > 0 && namesIn(item.content, pack).length > 0 && !asked.some((name) => told.includes(name));
}

/** Words for a relation in all languages, with the English word for it. */
export const RELATIONS: ReadonlyMap<string, string> = new Map(PACKS.flatMap((pack) => Object.entries(pack.relations)));

/**
 * Statements, and those that continue them: "she said …" after statements about a woman, if nobody else was mentioned since; "the due date
 * is …" in the turn after a pregnancy was mentioned.
 */
export function withContinuations<Item extends Meanable>(
  found: readonly Item[],
  items: readonly Item[],
  { pack, isAll }: { pack: Pack | null; isAll: boolean },
): Item[] {
  if (pack === null || found.length === 0) return [...found];
  const meant = new Set(found);
  const turns = Map.groupBy(items, ({ statedAt }) => statedAt.getTime());
  let isLast = false;
  let isSpokenOf = false;
  for (const [, turn] of [...turns].toSorted(([left], [right]) => left - right)) {
    let isOfMatter = turn.some((item) => meant.has(item));
    const wasSpokenOf = isSpokenOf;
    if (isOfMatter) isSpokenOf = true;
    else if (turn.some(({ content }) => person(content, pack).other >= 0)) isSpokenOf = false;
    for (const item of turn) {
      const { pronoun, other } = person(item.content, pack);
      const goesOn = isAll && wasSpokenOf && pronoun >= 0 && (other < 0 || pronoun < other);
      if (meant.has(item) || item.attribute !== null || !(goesOn || ((isLast || isOfMatter) && isPart(item, pack))))
        continue;
      meant.add(item);
      isOfMatter = true;
      isSpokenOf = true;
    }
    isLast = isOfMatter;
  }
  return items.filter((item) => meant.has(item));
}

const patternsOf = perPack((pack) => {
  const { calendar, requests, words } = pack;
  // English writes weekdays and months like names.
  const date = `(?:${[...calendar.months, ...calendar.weekdays].join('|')})s?`;
  const subject = packRegExp(`^\\s*(?:${pack.i}|${pack.iAm})(?![\\p{L}])`);
  const question = wordsPattern(words.question, pack.script);
  return {
    date: packRegExp(`^${date}$`),
    thing: packRegExp(`^(?:${requests.the})(?: |(?<='))(?!${date}(?![\\p{L}]))[\\p{L}]{3,}`),
    users: wordsPattern(`${words.me}|${words.my}`),
    // A verb shows its subject in most languages; in English it needs one.
    isStated: (text: string): boolean => !question.test(text) && (pack.isUninflected !== true || subject.test(text)),
  };
});

/** The place of a pronoun for a person in a sentence, and of the first name or relation; -1 where there is none. */
function person(content: string, pack: Pack): { pronoun: number; other: number } {
  const relation = [...content.matchAll(/\p{L}+/gu)].find(({ 0: word }) => RELATIONS.has(word.toLowerCase()));
  const { date } = patternsOf(pack);
  const name = pack.language === 'de' ? undefined : [...content.matchAll(NAME)].find(({ 0: word }) => !date.test(word));
  const places = [relation?.index, name?.index].filter((at) => at !== undefined);
  return {
    pronoun: packPattern(pack, 'request:person').exec(content)?.index ?? -1,
    other: places.length === 0 ? -1 : Math.min(...places),
  };
}

/** Whether a statement begins with a definite noun that is not the user's: "the clinic gave us a date". */
function isPart({ content }: Meanable, pack: Pack): boolean {
  const { thing, users } = patternsOf(pack);
  return thing.test(content) && !users.test(content);
}
