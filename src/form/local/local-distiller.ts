import { VarveError } from '../../errors.ts';
import type { Distilled, Distiller, DistilOptions } from '../../models/distiller.ts';
import { decideFacts } from './tasks/decide-facts.ts';
import { extractMemories } from './tasks/extract-memories.ts';
import { mergeTexts } from './tasks/merge-texts.ts';
import { reflectOnTurns } from './tasks/reflect-on-turns.ts';
import { summariseTopics } from './tasks/summarise-topics.ts';
import { synthesiseTiers } from './tasks/synthesise-tiers.ts';

/** Where days begin and end when a task does not say. Default UTC. */
export interface LocalDistillerOptions {
  timeZone?: string;
}

/**
 * The distiller without any model: rules read English sentences, and everything it gives is made of what was said. It
 * is weaker than a model: facts that are spread over sentences, or about the world, it does not see. It costs nothing,
 * works offline, takes milliseconds, and throws `cancelled` only.
 */
export function createLocalDistiller({ timeZone = 'UTC' }: LocalDistillerOptions = {}): Distiller {
  return {
    id: 'local',
    kind: 'local',
    extract: task((input) => extractMemories(input, input.timeZone ?? timeZone)),
    decide: task(decideFacts),
    reflect: task((input) => reflectOnTurns(input, timeZone)),
    summarise: task((input) => summariseTopics(input, timeZone)),
    merge: task(mergeTexts),
    synthesise: task((input) => synthesiseTiers(input, timeZone)),
  };
}

type Task<Input, Output> = (input: Input, options?: DistilOptions) => Promise<Distilled<Output>>;

function task<Input, Output>(run: (input: Input) => Output): Task<Input, Output> {
  return async (input, options) => {
    if (options?.signal?.aborted === true) {
      throw new VarveError('The local distiller was cancelled.', { code: 'cancelled', cause: options.signal.reason });
    }
    return { output: run(input), usage: null };
  };
}
