// node train/selector/score-lives.ts [--slots] [--detail FILE] [ids…]: prints what the local reader keeps of the lives. Each life is read
// with weights that were learned without it (five folds). The definitions are those of the benchmark of lives. A memory is kept if a
// statement from its turns contains its value, contains 60 % of its content words, or quotes the turn and contains 25 % of them. A
// statement is junk if its turn states no memory.
import { writeFileSync } from 'node:fs';
import { createLocalReader } from '../../src/form/read/local/local-reader.ts';
import { createSelector, inputsOf, type select } from '../../src/form/read/local/selector.ts';
import type { ReadStatement } from '../../src/form/read/reader.ts';
import { PACKS } from '../../src/language/packs/packs.ts';
import { attributeTable } from '../../src/record/attribute-table.ts';
import type { Event } from '../../src/record/event.ts';
import { MEMORY_TYPES } from '../../src/record/memory-types.ts';
import { createLocalEmbedder } from '../../src/models/local-embedder/local-embedder.ts';
import { covers, flat, isAboutUser } from '../../src/evaluate/says.ts';
import { learn, OPTIONS, quantise } from './learn.ts';
import { seenOf } from './seen-cache.ts';
import { type Life, type LifeMemory, readExamples, readLives } from './training-data.ts';

const args = process.argv.slice(2);
const slotsOnly = args.includes('--slots');
const detailFile = args.includes('--detail') ? args[args.indexOf('--detail') + 1] : undefined;
const wanted = args.filter((arg) => /^[a-g]\d\d$/.test(arg));
const FOLDS = 5;

const embedder = createLocalEmbedder();
const lives = readLives();
const attributes = attributeTable();
const types = Object.entries(MEMORY_TYPES)
  .filter(([, type]) => type.formable)
  .map(([name, type]) => ({ name, description: type.description }));

const selectors = slotsOnly ? null : await foldSelectors();

async function foldSelectors(): Promise<(typeof select)[]> {
  const examples = readExamples(lives);
  const seen = await seenOf(examples.map(({ unit }) => unit));
  const rows = examples.map(({ unit, labels, weight }, index) => ({
    inputs: inputsOf(unit, seen[index]!),
    labels,
    weight,
  }));
  return Array.from({ length: FOLDS }, (_, fold) => {
    const without = new Set(lives.filter((_life, index) => index % FOLDS === fold).map(({ id }) => id));
    const chosen = rows.filter((_row, index) => !without.has(examples[index]?.group ?? ''));
    return createSelector(quantise(learn(chosen, OPTIONS)));
  });
}

interface Said extends ReadStatement {
  turnId: string;
}

async function readLife(
  life: Life,
  ask: typeof select | null,
): Promise<{ said: Said[]; milliseconds: number; turns: number }> {
  const said: Said[] = [];
  const reader = createLocalReader({
    ...(slotsOnly ? {} : { embed: async (texts) => (await embedder.embed(texts)).vectors }),
    readParts: process.env['PLAIN'] === '1' ? undefined : embedder.readParts,
    ...(ask === null ? {} : { select: ask }),
  });
  const many =
    new Set(
      life.sessions
        .flatMap(({ turns }) => turns)
        .filter(({ role }) => role === 'user')
        .map(({ speaker }) => speaker),
    ).size > 1;
  let milliseconds = 0;
  let count = 0;
  for (const session of life.sessions) {
    const events = session.turns.map((turn, index) => toEvent(turn, index, session.start, many));
    for (const [index, event] of events.entries()) {
      if (event.origin !== 'user') continue;
      const started = performance.now();
      const reading = await reader.read({
        turns: [event],
        earlier: events.slice(Math.max(0, index - 6), index),
        known: [],
        topics: [],
        types,
        attributes,
        timeZone: 'UTC',
        userNames: [],
        wants: { reflections: false, topics: false },
      });
      milliseconds += performance.now() - started;
      count += 1;
      for (const statement of reading.statements) {
        for (const quote of statement.quotes)
          if (!event.content.includes(quote.words))
            throw new Error(`The turn ${event.id} does not contain the quoted words: ${quote.words}`);
        said.push({ ...statement, turnId: event.id });
      }
    }
  }
  return { said, milliseconds, turns: count };
}

function toEvent(turn: Life['sessions'][0]['turns'][0], index: number, start: string, many: boolean): Event {
  const at = new Date(Date.parse(start) + index * 40_000);
  const origin = turn.role === 'user' ? 'user' : turn.role === 'tool' ? 'tool' : 'agent';
  return {
    id: turn.id,
    scope: {} as Event['scope'],
    position: index,
    kind: turn.role === 'tool' ? 'tool_result' : 'message',
    origin,
    speaker: many && origin === 'user' ? turn.speaker : null,
    content: turn.text,
    category: null,
    refersTo: null,
    interaction: null,
    channel: null,
    context: null,
    metadata: {},
    occurredAt: at,
    recordedAt: at,
    processedAt: null,
  };
}

