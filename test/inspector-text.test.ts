import { describe, expect, it } from 'vitest';
import { visibleParts } from '../web/src/words.ts';

const shown = (text: string): string =>
  visibleParts(text)
    .map((part) => (part.isHidden ? `[${part.text}]` : part.text))
    .join('');

describe('stored text as the inspector shows it (T17)', () => {
  it('returns plain text as it is, with its line breaks', () => {
    expect(shown('Lives in Málaga.\n\tSince <b>May</b> & June')).toBe('Lives in Málaga.\n\tSince <b>May</b> & June');
  });

  it('shows by their code what cannot be seen and what turns the direction of text', () => {
    expect(shown('pay\u200Bpal')).toBe('pay[U+200B]pal');
    expect(shown('\u202Egnp.exe')).toBe('[U+202E]gnp.exe');
    expect(shown('a\u0000b\u00ADc\uFEFF')).toBe('a[U+0000]b[U+00AD]c[U+FEFF]');
    expect(shown(`x${String.fromCodePoint(0xe0041, 0xe0042)}`)).toBe('x[U+E0041][U+E0042]');
    expect(shown('x\uFE01')).toBe('x[U+FE01]');
  });

  it('leaves joiners where writing needs them', () => {
    expect(shown('👩\u200D🚀 and ❤\uFE0F')).toBe('👩\u200D🚀 and ❤\uFE0F');
    expect(shown('می\u200Cخواهم')).toBe('می\u200Cخواهم');
    expect(shown('pass\u200Cword')).toBe('pass[U+200C]word');
  });
});
