import { parseDate, zoneOf } from '../../language/calendar.ts';
import { isForOwner } from '../../language/claims.ts';
import { KINSHIP } from '../../language/entities.ts';
import { wordsOfAll } from '../../language/packs/packs.ts';
import { possibleNames } from '../../language/names.ts';
import { applyNamed, applyPrivacy } from '../../language/privacy-policy.ts';
import { isNegated } from '../../language/quotes.ts';
import { resolveDates } from '../../language/resolve-dates.ts';
import { keySchema, snakeCase } from '../../record/attribute-table.ts';
import {
  belongsToUser,
  canonicalSubject,
  type Confidence,
  isSameSubject,
  isUser,
  knownSubject,
  lowestTrust,
  type Tense,
  type Trust,
  trustOf,
  USER,
} from '../../record/statement.ts';
import { hasTrait } from '../../record/attributes.ts';
import { plainText } from '../../language/words.ts';
import { DAY } from '../../record/clock.ts';
import type { Event } from '../../record/event.ts';
import type { SourceType } from '../../record/memory.ts';
import { countWords } from '../../record/parse.ts';
import { ownerLevel, type ScopeLevel } from '../../record/scope.ts';
import { type ReadStatement, type Refusal, refusal, type RefusalReason } from '../read/reader.ts';
import type { Evidence, Statement } from '../statement.ts';
import {
  type CheckContext,
  type Checking,
  checkOrigin,
  checkWords,
  clippedWords,
  isReportedFromOutside,
  isOfAnother,
  isOwnWordOfAnother,
  isRecalled,
  isStated,
  locateQuotes,
  mayChangeKnown,
  quotedWords,
  quoteOf,
  trustOfEvent,
  trustOfWords,
} from './evidence.ts';

export interface Checked {
  statements: Statement[];
  refused: (Refusal & { index: number })[];
}

export function withoutIndex({ index: _index, ...refusal }: Refusal & { index: number }): Refusal {
  return refusal;
}

const WORD_LIMIT = 30;

export function checkStatements(read: readonly ReadStatement[], context: CheckContext): Checked {
  const checked: Checked = { statements: [], refused: [] };
  for (const [index, statement] of read.entries()) {
    const verdict = index < mostStatements(context) ? checkStatement(statement, context) : refuse(statement, 'excess');
    if ('subject' in verdict) checked.statements.push(verdict);
    else checked.refused.push({ ...verdict, index });
  }
  checked.statements.sort((one, other) => one.statedAt.getTime() - other.statedAt.getTime());
  return checked;
}

/** One statement for every six words, within the limits of the settings. */
function mostStatements({ events, settings: { limits } }: CheckContext): number {
  const words = events.reduce((sum, event) => sum + countWords(event.content.slice(0, 20_000)), 0);
  return Math.min(limits.memories, Math.max(limits.minimumMemories, Math.ceil(words / 6)));
}

