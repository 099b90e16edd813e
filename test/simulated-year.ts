import {
  DECISIONS,
  FEEDBACK,
  FORGOTTEN,
  SILENCE,
  SMALL_TALK,
  STORIES,
  THINGS,
  TRAITS,
  type Trait,
} from './simulated-life.ts';

/** One exchange of a simulated life. */
export interface SimulatedExchange {
  user: string;
  agent: string;
}

/** A day: its exchanges and actions, and what is true at its end. */
export interface SimulatedDay {
  /** The number of the day, from 0. */
  day: number;
  exchanges: SimulatedExchange[];
  decisions: { decided: string; outcome: string }[];
  truth: Truth;
}

/** The expected knowledge at the end of the day. */
export interface Truth {
  /** The traits that were stated, each with its value and its earlier values. */
  traits: { trait: Trait; value: string; past: string[] }[];
  /** The number of different statements so far, without small talk. */
  learned: number;
}

export interface SimulatedLife {
  days?: number;
  /** Exchanges a day, plus or minus one. Default 10. */
  perDay?: number;
  /** The number of days over which the statements are spread. Default 350. */
  span?: number;
  /** The same seed gives the same life. */
  seed?: number;
}

interface Said {
  day: number;
  text: string;
  /** The other wordings, and until when the statement is true. */
  again: readonly string[];
  until: number;
}

const FIRST_DAY = 4;
const SAID_AGAIN = 0.55;

/** A year of somebody's conversations: about ten exchanges a day, most of them small talk. */
export function* simulatedYear({
  days = 365,
  perDay = 10,
  span = 350,
  seed = 7,
}: SimulatedLife = {}): Generator<SimulatedDay> {
  const random = seeded(seed);
  // Small talk has its own random numbers, so that more of it changes nothing else.
  const chatter = seeded(seed + 1);
  const life = plannedLife(random, span);
  for (let day = 0; day < days; day += 1) {
    if (day >= SILENCE.from && day < SILENCE.to) {
      yield { day, exchanges: [], decisions: [], truth: truthOn(day, life) };
      continue;
    }
    const told = life.filter((said) => said.day === day);
    const exchanges: SimulatedExchange[] = told.map(({ text }) => ({ user: text, agent: 'Good to know.' }));
    // Statements that are still true are repeated, in other words if there are any.
    const known = life.filter((said) => said.day < day && said.until > day + 1 && said.again.length > 0);
    const again = random() < SAID_AGAIN ? pick(pick(known, random)?.again ?? [], random) : undefined;
    if (again !== undefined) exchanges.push({ user: again, agent: 'Yes, I remember.' });
    const most = perDay + Math.floor(chatter() * 3) - 1;
    while (exchanges.length < most) {
      const [user, agent] = pick(SMALL_TALK, chatter) ?? ['', ''];
      exchanges.push({ user, agent });
    }
    const decisions = DECISIONS.filter(([on]) => on === day).map(([, decided, outcome]) => ({ decided, outcome }));
    yield { day, exchanges, decisions, truth: truthOn(day, life) };
  }
}

/** All statements of the life, each with its day. */
function plannedLife(random: () => number, span: number): Said[] {
  const life: Said[] = TRAITS.flatMap(({ states }) =>
    states.map(({ day, said: [text, ...again] }, index) => ({
      day,
      text,
      again: [text, ...again],
      until: states[index + 1]?.day ?? Infinity,
    })),
  );
  const things = shuffled([...THINGS, ...FEEDBACK], random);
  for (const [index, [text, ...again]] of things.entries()) {
    const day = FIRST_DAY + Math.floor((index * (span - FIRST_DAY)) / things.length);
    life.push({ day, text, again: [text, ...again], until: Infinity });
  }
  for (const [index, story] of shuffled(STORIES, random).entries()) {
    const start = FIRST_DAY + 1 + Math.floor((index * (span * 0.6)) / STORIES.length);
    for (const [after, text] of story) life.push({ day: start + after, text, again: [], until: 0 });
  }
  for (const { said, asked } of FORGOTTEN)
    for (const [day, text] of [said, asked]) life.push({ day, text, again: [], until: 0 });
  // Statements that fall into the silence are made when it is over.
  const heard = life.map((said) => ({
    ...said,
    day: said.day >= SILENCE.from && said.day < SILENCE.to ? SILENCE.to : said.day,
  }));
  return heard.toSorted((one, other) => one.day - other.day);
}

function truthOn(day: number, life: readonly Said[]): Truth {
  const traits = TRAITS.flatMap((trait) => {
    const told = trait.states.filter((each) => each.day <= day);
    const now = told.at(-1);
    return now === undefined ? [] : [{ trait, value: now.value, past: told.slice(0, -1).map(({ value }) => value) }];
  });
  return { traits, learned: life.filter((said) => said.day <= day).length };
}

function pick<Item>(items: readonly Item[], random: () => number): Item | undefined {
  return items[Math.floor(random() * items.length)];
}

function shuffled<Item>(items: readonly Item[], random: () => number): Item[] {
  return items
    .map((item) => ({ item, place: random() }))
    .toSorted((one, other) => one.place - other.place)
    .map(({ item }) => item);
}

/** A small random number generator from 0 to 1, deterministic for a seed. */
function seeded(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32;
  };
}
