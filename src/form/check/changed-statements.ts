import { noteInFirstPerson } from '../../language/first-person.ts';
import {
  detectPack,
  listPattern,
  packPattern,
  packRegExp,
  PACKS,
  perPack,
  plainMarks,
  relationsOf,
  saysAny,
} from '../../language/packs/packs.ts';
import type { Pack } from '../../language/packs/pack.ts';
import { mayMeanSamePeople } from '../../language/packs/subjects.ts';
import { clausesIn } from '../../language/sentences.ts';
import { withoutDays } from '../../language/told-days.ts';
import { contentStems, coveredBy, withoutEnd } from '../../language/words.ts';
import { unlessUnavailable } from '../../models/embedder.ts';
import type { Event } from '../../record/event.ts';
import { mayStillChange, type Memory } from '../../record/memory.ts';
import { ownerOf } from '../../record/scope.ts';
import { normalValue, USER } from '../../record/statement.ts';
import { findEvents } from '../../store/event-store.ts';
import { listStatements } from '../../store/read-memories.ts';
import { checkEnd } from '../apply/requests.ts';
import { nearStatements } from '../compare.ts';
import type { FormWork } from '../formation-settings.ts';
import { type Reading, readStatement, type ReadStatement, usesModel } from '../read/reader.ts';
import type { CheckedRequests } from '../statement.ts';
import { type CheckContext, quotedIn } from './evidence.ts';

/**
 * Finds the known statements that the turns make untrue, and the corrections that belong to them. Empty if a language model reads, because
 * the model finds such statements itself.
 */
export async function changedByTurns(
  work: FormWork,
  reading: Reading,
  context: CheckContext,
): Promise<Pick<CheckedRequests, 'ends'> & { corrections: ReadStatement[] }> {
  const ends: CheckedRequests['ends'] = [];
  const corrections: ReadStatement[] = [];
  if (usesModel(work.deps, 'read')) return { ends, corrections };
  for (const [index, event] of work.events.entries()) {
    if (event.kind !== 'observation' || event.origin === 'tool') continue;
    const targets = await endedByText(work, { ...event, content: noteInFirstPerson(event.content) });
    ends.push(...targets.flatMap((target) => checkEnd(target, { turn: index + 1, words: '' }, context) ?? []));
  }
  for (const number of reading.changes ?? []) {
    const event = work.events[number - 1] as Event;
    const own = reading.statements.filter(({ quotes }) => quotes.some(({ turn }) => turn === number));
    // If the turn states the target's attribute, the comparison by fields decides later: "I live in Linz now" may only repeat it. A target
    // that the turn extends must not end, because the new words would end with it.
    const isTold = (target: Memory): boolean =>
      own.some(({ attribute, relation, text }) =>
        relation?.kind === 'extends'
          ? text.startsWith(target.content)
          : attribute !== null && attribute === target.attribute,
      );
    const found = (await changedBy(work, event, isTold)).flatMap(({ target, isOver }) => {
      const end = checkEnd(target, { turn: number, words: '' }, context);
      return end === null ? [] : { end, isOver };
    });
    if (own.length === 0) corrections.push(...correctionBy(event, number, found[0]?.end.target));
    ends.push(...found.flatMap(({ end, isOver }) => (isOver ? end : [])));
  }
  return { ends, corrections };
}

const MOST_NEAR = 10;
/**
 * Log-odds above which a message makes a statement untrue if it shares a word with the statement's predicate. A fact or a preference needs
 * more, because losing one does more harm, and a goal because sentences about its means sound alike. A message that names the value ("I
 * dropped out of Cardiff") is about that fact, and needs less. In 25 held-out talk sheets, 48 of the 201 statements that end are found, and
 * 7 others.
 */
const ENDS = { attribute: 5.5, goalOrPreference: 3.5, namedValue: 4, other: 0.7 };

/** In a note about the user, "I left Siemens" means the job. In a message, it may mean the building. */
const LEFT: Readonly<Record<string, RegExp>> = {
  employer:
    /^I(?: have| recently| just)* (?:quit|left) (\p{Lu}\S*(?: \p{Lu}\S*)*)(?!\S)(?! (?:at|early|late|after|before|for \p{Ll}))/u,
  home_city: /^I(?: have| recently| just)* moved (?:away )?from (\p{Lu}\S*(?: \p{Lu}\S*)*)(?!\S)/u,
};

