import {
  addressesIn,
  hasWordsFromOutside,
  headsOf,
  isAssent,
  isInstruction,
  type Quoting,
  unsupported,
  wordsBeyond,
} from '../../language/claims.ts';
import { type ForeignSpan, foreignSpans } from '../../language/foreign-text.ts';
import { wordsOfAll } from '../../language/packs/packs.ts';
import { isNameSaid, isNegated, locateQuote, numberNotSaid, numbersSaid, tellApart } from '../../language/quotes.ts';
import type { TextSpan } from '../../language/sentences.ts';
import { contentStems, coveredBy } from '../../language/words.ts';
import type { Event } from '../../record/event.ts';
import { isMemoryAnswer, MEMORY_ANSWER } from '../../record/memory-answers.ts';
import type { Memory, SourceType } from '../../record/memory.ts';
import { countWords } from '../../record/parse.ts';
import type { Scope } from '../../record/scope.ts';
import {
  belongsToUser,
  isNameOfUser,
  isSameSubject,
  isThing,
  isUser,
  normalValue,
  type Origin,
  type Quote,
  type Trust,
  trustOf,
  USER,
} from '../../record/statement.ts';
import { type ReadQuote, type ReadStatement, type RefusalReason } from '../read/reader.ts';
import type { ApplyDeps } from '../formation-settings.ts';
import type { Evidence } from '../statement.ts';

export function quotedWords({ event, start, end }: Evidence): string {
  return event.content.slice(start, end);
}

export function quoteOf({ event, start, end }: Evidence): Quote {
  return { event: event.id, start, end };
}

export interface CheckContext extends Pick<ApplyDeps, 'settings' | 'memoryTypes' | 'attributes'> {
  scope: Scope;
  /** Turn 1 is `events[0]`. */
  events: readonly Event[];
  /** Turns before `events`. Statements may take names from them. */
  earlier: readonly Event[];
  /** Ids of events that are the user's own words although they look pasted. */
  ownTexts?: ReadonlySet<string>;
  /** The statements that the reader was shown. Number 1 is `known[0]`. */
  known: readonly Memory[];
  /** The statements come from Varve's own code and not from a model. A quote may then be a whole turn. */
  isLocal: boolean;
  sourceType?: SourceType;
  /** For statements that quote no turn: when and by whom they were stated, and the events that support them. */
  stated?: { at: Date; by: Origin; events?: readonly Event[] };
  /** Memories that were recalled for this conversation. A turn that only repeats one of them forms no statement. */
  recalled?: readonly string[];
  /** Statements whose meaning is far from all their sources. */
  unrelated?: ReadonlySet<ReadStatement>;
  /** Besides "User". */
  userNames: readonly string[];
  subjects: readonly string[];
}

export interface Checking extends CheckContext {
  evidence: Evidence[];
}

/** Events that are statements themselves. */
const STATED_KINDS: ReadonlySet<string> = new Set(['observation', 'decision', 'outcome']);

export function isStated({ kind }: Pick<Event, 'kind'>): boolean {
  return STATED_KINDS.has(kind);
}

/** An answer of the agent's recall tools contains only known memories. */
function isFromRecall({ origin, content, metadata }: Event): boolean {
  return origin === 'tool' && (content === MEMORY_ANSWER || isMemoryAnswer(content, metadata['tool']));
}

type OriginVerdict = { evidence: Evidence[] } | Problem;

/**
 * Checks whether the quoted speakers may make a statement. A statement about the user or the user's people needs the user's own words,
 * never those of a tool, a document, a pasted text, the agent or another person. Instructions from outside are refused.
 */
export function checkOrigin(
  statement: Pick<ReadStatement, 'subject' | 'type' | 'text'> & { isPersonal: boolean },
  cited: readonly Evidence[],
  userNames: readonly string[],
): OriginVerdict {
  const known = cited.filter(({ event }) => isFromRecall(event));
  const evidence = cited.filter((each) => !known.includes(each));
  if (evidence.length === 0) return { reason: known.length > 0 ? 'recalled_text' : 'quote_not_found' };
  const outside = evidence.filter((each) => isFromOutside(each) || isPasted(each));
  if (outside.some((each) => isInstruction(quotedWords(each)) || isInstruction(statement.text)))
    return { reason: 'instruction_from_outside' };
  // An agent's observation, decision or outcome is accepted as it is, unless text from outside is cited as well.
  if (outside.length === 0 && evidence.some(({ event }) => isStated(event) && !isOfAnother(event, userNames)))
    return { evidence };
  const needsOwnWords = isUser(statement.subject) || belongsToUser(statement.subject) || statement.isPersonal;
  const own = evidence.filter((each) => isUsersOwn(each, statement.subject, userNames));
  if (!needsOwnWords) {
    // The agent's remarks about the world are not kept. Its actions are kept as episodes.
    const isAgentAlone = evidence.every(({ event }) => event.origin === 'agent');
    return isAgentAlone && statement.type !== 'episode'
      ? { reason: 'not_the_users_own', detail: 'only the assistant says so' }
      : { evidence };
  }
  if (own.length === 0) return { reason: 'not_the_users_own', detail: foreignVoice(evidence) };
  // The agent's question stays as evidence, because it gives an answer such as "yes" its meaning.
  return { evidence: evidence.filter((each) => own.includes(each) || isQuestionBefore(each, own)) };
}

