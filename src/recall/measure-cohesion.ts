/** How much the order of a store's documents means: 0 as good as shuffled, 1 a conversation that stays on its topic. */
export interface Cohesion {
  readonly neighbour: number;
  readonly session: number;
}

export interface Links {
  readonly next: Int32Array;
  readonly sessions: Int32Array;
  /** Number of the speaker or role per document. */
  readonly voices: Int32Array;
}

const SAMPLE = 1500;
// In deviations of strangers' cosines. Two people talking reach 1.5–2.3 (neighbour) and 0.5–0.7 (session), shuffled turns 0 ± 0.1,
// many people each asking an assistant 0.3 and 0.05, a user and an assistant with boilerplate answers 0.5 and 0.
const NEIGHBOUR_RANGE = { none: 0.25, full: 1.4 };
const SESSION_RANGE = { none: 0.1, full: 0.45 };

function cosine(left: Float32Array, right: Float32Array): number {
  let sum = 0;
  for (let index = 0; index < left.length; index += 1) sum += (left[index] as number) * (right[index] as number);
  return sum;
}

function sequence(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 4294967296;
  };
}

export interface CohesionEvidence {
  /** Mean gain of a neighbour's cosine over that of a stranger of the same voice, in deviations. */
  readonly neighbour: number;
  readonly session: number;
}

/** Samples pairs, so the cost does not grow with the store; deterministic. */
export function sampleCohesion(vectors: ReadonlyMap<number, Float32Array>, links: Links): CohesionEvidence | null {
  const known = [...vectors.keys()];
  const count = known.length;
  if (count < 20) return null;
  const random = sequence(count);
  const pick = (): number => known[Math.floor(random() * count)] as number;
  const similarity = (left: number, right: number): number =>
    cosine(vectors.get(left) as Float32Array, vectors.get(right) as Float32Array);
  // A stranger speaks with the same voice from another session: an assistant's turns resemble each other whatever they are about.
  const strangerLike = (ordinal: number): number => {
    let found = -1;
    for (let attempt = 0; attempt < 12; attempt += 1) {
      const other = pick();
      if (links.sessions[other] === links.sessions[ordinal]) continue;
      found = other;
      if (links.voices[other] === links.voices[ordinal]) break;
    }
    return found;
  };
  const strangers = { count: 0, sum: 0, squares: 0 };
  const near = { count: 0, gain: 0 };
  const far = { count: 0, gain: 0 };
  const compare = (here: number, related: number, into: { count: number; gain: number }): void => {
    const stranger = strangerLike(related);
    if (stranger < 0) return;
    const background = similarity(here, stranger);
    strangers.count += 1;
    strangers.sum += background;
    strangers.squares += background * background;
    into.count += 1;
    into.gain += similarity(here, related) - background;
  };
  for (let round = 0; round < SAMPLE; round += 1) {
    const here = pick();
    let related = links.next[here] as number;
    if (!vectors.has(related)) continue;
    compare(here, related, near);
    // Four turns on: the topic of the session without the echo of a direct reply.
    for (let step = 0; step < 3 && related >= 0; step += 1) related = links.next[related] as number;
    if (vectors.has(related)) compare(here, related, far);
  }
  if (near.count < 10) return null;
  const mean = strangers.sum / strangers.count;
  const deviation = Math.sqrt(Math.max(1e-6, strangers.squares / strangers.count - mean * mean));
  return {
    neighbour: near.gain / near.count / deviation,
    session: far.count < 10 ? 0 : far.gain / far.count / deviation,
  };
}

function within(range: { none: number; full: number }, value: number): number {
  return Math.min(1, Math.max(0, (value - range.none) / (range.full - range.none)));
}

export function measureCohesion(vectors: ReadonlyMap<number, Float32Array>, links: Links): Cohesion {
  const evidence = sampleCohesion(vectors, links);
  if (evidence === null) return { neighbour: 0, session: 0 };
  return {
    neighbour: within(NEIGHBOUR_RANGE, evidence.neighbour),
    session: within(SESSION_RANGE, evidence.session),
  };
}
