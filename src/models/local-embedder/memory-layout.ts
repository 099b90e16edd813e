/** The shape of all-MiniLM-L6-v2. The same numbers are compiled into the kernel. */
export const MODEL = {
  layers: 6,
  hidden: 384,
  intermediate: 1536,
  vocabulary: 30_522,
  positions: 512,
} as const;

/** int8 weights [outputs][inputs], and a table with each output's scale, sum of weights, and bias. */
export interface LinearAddress {
  readonly weights: number;
  readonly table: number;
  readonly inputs: number;
  readonly outputs: number;
}

export interface NormAddress {
  readonly gamma: number;
  readonly beta: number;
}

export interface LayerAddress {
  readonly qkv: LinearAddress;
  readonly attentionOutput: LinearAddress;
  readonly attentionNorm: NormAddress;
  readonly intermediate: LinearAddress;
  readonly output: LinearAddress;
  readonly outputNorm: NormAddress;
}

/** The buffers for one text in progress. Queries, keys and values have two: see `encoder.ts`. */
export interface Workspace {
  /** How far the threads that share the text have come: two int32 values per phase. */
  readonly progress: number;
  readonly ids: number;
  /** The texts' vectors, or `PART_SIZE` numbers for each part and word of a message. */
  readonly vectors: number;
  readonly x: number;
  readonly q: number;
  readonly ranges: number;
  readonly sums: number;
  readonly qkv: readonly [number, number];
  readonly keys: readonly [number, number];
  readonly context: number;
  readonly scores: number;
}

/** Byte addresses. */
export interface MemoryLayout {
  /** The coefficients of the kernel's polynomials. */
  readonly constants: number;
  readonly wordScale: number;
  readonly positions: number;
  readonly embeddingNorm: NormAddress;
  readonly layers: readonly LayerAddress[];
  /** One row for each piece of the vocabulary: a third of the weights, but a text needs only the rows of its own pieces. */
  readonly words: number;
  /** The layers that read messages (train/reader), and their heads: each head's weights, then the heads' biases. */
  readonly reader: { readonly layers: readonly LayerAddress[]; readonly heads: number };
  readonly workspaces: readonly Workspace[];
  /** Everything before this address is the same for any number of tokens and workspaces. */
  readonly weightsEnd: number;
  /** Scratch space for packing weights, as large as the largest matrix. It overlaps the workspaces. */
  readonly staging: number;
  readonly bytes: number;
}

export const TEXTS_PER_TASK = 64;

/** The attributes that the reader detects, in the order of their heads. */
export const SLOTS: readonly string[] = (
  'name preferred_name age birthday home_city home_country hometown address employer job_title industry school degree partner_name ' +
  'relationship_status child_name pet_name pet_species phone_model car bike diet allergy medical_condition medication language ' +
  'instrument hobby sport favourite_food favourite_music favourite_book favourite_film salary rent budget working_hours email ' +
  'phone_number answer_length answer_tone answer_format answer_language appointment travel_destination travel_date'
).split(' ');

/** The questions that the reader answers for each part, in the order of their heads: see `PartReading`. */
export const QUESTIONS = ['foreign', 'asks', 'meant', 'takesBack', 'changes', 'ends'] as const;

/** The head for words that belong to no slot. The heads for the slots follow it. */
export const SLOT_HEADS: number = QUESTIONS.length;

export const HEADS: number = SLOT_HEADS + 1 + SLOTS.length;

/** The reader's numbers for a part or a word: one for each head, and then its tokens' mean state. */
export const PART_SIZE: number = HEADS + MODEL.hidden;

export const PHASES: number = MODEL.layers + 1;

/** Every thread computes the same layout for itself. */
export function layoutMemory(options: { maximumTokens: number; workspaces: number }): MemoryLayout {
  let end = 64;
  const take = (bytes: number): number => {
    const address = end;
    end += Math.ceil(bytes / 64) * 64;
    return address;
  };
  const { hidden, intermediate } = MODEL;
  const norm = (): NormAddress => ({ gamma: take(hidden * 4), beta: take(hidden * 4) });
  const linear = (inputs: number, outputs: number): LinearAddress => ({
    weights: take(inputs * outputs),
    table: take(outputs * 12),
    inputs,
    outputs,
  });

  const layers = (): LayerAddress[] =>
    Array.from({ length: MODEL.layers }, () => ({
      qkv: linear(hidden, 3 * hidden),
      attentionOutput: linear(hidden, hidden),
      attentionNorm: norm(),
      intermediate: linear(hidden, intermediate),
      output: linear(intermediate, hidden),
      outputNorm: norm(),
    }));

  const model = {
    constants: take(128),
    wordScale: take(4),
    positions: take(MODEL.positions * hidden * 4),
    embeddingNorm: norm(),
    layers: layers(),
    words: take(MODEL.vocabulary * hidden),
    reader: { layers: layers(), heads: take((hidden + 1) * HEADS * 4) },
  };

  const weightsEnd = end;
  // Rows are computed in pairs and scores in groups of eight, so a text may need space for slightly more tokens than it has.
  const tokens = Math.ceil(options.maximumTokens / 8) * 8;
  const workspaces = Array.from({ length: options.workspaces }, (): Workspace => ({
    progress: take(PHASES * 8),
    ids: take((tokens + TEXTS_PER_TASK) * 4),
    vectors: take(Math.max(TEXTS_PER_TASK * hidden, (TEXTS_PER_TASK + tokens) * PART_SIZE) * 4),
    x: take(tokens * hidden * 4),
    q: take(tokens * intermediate),
    ranges: take(tokens * 8),
    sums: take(tokens * intermediate * 4),
    qkv: [take(tokens * 3 * hidden * 4), take(tokens * 3 * hidden * 4)],
    keys: [take(tokens * hidden * 4), take(tokens * hidden * 4)],
    context: take(tokens * hidden * 4),
    scores: take(tokens * tokens * 4),
  }));
  return {
    ...model,
    workspaces,
    weightsEnd,
    staging: weightsEnd,
    bytes: Math.max(end, weightsEnd + hidden * intermediate),
  };
}
