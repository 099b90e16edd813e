import type { Conversation } from '../../src/evaluate/conversation.ts';
import { loadDataset } from '../../src/evaluate/datasets/load-dataset.ts';
import { measureExtraction, measureScaffold } from '../../src/evaluate/measure-extraction.ts';
import { openReplay, play, type Replay } from '../../src/evaluate/replay.ts';
import type { Row } from '../../src/evaluate/row.ts';
import type { LanguageModel } from '../../src/models/language-model.ts';
import type { VarveOptions } from '../../src/varve.ts';
import { ONLY_FORMATION } from '../form-model.ts';

/** A life of train/lives. */
export function loadLife(id: string): Conversation {
  const [life] = loadDataset({ name: 'lives', only: [id] }).conversations;
  if (life === undefined) throw new Error(`There is no life ${id}.`);
  return life;
}

/** Replays a life as `varve eval` does. Only formation and maintenance run, unless the options switch on more. The store stays open. */
export async function playLife(
  life: Conversation,
  languageModel: LanguageModel | null,
  options: VarveOptions = {},
): Promise<Replay> {
  const lived = await openReplay(life, {
    consolidation: { ...ONLY_FORMATION, decay: { enabled: true } },
    ...(languageModel === null ? {} : { languageModel }),
    ...options,
  });
  await play(lived);
  return lived;
}

/** The result of a life, in counts. The counts are defined as in `measureExtraction` and `measureScaffold`. */
export interface LifeScore {
  holds: number;
  kept: number;
  ended: number;
  stale: number;
  statements: number;
  junk: number;
  slots: number;
  slotsRight: number;
  missed: string[];
  staleTexts: string[];
  junkTexts: string[];
}

/** Compares the live memories at the end with the expected ones: the measures of `varve eval extraction` and `scaffold`. */
export async function scoreLife(lived: Replay): Promise<LifeScore> {
  const rows = await measureExtraction(lived);
  const slots = await measureScaffold(lived);
  const having = (metric: string, value?: number): Row[] =>
    [...rows, ...slots]
      .map((row) => ({ conversation: lived.conversation.id, arm: 'all', ...row }))
      .filter(({ values }) => (value === undefined ? values[metric] !== undefined : values[metric] === value));
  const texts = (found: readonly Row[], name: string): string[] => found.map(({ detail }) => String(detail?.[name]));
  return {
    holds: having('kept').length,
    kept: having('kept', 1).length,
    ended: having('stale').length,
    stale: having('stale', 1).length,
    statements: having('useful').length,
    junk: having('useful', 0).length,
    slots: having('right').length,
    slotsRight: having('right', 1).length,
    missed: texts(having('kept', 0), 'expected'),
    staleTexts: texts(having('stale', 1), 'expected'),
    junkTexts: having('useful', 0).map(({ kind, detail }) => `[${kind}] ${String(detail?.['text'])}`),
  };
}

/** The sum of scores. */
export function sumScores(scores: readonly LifeScore[]): LifeScore {
  const [first, ...others] = scores;
  if (first === undefined) throw new Error('There is no score to sum up.');
  return others.reduce<LifeScore>((sum, score) => {
    const added = Object.entries(score).map(([key, value]) => {
      const before = sum[key as keyof LifeScore];
      return [key, Array.isArray(value) ? [...(before as string[]), ...value] : (before as number) + (value as number)];
    });
    return Object.fromEntries(added) as LifeScore;
  }, first);
}
