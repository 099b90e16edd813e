import { detectPack } from '../language/packs/packs.ts';
import { queryWords, words } from '../language/words.ts';
import { entitySlug } from '../record/entity.ts';
import type { Scope } from '../record/scope.ts';
import type { Reader } from '../store/database.ts';
import { findEntitiesByName } from '../store/entity-store.ts';
import { rowsAbout } from '../store/load-records.ts';
import { queryTimes, type TimeRange } from './mentioned-time.ts';
import { ASKS_NOW, ASKS_PAST, ASKS_SEVERAL, QUERY_STOP_TERMS } from './query-words.ts';
import type { KnownSpeaker, RecallView } from './recall-view.ts';

export interface QueryAnalysis {
  readonly terms: readonly string[];
  /** Speakers of the store whom the question is about; empty when it names nobody or everybody. */
  readonly about: ReadonlySet<string>;
  /** How sure `about` is: 1 by name, 0.5 by pronoun. */
  readonly aboutCertainty: number;
  readonly asks: 'when' | 'how-many' | 'other';
  /** The stretches of time that it asks about; empty when it names none. */
  readonly times: readonly TimeRange[];
  /** The document that tells the event by which the question says when; −1 where there is none. */
  readonly anchor: number;
  /** Whether it is in another language than English, the only one that the local embedder knows well. */
  readonly isForeign: boolean;
  /** Whether it asks for what the assistant has said. */
  readonly asksAgent: boolean;
  /** Which answer it wants: what is so now, what was so before, several pieces. */
  readonly wants: { readonly now: boolean; readonly past: boolean; readonly several: boolean };
}

const WHEN =
  /\b(?:when|how long|(?:what|which) (?:date|month|year|day|time)|since when|wann|quand|cuándo)\b|什么时候|いつ|언제|متى/iu;
const HOW_MANY = /\bhow (?:many|much|often|old)\b|\bwie viele?\b|\bcombien\b|\bcuánt[oa]s?\b|多少|几个|いくつ|몇|كم/iu;
const FIRST_PERSON = /\b(?:i|my|mine|me|myself)\b/iu;
const ASSISTANT_SPOKE =
  /\b(?:did|have|had) you (?:\w+ )?(?:say|said|tell|told|give|given|gave|list|suggest|recommend|mention|explain|advise|write|propose|share)|\byou (?:said|told|gave|listed|suggested|recommended|mentioned|explained|advised|wrote|proposed|shared)/iu;

function escapePattern(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/gu, '\\$&');
}

export function namePattern(name: string): RegExp {
  // \b knows only ASCII letters, so the borders are spelled out.
  return new RegExp(`(?<![\\p{L}\\p{N}])${escapePattern(name)}(?:['’]s|['’](?=\\s))?(?![\\p{L}\\p{N}])`, 'iu');
}

// "Anna Weber" is also asked for as "Anna".
function spokenNames(name: string): string[] {
  const first = name.split(/\s+/u)[0] ?? name;
  return first.length > 2 && first !== name ? [name, first] : [name];
}

const OTHER_LETTERS = /[^\p{Script=Latin}\p{Script=Common}]|[à-öø-ÿœĀ-ž]/iu;

/** A text in Latin letters without accents and without function words of another language is taken for English. */
function isForeign(query: string): boolean {
  const pack = detectPack(query, null);
  return pack === null ? OTHER_LETTERS.test(query) : pack.language !== 'en';
}

// "I" asks about the user and "what did you suggest" about the assistant; a question with both could mean either.
function speakersByPronoun(query: string, speakers: readonly KnownSpeaker[]): string[] {
  const byUser = FIRST_PERSON.test(query);
  const byAssistant = ASSISTANT_SPOKE.test(query);
  if (byUser === byAssistant) return [];
  return speakers.filter((speaker) => speaker.role === (byUser ? 'user' : 'agent')).map((speaker) => speaker.name);
}

/** Reads who, what and when a question is about, given what it is asked of. */
export function analyzeQuery(
  query: string,
  view: RecallView,
  reference: { now: number; timeZone: string },
): QueryAnalysis {
  const { speakers } = view;
  const about = new Set<string>();
  const nameTerms = new Set<string>();
  for (const speaker of speakers) {
    if (speaker.role === 'agent') continue;
    for (const name of spokenNames(speaker.name)) {
      if (!namePattern(name).test(query)) continue;
      about.add(speaker.name);
      for (const term of words(name)) nameTerms.add(term);
    }
  }
  const aboutCertainty = about.size > 0 ? 1 : 0.5;
  if (about.size === 0) for (const name of speakersByPronoun(query, speakers)) about.add(name);
  const all = queryWords(query).filter((term) => !QUERY_STOP_TERMS.has(term));
  const times = queryTimes(query, view, reference);
  // A time is matched against the time of telling; as words, its parts would only dilute the coverage of the rest.
  const terms = all.filter((term) => !nameTerms.has(term) && !times.terms.has(term));
  return {
    terms: terms.length > 0 ? terms : all,
    about: about.size === 1 ? about : new Set(),
    aboutCertainty,
    asks: HOW_MANY.test(query) ? 'how-many' : WHEN.test(query) ? 'when' : 'other',
    times: times.ranges,
    anchor: times.anchor,
    isForeign: isForeign(query),
    asksAgent: ASSISTANT_SPOKE.test(query),
    wants: { now: ASKS_NOW.test(query), past: ASKS_PAST.test(query), several: ASKS_SEVERAL.test(query) },
  };
}

const LONGEST_NAME = 4;
const MOST_WORDS = 40;

/** The documents that are linked to an entity which the query names: they come in whatever their similarity. */
export async function documentsAboutNamed(
  reader: Reader,
  scope: Scope,
  query: string,
  view: RecallView,
): Promise<Set<number>> {
  const entities = await findEntitiesByName(reader, scope, possibleNames(query));
  const rows = await rowsAbout(
    reader,
    scope.tenant,
    entities.map((entity) => entity.id),
  );
  const found = new Set<number>();
  for (const row of rows) {
    const ordinal = view.ordinalOf('memory', row);
    if (ordinal !== undefined) found.add(ordinal);
  }
  return found;
}

/** All runs of up to four words: one of them may be a name. */
function possibleNames(query: string): string[] {
  const words = entitySlug(query).split('-').slice(0, MOST_WORDS);
  const names: string[] = [];
  for (let start = 0; start < words.length; start += 1) {
    for (let length = 1; length <= LONGEST_NAME && start + length <= words.length; length += 1) {
      names.push(words.slice(start, start + length).join('-'));
    }
  }
  return names;
}
