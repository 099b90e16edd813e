import { applyPrivacy } from '../../language/privacy-policy.ts';
import { isEnglish, isNameSaid, isNegated, locateQuote, numberNotSaid, numbersSaid } from '../../language/quotes.ts';
import { contentStems, coveredBy } from '../../language/words.ts';
import type { Event } from '../../record/event.ts';
import { keySchema, type Memory, type SourceType } from '../../record/memory.ts';
import { ownerLevel, type Scope, type ScopeLevel } from '../../record/scope.ts';
import {
  belongsToUser,
  type Confidence,
  isUser,
  lowestTrust,
  type Origin,
  type Trust,
  trustOf,
} from '../../record/statement.ts';
import { type Refusal, refusal, type RefusalReason } from '../formation-result.ts';
import type { FormationSettings } from '../formation-settings.ts';
import type { ReadQuote, ReadStatement } from '../read/reader.ts';
import { type ResolveContext, resolveNames, resolveTimes } from '../resolve.ts';
import type { Statement } from '../statement.ts';
import { checkOrigin, type Evidence, isInstruction, isStated } from './origin.ts';
import { countWords } from '../../record/parse.ts';

/** What statements are checked against. */
export interface CheckContext extends ResolveContext {
  scope: Scope;
  settings: FormationSettings;
  /** The turns: turn 1 is the first of them. */
  events: readonly Event[];
  /** The turns before: names may come from there. */
  earlier: readonly Event[];
  /** The known statements that the reader was shown: known 1 is the first of them. */
  known: readonly Memory[];
  /** Whether the reader is our own code, whose quote may be a whole turn. */
  isLocal: boolean;
  sourceType?: SourceType;
  /** Of statements that come from outside the log, and have nothing to quote: when they were said, and by whom. */
  stated?: { at: Date; by: Origin };
  /** Texts that were given out for this conversation: a turn that repeats one word for word says nothing new. */
  recalled?: readonly string[];
}

/** What passed, and what did not with its reason. One bad item never costs the others. */
export interface Checked {
  statements: Statement[];
  refused: (Refusal & { index: number })[];
}

const WORD_LIMIT = 30;

/** Checks each statement by its quote, and gives those that pass in the order in which they were said. */
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

/** A long message can hold many statements: one for every six words, and never fewer than a dozen in a stretch. */
function mostStatements({ events, settings }: CheckContext): number {
  const words = events.reduce((sum, event) => sum + countWords(event.content.slice(0, 20_000)), 0);
  return Math.min(settings.limits.memories, Math.max(settings.limits.memoriesPerTurn, Math.ceil(words / 6)));
}

function checkStatement(read: ReadStatement, context: CheckContext): Statement | Refusal {
  const named = resolveNames(clean(read), context);
  const type = context.types.get(named.type);
  if (named.text === '' || type === undefined) return refuse(read, 'malformed');
  const cited = locateQuotes(named, context);
  const isUnquoted = context.stated !== undefined && named.quotes.length === 0;
  const origin = isUnquoted ? { evidence: [] } : checkOrigin({ ...named, isPersonal: type.personal }, cited, context);
  if ('reason' in origin) return refuse(read, origin.reason, origin.detail, cited);
  const { evidence } = origin;
  const said = saidIn(evidence, context);
  if (isRecalled(said.quoted, context)) return refuse(read, 'recalled_text', undefined, evidence);
  const [clipped] = context.isLocal ? [] : evidence.flatMap((each) => clippedWords(each, named) ?? []);
  if (clipped !== undefined) return refuse(read, 'quote_not_found', `the quote leaves out: ${clipped}`, evidence);
  const resolved = resolveTimes(named, { ...said, timeZone: context.timeZone });
  const problem = checkWords(resolved, { evidence, context, limit: type.wordLimit ?? WORD_LIMIT });
  if (problem !== null) return refuse(read, problem.reason, problem.detail, evidence);
  const kept = withoutPrivate(resolved, context.settings.privacy);
  if (kept.dropped !== null) return { ...refuse(read, 'private', kept.dropped, evidence), text: null };
  const own = ownerLevel(context.scope);
  const level = type.levels.includes(own) ? levelOf(resolved, evidence, context) : null;
  if (level === null) return refuse(read, 'malformed', `a ${resolved.type} does not live at ${own}`, evidence);
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
    trust: said.events.length === 0 ? trustOf(said.statedBy) : lowestTrust(said.events.map(trustOfEvent)),
    sourceType: context.sourceType ?? sourceTypeOf(resolved, said.events),
    statedAt: said.statedAt,
    statedBy: said.statedBy,
    quotes: evidence.map(({ event, start, end }) => ({ event: event.id, start, end })),
    events: said.events,
    tags: tagsOf(resolved, kept.marks, context),
    names: resolved.names.filter((name) => applyPrivacy(name, context.settings.privacy).text === name),
    relation: relationOf(resolved, context),
  };
}

