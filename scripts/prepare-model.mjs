// Part of the build: puts the model into weights/ in the order in which Varve reads it, so that it is there in a third of the
// time and a release carries it.
// The files come from a development dependency; weights/ is not in git.
import { cpSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { prepareWeights } from '../src/models/local-embedder/prepare-weights.ts';
import { findPublishedWeights } from '../src/models/local-embedder/weights.ts';

const target = join(import.meta.dirname, '../weights/all-minilm-l6-v2-int8');

rmSync(target, { recursive: true, force: true });
prepareWeights(findPublishedWeights(), target);
cpSync(join(import.meta.dirname, '../LICENSE'), join(target, 'LICENSE'));
writeFileSync(
  join(target, 'NOTICE'),
  'all-MiniLM-L6-v2 by sentence-transformers, Apache License 2.0; quantised ONNX export by Xenova.\n' +
    'weights.bin and vocabulary.bin have its weights and its vocabulary unchanged, in the order in which Varve reads them.\n',
);
console.log(`Prepared the model in ${target}.`);
