import { noteInFirstPerson } from '../language/first-person.ts';
import {
  detectPack,
  listPattern,
  packPattern,
  packRegExp,
  PACKS,
  perPack,
  plainMarks,
  saysAny,
  relationsOf,
} from '../language/packs/packs.ts';
import type { Pack } from '../language/packs/pack.ts';
import { mayMeanSamePeople } from '../language/packs/subjects.ts';
import { clausesIn } from '../language/sentences.ts';
import { withoutDays } from '../language/told-days.ts';
import { contentStems, coveredBy, lexicalSimilarity, withoutEnd } from '../language/words.ts';
import { unlessUnavailable } from '../models/embedder.ts';
import { attributesWith } from '../record/attributes.ts';
import { lengthOf, normalValue, USER } from '../record/statement.ts';
import type { Event } from '../record/event.ts';
import { mayStillChange, type Memory } from '../record/memory.ts';
import { ownerOf, type Scope } from '../record/scope.ts';
import { findEvents, ownEvents } from '../store/event-store.ts';
import { quotesMeet } from '../store/forget/forgotten-store.ts';
import type { Reader } from '../store/database.ts';
import { listStatements, listSubjects, memoriesFrom } from '../store/read-memories.ts';
import { reflectionsOf, topicsToContinue } from './apply/reflections.ts';
import { checkEnd, checkRequests } from './apply/requests.ts';
import { type Checked, checkStatements } from './check/check.ts';
import { type CheckContext, isQuoted, isStated, quotedIn, saidWith, unsharedSources } from './check/evidence.ts';
import {
  embedTexts,
  findCandidates,
  isDraftOf,
  isReadable,
  knownStatements,
  LONGEST_COMPARED,
  nearnessTo,
  nearStatements,
  unrelatedChanges,
  unrelatedTarget,
  type Vectors,
} from './compare.ts';
import { decideContext, openCandidates, type Verdict } from './decide/decide.ts';
import {
  emptyReading,
  type Reading,
  type ReadInput,
  readStatement,
  type ReadStatement,
  type Refusal,
  refusal,
  toolEpisodes,
  userNamesOf,
  usesModel,
  usualSpeaker,
} from './read/reader.ts';
import type { FormWork } from './formation-settings.ts';
import { askVerdicts, isMendable } from './read/model-reader.ts';
import { ownTextsAmong } from './read/local/reading-layers.ts';
import type { CheckedForget, CheckedRequests, Statement } from './statement.ts';
import { contentHash } from '../record/id.ts';

export interface Formable {
  reading: Reading;
  statements: Statement[];
  requests: CheckedRequests;
  refused: Refusal[];
  vectors: Vectors | null;
  verdicts: ReadonlyMap<Statement, Verdict>;
  /** Texts from which reflections and topics may take names and numbers: those that the reader was shown, and its checked statements. */
  known: string[];
}

export function isEmpty({ statements, requests, refused, reading }: Formable): boolean {
  const parts = [statements, requests.ends, requests.forgets, refused, reading.topics];
  return parts.every(({ length }) => length === 0);
}

