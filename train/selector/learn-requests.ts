import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  createRequestHead,
  REQUEST_BUCKETS,
  REQUEST_KINDS,
  requestFeatures,
  type RequestKind,
  type RequestWeights,
} from '../../src/form/read/local/request-head.ts';
import { SURE, SURE_IF_GROUNDED } from '../../src/form/read/local/requests.ts';
import { meantByRequest } from '../../src/form/meant-by-request.ts';
import { attributeTable } from '../../src/record/attributes.ts';
import { type ReadUnit, unitsOf } from '../../src/form/read/local/units.ts';
import type { Pack } from '../../src/language/packs/pack.ts';
import { detectPack } from '../../src/language/packs/packs.ts';
import { seeded, shuffle } from './learn.ts';
import { livesExamples, readLives, readTalk, talkExamples } from './training-data.ts';

/** A turn that asks to forget, or looks like it: train/requests. */
export interface WrittenRequest {
  language: string;
  said: string[];
  request: string;
  /** The part of the turn that asks. */
  span: string | null;
  /** Which of `said` is to be forgotten. */
  forgets: number[];
  self?: boolean;
  kind: RequestKind;
}

/** A sentence with what it asks. */
interface RequestExample {
  /** Examples of one group are never on both sides of a split. */
  group: string;
  source: 'requests' | 'people';
  language: string;
  turn: string;
  unit: ReadUnit;
  said: string[];
  label: number;
  /** What the whole turn asks. */
  asked: number;
  weight: number;
}

const root = join(import.meta.dirname, '../..');
/** Neighbouring lines of a file resemble each other and stay together in cross-validation. */
const CHUNK = 5;
/** Sentences of a turn outside of what its author marked may belong to the request as well. */
const BESIDE = 0.2;
/** Lives and talk have many sentences and few that look like a request. */
const PEOPLE = 0.2;
const EVERY = 3;
const ELSEWHERE = 'elsewhere';
const MOVED = 0.4;
/** Plain wordings are few here and many in life. */
const PLAIN = 3;

const KIND_OF: Readonly<Record<string, RequestKind>> = {
  forget: 'forget',
  just_said: 'forget',
  dont_keep: 'keep_not',
  taken_back: 'take_back',
};

/** Outsiders' requests, and the half of the fresh requests that may be seen. */
export function readRequests(): { group: string; written: WrittenRequest }[] {
  const folder = join(root, 'train/requests');
  const own = readdirSync(folder)
    .filter((name) => name.endsWith('.jsonl'))
    .toSorted()
    .flatMap((name) =>
      readFileSync(join(folder, name), 'utf8')
        .split('\n')
        .filter(Boolean)
        .map((line, index) => ({
          group: `${name} ${Math.floor(index / CHUNK)}`,
          written: { language: name.slice(0, 2), ...(JSON.parse(line) as Omit<WrittenRequest, 'language'>) },
        })),
    );
  const { seen } = JSON.parse(readFileSync(join(root, 'test/talk/fresh-requests.json'), 'utf8')) as {
    seen: (Omit<WrittenRequest, 'kind'> & { kind: string })[];
  };
  const fresh = seen.map((request, index) => ({
    group: `seen ${Math.floor(index / CHUNK)}`,
    written: { ...request, span: request.request, kind: KIND_OF[request.kind] ?? ('none' as const) },
  }));
  return [...own, ...fresh, ...wordings()];
}

interface Wordings {
  wordings: Record<string, Record<'ask' | 'not' | 'back', string[]>>;
}
interface Forgetting {
  requests: { language: string; before: string; request: string }[];
  pasted: { language: string; text: string }[];
}