/** Does without the reading layers, because they read "User visited Graz" as the end of living there. */
export async function endedByText({ deps, scope }: Pick<FormWork, 'deps' | 'scope'>, turn: Event): Promise<Memory[]> {
  const left = Object.entries(LEFT).flatMap(([attribute, pattern]) => {
    const name = pattern.exec(turn.content)?.[1];
    return name === undefined ? [] : [{ attribute, name }];
  });
  if (left.length === 0) return [];
  const attributes = left.map(({ attribute }) => attribute);
  const known = await deps.database.read(scope.tenant, (store) =>
    listStatements(store, ownerOf(scope), { subjects: [USER], attributes, owner: 'own' }),
  );
  return known.filter((memory) => {
    const { name } = left.find(({ attribute }) => attribute === memory.attribute) ?? {};
    const isLeft = name !== undefined && memory.value !== null && normalValue(name).includes(normalValue(memory.value));
    return isLeft && canEnd(memory, turn);
  });
}

interface ChangedStatement {
  target: Memory;
  /** False if most of the statement stays true: "the cutoff is at 14:45 now" does not change the carrier. */
  isOver: boolean;
}

/** The statements that a message makes untrue, at least in part: "they've taken me off warfarin" ends "I take warfarin". */
async function changedBy(
  work: FormWork,
  event: Event,
  isTold: (target: Memory) => boolean,
): Promise<ChangedStatement[]> {
  const { deps, signal } = work;
  const pack = detectPack(event.content);
  // A plan shares words with other sentences about its place or its day: "I got the job at Meadow Lane" and "first week at Meadow Lane
  // done".
  const mayEndPlans = pack === null || saysAny(pack, plainMarks(event.content), 'change', 'not', 'over', 'ended');
  const near = (await nearStatements(work, event.content, { most: MOST_NEAR, policy: 'comparable' })).filter(
    (memory) =>
      memory.statedBy === 'user' &&
      canEnd(memory, event) &&
      (mayEndPlans || memory.tense !== 'planned') &&
      !isTold(memory),
  );
  if (near.length === 0) return [];
  const ids = near.flatMap(({ quotes }) => quotes.map((quote) => quote.event));
  const sources = await deps.database.read(work.scope.tenant, (store) => findEvents(store, work.scope, ids));
  const parts = clausesIn(event.content);
  const claimed = withoutContrast(parts, event.content);
  const stems = contentStems(claimed);
  // A statement that shares no word with the message does not end, so the layers need not read it.
  const sharing = near.flatMap((target) => {
    const clauses = saidIn(target, sources);
    return clauses.some((clause) => coveredBy(stems, contentStems(clause)) > 0) ? { target, clauses } : [];
  });
  if (sharing.length === 0) return [];
  const said = sharing.map(({ clauses }) => clauses);
  const told = await unlessUnavailable(deps.readParts(parts, { said, signal }));
  let read = parts.length;
  return sharing.flatMap(({ target, clauses }) => {
    const odds = told?.ends.subarray(read, (read += clauses.length)) ?? [];
    const least = leastOddsFor(target, stems);
    const changed = clauses.filter((_, at) => (odds[at] ?? 0) > least);
    const over = changed.filter((clause) => speaksOf(claimed, clause));
    const rest = clauses.filter((clause) => !over.includes(clause));
    // In "lab meeting tuesdays 9:30, journal club thursdays 16:00", a new time for the meeting leaves the journal club as it is.
    const isListed = target.tense === 'habit' && rest.some(hasTime) && over.some(hasTime);
    const isSame = target.tense !== 'habit' || pack === null || mayEndHabit(event.content, target, pack);
    const isOver = over.length > 0 && !isListed && isSame && over.join('').length * 2 >= clauses.join('').length;
    const isDetail = clauses.length > 1 && changed.some((clause) => coveredBy(stems, contentStems(clause)) > 0);
    return over.length > 0 || isDetail ? [{ target, isOver }] : [];
  });
}

function leastOddsFor({ attribute, value, type }: Memory, said: ReadonlySet<string>): number {
  if (attribute !== null) {
    const isNamed = value !== null && [...contentStems(value)].some((stem) => said.has(stem));
    return isNamed ? ENDS.namedValue : ENDS.attribute;
  }
  return type === 'goal' || type === 'preference' ? ENDS.goalOrPreference : ENDS.other;
}