function checkStatement(read: ReadStatement, context: CheckContext): Statement | Refusal {
  const given = resolveNames(clean(read), context);
  const type = context.memoryTypes.get(given.type);
  if (given.text === '' || type === undefined) return refuse(read, 'malformed');
  const cited = locateQuotes(given, context);
  const named = { ...given, subject: ownSubject(given.subject, read, { ...context, evidence: cited }) };
  const isUnquoted = context.stated !== undefined && named.quotes.length === 0;
  const origin = isUnquoted
    ? { evidence: [] }
    : checkOrigin({ ...named, isPersonal: type.personal }, cited, context.userNames);
  if ('reason' in origin) return refuse(read, origin.reason, origin.detail, cited);
  const { evidence } = origin;
  const checking = { ...context, evidence };
  const said = saidIn(checking);
  const { quoted, ...source } = said;
  if (isRecalled(quoted, named, context)) return refuse(read, 'recalled_text', undefined, evidence);
  const [clipped] = context.isLocal ? [] : evidence.flatMap((each) => clippedWords(each, named) ?? []);
  if (clipped !== undefined) return refuse(read, 'quote_not_found', `the quote leaves out: ${clipped}`, evidence);
  if (context.unrelated?.has(read) === true) return refuse(read, 'says_more_than_quote', undefined, evidence);
  const resolved = resolveTimes(named, said, context);
  const problem = checkWords(resolved, checking, type.wordLimit ?? WORD_LIMIT);
  if (problem !== null) return refuse(read, problem.reason, problem.detail, evidence);
  const kept = withoutPrivate(resolved, context.settings.privacy);
  if (kept.dropped !== null) return { ...refuse(read, 'private', kept.dropped, evidence), text: null };
  const own = ownerLevel(context.scope);
  const trust = isReportedFromOutside(resolved, checking) ? 'low' : trustIn(checking, resolved.subject, said);
  const level = type.levels.includes(own) ? levelOf(resolved, checking, trust) : null;
  if (level === null)
    return refuse(read, 'malformed', `a ${resolved.type} cannot be stored at the level ${own}`, evidence);
  const { subject, polarity, tense, validFrom, validTo, dueAt } = resolved;
  return {
    subject,
    polarity,
    tense,
    validFrom,
    validTo,
    dueAt,
    type: resolved.type,
    attribute: keySchema.safeParse(resolved.attribute).success ? resolved.attribute : null,
    value: kept.value,
    text: kept.text,
    level: type.levels.includes(level) ? level : own,
    importance: share(resolved.importance, type.defaultImportance, resolved.explicit),
    confidence: confidenceOf(resolved, evidence),
    trust,
    sourceType: context.sourceType ?? sourceTypeOf(resolved, source.events),
    ...source,
    quotes: evidence.map(quoteOf),
    tags: tagsOf(resolved, kept.marks, context),
    names: resolved.names.filter((name) => applyPrivacy(name, context.settings.privacy).text === name),
    relation: relationOf(resolved, checking),
  };
}

/** "The cat Eskom · pet_name = Eskom" is about the user only if the user said it, and not another speaker of a group chat. */
function ownSubject(subject: string, read: ReadStatement, { evidence, userNames, subjects }: Checking): string {
  const given = canonicalSubject(read.subject, userNames);
  const isOthers = evidence.some(({ event }) => isOfAnother(event, userNames));
  return isUser(subject) && !isUser(given) && isOthers ? knownSubject(given, subjects) : subject;
}

type Said = Pick<Statement, 'statedAt' | 'statedBy' | 'events' | 'timeZone'> & { quoted: string };

function saidIn({ evidence, stated, settings: { timeZone } }: Checking): Said {
  const last = evidence.at(-1)?.event;
  return {
    quoted: evidence.map(quotedWords).join(' … '),
    statedAt: last?.occurredAt ?? stated?.at ?? new Date(0),
    statedBy: last?.origin ?? stated?.by ?? 'system',
    timeZone: last === undefined ? timeZone : zoneOf(last, timeZone),
    events:
      last === undefined
        ? [...(stated?.events ?? [])]
        : [...new Map(evidence.map(({ event }) => [event.id, event])).values()],
  };
}

/** `dropped`: the category that forbids storing the statement at all. */
function withoutPrivate({ text, attribute, value }: ReadStatement, privacy: CheckContext['settings']['privacy']) {
  const kept = applyPrivacy(text, privacy);
  const pair = applyNamed(attribute ?? '', value ?? '', privacy);
  return {
    text: kept.text,
    value: value === null ? null : pair.text.slice(0, 500),
    marks: [...kept.marks, ...pair.marks],
    dropped: kept.dropped ?? pair.dropped,
  };
}

/** The lowest trust of the quoted words or, without quotes, of the supporting events. */
function trustIn({ evidence, userNames }: Checking, subject: string, said: Said): Trust {
  if (evidence.length > 0) return lowestTrust(evidence.map((each) => trustOfWords(each, subject, userNames)));
  return said.events.length === 0 ? trustOf(said.statedBy) : lowestTrust(said.events.map(trustOfEvent));
}

