// Part of the build: writes the model into weights/ in the order in which Varve reads it, so that it loads in a third of the time and is
// part of a release.
// The published model comes from a development dependency, the trained parts from train/embedder and train/reader, and the lexicons from
// train/lexicons. weights/ is not in git.
import { cpSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { findSources, prepareWeights } from '../src/models/local-embedder/prepare-weights.ts';
import { WEIGHTS_NAME } from '../src/models/local-embedder/weights.ts';

const root = join(import.meta.dirname, '..');
const target = join(root, 'weights', WEIGHTS_NAME);

rmSync(join(root, 'weights'), { recursive: true, force: true });
prepareWeights(findSources(root), target);
cpSync(join(root, 'LICENSE'), join(target, 'LICENSE'));
writeFileSync(
  join(target, 'NOTICE'),
  'all-MiniLM-L6-v2 by sentence-transformers, Apache License 2.0; quantised ONNX export by Xenova.\n' +
    'weights.bin has its weights with two differences that were learned for Varve (merged and quantised again);\n' +
    'vocabulary.bin has its vocabulary, lexicons.txt the words of eight languages in English (ours). Among the sentences that the first was learned from are turns of\n' +
    'Synthetic-Persona-Chat (Google, CC BY 4.0), RealMem (MIT, Apache-2.0) and LongMemEval (MIT). Its teacher was gte-small (MIT).\n',
);
console.log(`Prepared the model in ${target}.`);
