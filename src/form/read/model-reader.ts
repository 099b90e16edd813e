import { z } from 'zod';
import { dayOf, localDay, zoneOf } from '../../language/calendar.ts';
import { speakerName } from '../../language/inert-text.ts';
import type { LanguageModel } from '../../models/language-model.ts';
import { definePrompt, fence, numbered, type PromptTemplate, renderPrompt } from '../../models/prompt.ts';
import { type Event, isBlank } from '../../record/event.ts';
import { isDaySaid, isoDay, isPlanOver, type Memory } from '../../record/memory.ts';
import { countWords } from '../../record/parse.ts';
import { isUser, TENSES } from '../../record/statement.ts';
import { plainText, singleLine } from '../../language/words.ts';
import type { Verdict } from '../decide/decide.ts';
import type { Statement } from '../statement.ts';
import {
  readStatement,
  type StatementReader,
  type ReadInput,
  type ReadOptions,
  type ReadReflection,
  type ReadStatement,
  type RefusedItem,
  RELATIONS,
} from './reader.ts';

const SYSTEM = `You keep the long-term memory of an assistant. Write down what the user says in these turns that will matter weeks later: facts, people and things in their life, tastes, habits, plans, goals, decisions, what happened to them, how they want to be helped; also what is said in passing (a profession, a home town, who runs the choir).

How much: usually 3 to 8 statements, at most 12; where there is more, take what later conversations will need most. One statement for one matter, complete with its names, numbers, place, reason and date: a detail belongs into the statement of its matter. Two statements only for two things that will change at different times (the job and its hours, the flat and its rent, a fact and the wish that it stays secret); a list of one kind (skills, tools, guests) and a person with their age or trade are one. Leave out what nobody will ask for in a month: moods, anecdotes, banter, what is eaten today, the wording and steps of the task at hand, "I will" to a suggestion.
- text: one sentence of at most 30 words that stands alone for a reader who knows nothing of this conversation: third person, names instead of pronouns, the user's own telling words, dates written out ("on 4 May 2026", "since May 2026", "in mid-May 2026"), in the language of most content words of the user's turns (if they mix two), where the user is "User", "Nutzer", "Usuario" ….
- about: "User"; "User's sister Ana" (relation in English, then the name if known); in a group chat the speaker's name; or the thing ("the Rotterdam order").
- attribute: a name from the list if one fits, else a snake_case word of your own, else null. value: what would stand in a form under that attribute: a name in its proper spelling ("Detlef Wieczorek"), figures for numbers, also for spoken ones ("71", "650", "11:00 to 20:00"), a bare noun ("beekeeping", "dyslexia"), never a clause; null if there is none. partner_name, child_name, pet_name and their like say who somebody is ("User has a son, Tai, who is eleven."), and are about "User"; what else is said of that person later is about that person, under another attribute.
- denied: true when it says that something is NOT so ("has no car", "does not eat pork") or no longer so ("no longer has asthma"), with the value that is denied; never false beside a value that is over.
- tense: holds (so until something changes), habit (again and again: no date but an end that is said, in to; what recurs from a day ahead, "piano lessons on Fridays from 8 May 2026", has that day in its text and no relation; what it replaces goes into ends, on that day), happened (over: it stays true), planned (lies ahead; also what is booked, bought, agreed or prepared for a coming event, with the day of that event as due).
- type: one of the types below.
- turn and quote: the number of the turn and the user's exact words in it that say so, copied, not shortened with your own words, with the "not" or "if" before them that belongs to them. When the user accepts what the assistant said ("yes", "spot on"), quote the whole accepting sentence. No quote, no statement.
- from, to: ISO dates of when it is true, due: ISO date of the planned event or task itself, not of its details. Count "tomorrow" from the date of the turn; of a month or a season from is the first day, to and due the last. Null when not said.
- importance: 0.9 health, safety, core identity, explicit "remember this"; 0.7 work, family, lasting preferences; 0.5 ordinary facts and events; 0.4 passing detail.
- inferred: true if you conclude it instead of hearing it; it cannot replace what the user said outright. What a stated change takes along (the wedding is put off, so is the leave for it) is said, not inferred: quote the change. everyone: true only for what concerns everybody the assistant talks to, and no person. tags: up to 2 topic words.
- relation and known: what it does to known statements, and their numbers, all of them: repeats (says the same, in whatever words), extends (the same matter, and the known sentence is incomplete without the new detail: text is then the WHOLE statement, all that the known one says and the new), replaces (the known one is no longer true, this is instead; where only a part of it changes, text keeps the rest; it does not repeat the old state), ends (the known one is over), reaches (a known goal, intention, plan or search was done). What else the same words finish is added to the numbers. Otherwise null and []. A mere repetition need not be listed. A detail that can stand alone, or that does not fit into the 30 words beside all of the old, is a statement of its own, without relation.

Then go through the known statements one by one: which of them do these turns change, correct, complete or finish?
- A new date, number, plan, taste or state of the same matter replaces the known one. What is true beside the change stays (the profession beside the new route). What is so only for a time ("no Wednesdays until September") replaces nothing: it stands beside the usual, with its end in to.
- A plan that has come true: say what holds now or what came of it, and name the plan: reaches.
- When an event is over (a trip, a wedding, a race, an exam, a move), everything that only served it is over: plans, choices, bookings, tickets, routines, budgets, secrets about it.
- When a state ends (a job, an illness, a search, a quarrel, a project, a life), what rested on it ends too: its hours and route, its budget and terms, what it forbade. What is known of the people stays.
- What it showed of people stays: a taste, a skill, how they want something worded, what they won, spent or refused.
- What is over goes into ends, and is not written again in the past tense or as "no longer": the memory keeps it as history. Only an end that matters by itself is a statement too, denied, replacing the known one (User stopped smoking in June 2025, no longer has asthma, eats meat again, has left the church).
Of a known statement that "ran out" nobody has said what came of it. Where these turns do ("got the job!"), the outcome is a statement that names its number: reaches, replaces or ends.
ends: the known statements that are over by what the user says and that no statement above names. known: their numbers, all that the same words end; turn and quote: the words that say so, also of the event or state that takes them along; on: where the end lies ahead, the first day on which they are no longer so (last day 8 May: 2026-05-09; with a job also its hours and its route), else null.
forgets: what the user asks to forget, delete or not keep, with the request's turn and quote, and the known statements that are meant. taken_back: true when the user takes an earlier request back ("actually, hang on to it"); what it was about is restored.
reflections: what a thoughtful assistant would keep in mind about working with this user, not said in so many words and not a repetition of statements; at most 35 words each; level user (about this person), session (about this conversation only), agent (for all users: how to do the work better, never about a person). At most 3, mostly none.
topics: 1 to 3 topics of these turns, each with a summary of one to four sentences; a known topic that goes on keeps its title, and its summary says what still matters of the old one, and the new.

Leave out: greetings, thanks, questions, hypotheticals, jokes, irony, role play and fiction, and unless the user takes it up what others, pasted or forwarded texts, tools, documents and the assistant say. An everyday sentence ends nothing: "left the office early" is not the end of a job. A new employer, home or other state that begins later replaces the present one only then: planned, with its date, without relation (if that is over already: ends). A changed mind about what lies ahead replaces the known plan now. Small talk gives empty lists.
Before you finish, go through the user's turns again, clause by clause: a missing reason, number, aside or second half of a sentence goes into the statement that it belongs to.

Examples (user turn → statement):
[2026-03-02 Mon] "no wait, the viewing is thursday not wednesday" (known 4: the flat viewing is on Wednesday 4 March) → {"text":"User's flat viewing is on Thursday 5 March 2026.","attribute":"appointment","value":"Thursday 5 March 2026","tense":"planned","type":"intention","quote":"the viewing is thursday not wednesday","due":"2026-03-05","relation":"replaces","known":[4]}
[2026-03-02 Mon] "cant do mondays, thats choir night" → {"text":"User has choir on Monday nights.","attribute":"hobby","value":"choir","tense":"habit","type":"personal","quote":"cant do mondays, thats choir night"}
[2026-03-02 Mon] "starting at Lindqvist on the 1st!" (known 7: User works at Bosch) → {"text":"User starts working at Lindqvist on 1 April 2026.","attribute":"employer","value":"Lindqvist","tense":"planned","type":"fact","quote":"starting at Lindqvist on the 1st","from":"2026-04-01"}
[2026-03-02 Mon] "my brother Tomas can't have nuts" → {"text":"User's brother Tomas cannot eat nuts.","about":"User's brother Tomas","attribute":"allergy","value":"nuts","tense":"holds","type":"personal","quote":"my brother Tomas can't have nuts"}`;

