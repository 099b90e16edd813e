import { absolutiseDates } from '../../language/absolutise-dates.ts';
import { WEEKDAY } from '../../language/calendar-pattern.ts';
import type { SourcedDraft, StatementDraft } from './statement-draft.ts';
import type { Turn } from '../../models/distiller.ts';
import type { ExtractedStatement } from './extracted-statement.ts';
import { extractTopics } from '../../language/extract-topics.ts';
import type { ResolvedDate } from '../../language/resolve-dates.ts';
import { writeSentence } from './write-sentence.ts';
import { canonicalSubject, findSlot } from './slots/find-slot.ts';

const MOST_TAGS = 5;
// A predicate begins with its verb, which is no topic.
const VERB = /^(?:(?:never|also|now|currently|still|no longer|always|usually|often) )*\p{Ll}+ /u;
// A value holds without when it was said.
const FOR_NOW = /,? (?:these days|now|nowadays|at the moment|right now|currently|lately|any ?more|as of late)$/i;
// Nor does it hold what is said besides.
const BESIDE = /,? and (?:the|my|our|their|its) [\p{L} ]{2,30} (?:is|are) .*$/u;
// What comes every year has no year of its own.
const YEARLY = /\b(?:birthday|b-?day|anniversary|name day)$/i;
const BORN = /^(?:was born|celebrates? (?:their|the) (?:\p{L}+ ){0,2}(?:birthday|anniversary))\b/u;
// Past in form: what was found then one still has.
const STAYS = /^was (?:(?:recently|just|finally|only|first|also) )*diagnosed\b/;
const YEAR = /\b(?:19|20)\d\d\b/;

/** Turns a draft into a statement: absolute dates, slot, keyed facts, validity, tags, one sentence. */
export function finishDraft(
  { draft: said, span }: SourcedDraft,
  place: { turn: Turn; number: number; speaker: string; timeZone: string },
): ExtractedStatement {
  const { turn, number, speaker, timeZone } = place;
  const draft = onDay(said);
  const slot = findSlot(draft, speaker);
  const reference = { now: turn.occurredAt, timeZone, prefer: draft.looksAhead === true ? 'future' : 'past' } as const;
  const { text: dated, dates } = absolutiseDates(draft.predicate, reference);
  const text = dated.replace(/\b(as of|from|by) (?:in|on) (?=the |\d|\p{Lu})/gu, '$1 ');
  const isYearly = YEARLY.test(draft.subject) || BORN.test(draft.predicate);
  const predicate = isYearly ? dayOf(text, draft.predicate) : text;
  const attribute = draft.attribute ?? slot.attribute;
  const keyedFacts = (draft.keyedFacts ?? slot.keyedFacts)?.map((fact) => ({
    ...fact,
    value: isYearly
      ? dayOf(absolutiseDates(fact.value, reference).text, fact.value).replace(/^(?:in|on) /, '')
      : absolutiseDates(fact.value.replace(FOR_NOW, '').replace(BESIDE, ''), reference).text.replace(
          /^(?:in|on) (?=.*\d{4}$)/,
          '',
        ),
  }));
  const content = writeSentence(withReason(`${draft.subject} ${predicate}`, draft.reason));
  return {
    type: draft.type,
    content,
    subject: slot.subject ?? canonicalSubject(draft.subject),
    ...(attribute === undefined ? {} : { attribute }),
    polarity: draft.polarity,
    importance: clamp(draft.importance + (keyedFacts === undefined ? 0 : 0.1)),
    confidence: draft.confidence,
    tags: [
      ...new Set([
        ...(draft.tags ?? []),
        ...extractTopics(
          `${draft.subject === speaker ? '' : draft.subject.replace(`${speaker}'s `, '')} ${draft.predicate.replace(VERB, '')}`,
          MOST_TAGS,
        ),
      ]),
    ]
      .filter((tag) => draft.subject === speaker || !namedIn(draft.subject).includes(tag))
      .slice(0, MOST_TAGS),
    ...(keyedFacts === undefined ? {} : { keyedFacts }),
    // Where and when somebody was born is so for ever.
    ...(/^was born\b/.test(draft.predicate)
      ? {}
      : validity(
          draft.past === true && !STAYS.test(draft.predicate),
          draft.type === 'intention' || draft.type === 'goal',
          isYearly && !YEAR.test(draft.predicate) ? [] : dates,
          turn.occurredAt,
        )),
    ...(draft.followUpDays === undefined ? {} : { followUpDays: draft.followUpDays }),
    // "Actually" alone is also a mannerism: without a slot there is nothing it could correct.
    ...(draft.correction === undefined || (draft.correction.rejected === undefined && attribute === undefined)
      ? {}
      : { correction: draft.correction }),
    ...(draft.achievesGoal === undefined ? {} : { achievesGoal: draft.achievesGoal }),
    turn: number,
    span,
  };
}

const MOST_WORDS = 30;

/** A reason that does not fit is left out whole: half of one would say something else. */
function withReason(said: string, reason: string | undefined): string {
  const whole = reason === undefined ? said : `${said} ${reason}`;
  return whole.split(' ').length <= MOST_WORDS ? whole : said;
}

const NAMES_DAY = new RegExp(`^(is|are|is now|are now) (?=${WEEKDAY}\\b)`, 'i');
// "Bin day is Wednesday", "choir practice is Tuesday": of every week.
const EVERY_WEEK =
  /\b(?:day|night|evening|morning|afternoon|shift|class|lesson|practice|training|rehearsal|collection|delivery|market|choir|standup|stand-up)s?$/i;

/** "My exam is Friday" is on the Friday that comes: without its date nobody could say later which one was meant. */
function onDay(draft: StatementDraft): StatementDraft {
  if (draft.looksAhead !== true || EVERY_WEEK.test(draft.subject)) return draft;
  return { ...draft, predicate: draft.predicate.replace(NAMES_DAY, '$1 on ') };
}

/** "On 12 March 2027" → "on 12 March", unless the year was said. */
function dayOf(text: string, said: string): string {
  return YEAR.test(said)
    ? text
    : text.replace(/(?<!\bof )\b((?:on \d{1,2}|in|\d{1,2}) \p{Lu}\p{L}+) (?:19|20)\d\d\b/gu, '$1');
}

/** Named people are entities. As tags, their name and "son" would gather all that is said of them into one text. */
function namedIn(subject: string): string[] {
  return /(?<= )\p{Lu}/u.test(subject) ? (subject.toLowerCase().match(/[\p{L}-]+/gu) ?? []) : [];
}

/** When the statement holds: a date starts it, a range bounds it, "used to" ends it before it was said. */
function validity(
  past: boolean,
  ahead: boolean,
  dates: readonly ResolvedDate[],
  saidAt: Date,
): Pick<ExtractedStatement, 'validFrom' | 'validTo' | 'dueDate'> {
  const [date] = dates;
  if (date === undefined) return past ? { validTo: saidAt.toISOString() } : {};
  if (ahead) {
    const due = date.to ?? date.from;
    return due !== null && due > saidAt ? { dueDate: due.toISOString() } : {};
  }
  const bounded = past || date.precision === 'range';
  const isToCome = !past && date.from !== null && date.from > saidAt;
  const end = date.to !== null && (isToCome || date.to < saidAt) ? date.to : saidAt;
  return {
    ...(date.from === null ? {} : { validFrom: date.from.toISOString() }),
    ...(bounded && date.relation !== 'since' ? { validTo: end.toISOString() } : {}),
  };
}

function clamp(value: number): number {
  return Math.round(Math.min(1, Math.max(0, value)) * 100) / 100;
}
