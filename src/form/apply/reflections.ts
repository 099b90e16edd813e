import { anyWords } from '../../language/packs/packs.ts';
import { MONTHS, WEEKDAYS, WRITTEN_DATE } from '../../language/calendar.ts';
import { possibleNames } from '../../language/names.ts';
import { addressesIn, isForOwner, isInstruction, isOrdered, permits, ruleAuthorises } from '../../language/claims.ts';
import { applyPrivacy } from '../../language/privacy-policy.ts';
import { isEnglish, isNameSaid, numberNotSaid, numbersSaid } from '../../language/quotes.ts';
import { DATED_QUOTATION, isDated, undated, withDatedNote } from '../../language/sentences.ts';
import { contentStems, coveredBy, plainText } from '../../language/words.ts';
import type { Event } from '../../record/event.ts';
import { type InternalMemory, isoDay, type Memory } from '../../record/memory.ts';
import { ownerLevel, type Scope, type ScopeLevel } from '../../record/scope.ts';
import { typesThat } from '../../record/memory-types.ts';
import type { Reader, Writer } from '../../store/database.ts';
import { findEntitiesByName } from '../../store/entity-store.ts';
import { listMemories } from '../../store/read-memories.ts';
import { newMemory } from '../../store/record-rows.ts';
import { findLive, writeMemory } from '../../store/write-memory.ts';
import { askReflections } from '../read/model-reader.ts';
import { type Reading, type ReadInput, type ReadReflection, refusal, usesModel } from '../read/reader.ts';
import type { FormWork, Writing } from '../formation-settings.ts';
import type { Statement } from '../statement.ts';
import { lowestTrust, trustOf } from '../../record/statement.ts';
import { countWords } from '../../record/parse.ts';

/** The reflections of a model's reading, or those of a separate call that is shown the new statements. */
export async function reflectionsOf(
  work: FormWork,
  reading: Reading,
  statements: Statement[],
): Promise<ReadReflection[]> {
  const { deps, events, meter, signal } = work;
  const { settings, languageModel } = deps;
  if (!settings.reflections || languageModel === null) return [];
  if (settings.reflectionCall === 'with-reading') return reading.reflections;
  if (!usesModel(deps, 'reflect') || !events.some(({ origin }) => origin === 'user')) return [];
  const current = await deps.database.read(work.scope.tenant, (store) =>
    listMemories(store, work.scope, { types: ['reflection'], limit: 40 }, { now: deps.clock.now() }),
  );
  const input = { events: spokenEvents(events), statements, inMind: current.items.map(({ content }) => content) };
  return askReflections(meter.languageModel(languageModel), input, signal);
}

/** Reflections and topics may repeat only names and numbers that occur in the turns or in `known`. */
interface Reflected extends Pick<Reading, 'reflections' | 'topics'> {
  known: readonly string[];
}

/** The sources are messages of the user and the agent, never tools or documents. */
export async function writeReflections(given: Writing, reflected: Reflected): Promise<void> {
  const writing = { ...given, events: spokenEvents(given.events) };
  await writeReflected(writing, reflected);
  await writeTopics(writing, reflected);
}

export function spokenEvents(events: readonly Event[]): Event[] {
  return events.filter(({ kind, origin }) => kind === 'message' && (origin === 'user' || origin === 'agent'));
}

const MOST_WORDS = 35;
// A reflection is a repetition if another one contains at least this fraction of its words.
const REPEATS = 0.8;
const LEVELS = ['agent', 'user', 'session'] as const;

/** All users share the agent level: no reflection there may be about a person, give an order, permit anything or contain an address. */
async function writeReflected(writing: Writing, { reflections, known }: Reflected): Promise<void> {
  const { writer, deps, scope, events, result } = writing;
  if (reflections.length === 0 || !deps.settings.reflections) return;
  const current = await listMemories(writer, scope, { types: ['reflection'], limit: 200 }, { now: deps.clock.now() });
  const inMind = current.items.map(({ content }) => contentStems(content));
  const ordered = LEVELS.flatMap((level) => reflections.filter((reflection) => reflection.level === level));
  const seen = { agent: 0, user: 0, session: 0 };
  for (const { level, text: given } of ordered) {
    const text = plainText(given);
    const stems = contentStems(text);
    const isExcess = (seen[level] += 1) > deps.settings.limits.reflectionsPerLevel;
    const checked = isExcess
      ? refusal('reflection', 'excess', text)
      : level === 'agent' && isForOwner(text)
        ? refusal('reflection', 'instruction_from_outside', text)
        : checkText(writing, 'reflection', text, known);
    const isRepeated = inMind.some((other) => coveredBy(stems, other) >= REPEATS);
    const verdict = 'reason' in checked || !isRepeated ? checked : refusal('reflection', 'repeated', text);
    if ('reason' in verdict) {
      result.refused.push(verdict);
      continue;
    }
    const input: InternalMemory = {
      type: 'reflection',
      content: verdict.text,
      level: await levelOf(writing, level, text),
      ...sourceOf(writing, events),
      sourceType: 'inference',
      tags: verdict.tags,
    };
    const reason = { ...writing.why, reason: 'reflected on the conversation' };
    const { memory, outcome } = await writeMemory(writer, deps, scope, input, reason);
    inMind.push(stems);
    if (outcome === 'created') result.reflections.push(memory.id);
  }
}

