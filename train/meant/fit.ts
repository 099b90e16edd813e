import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { signsOf } from '../../src/form/apply/find-meant.ts';
import { createLocalReader } from '../../src/form/read/local/local-reader.ts';
import { type ReadForget, turnsAlone } from '../../src/form/read/reader.ts';
import type { ToldRequest } from '../../src/form/statement.ts';
import { detectPack } from '../../src/language/packs/packs.ts';
import { splitSentences } from '../../src/language/sentences.ts';
import { createLocalEmbedder } from '../../src/models/local-embedder/local-embedder.ts';
import { attributeTable } from '../../src/record/attributes.ts';
import type { Event } from '../../src/record/event.ts';

// node train/meant/fit.ts: fits the weights by which src/form/apply/find-meant.ts decides which sentences a request to forget means, and
// prints them. The reading layers have not seen these requests, so that their log-odds are what they are on requests of users.

interface Heard {
  said: string[];
  request: string;
  /** Words that must be forgotten, and words that must stay. A sentence with neither, in a turn with the former, does not count. */
  gone: string[];
  stays: string[];
}

interface Case {
  signs: number[];
  isMeant: boolean;
}

const embedder = createLocalEmbedder();
const reader = createLocalReader({ readParts: embedder.readParts });
const attributes = attributeTable();
const TIME = new Date('2026-05-04T09:00:00Z');

function eventOf(content: string, id: string): Event {
  return {
    id,
    scope: { tenant: 't', agent: 'a', user: 'u', session: 's', connection: null },
    kind: 'message',
    origin: 'user',
    content,
    position: 0,
    speaker: null,
    category: null,
    refersTo: null,
    interaction: null,
    channel: null,
    context: null,
    metadata: {},
    occurredAt: TIME,
    recordedAt: TIME,
    processedAt: null,
  };
}

/** The request as the reading layers read it beside all that was said before, the latest turn first. */
async function tell({ said, request }: Heard): Promise<ToldRequest> {
  const parts = splitSentences(request).map(({ text }) => text);
  const turns = said
    .map((content, index) =>
      splitSentences(content).map(({ text, span }) => ({
        attribute: null,
        value: null,
        content: text,
        quote: { event: String(index), ...span },
      })),
    )
    .toReversed();
  const odds = await embedder.readParts?.(parts, { said: turns.map((turn) => turn.map(({ content }) => content)) });
  const of = (index: number): number => odds?.request[index] ?? 0;
  return {
    asks: Math.max(...parts.map((_, index) => of(index))),
    sentences: turns.flat().map((sentence, index) => ({ ...sentence, odds: of(parts.length + index) })),
  };
}

async function casesOf(heard: Heard): Promise<Case[]> {
  const input = turnsAlone([eventOf(heard.request, 'request')], { attributes, settings: { timeZone: 'UTC' } });
  const earlier = heard.said.map((content, index) => eventOf(content, String(index)));
  const { forgets } = await reader.read({ ...input, earlier });
  if (forgets.length === 0) return [];
  const told = await tell(heard);
  const pack = detectPack(heard.request);
  const has = (content: string, list: readonly string[]): boolean =>
    list.some((words) => content.toLowerCase().includes(words.toLowerCase()));
  return forgets.flatMap((request: ReadForget) => {
    const signs = signsOf(request, told, { attributes, pack, isAll: request.isAll });
    return told.sentences.flatMap(({ content, quote }, index) => {
      const isMeant = has(content, heard.gone);
      const isOpen = !isMeant && !has(content, heard.stays) && has(heard.said[Number(quote.event)] ?? '', heard.gone);
      return isOpen ? [] : [{ signs: signs[index] ?? [], isMeant }];
    });
  });
}

/** Newton's method for a logistic regression with a small penalty on large weights. The last weight is the bias. */
function fit(cases: readonly Case[], penalty = 0.3): number[] {
  const rows = cases.map(({ signs }) => [...signs, 1]);
  const size = rows[0]?.length ?? 0;
  const weights = Array.from<number>({ length: size }).fill(0);
  for (let round = 0; round < 40; round += 1) {
    const gradient = weights.map((weight, index) => (index === size - 1 ? 0 : penalty * weight));
    const curvature = weights.map((_, i) => weights.map((__, j) => (i === j && i < size - 1 ? penalty : 0)));
    for (const [index, row] of rows.entries()) {
      const chance = 1 / (1 + Math.exp(-row.reduce((sum, value, place) => sum + value * (weights[place] ?? 0), 0)));
      const error = chance - Number(cases[index]?.isMeant);
      for (const [i, value] of row.entries()) {
        gradient[i]! += error * value;
        for (const [j, other] of row.entries()) curvature[i]![j]! += chance * (1 - chance) * value * other;
      }
    }
    for (const [index, step] of solve(curvature, gradient).entries()) weights[index]! -= step;
  }
  return weights;
}

/** Solves a system of linear equations by elimination. */
function solve(matrix: readonly (readonly number[])[], values: readonly number[]): number[] {
  const rows = matrix.map((row, index) => [...row, values[index] ?? 0]);
  for (const [index, row] of rows.entries()) {
    const pivot = row[index] || 1e-9;
    for (const [place] of row.entries()) row[place]! /= pivot;
    for (const other of rows)
      if (other !== row) {
        const factor = other[index] ?? 0;
        for (const [place] of other.entries()) other[place]! -= factor * (row[place] ?? 0);
      }
  }
  return rows.map((row) => row.at(-1) ?? 0);
}

const read = (path: string): string => readFileSync(join(import.meta.dirname, path), 'utf8');
const plain = JSON.parse(read('../../test/talk/fresh-requests.json')) as Record<
  'plain' | 'unseen',
  { said: string[]; request: string; forgets: number[] }[]
>;
const heard: Heard[] = [
  ...(JSON.parse(read('requests.json')) as Heard[]),
  ...[...plain.plain, ...plain.unseen]
    .filter(({ said, request }) => !said.some((words) => request.toLowerCase().includes(words.toLowerCase())))
    .map(({ said, request, forgets }) => ({
      said,
      request,
      gone: said.filter((_, index) => forgets.includes(index)),
      stays: said.filter((_, index) => !forgets.includes(index)),
    })),
];
const cases: Case[] = [];
for (const one of heard) cases.push(...(await casesOf(one)));
const weights = fit(cases).map((weight) => Number(weight.toFixed(2)));
console.log(
  `${heard.length} requests, ${cases.length} sentences, ${cases.filter(({ isMeant }) => isMeant).length} meant`,
);
console.log(`weights ${JSON.stringify(weights.slice(0, -1))}, bias ${weights.at(-1)}`);
process.exit(0);
