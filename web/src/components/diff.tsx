import type { JSX } from 'preact';
import { Text } from './basics.tsx';

interface Piece {
  text: string;
  kind: 'same' | 'gone' | 'new';
}

const MOST_WORDS = 1_500;

/** A word diff of two texts by their longest common subsequence. */
function diffWords(before: string, after: string): Piece[] {
  const wordsOf = (text: string): string[] => text.match(/\s+|\S+/gu) ?? [];
  const [one, other] = [wordsOf(before), wordsOf(after)];
  if (one.length > MOST_WORDS || other.length > MOST_WORDS) {
    return before === after
      ? [{ text: after, kind: 'same' }]
      : [
          { text: before, kind: 'gone' },
          { text: after, kind: 'new' },
        ];
  }
  const width = other.length + 1;
  const lengths = new Uint16Array((one.length + 1) * width);
  for (let row = one.length - 1; row >= 0; row -= 1) {
    for (let column = other.length - 1; column >= 0; column -= 1) {
      lengths[row * width + column] =
        one[row] === other[column]
          ? (lengths[(row + 1) * width + column + 1] ?? 0) + 1
          : Math.max(lengths[(row + 1) * width + column] ?? 0, lengths[row * width + column + 1] ?? 0);
    }
  }
  const pieces: Piece[] = [];
  const add = (text: string, kind: Piece['kind']): void => {
    const last = pieces.at(-1);
    if (last?.kind === kind) last.text += text;
    else pieces.push({ text, kind });
  };
  let [row, column] = [0, 0];
  while (row < one.length || column < other.length) {
    if (row < one.length && column < other.length && one[row] === other[column]) {
      add(one[row] ?? '', 'same');
      row += 1;
      column += 1;
    } else if (
      column >= other.length ||
      (row < one.length && (lengths[(row + 1) * width + column] ?? 0) >= (lengths[row * width + column + 1] ?? 0))
    ) {
      add(one[row] ?? '', 'gone');
      row += 1;
    } else {
      add(other[column] ?? '', 'new');
      column += 1;
    }
  }
  return pieces;
}

/** Shows a diff, with deletions and insertions marked also for screen readers. */
export function Diff({ before, after }: { before: string; after: string }): JSX.Element {
  return (
    <span class="diff">
      {diffWords(before, after).map(({ text, kind }, index) => {
        if (kind === 'same') return <Text key={index} of={text} />;
        const Mark = kind === 'gone' ? 'del' : 'ins';
        return (
          <Mark key={index}>
            <Text of={text} />
          </Mark>
        );
      })}
    </span>
  );
}
