import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { datedLine, readDatedLine, replaceStatements, statementsIn } from '../language/dated-line.ts';
import { countWords } from '../record/block.ts';
import { readDatedList, writeDatedList } from './without-model.ts';

const line = (text: string, day = '2026-01-05'): string => datedLine({ text, at: new Date(day) });

describe('a dated list', () => {
  it('[E6] keeps renderings as they are, each on a line of its own', () => {
    expect(line('User  likes tea.\nAnd rain.')).toBe('- 2026-01-05: User likes tea. And rain.');
    expect(readDatedLine(line('User likes tea. And rain.'))).toBe('User likes tea. And rain.');
    expect(readDatedLine('- User likes tea.')).toBeNull();
  });

  it('[E6] says the same text once, with the later date', () => {
    const lines = [line('User likes tea.'), line('User sings.'), line('User likes tea!', '2026-02-01')];
    expect(writeDatedList(lines, 100)).toBe('- 2026-01-05: User sings.\n- 2026-02-01: User likes tea!');
  });

  it('[E6] gives up the oldest lines first, and prose before it keeps half of the words', () => {
    const lines = ['one', 'two', 'three'].map((word) => line(`User counts to ${word}.`));
    expect(writeDatedList(lines, 13)).toBe(lines.slice(1).join('\n'));
    const prose = 'Ana is kind. '.repeat(10).trim();
    expect(writeDatedList(lines, 24, prose)).toBe(
      `Ana is kind. Ana is kind. Ana is kind. Ana is kind.\n\n${lines.slice(1).join('\n')}`,
    );
    expect(readDatedList(`${prose}\n\n${lines.join('\n')}`)).toEqual({ lines, prose });
  });

  it('[E6] never has more words than allowed', () => {
    fc.assert(
      fc.property(
        fc.array(fc.lorem({ maxCount: 12 }), { maxLength: 12 }),
        fc.lorem({ mode: 'sentences', maxCount: 6 }),
        fc.integer({ min: 1, max: 60 }),
        (texts, prose, limit) => {
          const written = writeDatedList(
            texts.map((text) => line(text)),
            limit,
            prose,
          );
          expect(countWords(written)).toBeLessThanOrEqual(limit);
        },
      ),
    );
  });

  it('[X1] loses a statement with its date, and leaves the rest as it was', () => {
    const text = `Ana is kind. Ana is tall.\n\n${line('User sings. Loudly.')}\n${line('User likes tea.')}`;
    expect(statementsIn(text)).toEqual(['Ana is kind.', 'Ana is tall.', 'User sings. Loudly.', 'User likes tea.']);
    const without = (gone: string): string =>
      replaceStatements(text, (statement) => (statement === gone ? null : statement));
    expect(without('User sings. Loudly.')).toBe(`Ana is kind. Ana is tall.\n\n${line('User likes tea.')}`);
    expect(without('Ana is tall.')).toBe(`Ana is kind.\n${line('User sings. Loudly.')}\n${line('User likes tea.')}`);
    expect(without('nothing')).toBe(text);
  });
});