/** Runs the stages read → resolve → check, and asks the model about pairs of statements whose relation their fields leave open. */
export async function readTurns(given: FormWork): Promise<Formable> {
  // Without a user in the scope, nothing is formed: the memories would be in the prompts of all users.
  const work = given.scope.user === null ? { ...given, events: [] } : given;
  const { deps, scope, reader, events, signal } = work;
  const readable = events.some((event) => isReadable(event) || isStated(event));
  const input = await readInput(work);
  const { facts } = deps.settings;
  const isWanted = facts || input.wants.reflections || input.wants.topics;
  const whole = readable && isWanted ? await reader.read(input, { signal }) : emptyReading();
  // Without facts, a reading still has reflections and topics.
  const reading = facts ? whole : { ...whole, statements: [], ends: [] };
  const isModel = reader.kind === 'model';
  const context: CheckContext = {
    ...deps,
    ...input,
    scope,
    events,
    recalled: isModel ? await deps.recalledTexts?.(scope) : [],
    subjects: await deps.database.read(scope.tenant, (store) => listSubjects(store, ownerOf(scope))),
    isLocal: !isModel,
  };
  const changed = facts ? await changedByTurns(work, reading, context) : { ends: [], corrections: [] };
  const isAsked = reading.ends.length + reading.forgets.length > 0;
  const asked = isAsked ? await checkRequests(work, reading, context) : { ends: [], forgets: [], refused: [] };
  const first = await checkReading(work, [...reading.statements, ...changed.corrections], context);
  const endless = asked.refused.filter(({ reason, detail }) => reason === 'unknown_target' && detail !== null);
  const checked = await amended(work, input, first, { ...context, endless });
  const episodes = checkStatements(toolEpisodes(events), { ...context, isLocal: true });
  const { statements, requests } = withinRetired(work, {
    statements: [...checked.statements, ...episodes.statements].filter((one) => !isRequest(one, asked.forgets)),
    requests: { ...asked, ends: [...asked.ends, ...changed.ends] },
  });
  const texts = statements.map(({ text }) => text);
  const vectors = isModel ? await embedTexts(work, texts) : null;
  const verdicts = isModel ? await verdictsOf(work, { statements, vectors, shown: input.known }) : new Map();
  const reflections = isModel ? await reflectionsOf(work, reading, statements) : [];
  return {
    reading: { ...reading, reflections },
    statements,
    requests,
    refused: [...checked.refused.map(withoutIndex), ...requests.refused],
    vectors,
    verdicts,
    known: [
      ...input.known.map(({ content }) => content),
      ...input.topics.map(({ topic, summary }) => `${topic} ${summary}`),
      ...input.userNames,
      ...statements.map(({ subject, text }) => `${subject} ${text}`),
    ],
  };
}