/** The sentences of two tests that name plain ways to ask, and texts in which somebody else asks. */
function wordings(): { group: string; written: WrittenRequest }[] {
  const read = (name: string): unknown => JSON.parse(readFileSync(join(root, 'test/talk', name), 'utf8'));
  const { wordings: byLanguage } = read('forget-wordings.json') as Wordings;
  const { requests, pasted } = read('forgetting.json') as Forgetting;
  const turn = (language: string, kind: RequestKind, request: string, said: string[] = []): WrittenRequest => ({
    language,
    said,
    request,
    span: kind === 'none' ? null : request,
    forgets: [],
    kind,
  });
  const kinds = { ask: 'forget', not: 'none', back: 'take_back' } as const;
  const turns = [
    ...Object.entries(byLanguage).flatMap(([language, lists]) =>
      (['ask', 'not', 'back'] as const).flatMap((list) =>
        lists[list].map((request) => turn(language, kinds[list], request)),
      ),
    ),
    ...requests.map(({ language, before, request }) => turn(language, 'forget', request, [before])),
    ...pasted.map(({ language, text }) => turn(language, 'none', text)),
  ];
  return turns.map((written, index) => ({ group: `wordings ${Math.floor(index / CHUNK)}`, written }));
}

/** Sentences of the requests, and of lives and talk, each with the user's turns before it. */
export function requestExamples(): RequestExample[] {
  const requests = readRequests();
  const random = seeded(5);
  const examples = requests.flatMap(({ group, written }, index) => {
    const own = examplesOf(group, written, String(index));
    // The same turn in another place, so that what was said before it is a sign of nothing by itself: where its author gives
    // nothing before it, after turns of others, else at the beginning of a conversation.
    const others = requests.filter(
      ({ written: { language, said } }) => language === written.language && said.length > 0,
    );
    const elsewhere = written.said.length > 0 ? [] : (others[Math.floor(random() * others.length)]?.written.said ?? []);
    return [
      ...own,
      ...own.map((example) => ({
        ...example,
        said: elsewhere,
        turn: `${index} ${ELSEWHERE}`,
        weight: example.weight * MOVED,
      })),
    ];
  });
  const turns = new Map<string, { turn: string; text: string }[]>();
  const people = [...livesExamples(readLives()), ...talkExamples(readTalk())];
  people.forEach(({ group, turn, unit, language, labels }, index) => {
    const before = turns.get(group) ?? [];
    turns.set(group, before);
    if (before.at(-1)?.turn !== turn) before.push({ turn, text: unit.turn });
    const label = labels.request === 2 ? 1 : 0;
    if (label === 0 && index % EVERY > 0) return;
    examples.push({
      group,
      source: 'people',
      language,
      turn: `${group} ${turn}`,
      unit,
      said: before.slice(-4, -1).map(({ text }) => text),
      label,
      asked: label,
      weight: label === 0 ? PEOPLE : 1,
    });
  });
  return examples.filter(({ unit }) => !unit.isForeign);
}

function examplesOf(group: string, written: WrittenRequest, turn: string): RequestExample[] {
  const { said, request, span, kind, language } = written;
  const fallback = said.reduce<Pack | null>((pack, text) => detectPack(text, pack), null);
  const context = { asked: null, fallback, now: new Date('2026-04-15T12:00:00Z'), timeZone: 'UTC' };
  const start = span === null ? -1 : request.indexOf(span);
  const end = start + (span ?? '').length;
  const asked = REQUEST_KINDS.indexOf(kind);
  return unitsOf(request, context).units.map((unit) => {
    const shared = Math.min(end, unit.end) - Math.max(start, unit.start);
    const isMarked =
      asked > 0 && shared > 0 && (shared >= (unit.end - unit.start) * 0.4 || shared >= (end - start) * 0.5);
    return {
      group,
      source: 'requests',
      language,
      turn,
      unit,
      said,
      label: isMarked ? asked : 0,
      asked,
      weight: (asked > 0 && !isMarked ? BESIDE : 1) * (/^(?:plain|wordings)/.test(group) ? PLAIN : 1),
    };
  });
}

const EPOCHS = 12;
const RATE = 0.08;
const DECAY = 1e-4;