type Said = Pick<Statement, 'statedAt' | 'statedBy' | 'events'> & { quoted: string };

/** The words that were quoted, by whom and when they were said, and the events that they stand in. */
function saidIn(evidence: readonly Evidence[], { stated }: CheckContext): Said {
  const last = evidence.at(-1)?.event;
  return {
    quoted: evidence.map(({ event, start, end }) => event.content.slice(start, end)).join(' … '),
    statedAt: last?.occurredAt ?? stated?.at ?? new Date(0),
    statedBy: last?.origin ?? stated?.by ?? 'system',
    events: [...new Map(evidence.map(({ event }) => [event.id, event])).values()],
  };
}

/** Text and value as the policy lets them be kept; `dropped` names what forbids to keep them. */
function withoutPrivate({ text, attribute, value }: ReadStatement, privacy: CheckContext['settings']['privacy']) {
  const kept = applyPrivacy(text, privacy);
  const pair = applyPrivacy(`${(attribute ?? '').replaceAll('_', ' ')}: ${value ?? ''}`, privacy);
  return {
    text: kept.text,
    value: value === null ? null : pair.text.slice((attribute ?? '').length + 2).slice(0, 500),
    marks: [...kept.marks, ...pair.marks],
    dropped: kept.dropped ?? pair.dropped,
  };
}

/** What an agent noted by itself, going through an inbox, rests on what others wrote: nobody has confirmed it. */
function trustOfEvent({ origin, kind, metadata }: Event): Trust {
  return kind === 'observation' && metadata['source'] === 'autonomous' ? 'low' : trustOf(origin);
}