function foreignVoice(evidence: readonly Evidence[]): string {
  const voices = evidence.map((each) => {
    const { origin, speaker } = each.event;
    if (origin !== 'user') return origin;
    return isFromOutside(each) ? 'pasted text' : speaker === null ? origin : `the speaker ${speaker}`;
  });
  return `said by: ${[...new Set(voices)].join(', ')}`;
}

/** True for words of a tool, of a document, or of a pasted text that the user does not take up. */
function isFromOutside(evidence: Evidence): boolean {
  const { origin } = evidence.event;
  return origin === 'tool' || origin === 'document' || (isPasted(evidence) && !isTakenUp(evidence));
}

/** Whether somebody else wrote these words of a user's message. */
function isPasted({ event, start, end, isOwnText }: Evidence): boolean {
  if (event.origin !== 'user' || event.kind !== 'message' || isOwnText === true) return false;
  const isForeign = ({ kind, ...span }: ForeignSpan): boolean =>
    // A short quotation inside the user's own sentence counts as the user's.
    kind !== 'quoted' || span.end - span.start > event.content.length / 2;
  return foreignSpans(event.content).some((span) => isForeign(span) && isMostlyWithin({ start, end }, span));
}

// Smaller numbers occur in both texts by chance.
const LEAST_TELLING = 10;

/** The user takes up a pasted text by repeating one of its numbers: "Six fifteen" for "… your chair time is 6:15." */
function isTakenUp(evidence: Evidence): boolean {
  const { content } = evidence.event;
  let own = content;
  for (const span of foreignSpans(content).toReversed()) own = `${own.slice(0, span.start)}\n${own.slice(span.end)}`;
  const said = numbersSaid(
    (own.match(/[^.!?？。！\n]+[.!?？。！\n]*/gu) ?? []).filter((each) => !/[?？]/u.test(each)).join(' '),
  );
  return [...numbersSaid(quotedWords(evidence))].some((number) => number >= LEAST_TELLING && said.has(number));
}

/** An agent's autonomous note, for example about an inbox, has low trust: it repeats the words of others, and nobody has confirmed it. */
export function trustOfEvent({ origin, kind, metadata }: Event): Trust {
  return kind === 'observation' && metadata['source'] === 'autonomous' ? 'low' : trustOf(origin);
}

/**
 * Pasted text has low trust, as a document has. Another speaker's words about one of the user's people or a third person have medium trust,
 * so that they cannot change a statement of the user.
 */
export function trustOfWords(evidence: Evidence, subject: string, userNames: readonly string[]): Trust {
  if (isFromOutside(evidence)) return 'low';
  const isOthers =
    isOfAnother(evidence.event, userNames) &&
    !isThing(subject) &&
    (belongsToUser(subject) || !isAboutSpeaker(evidence, subject));
  return isOthers ? 'medium' : trustOfEvent(evidence.event);
}

function isMostlyWithin(quote: TextSpan, span: TextSpan): boolean {
  const shared = Math.min(quote.end, span.end) - Math.max(quote.start, span.start);
  return shared >= (quote.end - quote.start) / 2;
}

/** Another speaker's words count only for that speaker, and for subjects that are neither the user nor the user's people. */
function isUsersOwn(evidence: Evidence, subject: string, userNames: readonly string[]): boolean {
  const { event } = evidence;
  if (event.origin !== 'user' || event.kind !== 'message' || isFromOutside(evidence)) return false;
  if (event.speaker === null) return true;
  if (isNameOfUser(event.speaker, userNames) || isAboutSpeaker(evidence, subject)) return true;
  return !isUser(subject) && !belongsToUser(subject);
}

export function isOfAnother({ origin, speaker }: Event, userNames: readonly string[]): boolean {
  return origin === 'user' && speaker !== null && !isNameOfUser(speaker, userNames);
}