/** Empty if a language model reads, because the model finds such statements itself. */
async function changedByTurns(
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
    const found = (await changedBy(work, event)).flatMap(({ target, isOver }) => {
      const isTold = own.some(({ attribute, relation, text }) =>
        relation?.kind === 'extends'
          ? text.startsWith(target.content)
          : attribute !== null && attribute === target.attribute,
      );
      const end = isTold ? null : checkEnd(target, { turn: number, words: '' }, context);
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
async function changedBy(work: FormWork, event: Event): Promise<ChangedStatement[]> {
  const { deps, signal } = work;
  const pack = detectPack(event.content);
  // A plan shares words with other sentences about its place or its day: "I got the job at Meadow Lane" and "first week at Meadow Lane
  // done".
  const mayEndPlans = pack === null || saysAny(pack, plainMarks(event.content), 'change', 'not', 'over', 'ended');
  const near = (await nearStatements(work, event.content, { most: MOST_NEAR, policy: 'comparable' })).filter(
    (memory) => memory.statedBy === 'user' && canEnd(memory, event) && (mayEndPlans || memory.tense !== 'planned'),
  );
  if (near.length === 0) return [];
  const ids = near.flatMap(({ quotes }) => quotes.map((quote) => quote.event));
  const sources = await deps.database.read(work.scope.tenant, (store) => findEvents(store, work.scope, ids));
  const parts = clausesIn(event.content);
  const said = near.map((memory) => saidIn(memory, sources));
  const told = await unlessUnavailable(deps.readParts(parts, { said, signal }));
  const claimed = withoutContrast(parts, event.content);
  const stems = contentStems(claimed);
  let read = parts.length;
  return near.flatMap((target, index) => {
    const clauses = said[index] ?? [];
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

/** Whether a statement only repeats what a turn asks to forget: "please drop my old number". */
function isRequest({ quotes, events, value }: Statement, forgets: readonly CheckedForget[]): boolean {
  const isSaid = value !== null && isQuoted(value, quotes, events);
  return forgets.some(({ told }) => {
    const asking = (told?.asking ?? []).filter((each) => quotesMeet(quotes, [each]));
    if (asking.length === 0) return false;
    if (isSaid) return asking.some(({ text }) => normalValue(text).includes(normalValue(value)));
    return lengthOf(asking) * 2 >= lengthOf(quotes);
  });
}

async function readInput(work: FormWork): Promise<ReadInput> {
  const { deps, scope, reader, events, earlier, signal } = work;
  const { settings, memoryTypes, attributes } = deps;
  const isModel = reader.kind === 'model';
  const texts = events.filter(isReadable).map(({ content }) => content.slice(0, LONGEST_COMPARED));
  const vectors = isModel && settings.limits.existing > 0 ? await embedTexts(work, texts) : null;
  const wants = {
    reflections:
      isModel && settings.reflections && settings.reflectionCall === 'with-reading' && usesModel(deps, 'reflect'),
    topics: isModel && settings.summaries,
  };
  const ids = events.map(({ id }) => id);
  const { known, topics, names, speakers } = await deps.database.read(scope.tenant, async (store) => {
    const own = await memoriesFrom(store, scope.tenant, ids);
    const drafts = isModel ? own.filter((memory) => memory.reader === 'local') : [];
    const named = await listStatements(store, ownerOf(scope), {
      subjects: [USER],
      attributes: attributesWith('own', attributes),
      owner: deps.sharesFacts === true ? 'visible' : 'own',
    });
    return {
      known: settings.limits.existing === 0 ? [] : await knownStatements(store, work, { vectors, drafts }),
      topics: wants.topics ? await topicsToContinue(store, work) : [],
      // Drafts of these turns are left out: the local reader may have taken "Gert is fine", which is about the boss, for the user's name.
      names: userNamesOf(
        scope,
        named.filter(({ id }) => !drafts.some((draft) => draft.id === id)),
      ),
      speakers: events.some(({ origin, speaker }) => origin === 'user' && speaker !== null)
        ? await listSpeakers(store, scope)
        : [],
    };
  });
  return {
    turns: events,
    earlier,
    ownTexts: await ownTextsAmong(events, deps.readParts, { signal }),
    known,
    topics,
    types: [...memoryTypes]
      .filter(([, type]) => type.formable)
      .map(([name, { description }]) => ({ name, description })),
    attributes,
    timeZone: settings.timeZone,
    userNames: [...names, ...usualSpeaker(speakers, names)],
    wants,
  };
}

const MOST_RECENT = 200;

async function listSpeakers(store: Reader, scope: Scope): Promise<(string | null)[]> {
  const recent = { kind: 'message', origins: ['user'], limit: MOST_RECENT, order: 'newest' } as const;
  return (await ownEvents(store, ownerOf(scope), recent)).map(({ speaker }) => speaker);
}

/**
 * Below this cosine, a statement and a text have nothing in common. Measured with earlier vectors and a threshold of .12: a fifth of random
 * pairs was below it, and 30 of 936 recorded statements share no word with their turn, all above .137 to that turn or one before it.
 */
const LEAST_RELATED = 0.17;

/** If a model's statement shares no word with its sources, it must be close in meaning to one of them. */
async function checkReading(work: FormWork, read: readonly ReadStatement[], context: CheckContext): Promise<Checked> {
  if (context.isLocal) return checkStatements(read, context);
  const unrelated = new Set<ReadStatement>();
  const told: ReadStatement[] = [];
  for (const statement of read) {
    const sources = unsharedSources(statement, context);
    // A statement that shares no word with its sources was inferred.
    const each = sources === null ? statement : { ...statement, explicit: false };
    told.push(each);
    const nearness = sources === null ? null : await nearnessTo(work, statement.text, sources);
    if (nearness?.every(({ cosine }) => cosine < LEAST_RELATED) === true) unrelated.add(each);
  }
  return withoutUnrelated(work, checkStatements(told, { ...context, unrelated }), context);
}

async function withoutUnrelated(work: FormWork, checked: Checked, context: CheckContext): Promise<Checked> {
  const changes = checked.statements.flatMap((statement) => {
    const { relation, attribute, subject, text, events } = statement;
    const target = relation?.target;
    const isSameMatter = attribute !== null && attribute === target?.attribute && subject === target.subject;
    return target === undefined || isSameMatter
      ? []
      : [{ statement, target, said: [...saidWith(events, context), text] }];
  });
  const unrelated = await unrelatedChanges(work, changes);
  const isUnrelated = (statement: Statement): boolean => unrelated.some((each) => each.statement === statement);
  return {
    statements: checked.statements.map((each) => (isUnrelated(each) ? { ...each, relation: null } : each)),
    refused: [
      ...checked.refused,
      ...unrelated.map(({ target, statement }) => ({ ...unrelatedTarget(target, statement.events), index: -1 })),
    ],
  };
}

/** Tells a model once which items were refused. An item that is refused again stays refused. */
async function amended(
  work: FormWork,
  input: ReadInput,
  checked: Checked,
  context: CheckContext & { endless: readonly Refusal[] },
): Promise<Checked> {
  const all = [...checked.refused, ...context.endless.map((each) => ({ ...each, index: -1 }))];
  const mendable = all.filter((each) => isMendable(each) && each.text !== null && each.text !== '');
  if (work.reader.amend === undefined || mendable.length === 0) return checked;
  const again = await checkReading(work, await work.reader.amend(input, mendable, { signal: work.signal }), context);
  // A model may repeat its whole answer, so only new items are corrections.
  const passed = new Set(checked.statements.map(({ text }) => contentHash(text)));
  const mended = again.statements.filter(({ text }) => !passed.has(contentHash(text)));
  const left = [...mendable];
  for (const { text } of mended) {
    const likeness = left.map((refusal) => lexicalSimilarity(text, refusal.text ?? ''));
    left.splice(likeness.indexOf(Math.max(...likeness)), 1);
  }
  const refused = checked.refused.filter((refusal) => !mendable.includes(refusal) || left.includes(refusal));
  return { statements: [...checked.statements, ...mended], refused };
}

type Retiring = Pick<Formable, 'statements' | 'requests'>;

/**
 * Limits how many known statements one reading may end or replace: `limits.retired`, or the number of user turns if that is higher. Above
 * the limit, all ends are refused, and replacing statements are compared by their fields alone.
 */
function withinRetired({ deps, events }: FormWork, { statements, requests }: Retiring): Retiring {
  const retires = ({ relation }: Statement): boolean => relation?.kind === 'replaces' || relation?.kind === 'ends';
  const most = Math.max(deps.settings.limits.retired, events.filter(({ origin }) => origin === 'user').length);
  if (statements.filter(retires).length + requests.ends.length <= most) return { statements, requests };
  const refused = requests.ends.map(({ target, evidence }) =>
    refusal('end', 'excess', target.content, { events: [evidence.event] }),
  );
  return {
    statements: statements.map((statement) => (retires(statement) ? { ...statement, relation: null } : statement)),
    requests: { ...requests, ends: [], refused: [...requests.refused, ...refused] },
  };
}

/** Asks the model in at most one call. */
async function verdictsOf(
  work: FormWork,
  { statements, vectors, shown }: Pick<Formable, 'statements' | 'vectors'> & { shown: readonly Memory[] },
): Promise<ReadonlyMap<Statement, Verdict>> {
  const { deps, scope, meter, signal } = work;
  if (deps.languageModel === null || !usesModel(deps, 'decide')) return new Map();
  const candidates = await deps.database.read(scope.tenant, (store) =>
    findCandidates(store, work, { statements, vectors }),
  );
  const context = { ...decideContext(deps), shown: new Set(shown.map(({ id }) => id)) };
  // Drafts of the same turns are about to be replaced.
  const questions = statements.flatMap((statement, index) => {
    const found = (candidates[index] ?? []).filter(({ memory }) => !isDraftOf(work.events, memory));
    const open = openCandidates(statement, found, context).slice(0, deps.settings.limits.candidates);
    return open.length === 0 ? [] : [{ statement, candidates: open }];
  });
  return askVerdicts(meter.languageModel(deps.languageModel), questions, signal);
}

export function withoutIndex({ index: _index, ...refusal }: Refusal & { index: number }): Refusal {
  return refusal;
}