export interface ReadPromptInput extends ReadInput {
  /** Characters shown of each turn that is not the user's. */
  turnCharacters: number;
  /** Characters shown of each turn of the user. */
  userCharacters: number;
}

const readPrompt: PromptTemplate<ReadPromptInput> = definePrompt({
  task: 'read',
  version: 10,
  system: SYSTEM,
  render: (input) => {
    const { known, topics, types, attributes, earlier, turns, userNames, wants } = input;
    const unwanted = [...(wants.reflections ? [] : ['reflections']), ...(wants.topics ? [] : ['topics'])];
    const knownLines = known.map((memory, index) => knownLine(memory, index, turns.at(-1)?.occurredAt));
    const topicLines = topics.map(({ topic, summary }) => `${topic}: ${summary}`);
    const last = earlier.filter((event) => !isBlank(event)).slice(-4);
    const before = last.map((event) => turnLine(event, input));
    return [
      `Types: ${types.map(({ name, description }) => `${name} (${description})`).join('; ')}`,
      `Attributes: ${attributes.names().join(', ')} (job_title is the profession)`,
      ...(userNames.length === 0 ? [] : [`The user is also called: ${fence('names', userNames.join(', '))}`]),
      ...(unwanted.length === 0 ? [] : [`Leave empty: ${unwanted.join(', ')}.`]),
      ...part('Known', 'known', knownLines),
      ...part('Known topics', 'topics', topicLines),
      ...part('Before these turns, for understanding only', 'before', before),
      `Turns:\n${fence('turns', numberedTurns(turns, input))}`,
    ].join('\n\n');
  },
});