/** Whether words may end, replace or change a known statement. In a group chat, `isUsersOwn` limits the other speakers. */
export function mayChangeKnown(
  evidence: Evidence,
  { subject }: Pick<Memory, 'subject'>,
  userNames: readonly string[],
): boolean {
  return !isOfAnother(evidence.event, userNames) || isUsersOwn(evidence, subject, userNames);
}

/** Includes the speaker's people: "User's son Tai" and "Tai's teacher" in a turn of Tai. */
function isAboutSpeaker({ event: { speaker } }: Evidence, subject: string): boolean {
  if (speaker === null) return false;
  return isSameSubject(subject, speaker) || subject.toLowerCase().startsWith(`${speaker.toLowerCase()}'s `);
}

/** Whether one of the user's people talks about themself, such as a son who borrows the phone. */
export function isOwnWordOfAnother(evidence: Evidence, subject: string, userNames: readonly string[]): boolean {
  const { speaker } = evidence.event;
  return belongsToUser(subject) && isAboutSpeaker(evidence, subject) && !isNameOfUser(speaker ?? '', userNames);
}

/** A question of the agent that the user answers within two turns. */
function isQuestionBefore({ event }: Evidence, own: readonly Evidence[]): boolean {
  if (event.origin !== 'agent' || !/[?？]/.test(event.content)) return false;
  return own.some((each) => {
    const distance = (each.event.position ?? Number.NaN) - (event.position ?? Number.NaN);
    return distance > 0 && distance <= 2;
  });
}

/** A quote that is in no turn is left out. */
export function locateQuotes({ quotes, value, type }: ReadStatement, context: CheckContext): Evidence[] {
  const found = quotes.flatMap((quote) => locateIn(quote, context, type === 'episode') ?? []).filter(isTelling);
  if (quotes.length > 0 || value === null) return found;
  // Without a quote, the value is searched for in the user's turns.
  const own = context.events.filter(({ origin }) => origin === 'user');
  return [findWords(value, own.toReversed(), context) ?? []].flat();
}

function findWords(words: string, turns: readonly Event[], { ownTexts }: CheckContext): Evidence | null {
  for (const event of turns) {
    const span = locateQuote(event.content, words);
    if (span !== null) return { event, ...span, isOwnText: ownTexts?.has(event.id) === true };
  }
  return null;
}

/** A quote needs a content word, or must be at least half of its turn, such as "yes, that one". "I" alone supports nothing. */
function isTelling(evidence: Evidence): boolean {
  const words = quotedWords(evidence);
  return words.length * 2 >= evidence.event.content.trim().length || contentStems(words).size > 0;
}

/**
 * If an agent's words also occur in a user's turn, the user's turn is cited, because a reader may give the wrong turn number and agents
 * repeat the words of users. `isAgents`: the quote is about an action of the agent and stays in the agent's turn.
 */
function locateIn({ turn, words }: ReadQuote, context: CheckContext, isAgents: boolean): Evidence | null {
  const { events, isLocal } = context;
  const cited = events[turn - 1];
  if (words === '' && isLocal && cited !== undefined && cited.content !== '')
    return { ...wholeOf(cited), isOwnText: context.ownTexts?.has(cited.id) === true };
  const own = cited?.origin === 'agent' && !isAgents ? events.filter(({ origin }) => origin === 'user') : [];
  return findWords(words, [...own, ...(cited === undefined ? [] : [cited]), ...events], context);
}

/**
 * The place of a request or an end in the user's own turns, or null. In a group chat, every speaker may also end statements about themself
 * or about things. A pasted text may end only statements that it could also make.
 */
export function locateOwnWords(
  quote: ReadQuote,
  context: CheckContext,
  { subject, type }: Pick<Memory, 'subject' | 'type'> = { subject: USER, type: '' },
): Evidence | null {
  const place = locateIn(quote, context, false);
  if (place === null) return null;
  const isPersonal = place.event.origin !== 'user' || context.memoryTypes.get(type)?.personal !== false;
  const verdict = checkOrigin({ subject, type: 'fact', text: '', isPersonal }, [place], context.userNames);
  return 'evidence' in verdict ? place : null;
}

// Shorter texts occur in other texts by chance.
const SHORTEST_RECALLED = 5;

/** A correction has nearly the same words as the memory, but another day, number or name. */
export function isRecalled(quoted: string, { relation }: ReadStatement, { recalled = [] }: CheckContext): boolean {
  const stems = contentStems(quoted);
  if (stems.size < SHORTEST_RECALLED || relation?.kind === 'replaces' || relation?.kind === 'ends') return false;
  return recalled.some((text) => coveredBy(stems, contentStems(text)) >= 0.9 && !tellApart(quoted, text));
}