type Sums = Record<string, number>;
const totals: Record<string, Sums> = { English: {}, 'other packs': {}, 'no pack': {} };
const details: unknown[] = [];
for (const [index, life] of lives.entries()) {
  if (wanted.length > 0 && !wanted.includes(life.id)) continue;
  const { said, milliseconds, turns } = await readLife(life, selectors?.[index % FOLDS] ?? null);
  const sums = totals[
    life.language === 'en'
      ? 'English'
      : PACKS.some(({ language }) => language === life.language)
        ? 'other packs'
        : 'no pack'
  ] as Sums;
  const add = (name: string, count: number): void => void (sums[name] = (sums[name] ?? 0) + count);
  // The last value of a single-valued attribute holds.
  const live = said.filter(
    (one, at) =>
      !(
        one.attribute !== null &&
        attributes.policyOf(one.attribute).values === 'one' &&
        said.some(
          (other, later) =>
            later > at &&
            other.attribute === one.attribute &&
            other.subject === one.subject &&
            other.tense !== 'planned',
        )
      ),
  );
  const textOf = new Map(
    life.sessions.flatMap((session) => session.turns.map((turn) => [turn.id, flat(turn.text)] as const)),
  );
  const says = (gold: LifeMemory, one: Said): boolean =>
    gold.stated.includes(one.turnId) &&
    ((gold.value !== null && `${one.value ?? ''} ${one.text}`.toLowerCase().includes(gold.value.toLowerCase())) ||
      covers(gold.text, one.text) >= 0.6 ||
      (flat(one.text).length > 7 &&
        (textOf.get(one.turnId) ?? '').includes(flat(one.text)) &&
        covers(gold.text, one.text) >= 0.25));
  const together = (gold: LifeMemory): boolean =>
    covers(
      gold.text,
      live
        .filter((one) => gold.stated.includes(one.turnId))
        .map((one) => `${one.text} ${one.value ?? ''}`)
        .join(' '),
    ) >= 0.6;
  const holding = life.memories.filter(({ until }) => until === null);
  const kept = holding.filter((gold) => live.some((one) => says(gold, one)) || together(gold));
  const stated = new Set(life.memories.flatMap((memory) => memory.stated));
  const junk = live.filter((one) => !stated.has(one.turnId));
  add('gold', holding.length);
  add('kept', kept.length);
  add('statements', live.length);
  add('junk', junk.length);
  add('turns', turns);
  add('ms', milliseconds);
  const userTurns = life.sessions.flatMap((session) => session.turns).filter(({ role }) => role === 'user');
  add('statedTurns', userTurns.filter(({ id }) => stated.has(id)).length);
  add('coveredTurns', userTurns.filter(({ id }) => stated.has(id) && said.some((one) => one.turnId === id)).length);
  const same = (left: string, right: string): boolean =>
    left.toLowerCase().includes(right.toLowerCase()) || right.toLowerCase().includes(left.toLowerCase());
  const goldSlots = holding.filter((gold) => gold.slot !== null && isAboutUser(gold));
  const facts = live.filter((one) => one.attribute !== null && one.value !== null);
  const right = goldSlots.filter((gold) => facts.some((one) => same(one.value ?? '', gold.value ?? '')));
  add('slots', goldSlots.length);
  add('slotsRight', right.length);
  // For the precision, all memories of the life count, also ended ones and those about other people. A filled slot is right if a memory of
  // its turn has the same slot and value, or contains the words of the value.
  const good = facts.filter((one) =>
    life.memories.some(
      (gold) =>
        gold.stated.includes(one.turnId) &&
        (gold.slot === one.attribute
          ? same(gold.value ?? '', one.value ?? '')
          : covers(one.value ?? '', gold.text) >= 0.5),
    ),
  );
  add('filled', facts.length);
  add('filledRight', good.length);
  details.push({
    id: life.id,
    missed: holding.filter((gold) => !kept.includes(gold)).map((gold) => `${gold.stated.join(',')} ${gold.text}`),
    junk: junk.map((one) => `${one.turnId} ${one.text}`),
    slots: facts.map(
      (one) =>
        `${good.includes(one) ? 'ok ' : 'BAD'} ${one.turnId} ${one.subject} ${one.attribute}=${one.value} ${one.polarity} ${one.tense} | ${one.quotes[0]?.words}`,
    ),
    slotsMissed: goldSlots
      .filter((gold) => !right.includes(gold))
      .map(
        (gold) =>
          `${gold.slot}=${gold.value} | ${gold.stated
            .map((id) =>
              life.sessions
                .flatMap((session) => session.turns)
                .find((turn) => turn.id === id)
                ?.text.slice(0, 300),
            )
            .join(' // ')}`,
      ),
    statements: said.map(
      (one) =>
        `${one.turnId} [${one.type} ${one.tense}${one.from ? ` ${one.from.slice(0, 10)}` : ''}${one.due ? ` due ${one.due.slice(0, 10)}` : ''}] ${one.subject === 'User' ? '' : `(${one.subject}) `}${one.text}`,
    ),
  });
}
const share = (sums: Sums, part: string, whole: string): string =>
  `${Math.round(sums[part] ?? 0)}/${Math.round(sums[whole] ?? 0)} = ${((sums[part] ?? 0) / Math.max(1, sums[whole] ?? 0)).toFixed(3)}`;
for (const [name, sums] of Object.entries(totals)) {
  console.log(
    `${name}: turns covered ${share(sums, 'coveredTurns', 'statedTurns')}; kept ${share(sums, 'kept', 'gold')}; junk ${share(sums, 'junk', 'statements')}; slots of the user right ${share(sums, 'slotsRight', 'slots')}; filled slots right ${share(sums, 'filledRight', 'filled')}; statements per one that holds ${((sums['statements'] ?? 0) / Math.max(1, sums['gold'] ?? 0)).toFixed(2)}; ${((sums['ms'] ?? 0) / Math.max(1, sums['turns'] ?? 0)).toFixed(2)} ms a turn`,
  );
}
if (detailFile !== undefined) writeFileSync(detailFile, JSON.stringify(details, null, 1));
