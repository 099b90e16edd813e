import { existsSync, readdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { invalidInput } from '../../errors.ts';
import type { Dataset } from '../conversation.ts';
import { seededRandom } from '../statistics.ts';
import { loadBeam } from './beam.ts';
import { loadHaluMem } from './halumem.ts';
import { loadLives } from './lives.ts';
import { loadLocomo, loadRealtalk } from './locomo.ts';
import { loadLongMemEval } from './longmemeval.ts';
import { loadExpectations, loadPairs, loadPersonaChat } from './statement-files.ts';

/** The names of the public data sets, of Varve's own, and of the formats for your data. */
export type DatasetName =
  | 'locomo'
  | 'longmemeval'
  | 'realtalk'
  | 'beam'
  | 'halumem'
  | 'persona-chat'
  | 'lives'
  | 'expectations'
  | 'pairs';

/** The data sets that can be loaded, each with a description. */
export const DATASETS: Readonly<Record<DatasetName, { load(path: string): Dataset; about: string }>> = {
  lives: {
    load: loadLives,
    about: 'conversations of 50 invented people, in eleven languages (the folder train/lives of Varve’s repository)',
  },
  locomo: { load: loadLocomo, about: 'long chats of two people (snap-research/locomo, CC BY-NC 4.0)' },
  longmemeval: { load: loadLongMemEval, about: 'chats with an assistant (xiaowu0162/LongMemEval, MIT)' },
  realtalk: { load: loadRealtalk, about: 'chats of real people over 21 days (danny911kr/REALTALK)' },
  beam: { load: loadBeam, about: 'very long chats with an assistant (mohammadtavakoli78/BEAM)' },
  halumem: {
    load: loadHaluMem,
    about: 'statements that should and should not be kept (MemTensor/HaluMem, CC BY-NC-ND 4.0)',
  },
  'persona-chat': { load: loadPersonaChat, about: 'dialogues with statements about each speaker (Google, CC BY 4.0)' },
  expectations: { load: loadExpectations, about: 'your transcripts, and what should be extracted from each' },
  pairs: { load: loadPairs, about: 'your facts and queries, and which fact answers which query' },
};

const OWN_LIVES: string | undefined = ['../../../train/lives', '../../train/lives']
  .map((path) => fileURLToPath(new URL(path, import.meta.url)))
  // The published package also has this folder, but without the JSON files.
  .find((path) => existsSync(path) && readdirSync(path).some((name) => name.endsWith('.json')));

export interface DatasetChoice {
  name: DatasetName;
  /** The path of the file or folder. Only `lives` has a default: the data in Varve's own repository. */
  path?: string;
  /** The ids of the conversations to load. Default: all. */
  only?: readonly string[];
  /** The maximum number of conversations; the seed selects which. Default: all. */
  limit?: number;
  seed?: number;
}

/** Loads a data set, or the requested part of it. */
export function loadDataset({ name, path, only, limit, seed = 1 }: DatasetChoice): Dataset {
  const entry = Object.hasOwn(DATASETS, name) ? DATASETS[name] : undefined;
  if (entry === undefined)
    throw invalidInput(
      `There is no data set ${JSON.stringify(name)}. Give one of: ${Object.keys(DATASETS).join(', ')}.`,
    );
  const place = path ?? (name === 'lives' ? OWN_LIVES : undefined);
  if (place === undefined)
    throw invalidInput(
      `The path of the data set ${name} is missing. Give the path of your copy. The package does not contain it: ${entry.about}. The option --path also takes your own data in the same format.`,
    );
  const dataset = entry.load(place);
  const chosen =
    only === undefined ? dataset.conversations : dataset.conversations.filter(({ id }) => only.includes(id));
  if (chosen.length === 0)
    throw invalidInput(`The data set ${name} has none of the requested conversations. Check their ids.`);
  return { ...dataset, conversations: limit === undefined ? chosen : sample(chosen, limit, seed) };
}

function sample<Item>(items: readonly Item[], count: number, seed: number): Item[] {
  const random = seededRandom(seed);
  const chosen = new Set(
    items
      .map((_, index) => ({ index, key: random() }))
      .sort((one, other) => one.key - other.key)
      .slice(0, count)
      .map(({ index }) => index),
  );
  return items.filter((_, index) => chosen.has(index));
}