function clean(read: ReadStatement): ReadStatement {
  return {
    ...read,
    text: plainText(read.text),
    value: read.value === null ? null : plainText(read.value),
    subject: plainText(read.subject),
    tags: read.tags.map(plainText),
    names: read.names.map(plainText),
  };
}

/** All users share the agent level, so statements about a person, words from outside, addresses and orders are never stored there. */
function levelOf(
  { forEveryone, subject, text }: ReadStatement,
  { evidence, scope }: Checking,
  trust: Trust,
): ScopeLevel {
  const own = ownerLevel(scope);
  if (!forEveryone || scope.agent === null || own !== 'user' || trust === 'low' || isForOwner(text)) return own;
  const isPersonal =
    isUser(subject) || belongsToUser(subject) || evidence.some((each) => FIRST_PERSON.test(quotedWords(each)));
  return isPersonal || mayBePerson(subject) ? own : 'agent';
}

/** A capitalised name, letters of a script without upper and lower case, or a word for a relative. */
function mayBePerson(subject: string): boolean {
  const words = subject.toLowerCase().split(/[^\p{L}-]+/u);
  return (
    /\p{Lo}/u.test(subject) || possibleNames(subject, 'label').length > 0 || words.some((word) => KINSHIP.has(word))
  );
}

const FIRST_PERSON = new RegExp(`(?<![\\p{L}\\p{N}])(?:${wordsOfAll('firstPerson')})(?![\\p{L}\\p{N}])`, 'iu');

// A memory below 0.3 is archived after a month without use, which is too soon for an explicit statement.
const LEAST_SAID = 0.4;

function share(importance: number | null, fallback: number, isSaid: boolean): number {
  if (importance === null || !Number.isFinite(importance)) return fallback;
  return Math.round(Math.min(1, Math.max(isSaid ? LEAST_SAID : 0, importance)) * 100) / 100;
}

function confidenceOf({ explicit }: ReadStatement, evidence: readonly Evidence[]): Confidence {
  return explicit && evidence.every(({ event }) => event.origin === 'user') ? 'high' : 'medium';
}

function sourceTypeOf({ explicit }: ReadStatement, events: readonly Event[]): SourceType {
  if (events.some((event) => event.metadata['source'] === 'autonomous')) return 'inference';
  const isUsers = events.some((event) => event.origin === 'user' && !isStated(event));
  return explicit && isUsers && events.every(({ origin }) => origin === 'user' || origin === 'agent')
    ? 'explicit'
    : 'conversation';
}

const MOST_TAGS = 20;

function tagsOf({ tags }: ReadStatement, marks: readonly string[], { settings }: CheckContext): string[] {
  const clean = tags
    .map((tag) => tag.trim().slice(0, 100))
    .filter((tag) => /\S/.test(tag) && applyPrivacy(tag, settings.privacy).text === tag);
  return [...new Set([...marks.map((mark) => `sensitive:${mark}`), ...clean])].slice(0, MOST_TAGS);
}

function relationOf({ relation, subject }: ReadStatement, checking: Checking): Statement['relation'] {
  const { evidence, known, userNames } = checking;
  const target = relation === null ? undefined : known[relation.known - 1];
  if (relation === null || target === undefined) return null;
  if (evidence.length > 0 && !evidence.some((each) => mayChangeKnown(each, target, userNames))) return null;
  const isOwnMatter =
    isSameSubject(subject, target.subject) && evidence.some((each) => isOwnWordOfAnother(each, subject, userNames));
  return { kind: relation.kind, target, isOwnMatter };
}

function refuse({ text }: ReadStatement, reason: RefusalReason, detail?: string, evidence: Evidence[] = []): Refusal {
  return refusal('statement', reason, text, { detail, events: evidence.map(({ event }) => event) });
}

type ResolveContext = Pick<CheckContext, 'memoryTypes' | 'attributes' | 'userNames' | 'subjects'>;