/** Softmax regression by Adagrad on hashed features, with the mean of the later epochs. */
export function learnRequests(examples: readonly RequestExample[]): RequestWeights {
  const kinds = REQUEST_KINDS.length;
  const size = kinds * REQUEST_BUCKETS;
  const [weights, mean, squares] = [new Float32Array(size), new Float32Array(size), new Float32Array(size).fill(0.1)];
  const [biases, biasSquares] = [new Float32Array(kinds), new Float32Array(kinds).fill(0.1)];
  const rows = examples.map(({ unit, said, label, weight }) => ({
    features: [...requestFeatures(unit, said)],
    label,
    weight,
  }));
  const random = seeded(7);
  for (let epoch = 0; epoch < EPOCHS; epoch += 1) {
    shuffle(rows, random);
    for (const { features, label, weight } of rows) {
      const scores = softmax(features, weights, biases);
      scores.forEach((score, kind) => {
        const gradient = (score - Number(kind === label)) * weight;
        if (Math.abs(gradient) < 1e-3) return;
        for (const [bucket, value] of features) {
          const place = kind * REQUEST_BUCKETS + bucket;
          const slope = gradient * value + DECAY * (weights[place] ?? 0);
          squares[place] = (squares[place] ?? 0) + slope * slope;
          weights[place] = (weights[place] ?? 0) - (RATE * slope) / Math.sqrt(squares[place] ?? 1);
        }
        biasSquares[kind] = (biasSquares[kind] ?? 0) + gradient * gradient;
        biases[kind] = (biases[kind] ?? 0) - (RATE * gradient) / Math.sqrt(biasSquares[kind] ?? 1);
      });
    }
    if (epoch >= EPOCHS / 2)
      weights.forEach((value, place) => (mean[place] = (mean[place] ?? 0) + value / (EPOCHS / 2)));
  }
  return quantised(mean, biases);
}

function softmax(features: readonly [number, number][], weights: Float32Array, biases: Float32Array): number[] {
  const scores = REQUEST_KINDS.map((_, kind) =>
    features.reduce(
      (sum, [bucket, value]) => sum + (weights[kind * REQUEST_BUCKETS + bucket] ?? 0) * value,
      biases[kind] ?? 0,
    ),
  );
  const highest = Math.max(...scores);
  const powers = scores.map((score) => Math.exp(score - highest));
  const total = powers.reduce((sum, power) => sum + power, 0);
  return powers.map((power) => power / total);
}

function quantised(weights: Float32Array, biases: Float32Array): RequestWeights {
  const rows = new Int8Array(weights.length);
  const scales = REQUEST_KINDS.map((_, kind) => {
    const row = weights.subarray(kind * REQUEST_BUCKETS, (kind + 1) * REQUEST_BUCKETS);
    const scale = row.reduce((most, value) => Math.max(most, Math.abs(value)), 1e-6) / 127;
    row.forEach((value, bucket) => (rows[kind * REQUEST_BUCKETS + bucket] = Math.round(value / scale)));
    return Number(scale.toPrecision(6));
  });
  return {
    rows: Buffer.from(rows.buffer).toString('base64'),
    scales,
    biases: [...biases].map((bias) => Number(bias.toPrecision(6))),
  };
}

const FOLDS = 5;

/** A turn as the head judges it without having seen its neighbours: how sure it is that something is asked, and what. */
export interface JudgedTurn {
  language: string;
  source: RequestExample['source'];
  isPlain: boolean;
  asked: number;
  sure: number;
  kind: number;
  text: string;
  /** Whether its words name something that was said before. */
  isGrounded: boolean;
}

