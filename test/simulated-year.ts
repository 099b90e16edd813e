/** One exchange of a simulated life. */
export interface SimulatedExchange {
  user: string;
  agent: string;
}

/** A day: what is said, and what is true by its end. */
export interface SimulatedDay {
  /** From 0. */
  day: number;
  exchanges: SimulatedExchange[];
  truth: Truth;
}

/** What somebody who has listened must know now. */
export interface Truth {
  city: string;
  employer: string;
  dog: string;
  /** Values that were true once and no longer are. */
  past: { city: string[]; employer: string[] };
  /** Statements that were made so far, outside of small talk: what there is to know. */
  learned: number;
}

const MOVES: readonly [day: number, city: string, said: string][] = [
  [1, 'Berlin', 'I live in Berlin.'],
  [100, 'Munich', 'I moved to Munich last week.'],
  [250, 'Lisbon', 'I live in Lisbon now.'],
];
const JOBS: readonly [day: number, employer: string, said: string][] = [
  [2, 'Acme', 'I work at Acme as a designer.'],
  [140, 'TechCorp', 'I work at TechCorp now.'],
  [300, 'Nimbus', 'I left TechCorp. I work at Nimbus now.'],
];
// Said once, on these days: the rest of a life.
const STATEMENTS: readonly [day: number, said: string][] = [
  [3, 'My dog is called Max.'],
  [4, 'I love sushi.'],
  [5, 'I want to run a marathon.'],
  [8, 'My sister is called Clara.'],
  [12, 'I am allergic to peanuts.'],
  [15, 'I prefer short answers.'],
  [20, 'I play the cello.'],
  [26, 'I speak German and Portuguese.'],
  [33, 'My favourite colour is green.'],
  [41, 'I want to learn to sail.'],
  [48, 'I drive an old Volvo.'],
  [55, 'My boss is called Henrik.'],
  [63, 'I hate early meetings.'],
  [70, 'I collect vinyl records.'],
  [82, 'My brother lives in Oslo.'],
  [91, 'I am a vegetarian.'],
  [110, 'I like hiking in the Alps.'],
  [121, 'My wife is called Ines.'],
  [133, 'I have two kids.'],
  [150, 'I ran the marathon yesterday!'],
  [162, 'I enjoy jazz concerts.'],
  [175, 'I own a cargo bike.'],
  [190, 'I hate sushi now.'],
  [205, 'I started a podcast about design.'],
  [220, 'I read a lot of science fiction.'],
  [236, 'My neighbour is called Paulo.'],
  [255, 'I love the sea.'],
  [270, 'I am learning to surf.'],
  [288, 'I bought a small boat.'],
  [305, 'My new manager is called Aisha.'],
  [322, 'I want to write a book.'],
  [340, 'I prefer tea over coffee.'],
];
const SMALL_TALK: readonly [user: string, agent: string][] = [
  ['Good morning!', 'Good morning! How can I help?'],
  ['How are you?', 'Fine, thanks.'],
  ['Nice weather today, isn’t it?', 'It is indeed.'],
  ['Thanks a lot!', 'You are welcome.'],
  ['Can you draft an email to the team?', 'Sure: "Dear team, …"'],
  ['What is the capital of Peru?', 'Lima.'],
  ['Please shorten this paragraph.', 'Here is a shorter version.'],
  ['Tell me a joke.', 'Why did the chicken cross the road?'],
  ['Could you check this formula?', 'It looks right to me.'],
  ['How do I sort a list in Python?', 'Use sorted().'],
  ['Ok, great.', 'Anything else?'],
  ['What time is it in Tokyo?', 'It is late there.'],
  ['Do you think it will rain?', 'I cannot know.'],
  ['See you tomorrow!', 'See you!'],
];

/** A small generator of numbers from 0 to 1, the same for the same seed. */
function seeded(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32;
  };
}

/** A year of somebody's conversations: about ten exchanges a day, most of them small talk. */
export function* simulatedYear({
  days = 365,
  perDay = 10,
  seed = 7,
}: { days?: number; perDay?: number; seed?: number } = {}): Generator<SimulatedDay> {
  const random = seeded(seed);
  const truth: Truth = { city: '', employer: '', dog: '', past: { city: [], employer: [] }, learned: 0 };
  const said: string[] = [];
  for (let day = 0; day < days; day += 1) {
    const told: string[] = [];
    for (const [on, city, text] of MOVES) {
      if (on !== day) continue;
      if (truth.city !== '') truth.past.city.push(truth.city);
      truth.city = city;
      told.push(text);
    }
    for (const [on, employer, text] of JOBS) {
      if (on !== day) continue;
      if (truth.employer !== '') truth.past.employer.push(truth.employer);
      truth.employer = employer;
      told.push(text);
    }
    for (const [on, text] of STATEMENTS) if (on === day) told.push(text);
    if (day === 3) truth.dog = 'Max';
    truth.learned += told.length;
    const exchanges: SimulatedExchange[] = told.map((user) => ({ user, agent: 'Good to know.' }));
    // Now and then something is said again.
    const repeated = said[Math.floor(random() * said.length)];
    if (repeated !== undefined && random() < 0.1) exchanges.push({ user: repeated, agent: 'Yes, I remember.' });
    said.push(
      ...told.filter((text) => STATEMENTS.some(([on, each]) => each === text && on !== 4 && on !== 5 && on !== 150)),
    );
    while (exchanges.length < perDay + Math.floor(random() * 3) - 1) {
      const [user, agent] = SMALL_TALK[Math.floor(random() * SMALL_TALK.length)] as [string, string];
      exchanges.push({ user, agent });
    }
    yield { day, exchanges, truth: structuredClone(truth) };
  }
}