const NEGATION = new RegExp(`(?:(?<![\\p{L}])(?:${wordsOfAll('negatesNext')})|n['’]t)\\s+$`, 'iu');
const HYPOTHESIS = new RegExp(
  `(?:^|[^\\p{L}\\s]\\s*|(?<![\\p{L}])(?:and|but|so|well|i|ok|okay)\\s+)(?:${wordsOfAll('supposes')})\\s+(?:that\\s+)?$`,
  'iu',
);
const SOMEBODY = new RegExp(
  `(?<![\\p{L}])(?:${wordsOfAll('possessive')})\\s+(\\p{Ll}[\\p{L}-]*)\\s+(?:(\\p{Lu}[\\p{L}'’-]*)\\s+)?$`,
  'u',
);
const SPEAKS_OF_SELF = new RegExp(`(?<![\\p{L}])(?:${wordsOfAll('ofSelf')})(?![\\p{L}])`, 'iu');

// Characters before a quote. Words further away belong to another clause.
const BEFORE = 60;

/**
 * Words directly before a quote that change its meaning: a negation ("do not | have asthma"), a supposition ("say | I sold the house"), or
 * another person as the subject ("my flatmate Ines | got a job"). A person whom the statement names does not count.
 */
export function clippedWords(evidence: Evidence, { subject, text, polarity }: ReadStatement): string | null {
  const { event, start } = evidence;
  const before = event.content.slice(Math.max(0, start - BEFORE), start).replace(/^[^\n]*[.!?…\n]\s*/u, '');
  const negation = NEGATION.exec(before);
  if (negation !== null && polarity === 'affirmed' && !isNegated(text)) return negation[0].trim();
  const hypothesis = HYPOTHESIS.exec(before);
  if (hypothesis !== null) return hypothesis[0].trim();
  const somebody = SOMEBODY.exec(before);
  const quoted = quotedWords(evidence);
  if (somebody === null || subject !== 'User' || SPEAKS_OF_SELF.test(quoted) || !/^\p{Ll}/u.test(quoted)) return null;
  const [words, relation = '', name] = somebody;
  // "my commute | takes an hour" is about the user. Only a name makes the subject another person.
  if (name === undefined) return null;
  const said = text.toLowerCase();
  return said.includes(relation.toLowerCase()) || said.includes(name.toLowerCase()) ? null : words.trim();
}

interface Problem {
  reason: RefusalReason;
  detail?: string;
}

export function checkWords(statement: ReadStatement, context: Checking, limit: number): Problem | null {
  const { text, value, attribute, relation } = statement;
  const { evidence } = context;
  if (countWords(text) > limit && !context.isLocal) return { reason: 'too_long', detail: `${limit} words at most` };
  const cited = evidence.map(({ event }) => event);
  const own = cited.map(({ content }) => content);
  const saidBy = (by: Origin): string[] =>
    context.events.filter(({ origin }) => origin === by).map(({ content }) => content);
  const around = [
    ...own,
    ...saidBy('user'),
    ...questionsBefore(cited, context),
    ...context.earlier.map((event) => event.content),
    ...context.known.map((memory) => `${memory.subject} ${memory.content} ${memory.value ?? ''}`),
    ...context.userNames,
  ];
  const target = relation === null ? undefined : context.known[relation.known - 1];
  // A statement with a relation to a known one may repeat the known value.
  const carriedOver = target === undefined ? [] : [target.content, target.value ?? ''];
  if (value !== null && attribute !== null && evidence.length > 0 && !isDateLike(value)) {
    const dates = cited.map(({ occurredAt }) => occurredAt.toISOString());
    // The user may have agreed to a name or a number that only the assistant mentioned.
    const answered = saidBy('agent');
    // Most values have no digit, so the numbers of the turns are collected only when one is needed.
    const sources = /\d/.test(value.normalize('NFKC')) ? [...own, ...saidBy('user'), ...answered, ...dates] : null;
    const number = sources === null ? null : numberNotSaid(value, numbersSaid([...sources, ...carriedOver].join('\n')));
    if (number !== null) return { reason: 'value_not_said', detail: number };
    if (!isNameSaid(value, [...around, ...answered])) return { reason: 'value_not_said', detail: value };
  }
  if (context.isLocal) return null;
  const address = addressesIn(`${text} ${value ?? ''}`).find((each) => !around.some((source) => source.includes(each)));
  if (address !== undefined) return { reason: 'value_not_said', detail: address };
  const quoting = quotingOf(statement, context);
  const added =
    wordsBeyond(text, [...around, ...carriedOver]) ??
    (quoting === null ? null : unsupported({ ...quoting, more: [...carriedOver, ...context.userNames] }));
  return added === null ? null : { reason: 'says_more_than_quote', detail: added };
}