/** "I swim on Wednesdays too now" and other people's habits end nothing, although the reading layers say that they do. */
function mayEndHabit(message: string, { content }: Memory, pack: Pack): boolean {
  const plain = plainMarks(message);
  const isBeside = listPattern(pack, 'inAddition').test(plain) && !packPattern(pack, 'ended').test(plain);
  return !isBeside && mayMeanSamePeople(message, content, pack);
}

const WEEKDAY = new RegExp(`(?<!\\p{L})(?:${PACKS.flatMap(({ calendar }) => calendar.weekdays).join('|')})`, 'iu');

function hasTime(clause: string): boolean {
  return /\d/u.test(clause) || WEEKDAY.test(clause);
}

const LONGEST_CONTRAST = 3;

/** In "I prefer Otley, not Leeds", the words "not Leeds" end nothing. */
function withoutContrast(clauses: readonly string[], message: string): string {
  const pack = detectPack(message);
  if (pack === null) return message;
  const isContrast = (clause: string): boolean =>
    listPattern(pack, 'negation').exec(clause)?.index === 0 && clause.split(' ').length <= LONGEST_CONTRAST;
  return clauses.filter((clause) => !isContrast(plainMarks(clause).trim())).join('');
}

/**
 * Whether a message shares a word with a clause's predicate, not only with its topic. "My mum is home again" does not end "my mum lives in
 * Leeds", but the reading layers took 14 of 26 such sentences for an end. Of 7 plain endings that they recognised, 6 share such a word.
 * Days and times do not count: two appointments on Thursday can both be true.
 */
function speaksOf(message: string, clause: string): boolean {
  const pack = detectPack(clause, detectPack(message));
  const plain = plainMarks(clause);
  const topic = pack === null ? null : topicPattern(pack).exec(plain);
  const wanted = contentStems(topic === null ? plain : plain.slice(topic[0].length));
  const said = contentStems(pack === null ? plainMarks(message) : withoutDays(plainMarks(message), pack));
  const ignored = pack === null ? new Set() : ignoredStems(pack);
  return [...wanted].some((stem) => said.has(stem) && !ignored.has(stem));
}

/** A clause's topic is the person or object at its beginning: "my mum Carol", "the old laptop is". */
const topicPattern = perPack(({ script, my, is, i, iAm, lists: { article = '(?!)' } }) => {
  if (script === 'han') return packRegExp(`^(?:${my})?[^是はがも]{1,8}(?:${is})`);
  const word = "[\\p{L}\\p{N}'-]+";
  const named = `(?:${my}|${article}) ${word}(?: ${word})?`;
  return packRegExp(`^(?!(?:${i}|${iAm})(?![\\p{L}]))(?:(?:${word} ){0,4}?${word}(?:${is})(?![\\p{L}])|${named})`);
});

/** Common words and words for relatives, which occur in sentences about any topic. */
const ignoredStems = perPack((pack) => contentStems(`${pack.common}|${relationsOf(pack)}`.replaceAll('|', ' ')));

/** The user's clauses behind a statement: those that contain its value, otherwise all of them, otherwise the statement's text. */
function saidIn({ quotes, value, content }: Memory, sources: readonly Event[]): string[] {
  const clauses = quotedIn(quotes, sources).flatMap(clausesIn);
  const naming = clauses.filter((clause) => value !== null && normalValue(clause).includes(normalValue(value)));
  return [naming, clauses, [content]].find(({ length }) => length > 0) ?? [];
}

/** A message can end only an older statement that claims a state. A past event stays true. */
function canEnd(memory: Memory, event: Event): boolean {
  const { statedAt, sourceEvents, tense, dueAt } = memory;
  const isClaim = tense !== 'happened' || dueAt !== null;
  const isEarlier = statedAt <= event.occurredAt && !sourceEvents.includes(event.id);
  return isClaim && isEarlier && mayStillChange(memory);
}

const FEW_WORDS = 6;
/** In characters. A longer message contains more than a correction. */
const MOST_CHARACTERS = 200;

/** Keeps a message from which nothing was read. A short one ("No, Friday") is appended to the statement that it corrects. */
function correctionBy(event: Event, number: number, target: Memory | undefined): ReadStatement[] {
  if (target === undefined || event.content.length > MOST_CHARACTERS) return [];
  const words = event.content.trim();
  const isShort = words.split(/\s+/u).length < FEW_WORDS;
  const { subject, type, tense, importance } = target;
  const text = isShort ? `${withoutEnd(target.content, ' .!\n')} — ${words}` : words;
  return [readStatement({ subject, type, tense, importance, text, quotes: [{ turn: number, words }] })];
}
