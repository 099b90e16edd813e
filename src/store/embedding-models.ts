import { VarveError } from '../errors.ts';
import { bundledCalibration, type Calibration, calibrationSchema } from '../models/calibration.ts';
import type { Embedder } from '../models/embedder.ts';
import { type Database, EVERY_TENANT, type Reader } from './database.ts';
import { findMeta, readMeta, setMeta } from './progress-store.ts';

/** The key of the store's setting that names the model whose vectors queries use. */
export const ACTIVE_MODEL = 'embedding_model';

/** The embedders of a process. They may differ from the one that made the store's vectors. */
export interface EmbeddingModels {
  /** The embedder for new vectors; null when there is none. */
  readonly current: Embedder | null;
  /** The embedder for queries. While records are being embedded again for a new model, this is the previous one, if there is one. */
  forQueries(reader: Reader): Promise<Embedder | null>;
  /** The embedders for new records: the current one and, until the switch, the previous one. */
  forRecords(reader: Reader): Promise<Embedder[]>;
  /** The calibration of an embedder: measured in this store, or bundled with Varve. */
  calibrationOf(embedder: Embedder): Calibration;
  /** Stores a measured calibration. */
  calibrated(calibration: Calibration): Promise<void>;
  /** Whether the store's vectors are of another model than the current one. */
  isChanging(reader: Reader): Promise<boolean>;
  close(): Promise<void>;
}

/** Connects the embedders to a store. The previous one is used as long as it is the active model of the store. */
export async function createEmbeddingModels(
  database: Database,
  { current, previous = null }: { current: Embedder | null; previous?: Embedder | null },
): Promise<EmbeddingModels> {
  if (current !== null && previous?.id === current.id) {
    throw new VarveError(`The embedder and the previous embedder are the same, ${current.id}.`, {
      code: 'invalid_input',
    });
  }
  if (current !== null) {
    await database.vectors.prepare({ id: current.id, dimensions: current.dimensions });
    await database.write(EVERY_TENANT, async (writer) => {
      if ((await findMeta(writer, ACTIVE_MODEL)) === null) await setMeta(writer, ACTIVE_MODEL, current.id);
    });
  }
  const calibrations = new Map<string, Calibration>();
  for (const embedder of [current, previous]) {
    const stored = embedder === null ? null : await readMeta(database, calibrationKey(embedder.id));
    if (stored !== null) calibrations.set(embedder?.id ?? '', calibrationSchema.parse(JSON.parse(stored)));
  }
  const isChanging = async (reader: Reader): Promise<boolean> =>
    current !== null && (await findMeta(reader, ACTIVE_MODEL)) !== current.id;
  const answering = async (reader: Reader): Promise<Embedder | null> => {
    if (current === null || previous === null) return null;
    return (await findMeta(reader, ACTIVE_MODEL)) === previous.id ? previous : null;
  };
  return {
    current,
    isChanging,
    calibrationOf: ({ id }) => calibrations.get(id) ?? bundledCalibration(id),
    async calibrated(calibration) {
      const text = JSON.stringify(calibration);
      await database.write(EVERY_TENANT, (writer) => setMeta(writer, calibrationKey(calibration.embedder), text));
      calibrations.set(calibration.embedder, calibration);
    },
    forQueries: async (reader) => (await answering(reader)) ?? current,
    async forRecords(reader) {
      const before = await answering(reader);
      return [current, before].filter((embedder) => embedder !== null);
    },
    async close() {
      await current?.close?.();
      await previous?.close?.();
    },
  };
}

function calibrationKey(embedder: string): string {
  return `calibration ${embedder}`;
}
