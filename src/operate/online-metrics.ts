import { splitSentences } from '../language/sentences.ts';
import { anyWords } from '../language/packs/packs.ts';
import { words } from '../language/words.ts';
import type { AttributeTable } from '../record/attributes.ts';
import { cachedFor } from '../record/cache.ts';
import type { Scope } from '../record/scope.ts';
import type { Parts, Reader } from '../store/database.ts';
import { agentQuestions, correctionsByMonth, countRefusals, countTalk } from '../store/doors/quality-store.ts';
import { knownAttributes, type ScaffoldState, scaffoldStates, sumUse } from '../store/doors/quality-store.ts';

/** A rate and its denominator. The rate is null if the denominator is 0. */
export interface Rate {
  rate: number | null;
  of: number;
}

/** Quality metrics of the memory in use, computed from the logs without a model. */
export interface OnlineMetrics {
  contextUtilisation: Rate;
  observationRate: Rate;
  statementRate: Rate;
  correctionRate: Rate;
  /** The rate of corrections by month. A falling rate is good. */
  corrections: { month: string; rate: number | null; turns: number }[];
  repeatQuestionRate: Rate;
  /** The agent's questions whose answer was already in memory, newest first. */
  repeated: { question: string; attribute: string }[];
  scaffold: ScaffoldGrowth;
  refused: { reason: string; count: number }[];
}

/** The growth of scaffolds. It should slow down, because the most important facts about a person are learned first. */
export interface ScaffoldGrowth {
  /** For each day with a change: the average number of keys of all scaffolds at the end of that day. */
  curve: { day: string; keys: number; scaffolds: number }[];
  /** The average number of keys of a scaffold now. */
  keys: number | null;
  /** The share of a scaffold's keys that the second half of its versions added. 0.5 is linear growth; less means that growth slows down. */
  lateShare: number | null;
}

export async function onlineMetrics(
  { database, attributes }: Pick<Parts, 'database' | 'attributes'>,
  scope: Scope,
): Promise<OnlineMetrics> {
  return database.read(scope.tenant, async (reader) => {
    const use = await sumUse(reader, scope);
    const talk = await countTalk(reader, scope);
    const { asked, repeated } = await repeatedQuestions(reader, scope, attributes);
    const months = await correctionsByMonth(reader, scope);
    return {
      contextUtilisation: rate(use.used, use.given),
      observationRate: rate(talk.observations, talk.conversations),
      statementRate: rate(talk.statements, talk.conversations),
      correctionRate: rate(talk.corrections + use.corrected, talk.userTurns),
      corrections: months.map(({ month, turns, corrections }) => {
        return { month, turns, rate: rate(corrections, turns).rate };
      }),
      repeatQuestionRate: rate(repeated.length, asked),
      repeated: repeated.slice(0, 20),
      scaffold: scaffoldGrowth(await scaffoldStates(reader, scope)),
      refused: await countRefusals(reader, scope),
    };
  });
}

function rate(part: number, of: number): Rate {
  return { rate: of === 0 ? null : part / of, of };
}

const QUESTIONS = 500;
// "You" in the languages of the packs. A question without it is not about the user.
const YOU = anyWords('youForms');

async function repeatedQuestions(
  reader: Reader,
  scope: Scope,
  attributes: AttributeTable,
): Promise<{ asked: number; repeated: { question: string; attribute: string }[] }> {
  const turns = await agentQuestions(reader, scope, QUESTIONS);
  const owners = [...new Set(turns.map(({ ownerKey }) => ownerKey))];
  const known = Map.groupBy(await knownAttributes(reader, scope, owners), ({ ownerKey }) => ownerKey);
  const repeated: { question: string; attribute: string }[] = [];
  let asked = 0;
  for (const { ownerKey, content, at } of turns) {
    for (const question of questionsIn(content)) {
      const wanted = attributesAsked(question, attributes);
      if (wanted.size === 0) continue;
      asked += 1;
      const answer = known.get(ownerKey)?.find(({ attribute, since }) => since < at && wanted.has(attribute));
      if (answer !== undefined) repeated.push({ question, attribute: answer.attribute });
    }
  }
  return { asked, repeated };
}

// Questions that ask for an attribute without naming it. Strict: "What would you like to eat?" does not ask for a diet.
const ASKED_SO: Readonly<Record<string, RegExp>> = {
  home_city: /\bwhere (?:do|are) you (?:live|living|based)\b|\bwo wohn(?:st|en)\b|\bdónde vive|\boù (?:habit|viv)/iu,
  employer: /\b(?:where|who) do you work\b|\bwo arbeite(?:st|n)\b|\bdónde trabaja|\boù travaill/iu,
  age: /\bhow old are you\b|\bwie alt\b|\bcuántos años tienes?\b|\bquel âge\b/iu,
  birthday: /\bwhen (?:were you born|is your birthday)\b|\bwann .{0,20}geburtstag\b/iu,
};
// Synonyms of attributes that often mean something else in a question: "What is your role in this?"
const VAGUE = new Set('called from role field position area place city work home own_name'.split(' '));

const phrasesOf = cachedFor((attributes: AttributeTable) =>
  attributes.names().map((attribute): [string, string[][]] => {
    const { labels, synonyms } = attributes.policyOf(attribute);
    const names = [attribute, ...Object.values(labels), ...synonyms].filter((name) => !VAGUE.has(name));
    return [attribute, names.map((name) => words(name.replaceAll('_', ' '))).filter((phrase) => phrase.length > 0)];
  }),
);

function attributesAsked(question: string, attributes: AttributeTable): Set<string> {
  const said = new Set(words(question));
  return new Set(
    phrasesOf(attributes)
      .filter(
        ([attribute, phrases]) =>
          ASKED_SO[attribute]?.test(question) === true ||
          phrases.some((phrase) => phrase.every((word) => said.has(word))),
      )
      .map(([attribute]) => attribute),
  );
}

function questionsIn(content: string): string[] {
  return splitSentences(content)
    .map(({ text }) => text.trim())
    .filter((sentence) => /[?？]["”»']?$/u.test(sentence) && YOU.test(sentence));
}

function scaffoldGrowth(states: readonly ScaffoldState[]): ScaffoldGrowth {
  const now = new Map<string, number>();
  const days = new Map<string, { day: string; keys: number; scaffolds: number }>();
  for (const { block, at, keys } of states) {
    now.set(block, keys);
    const day = new Date(at).toISOString().slice(0, 10);
    days.set(day, { day, keys: meanOf([...now.values()]) ?? 0, scaffolds: now.size });
  }
  const late = [...Map.groupBy(states, ({ block }) => block).values()]
    .filter((versions) => versions.length >= 4)
    .flatMap((versions) => {
      const [half, last] = [versions[Math.floor(versions.length / 2) - 1]?.keys ?? 0, versions.at(-1)?.keys ?? 0];
      return last === 0 ? [] : [(last - half) / last];
    });
  return { curve: [...days.values()], keys: meanOf([...now.values()]), lateShare: meanOf(late) };
}

function meanOf(values: readonly number[]): number | null {
  return values.length === 0 ? null : values.reduce((sum, value) => sum + value, 0) / values.length;
}