function part(title: string, name: string, lines: readonly string[]): string[] {
  return lines.length === 0 ? [] : [`${title}:\n${fence(name, lines.join('\n'))}`];
}

/** For example `7. [2026-03-02] employer = Bosch · User works at Bosch.` */
function knownLine(memory: Memory, index: number, now: Date | undefined): string {
  const { subject, attribute, value, polarity, statedAt, content } = memory;
  const about = isUser(subject) ? '' : `${subject} · `;
  // No colon follows the value, because the redaction would take some values for secrets: "preference = Goat Pass: User wants …".
  const field =
    attribute === null
      ? ''
      : `${attribute}${value === null ? '' : ` = ${singleLine(value)}`}${polarity === 'denied' ? ' (denied)' : ''} · `;
  const times = timesOf(memory, now);
  const when = times.length === 0 ? '' : ` (${times.join(', ')})`;
  return `${index + 1}. [${isoDay(statedAt)}]${when} ${about}${field}${singleLine(content)}`;
}

/** For example `planned, due 2026-03-05` or `was so until 2026-02-23`. */
function timesOf(memory: Memory, now: Date | undefined): string[] {
  const { tense, statedAt, validFrom, validTo, archivedAt } = memory;
  // An expired statement with a stated end is over. Nobody needs to look for its outcome.
  if (archivedAt !== null && tense !== 'planned' && validTo !== null) return [`was so until ${dayOf(memory, validTo)}`];
  const dueAt = isDaySaid(memory) ? memory.dueAt : null;
  const dates = [
    ...(dueAt === null ? [] : [`due ${dayOf(memory, dueAt)}`]),
    ...(dueAt === null && tense === 'planned' && validFrom !== null ? [`from ${dayOf(memory, validFrom)}`] : []),
    ...(validTo === null ? [] : [`until ${dayOf(memory, validTo)}`]),
  ];
  if (archivedAt !== null) return [`ran out on ${isoDay(archivedAt)}, outcome unknown`, ...dates];
  // The beginning is shown, because the words of the statement may still refer to it as the future.
  if (tense === 'holds')
    return [...(validFrom !== null && validFrom > statedAt ? [`began on ${dayOf(memory, validFrom)}`] : []), ...dates];
  const isPassed = dueAt !== null && (tense === 'happened' || (now !== undefined && isPlanOver(memory, now.getTime())));
  return [isPassed ? 'was planned, its day has passed' : tense, ...dates];
}

/** A turn that repeats an earlier one verbatim is left out. */
function numberedTurns(turns: readonly Event[], input: ReadPromptInput): string {
  const seen = new Set<string>();
  return turns
    .flatMap((event, index) => {
      const key = `${event.origin} ${event.speaker ?? ''} ${singleLine(event.content).toLowerCase()}`;
      if (isBlank(event) || (seen.has(key) && key.length > 40)) return [];
      seen.add(key);
      return `${index + 1}. ${turnLine(event, input)}`;
    })
    .join('\n');
}

