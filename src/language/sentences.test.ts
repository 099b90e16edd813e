import { describe, expect, it } from 'vitest';
import { withoutEmptyHeadings } from './sentences.ts';

describe('headings', () => {
  it.each([
    ['## A\n\n## B\ntext\n\n## C', '## B\ntext'],
    ['# Title\n## A\ntext', '# Title\n## A\ntext'],
    ['# Title\n## A\n# Other\ntext', '# Other\ntext'],
    ['## A\n## B', ''],
    ['plain #text', 'plain #text'],
  ])('without text below them are left out: %j', (text, rest) => expect(withoutEmptyHeadings(text)).toBe(rest));
});