type ResolvedStatement = ReadStatement & Pick<Statement, 'validFrom' | 'validTo' | 'dueAt'>;

/** Unknown attributes are kept, and may have several values. */
export function resolveNames(statement: ReadStatement, context: ResolveContext): ReadStatement {
  // Some models put the value into the attribute: `likes:pizza`.
  const [name, ...rest] = (statement.attribute ?? '').split(':');
  const value = statement.value ?? (rest.join(':').replaceAll('_', ' ').trim() || null);
  const attribute = attributeOf(name, value, context);
  const named = { ...statement, attribute, value, subject: canonicalSubject(statement.subject, context.userNames) };
  const written = value === null || value.trim() === '' ? null : spelled(value.trim(), attribute, context);
  // The user's own words stay as they were typed.
  const isRendered = !statement.quotes.some(({ words }) => words.includes(statement.text));
  return {
    ...named,
    value: written,
    text: isRendered && written !== null ? statement.text.replace(value ?? '', () => written) : statement.text,
    type: typeOf(statement, context),
    subject: namesItsOwnSubject(named, context) ? USER : knownSubject(named.subject, context.subjects),
  };
}

/** A type that readers may not form becomes the nearest one that they may form. */
function typeOf({ type, tense }: ReadStatement, { memoryTypes }: ResolveContext): string {
  const policy = memoryTypes.get(type);
  if (policy?.formable !== true) return type === 'instruction' ? 'preference' : 'fact';
  // A recurring task ("a letter to Grandma every Sunday") has no single day. As an intention, it would expire after the first Sunday.
  return tense === 'habit' && policy.due === 'required' ? 'fact' : type;
}