const SPEAKERS = { user: 'User', agent: 'Assistant', tool: 'Tool', document: 'Document', system: 'System' } as const;
const WEEKDAYS = ['Sun', 'Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat'];

function turnLine(
  event: Event,
  { timeZone, turnCharacters, userCharacters }: Pick<ReadPromptInput, 'timeZone' | 'turnCharacters' | 'userCharacters'>,
): string {
  const role = event.kind === 'observation' ? 'Assistant noted' : SPEAKERS[event.origin];
  const who = event.speaker === null ? role : speakerName(event);
  const outside = event.origin === 'tool' || event.origin === 'document' ? ' (not the user)' : '';
  const most = event.origin === 'user' ? userCharacters : turnCharacters;
  const day = localDay(event.occurredAt, zoneOf(event, timeZone));
  const weekday = WEEKDAYS[new Date(day).getUTCDay()];
  return `[${day} ${weekday}] ${who}${outside}: ${shortened(singleLine(event.content), most)}`;
}

function shortened(text: string, characters: number): string {
  if (text.length <= characters) return text;
  // The end is kept too, because a long message often has its main point there.
  const head = Math.ceil(characters * 0.7);
  return `${text.slice(0, head)} … ${text.slice(text.length - (characters - head))}`.toWellFormed();
}

const REASONS: Readonly<Record<string, string>> = {
  quote_not_found: 'the quote does not say so: copy the telling words of the turn as they stand',
  value_not_said: 'the value is in no turn: use the words of the turn',
  says_more_than_quote: 'the sentence says more than the turns: keep to what they say',
  not_the_users_own: 'another speaker says so: it is about that speaker, or left out',
  too_long: 'more than 30 words',
  malformed: 'fields are missing',
  unknown_target: 'a known statement that you end or change: name only those that the turn is about',
};

/** Another speaker's words, for example, may become a statement about that speaker. */
export function isMendable({ reason, detail }: Pick<RefusedItem, 'reason' | 'detail'>): boolean {
  if (reason === 'not_the_users_own') return detail?.startsWith('said by: the speaker') === true;
  return Object.hasOwn(REASONS, reason);
}

function amendNote(refused: readonly RefusedItem[]): string {
  const lines = refused.map(
    ({ index, text, reason, detail }) =>
      `${index < 0 ? '-' : `${index + 1}.`} ${singleLine(text ?? '')} — ${REASONS[reason] ?? reason}${detail === null ? '' : `: "${singleLine(detail)}"`}`,
  );
  return `You have read these turns before. Of your statements these were refused:\n${fence('refused', lines.join('\n'))}\nGive only these again, corrected, in the same form, and leave out what cannot be corrected. Leave ends, forgets, reflections and topics empty.`;
}

/** One bad field must not make the whole answer invalid. The JSON schema omits the fallback, because strict providers reject defaults. */
function lenient<Schema extends z.ZodType>(schema: Schema, fallback: z.output<Schema>): z.ZodCatch<Schema> {
  return schema.catch(fallback as never).meta({ default: undefined }) as unknown as z.ZodCatch<Schema>;
}

const quoted = { turn: lenient(z.int(), 0), quote: lenient(z.string(), '') };
const numbers = z.union([z.array(z.int()), z.int()]);

const statementAnswer = z.object({
  text: z.string(),
  about: lenient(z.string(), 'User'),
  attribute: lenient(z.string().nullable(), null),
  value: lenient(z.string().nullable(), null),
  denied: lenient(z.boolean(), false),
  tense: lenient(z.enum(TENSES), 'holds'),
  type: lenient(z.string(), 'fact'),
  ...quoted,
  from: lenient(z.string().nullable(), null),
  to: lenient(z.string().nullable(), null),
  due: lenient(z.string().nullable(), null),
  importance: lenient(z.number().nullable(), null),
  inferred: lenient(z.boolean(), false),
  everyone: lenient(z.boolean(), false),
  tags: lenient(z.array(z.string()), []),
  relation: lenient(z.enum(RELATIONS).nullable(), null),
  known: lenient(numbers, []),
});

/** A list that a model may leave out. An invalid item becomes null. */
const items = <Item extends z.ZodType>(item: Item) => lenient(z.array(lenient(item.nullable(), null as never)), []);