/** A date may have been computed from the time of the turn, so the turn need not contain its digits. */
function isDateLike(value: string): boolean {
  return /^\d{4}(?:-\d{2}){0,2}(?:T[\d:.]+Z?)?$/.test(value) || /\b(?:19|20)\d{2}\b/.test(value);
}

/** Null for quotes that `checkOrigin` covers: events that are not messages, tools and documents. */
function quotingOf(statement: ReadStatement, context: Checking): Omit<Quoting, 'more'> | null {
  const { text, value, attribute, polarity, tense } = statement;
  const { evidence, events, earlier, attributes } = context;
  const cited = evidence.map(({ event }) => event);
  if (cited.length === 0 || cited.some((event) => event.kind !== 'message' || isForeign(event))) return null;
  const turns = [...earlier, ...events];
  return {
    text,
    isDenied: polarity === 'denied',
    value: tense !== 'planned' && attributes.isKnown(attribute ?? '') ? value : null,
    quoted: evidence.map(quotedWords),
    isAnswer: cited.some(({ content }) => isAssent(content)),
    messages: turns.filter(({ origin }) => origin === 'user').map(({ content }) => content),
    before: answeredBy(cited, turns),
    foreign: turns.filter(isForeign).map(({ content }) => content),
  };
}

/** Whether a model took the words from a tool, a document or a pasted text, although it quotes the user. */
export function isReportedFromOutside(statement: ReadStatement, context: Checking): boolean {
  const quoting = context.isLocal ? null : quotingOf(statement, context);
  return quoting !== null && hasWordsFromOutside({ ...quoting, more: context.userNames });
}

function answeredBy(answers: readonly Event[], turns: readonly Event[]): string[] {
  return answers.flatMap((event) => {
    const answered = turnsBefore(event, turns).findLast(({ origin }) => origin !== 'tool');
    return answered?.origin === 'agent' ? answered.content : [];
  });
}

export function quotedIn(quotes: readonly Quote[], events: readonly Event[]): string[] {
  return quotes.flatMap(
    ({ event, start, end }) => events.find(({ id }) => id === event)?.content.slice(start, end) ?? [],
  );
}

/** False for a value in the reader's own words: "physics teacher" for "I teach physics". */
export function isQuoted(value: string, quotes: readonly Quote[], events: readonly Event[]): boolean {
  return normalValue(quotedIn(quotes, events).join(' ')).includes(normalValue(value));
}

function wholeOf(event: Event): Evidence {
  return { event, start: 0, end: event.content.length };
}

function turnsBefore(event: Event, turns: readonly Event[]): Event[] {
  const place = turns.findIndex(({ id }) => id === event.id);
  return turns.slice(0, Math.max(0, place));
}

/** Adds the turns that assents such as "yes" answer. */
export function saidWith(said: readonly Event[], { events, earlier }: CheckContext): string[] {
  const answers = said.filter(({ content }) => isAssent(content));
  return [...said.map(({ content }) => content), ...answeredBy(answers, [...earlier, ...events])];
}

function isForeign({ origin }: Event): boolean {
  return origin === 'tool' || origin === 'document';
}

/** An answer refers to the words of its question, so these are the two turns before each answer. */
function questionsBefore(answers: readonly Event[], { events, earlier }: CheckContext): string[] {
  const turns = [...earlier, ...events];
  return answers.flatMap((event) => turnsBefore(event, turns).slice(-2)).map(({ content }) => content);
}

/** Null if the statement shares a word, number or name with a source. An assent ("yes, spot on") has the turns before it as sources. */
export function unsharedSources({ text, quotes, relation }: ReadStatement, context: CheckContext): string[] | null {
  const cited = quotes.flatMap(({ turn }) => context.events[turn - 1] ?? []);
  const target = relation === null ? undefined : context.known[relation.known - 1];
  const sources = [
    ...quotes.map(({ words }) => words),
    ...cited.map(({ content }) => content),
    ...questionsBefore(cited, context),
    ...(target === undefined ? [] : [target.content]),
  ].filter((source) => source.trim() !== '');
  const said = [...sources, ...context.userNames].join('\n').slice(0, 100_000);
  const heads = headsOf(said);
  const numbers = numbersSaid(said);
  const isShared =
    [...headsOf(text)].some((head) => heads.has(head)) ||
    [...numbersSaid(text)].some((number) => number > 1 && numbers.has(number));
  return isShared || sources.length === 0 ? null : sources;
}