/** Capitalises a name that was typed in lower case: "wendell tulk" becomes "Wendell Tulk". */
function spelled(value: string, attribute: string | null, { attributes }: ResolveContext): string {
  if (attribute === null || value !== value.toLowerCase()) return value;
  const { shape, namesSomebody, category } = attributes.policyOf(attribute);
  // Only people and places always have proper names. An employer may be "the hospital laundry", and a school "left at 15".
  const isName = namesSomebody || category === 'location' || hasTrait(attribute, 'own', attributes);
  if (shape !== 'name' || !isName || /\d/.test(value)) return value;
  // A word without a vowel is an abbreviation: "nyc".
  return value
    .replace(/(?<![\p{L}\p{M}\p{N}'’.])\p{Ll}/gu, (letter) => letter.toUpperCase())
    .replace(/^[b-df-hj-np-tv-z]{2,4}$/iu, (letters) => letters.toUpperCase());
}

/** "User's son Tai · child_name = Tai" says whose child Tai is, so it is about the user. */
function namesItsOwnSubject({ subject, attribute, value }: ReadStatement, { attributes }: ResolveContext): boolean {
  if (attribute === null || value === null || !attributes.policyOf(attribute).namesSomebody) return false;
  const [name = ''] = nameWords(value);
  const isName = (word: string): boolean => word === name || (/\p{Lo}/u.test(name) && word.includes(name));
  return !isUser(subject) && name !== '' && nameWords(subject).some(isName);
}

/** In lower case: "User's wife D'Arcy" gives user, wife and d'arcy. */
function nameWords(text: string): string[] {
  const plain = text
    .toLowerCase()
    .replaceAll('’', "'")
    .replace(/'s(?![\p{L}\p{M}\p{N}])/gu, '');
  return plain.match(/[\p{L}\p{M}\p{N}.-]+(?:'[\p{L}\p{M}\p{N}.-]+)*/gu) ?? [];
}

/** `daughter` becomes `child_name` only if the value is a name. `home` = "Three women, one toilet" is not a city. */
function attributeOf(name: string | undefined, value: string | null, { attributes }: ResolveContext): string | null {
  const attribute = attributes.resolve(name);
  const given = snakeCase(name ?? '');
  if (attribute === null || attribute === given) return attribute;
  const { shape, namesSomebody, category } = attributes.policyOf(attribute);
  if (shape !== 'name') return attribute;
  const isName =
    value !== null &&
    /^[\p{Lu}\p{Lo}]/u.test(value) &&
    !((namesSomebody || category === 'location') && /(?<![\p{L}\p{M}])\p{Ll}{4,}/u.test(value));
  return isName ? attribute : given;
}

/** If a habit seems to end within this time, the reader took its next occurrence for the end. */
const LONGEST_INTERVAL = 7 * DAY;

/**
 * A relative day in the quoted words ("next Friday") outranks the reader's date, unless that day belongs to something else. A habit has no
 * dates, except an end that was said. Statements that had ended when they were made, and plans whose day was more than a month ago, become
 * past events.
 */
function resolveTimes(
  statement: ReadStatement,
  { quoted, statedAt, timeZone }: Said,
  { earlier, events }: CheckContext,
): ResolvedStatement {
  const to = parseDate(statement.to, timeZone);
  if (statement.tense === 'habit') {
    const isEnd = to !== null && to.getTime() - statedAt.getTime() > LONGEST_INTERVAL;
    return { ...statement, validFrom: null, validTo: isEnd ? to : null, dueAt: null };
  }
  const said = dayIn(quoted, statedAt, timeZone, statement.tense);
  const agreed = (text: string | null): Date | null => {
    const read = parseDate(text, timeZone);
    if (read === null || said === null || isWithin(read, said)) return read;
    // In "signed today", the day does not belong to the job, which begins later.
    const isLater = statement.tense !== 'happened' && said.from <= statedAt && read > said.to;
    return isLater || isNamedIn([...earlier, ...events], read, timeZone) ? read : said.from;
  };
  const from = agreed(statement.from);
  const dueAt = agreed(statement.due);
  const validFrom = statement.tense === 'planned' ? (from ?? dueAt) : from;
  return {
    ...statement,
    tense: to !== null && to <= statedAt ? 'happened' : tenseOf(statement.tense, validFrom, statedAt),
    validFrom,
    validTo: to !== null && validFrom !== null && to < validFrom ? null : to,
    dueAt,
  };
}

function tenseOf(tense: Tense, validFrom: Date | null, statedAt: Date): Tense {
  const ahead = validFrom === null ? 0 : validFrom.getTime() - statedAt.getTime();
  // A state that begins on a later day is a plan until then: "From tomorrow on I work at the clinic".
  if (tense === 'holds' && ahead >= DAY) return 'planned';
  // A plan for "May" that is stated in the middle of May begins on 1 May, but may still lie ahead.
  return tense === 'planned' && ahead < -31 * DAY ? 'happened' : tense;
}

interface SaidDate {
  from: Date;
  to: Date;
}

/** A relative day ("next Friday"). Null for several dates: in "yesterday I signed, I start on 1 April" it is unclear which counts. */
function dayIn(quoted: string, now: Date, timeZone: string, tense: Tense): SaidDate | null {
  const prefer = tense === 'planned' ? 'future' : 'past';
  const [only, ...others] = resolveDates(quoted.slice(0, 2000), { now, timeZone, prefer });
  if (only === undefined || others.length > 0 || isNegated(quoted)) return null;
  const { from, to, relative, precision, text } = only;
  return from === null || to === null || !relative || precision !== 'day' || /\d/.test(text) ? null : { from, to };
}

function isWithin(read: Date, { from, to }: SaidDate): boolean {
  return read.getTime() >= from.getTime() - DAY && read.getTime() <= to.getTime() + DAY;
}

/** Whether the turns name the date, as a day or as the first or last day of a longer time such as a month. */
function isNamedIn(turns: readonly Event[], read: Date, timeZone: string): boolean {
  return turns.some(({ content, occurredAt: now }) =>
    (['past', 'future'] as const)
      .flatMap((prefer) => resolveDates(content, { now, timeZone, prefer }))
      .some(({ from, to }) =>
        [from, to].some((end) => end !== null && Math.abs(end.getTime() - read.getTime()) <= DAY),
      ),
  );
}