/** An answer without the list of statements is invalid: if it counted as empty, the turns would be marked as read. */
const readAnswer = z.object({
  statements: z.array(lenient(statementAnswer.nullable(), null)),
  ends: items(
    z.object({
      known: numbers,
      ...quoted,
      on: lenient(z.string().nullable(), null),
    }),
  ),
  forgets: items(
    z.object({
      about: z.string(),
      ...quoted,
      known: lenient(z.array(z.int()), []),
      taken_back: lenient(z.boolean(), false),
    }),
  ),
  reflections: items(z.object({ level: z.enum(['agent', 'user', 'session']), text: z.string() })),
  topics: items(z.object({ topic: z.string(), summary: z.string() })),
});
type ReadAnswer = z.infer<typeof readAnswer>;

/** The answers are untrusted, and are checked later. */
export function createModelReader(
  model: LanguageModel,
  { turnCharacters, userCharacters }: Pick<ReadPromptInput, 'turnCharacters' | 'userCharacters'>,
): StatementReader {
  const ask = async (input: ReadInput, note: string, { signal }: ReadOptions) => {
    const prompt = renderPrompt<ReadPromptInput>(readPrompt, { ...input, turnCharacters, userCharacters });
    const asked = note === '' ? prompt : { ...prompt, user: `${prompt.user}\n\n${note}` };
    const usesPart = ({ statements }: ReadAnswer): boolean => readable(statements).length > 0;
    const request = { task: 'read' as const, prompt: asked, schema: readAnswer, signal, usesPart };
    const { data, isCut = false } = await model.generate(request);
    return { ...data, isCut };
  };
  return {
    id: model.modelOf('read'),
    kind: 'model',
    async read(input, options = {}) {
      const answer = await ask(input, '', options);
      return {
        statements: answer.statements.map(toStatement),
        ends: [...readable(answer.statements).flatMap(furtherEnds), ...readable(answer.ends)].flatMap(
          ({ known, turn, quote, ...end }) =>
            [known].flat().map((number) => ({ known: number, quote: { turn, words: quote }, ...end })),
        ),
        forgets: readable(answer.forgets).map(({ turn, quote, taken_back: takenBack, ...item }) => {
          return { ...item, quote: { turn, words: quote }, takenBack };
        }),
        reflections: input.wants.reflections ? readable(answer.reflections) : [],
        isCut: answer.isCut,
        topics: input.wants.topics ? readable(answer.topics).map((topic) => ({ ...topic, turns: [] })) : [],
      };
    },
    async amend(input, refused, options = {}) {
      return (await ask(input, amendNote(refused), options)).statements.map(toStatement);
    },
  };
}

type StatementAnswer = z.infer<typeof statementAnswer>;

/** If a relation names several known statements, it applies to the first, and the others end. With `reaches`, they are reached as well. */
function furtherEnds({ relation, known, turn, quote, tense, from }: StatementAnswer) {
  const [, ...others] = [known].flat();
  if (relation === null || relation === 'repeats' || others.length === 0) return [];
  return [{ known: others, turn, quote, on: tense === 'planned' ? from : null, isReached: relation === 'reaches' }];
}

function readable<Item>(list: readonly (Item | null)[]): Item[] {
  return list.filter((item) => item !== null);
}

/** An invalid item gets an empty text, so that it is refused as malformed. */
function toStatement(item: ReadAnswer['statements'][number]): ReadStatement {
  if (item === null) return readStatement({ text: '', type: 'fact', quotes: [] });
  const { about, denied, type, turn, quote, inferred, everyone, known, relation, ...fields } = item;
  const [target] = [known].flat();
  return readStatement({
    ...fields,
    subject: about,
    polarity: denied ? 'denied' : 'affirmed',
    type: type.trim().toLowerCase(),
    quotes: [{ turn, words: quote }],
    explicit: !inferred,
    forEveryone: everyone,
    relation: relation === null || target === undefined ? null : { kind: relation, known: target },
  });
}

interface OpenQuestion {
  statement: Statement;
  candidates: readonly Memory[];
}

const decideAnswer = z.object({
  decisions: z.array(
    z.object({
      fact: z.int(),
      action: z.enum(['ADD', 'UPDATE', 'DELETE', 'NONE']),
      known: lenient(z.int().nullable(), null),
      text: lenient(z.string().nullable(), null),
    }),
  ),
});