/** Every turn, judged by weights that were learned without its chunk or its person. */
export function judgeByFolds(examples: readonly RequestExample[]): Map<string, JudgedTurn> {
  const groups = [...new Set(examples.map(({ group }) => group))];
  const random = seeded(11);
  const foldOf = new Map(groups.map((group) => [group, Math.floor(random() * FOLDS)]));
  const turns = new Map<string, JudgedTurn>();
  for (let fold = 0; fold < FOLDS; fold += 1) {
    const head = createRequestHead(learnRequests(examples.filter(({ group }) => foldOf.get(group) !== fold)));
    for (const { group, turn, unit, said, asked, language, source } of examples) {
      if (foldOf.get(group) !== fold || turn.endsWith(ELSEWHERE)) continue;
      const guess = head(unit, said);
      const sure = 1 - guess.none;
      const known = turns.get(turn);
      if (known !== undefined && known.sure >= sure) continue;
      const kinds = REQUEST_KINDS.slice(1).map((kind) => guess[kind]);
      const kind = 1 + kinds.indexOf(Math.max(...kinds));
      turns.set(turn, {
        language,
        source,
        isPlain: /^(?:seen|plain|wordings)/.test(group),
        asked,
        sure,
        kind,
        text: unit.turn,
        isGrounded: groundedIn(unit.turn, said),
      });
    }
  }
  return turns;
}

const attributes = attributeTable();

function groundedIn(turn: string, said: readonly string[]): boolean {
  const items = said.map((content) => ({ attribute: null, value: null, content, statedAt: new Date(0) }));
  return meantByRequest(turn, items, attributes).length > 0;
}

const RATES = [0.01, 0.02, 0.05, 0.1];

/** Tables of figures: what is found at which share of near misses that are taken for a request. */
export function reportOnRequests(turns: Iterable<JudgedTurn>): string[] {
  const all = [...turns];
  const written = all.filter(({ source }) => source === 'requests');
  const near = written
    .filter(({ asked }) => asked === 0)
    .map(({ sure }) => sure)
    .toSorted((left, right) => right - left);
  const share = (list: readonly JudgedTurn[], from: number): string =>
    list.length === 0 ? '–' : (list.filter(({ sure }) => sure > from).length / list.length).toFixed(2);
  const languages = [...new Set(written.map(({ language }) => language))].toSorted();
  const people = all.filter(({ source, asked }) => source === 'people' && asked === 0);
  const found = (from: number, isFound: (turn: JudgedTurn) => boolean): string =>
    share(
      written.filter((turn) => turn.asked > 0 && isFound(turn)),
      from,
    );
  const lines = [
    `${written.length} turns, of which ${near.length} ask nothing; five folds by chunks of ${CHUNK} lines. Of the requests found:`,
    '',
    `| near misses taken for a request | sure above | ${languages.join(' | ')} | all | plain wordings | kind right | lives and talk |`,
    `| ${Array.from({ length: languages.length + 6 }, () => '---').join(' | ')} |`,
  ];
  for (const rate of RATES) {
    const from = near[Math.floor(near.length * rate)] ?? 1;
    const hits = written.filter(({ asked, sure }) => asked > 0 && sure > from);
    const right = hits.filter(({ asked, kind }) => asked === kind).length / Math.max(1, hits.length);
    const by = languages.map((language) => found(from, (turn) => turn.language === language)).join(' | ');
    const wrong = `${people.filter(({ sure }) => sure > from).length} of ${people.length}`;
    lines.push(
      `| ${rate} | ${from.toFixed(2)} | ${by} | ${found(from, () => true)} | ${found(from, ({ isPlain }) => isPlain)} | ${right.toFixed(2)} | ${wrong} |`,
    );
  }
  const isObeyed = ({ sure, isGrounded }: JudgedTurn): boolean =>
    sure >= SURE || (sure >= SURE_IF_GROUNDED && isGrounded);
  const obeyed = (list: readonly JudgedTurn[]): string => `${list.filter(isObeyed).length} of ${list.length}`;
  return [
    ...lines,
    '',
    `As the reader decides (sure from ${SURE}, from ${SURE_IF_GROUNDED} where the words name something that was said): of the requests ${obeyed(written.filter(({ asked }) => asked > 0))}, of the plain ones ${obeyed(written.filter(({ asked, isPlain }) => asked > 0 && isPlain))}, of the near misses ${obeyed(written.filter(({ asked }) => asked === 0))}, of lives and talk ${obeyed(people)}.`,
  ];
}