/** A reflection about a person is never stored above the user level. Falls back to a level that the scope has. */
async function levelOf({ writer, scope }: Writing, level: ScopeLevel, text: string): Promise<ScopeLevel> {
  const own = ownerLevel(scope);
  if (level === 'session') return scope.session === null ? own : 'session';
  if (level === 'agent' && scope.agent !== null && !(await speaksOfPerson(writer, text, scope))) return 'agent';
  return scope.user !== null ? 'user' : scope.session === null ? own : 'session';
}

// Words for a single user. A reflection about users in general is not about a person.
const THE_USER = anyWords('theUser');

async function speaksOfPerson(writer: Writer, text: string, scope: Scope): Promise<boolean> {
  const { user } = scope;
  if (THE_USER.test(text) || (user !== null && text.toLowerCase().includes(user.toLowerCase()))) return true;
  const capitalised = text.match(/(?<![\p{L}\p{N}])\p{Lu}[\p{L}'-]+/gu) ?? [];
  const entities = await findEntitiesByName(writer, scope, capitalised);
  const unknown = possibleNames(text, 'sentence').filter((name) => !entities.some((entity) => entity.name === name));
  return unknown.length > 0 || entities.some(({ type }) => type === 'person');
}

const TITLE = 'Summary: ';
const LONGEST_SUMMARY = 4000;

/** One memory per topic. A known topic is updated. */
async function writeTopics(writing: Writing, { topics, known }: Reflected): Promise<void> {
  const { writer, deps, scope, events, result, why } = writing;
  const { mostTopics, minimumInteractions } = deps.settings.summary;
  if (events.filter(({ origin }) => origin === 'user').length < minimumInteractions) return;
  for (const { topic, summary, turns } of topics.slice(0, mostTopics)) {
    const title = plainText(topic).slice(0, 200);
    const text = summary.split('\n').map(plainText).join('\n').trim().slice(0, LONGEST_SUMMARY);
    if (title === '' || text === '') continue;
    // If a topic continues, its new summary may repeat the earlier one.
    const verdict = checkText(writing, 'topic', text, known);
    if ('reason' in verdict) {
      result.refused.push(verdict);
      continue;
    }
    const cited = turns.flatMap((turn) => events[turn - 1] ?? []);
    const input: InternalMemory = {
      type: 'summary',
      title: `${TITLE}${title}`,
      content: verdict.text,
      level: ownerLevel(scope),
      ...sourceOf(writing, cited.length === 0 ? events : cited),
      sourceType: 'conversation',
      tags: verdict.tags,
    };
    const content = continuedSummary(await findLive(writer, deps, newMemory(deps, scope, input)), verdict.text);
    const reason = { ...why, reason: 'summed up the session' };
    const { memory } = await writeMemory(writer, deps, scope, { ...input, content }, reason);
    result.topics.push(memory.id);
  }
}

/**
 * A new summary replaces an earlier line if it contains the fraction `share` of its words, or the fraction `smaller` and at least `words`
 * of them. In ten lives of the data set `lives`, nearly all summaries of a known topic reach `smaller`, and say what became of the earlier
 * line.
 */
const CONTINUES = { share: 0.35, smaller: 0.15, words: 4 };

/** Other earlier lines stay, with their date, because the new text may contradict them. The oldest are dropped if it gets too long. */
function continuedSummary(known: Memory | null, text: string): string {
  if (known === null) return text;
  const stems = contentStems(text);
  const isContinued = (line: string): boolean => {
    const said = contentStems(undated(line));
    const share = coveredBy(said, stems);
    const isPartly = share >= CONTINUES.smaller && share * said.size >= CONTINUES.words;
    return !DATED_QUOTATION.test(line) && (share >= CONTINUES.share || isPartly);
  };
  const earlier = known.content
    .split('\n')
    .filter((line) => !isContinued(line))
    .map((line) => (isDated(line) ? line : withDatedNote(line, 'asOf', isoDay(known.statedAt))));
  const said = new Map<string, string>();
  for (const line of [...earlier, ...text.split('\n')]) {
    // Of a repeated line, only the last version is kept, with its date.
    said.delete(undated(line));
    said.set(undated(line), line);
  }
  const lines = [...said.values()];
  while (lines.length > 1 && lines.join('\n').length > LONGEST_SUMMARY) lines.shift();
  return lines.join('\n');
}

const MOST_SUMMARIES = 50;
const MOST_TOPICS = 10;

/** In characters. */
const SHOWN_SUMMARY = 1200;

function lastOf(summary: string): string {
  return summary.length <= SHOWN_SUMMARY ? summary : summary.slice(-SHOWN_SUMMARY).replace(/^\S*\s+/, '');
}

export async function topicsToContinue(store: Reader, work: FormWork): Promise<ReadInput['topics']> {
  const { deps, scope, events } = work;
  const said = contentStems(events.map(({ content }) => content).join(' '));
  const types = typesThat(deps.memoryTypes, ({ section }) => section === 'summaries');
  const { items } = await listMemories(store, scope, { types, limit: MOST_SUMMARIES }, { now: deps.clock.now() });
  return items
    .map((memory, age) => ({ memory, age, shared: coveredBy(contentStems(memory.title ?? ''), said) }))
    .toSorted((one, other) => other.shared - one.shared || one.age - other.age)
    .slice(0, MOST_TOPICS)
    .flatMap(({ memory: { title, content } }) =>
      title === null ? [] : [{ topic: title.replace(TITLE, ''), summary: lastOf(content) }],
    );
}

function sourceOf({ readBy, scope }: Writing, events: readonly Event[]) {
  return {
    trust: lowestTrust(events.map(({ origin }) => trustOf(origin))),
    confidence: 'medium' as const,
    sourceSession: scope.session,
    sourceEvents: events.map(({ id }) => id),
    statedAt: events.at(-1)?.occurredAt,
    statedBy: 'agent' as const,
    reader: readBy,
  };
}

/** Checks a text without quotes: it must not contain a name, a number, an address or an instruction that nobody said. */
function checkText({ deps, events }: Writing, what: 'reflection' | 'topic', text: string, known: readonly string[]) {
  if (text === '') return refusal(what, 'malformed', text);
  if (what === 'reflection' && countWords(text) > MOST_WORDS) return refusal(what, 'too_long', text);
  const { text: cleaned, dropped, marks } = applyPrivacy(text, deps.settings.privacy);
  if (dropped !== null) return refusal(what, 'private', null, { detail: dropped });
  const said = [...events.map(({ content, speaker }) => `${speaker ?? ''} ${content}`), ...known];
  const dates = events.map(({ occurredAt }) => occurredAt.toISOString());
  const number = numberNotSaid(text.replace(WRITTEN_DATE, ' '), numbersSaid([...said, ...dates].join('\n')));
  // A number up to 31 may be a day of the month, computed from the date of the turn.
  if (number !== null && !(Number(number) <= 31)) return refusal(what, 'value_not_said', text, { detail: number });
  const capitalised = text.match(/(?<=\p{Ll}[,;]?\s)\p{Lu}\p{Ll}[\p{L}\p{M}\p{N}'-]*/gu) ?? [];
  // Only English is checked: in German, for example, every noun has a capital letter.
  const names = isEnglish(text) ? capitalised : [];
  const unknown = names.find(
    (name) => !/^(?:User|Assistant|Agent)/.test(name) && !isNameSaid(name, said) && !MONTHS_AND_WEEKDAYS.has(name),
  );
  if (unknown !== undefined) return refusal(what, 'value_not_said', text, { detail: unknown });
  const address = addressesIn(text).find((each) => !said.some((source) => source.includes(each)));
  if (address !== undefined) return refusal(what, 'value_not_said', text, { detail: address });
  const own = events.filter(({ origin }) => origin === 'user').map(({ content }) => content);
  const needsOrder = permits(text) || ruleAuthorises(text);
  if ((isInstruction(text) && !said.some((each) => isInstruction(each))) || (needsOrder && !isOrdered(text, own)))
    return refusal(what, 'instruction_from_outside', text);
  return { text: cleaned, tags: marks.map((mark) => `sensitive:${mark}`) };
}

const MONTHS_AND_WEEKDAYS: ReadonlySet<string> = new Set([...MONTHS, ...WEEKDAYS]);