const decidePrompt: PromptTemplate<readonly OpenQuestion[]> = definePrompt({
  task: 'decide',
  version: 2,
  system: `New statements are to go into a memory. Each is listed with the known statements that resemble it most. Decide for each new statement, by its number:
- ADD: none of the known ones says this.
- UPDATE: a known one is about the same matter, and the new one adds to it. text: one sentence of at most 30 words that says what both say, in their language, with nothing that neither says.
- DELETE: the new one makes a known one untrue. The known one is retired and the new one added.
- NONE: a known one says it already, in whatever words.
known: the number of the known statement under that new one; null for ADD. text: null except for UPDATE.
Statements about different people, things or attributes never touch each other, however alike they look: ADD. A later event does not make an earlier one untrue. One decision for every new statement.`,
  render: (questions) =>
    questions
      .map(({ statement, candidates }, index) => {
        const known = candidates.map(
          (memory, place) => `${place + 1}. (${isoDay(memory.statedAt)}) ${singleLine(memory.content)}`,
        );
        const said = `(${isoDay(statement.statedAt)}) ${singleLine(statement.text)}`;
        return `New statement ${index + 1}:\n${fence('fact', said)}\nKnown:\n${fence('known', known.join('\n'))}`;
      })
      .join('\n\n'),
});

/** Asks about all questions in one call. Answers with an unknown number or a long text are ignored. */
export async function askVerdicts(
  model: LanguageModel,
  questions: readonly OpenQuestion[],
  signal?: AbortSignal,
): Promise<Map<Statement, Verdict>> {
  const verdicts = new Map<Statement, Verdict>();
  if (questions.length === 0) return verdicts;
  const prompt = renderPrompt(decidePrompt, questions);
  const { data } = await model.generate({ task: 'decide', prompt, schema: decideAnswer, signal });
  for (const { fact, action, known, text } of data.decisions) {
    const question = questions[fact - 1];
    const target = question?.candidates[(known ?? 0) - 1]?.id;
    if (question === undefined) continue;
    if (action === 'ADD') verdicts.set(question.statement, { action: 'add' });
    else if (target !== undefined && action === 'NONE') verdicts.set(question.statement, { action: 'confirm', target });
    else if (target !== undefined && action === 'DELETE')
      verdicts.set(question.statement, { action: 'replace', target });
    else if (target !== undefined && text !== null && text.trim() !== '' && countWords(text) <= MOST_WORDS)
      verdicts.set(question.statement, { action: 'revise', target, text: plainText(text) });
  }
  return verdicts;
}

const MOST_WORDS = 40;

interface ReflectInput {
  events: readonly Event[];
  /** Reflections must not repeat these. */
  statements: readonly Statement[];
  inMind: readonly string[];
}

const reflectAnswer = z.object({ agent: z.array(z.string()), user: z.array(z.string()), session: z.array(z.string()) });

const LONGEST_TURN = 500;

const reflectPrompt: PromptTemplate<ReflectInput> = definePrompt({
  task: 'reflect',
  version: 2,
  system: `You look back on a conversation for an assistant and note what should be in its mind from now on: not facts, which are kept elsewhere, but what they mean for how to act.
Fill three lists, in this order; what stands in an earlier list or is in mind already is not said again:
1. agent: for every conversation with anyone: how the assistant works best, lessons. Never about a person.
2. user: for every conversation with this person: how to talk to them, what they care about, standing wishes, level of knowledge.
3. session: for this conversation only: where it stands, what is open, what was agreed for now.
Each entry is one sentence of at most 35 words, in the language of the user. Only what the turns show; do not repeat the new facts. Few is good, empty lists are usual.`,
  render: ({ events, statements, inMind }) => {
    const facts = statements.map(({ text }) => text);
    const turns = events.map(({ occurredAt, origin, speaker, content }) => {
      const who = speaker === null ? SPEAKERS[origin] : speakerName({ origin, speaker });
      return `[${isoDay(occurredAt)}] ${who}: ${content.slice(0, LONGEST_TURN).toWellFormed()}`;
    });
    return [
      ...(inMind.length === 0 ? [] : [`In mind already:\n${fence('in_mind', inMind.join('\n'))}`]),
      ...(facts.length === 0 ? [] : [`New facts:\n${numbered('facts', facts)}`]),
      `Turns:\n${numbered('turns', turns)}`,
    ].join('\n\n');
  },
});

export async function askReflections(
  model: LanguageModel,
  input: ReflectInput,
  signal?: AbortSignal,
): Promise<ReadReflection[]> {
  const prompt = renderPrompt(reflectPrompt, input);
  const { data } = await model.generate({ task: 'reflect', prompt, schema: reflectAnswer, signal });
  return (['agent', 'user', 'session'] as const).flatMap((level) => data[level].map((text) => ({ level, text })));
}