/** Without characters that no text of a statement has, and that databases refuse; with single spaces. */
export function plainText(text: string): string {
  return (
    text
      .toWellFormed()
      // oxlint-disable-next-line no-control-regex -- control characters are what is taken out
      .replace(/[\u0000-\u001f\u007f\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]+/gu, ' ')
      .replace(/\s+/gu, ' ')
      .trim()
  );
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

/** Where the quotes stand: in the turn that is cited, else word for word in another turn. What stands nowhere is left out. */
function locateQuotes({ quotes, value }: ReadStatement, { events, isLocal }: CheckContext): Evidence[] {
  const found = quotes.flatMap((quote) => locateIn(quote, events, isLocal) ?? []);
  if (quotes.length > 0 || value === null) return found;
  // A statement without a quote is looked for: its value must stand in a turn of the user's.
  for (const event of events.toReversed()) {
    if (event.origin !== 'user') continue;
    const span = locateQuote(event.content, value);
    if (span !== null) return [{ event, ...span }];
  }
  return [];
}

function locateIn({ turn, words }: ReadQuote, events: readonly Event[], isLocal: boolean): Evidence | null {
  const cited = events[turn - 1];
  if (words === '' && isLocal && cited !== undefined && cited.content !== '') {
    return { event: cited, start: 0, end: cited.content.length };
  }
  for (const event of cited === undefined ? events : [cited, ...events]) {
    const span = locateQuote(event.content, words);
    if (span !== null) return { event, ...span };
  }
  return null;
}

// A shorter text is in many others by chance.
const SHORTEST_RECALLED = 5;

function isRecalled(quoted: string, { recalled = [] }: CheckContext): boolean {
  const stems = contentStems(quoted);
  return stems.size >= SHORTEST_RECALLED && recalled.some((text) => coveredBy(stems, contentStems(text)) >= 0.9);
}

interface Problem {
  reason: RefusalReason;
  detail?: string;
}

/** Whether the words of a statement agree with what the turns say. */
function checkWords(
  { text, value, attribute, relation }: ReadStatement,
  { evidence, context, limit }: { evidence: readonly Evidence[]; context: CheckContext; limit: number },
): Problem | null {
  if (countWords(text) > limit && !context.isLocal) return { reason: 'too_long', detail: `${limit} words at most` };
  const own = evidence.map(({ event }) => event.content);
  const saidBy = (by: Origin): string[] =>
    context.events.filter(({ origin }) => origin === by).map(({ content }) => content);
  const around = [
    ...own,
    ...saidBy('user'),
    ...questionsBefore(evidence, context),
    ...context.earlier.map((event) => event.content),
    ...context.known.map((memory) => `${memory.subject} ${memory.content} ${memory.value ?? ''}`),
    ...context.userNames,
  ];
  const target = relation === null ? undefined : context.known[relation.known - 1];
  // What goes on keeps the value that is known.
  const carriedOver = target === undefined ? [] : [target.content, target.value ?? ''];
  if (value !== null && attribute !== null && evidence.length > 0 && !isDateLike(value)) {
    const dates = evidence.map(({ event }) => event.occurredAt.toISOString());
    // A name or a number may be one that only the assistant said, and that the user took up.
    const answered = saidBy('agent');
    const numbers = numbersSaid([...own, ...saidBy('user'), ...answered, ...dates, ...carriedOver].join('\n'));
    const number = numberNotSaid(value, numbers);
    if (number !== null) return { reason: 'value_not_said', detail: number };
    if (!isNameSaid(value, [...around, ...answered])) return { reason: 'value_not_said', detail: value };
  }
  if (context.isLocal) return null;
  const address = addressesIn(`${text} ${value ?? ''}`).find((each) => !around.some((source) => source.includes(each)));
  if (address !== undefined) return { reason: 'value_not_said', detail: address };
  const foreign = wordsBeyond(text, [...around, ...carriedOver]);
  return foreign === null ? null : { reason: 'says_more_than_quote', detail: foreign };
}

/** A date in words or figures: it was resolved from the turn's own time, and its figures need not stand in the turn. */
function isDateLike(value: string): boolean {
  return /^\d{4}(?:-\d{2}){0,2}(?:T[\d:.]+Z?)?$/.test(value) || /\b(?:19|20)\d{2}\b/.test(value);
}

const ADDRESS =
  /https?:\/\/[^\s"'<>()]{4,}|\b[\w.+-]{1,64}@[\w-]{1,64}(?:\.[\w-]{2,}){1,4}|\b[A-Z]{2}\d{2}[A-Z0-9]{8,30}\b/g;

/** Web and mail addresses and account numbers: a statement has none that no turn has. */
function addressesIn(text: string): string[] {
  return text.match(ADDRESS) ?? [];
}

// A sentence that shares words with its turn and has this many others of its own, more than half, adds a claim to its quote.
// A sentence that shares none is a paraphrase or in another language, and is judged by its quote alone.
const FOREIGN_WORDS = 5;
const FOREIGN_SHARE = 0.6;

// Dates are written out from the time of the turn, whose words need not have them.
const DATE_WORDS =
  /\b\d{1,4}(?:st|nd|rd|th)?\b|\b(?:january|february|march|april|may|june|july|august|september|october|november|december|monday|tuesday|wednesday|thursday|friday|saturday|sunday)s?\b/gi;

/** The words of a sentence that go beyond its sources, when they add a claim; null when they do not. */
function wordsBeyond(text: string, sources: readonly string[]): string | null {
  const stems = [...contentStems(text.replace(DATE_WORDS, ' '))].filter((stem) => stem.length >= SHORTEST_WORD);
  const said = new Set([...contentStems(sources.join('\n').slice(0, 100_000))].map(headOf));
  const foreign = stems.filter((stem) => !said.has(headOf(stem)));
  const addsClaim =
    foreign.length < stems.length && isEnglish(text)
      ? (foreign.length >= FOREIGN_WORDS && foreign.length / stems.length > FOREIGN_SHARE) ||
        (isInstruction(text) && foreign.length > 1)
      : isInstruction(text);
  return addsClaim ? foreign.slice(0, 8).join(', ') : null;
}

// Endings differ between "Knie" and "Knies", and short words are grammar: neither is a claim.
const SHORTEST_WORD = 5;

function headOf(stem: string): string {
  return stem.slice(0, SHORTEST_WORD - 1);
}

/** What the agent asked right before: an answer takes its words from there. */
function questionsBefore(evidence: readonly Evidence[], { events, earlier }: CheckContext): string[] {
  const turns = [...earlier, ...events];
  return evidence.flatMap(({ event }) => {
    const place = turns.findIndex(({ id }) => id === event.id);
    return turns.slice(Math.max(0, place - 2), Math.max(0, place)).map(({ content }) => content);
  });
}

/** What concerns a person never goes to the level that every user of an agent shares. */
function levelOf(
  { forEveryone, subject }: ReadStatement,
  evidence: readonly Evidence[],
  { scope }: CheckContext,
): ScopeLevel {
  const own = ownerLevel(scope);
  if (!forEveryone || scope.agent === null || own !== 'user') return own;
  const isPersonal =
    isUser(subject) ||
    belongsToUser(subject) ||
    evidence.some(({ event, start, end }) => FIRST_PERSON.test(event.content.slice(start, end)));
  return isPersonal || /^\p{Lu}[\p{Ll}'-]+(?:\s\p{Lu}[\p{Ll}'-]+)*$/u.test(subject) ? own : 'agent';
}

const FIRST_PERSON =
  /(?<![\p{L}\p{N}])(?:i|i'm|i've|i'd|i'll|me|my|mine|we|our|us|ich|mir|mich|mein\p{L}*|wir|unser\p{L}*|yo|mi|mis|nosotros|je|j'\p{L}+|mon|ma|mes|nous|notre|eu|meu|minha|nós|io|mio|mia|noi|ik|mijn|wij|ons|我|我们|私|僕|俺)(?![\p{L}\p{N}])/iu;

// Below 0.3 a memory is archived when nobody reads it for a month: what a person says outright is not that fleeting.
const LEAST_SAID = 0.4;

function share(importance: number | null, fallback: number, isSaid: boolean): number {
  if (importance === null || !Number.isFinite(importance)) return fallback;
  return Math.round(Math.min(1, Math.max(isSaid ? LEAST_SAID : 0, importance)) * 100) / 100;
}

/** What the user said outright is sure; what follows from an answer or was concluded is less so. */
function confidenceOf({ explicit }: ReadStatement, evidence: readonly Evidence[]): Confidence {
  return explicit && evidence.every(({ event }) => event.origin === 'user') ? 'high' : 'medium';
}

/** Explicit: the user's own words. What an agent notes in chat is an inference, what it notes by itself a lesser one. */
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

function relationOf({ relation }: ReadStatement, { known }: CheckContext): Statement['relation'] {
  const target = relation === null ? undefined : known[relation.known - 1];
  return relation === null || target === undefined ? null : { kind: relation.kind, target };
}

function refuse(
  { text }: Pick<ReadStatement, 'text'>,
  reason: RefusalReason,
  detail?: string,
  evidence: readonly Evidence[] = [],
): Refusal {
  return refusal('statement', reason, text, { detail, events: evidence.map(({ event }) => event) });
}

/** Where the words of a request or an end stand among the user's own turns; null when they do not. */
export function locateOwnWords(
  quote: ReadQuote,
  { events, isLocal, userNames }: Pick<CheckContext, 'events' | 'isLocal' | 'userNames'>,
): Evidence | null {
  const place = locateIn(quote, events, isLocal);
  if (place === null) return null;
  const verdict = checkOrigin({ subject: 'User', type: 'fact', text: '', isPersonal: true }, [place], { userNames });
  return 'evidence' in verdict ? place : null;
}

const NEGATION =
  /(?:(?<![\p{L}])(?:not|never|no longer|nicht|nie|niet|nooit|nunca|jamais|mai|não|kein\p{L}*|geen)|n['’]?t)\s+$/iu;
const HYPOTHESIS =
  /(?:^|[^\p{L}\s]\s*|(?<![\p{L}])(?:and|but|so|well|i|ok|okay)\s+)(?:say|suppose|supposing|imagine|pretend|assuming|if|what if|wish|angenommen|falls|imagina que|supongamos que|imaginons que|imagina|supponiamo che)\s+(?:that\s+)?$/iu;
const SOMEBODY = /(?<![\p{L}])(?:my|our|his|her|their)\s+(\p{Ll}[\p{L}-]*)\s+(?:(\p{Lu}[\p{L}'’-]*)\s+)?$/u;
const SPEAKS_OF_SELF = /(?<![\p{L}])(?:i|i['’]\p{L}+|im|we|we['’]\p{L}+|me|my|us|our)(?![\p{L}])/iu;

// The words before a quote that are looked at: further away stands another thought.
const BEFORE = 60;

/**
 * What a quote leaves out right before its first word and that would turn its meaning round: a negation ("do not | have asthma"), a
 * supposition ("say | I sold the house"), or somebody else as the one who does it ("my flatmate Ines | got a job"). Null where the
 * quote stands for itself. A name that the statement itself gives is not left out.
 */
function clippedWords(
  { event, start, end }: Evidence,
  { subject, text, polarity }: Pick<ReadStatement, 'subject' | 'text' | 'polarity'>,
): string | null {
  const before = event.content.slice(Math.max(0, start - BEFORE), start).replace(/^[^\n]*[.!?…\n]\s*/u, '');
  const negation = NEGATION.exec(before);
  if (negation !== null && polarity === 'affirmed' && !isNegated(text)) return negation[0].trim();
  const hypothesis = HYPOTHESIS.exec(before);
  if (hypothesis !== null) return hypothesis[0].trim();
  const somebody = SOMEBODY.exec(before);
  const quoted = event.content.slice(start, end);
  if (somebody === null || subject !== 'User' || SPEAKS_OF_SELF.test(quoted) || !/^\p{Ll}/u.test(quoted)) return null;
  const [words, relation = '', name] = somebody;
  // "my commute | takes an hour" is about the user: only a name tells that it is a person.
  if (name === undefined) return null;
  const said = text.toLowerCase();
  return said.includes(relation.toLowerCase()) || said.includes(name.toLowerCase()) ? null : words.trim();
}
