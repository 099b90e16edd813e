import type { JSX } from 'preact';
import { Text } from './basics.tsx';

interface Piece {
  text: string;
  kind: 'same' | 'gone' | 'new';
}

const MOST_WORDS = 1_500;

/** A word diff of two texts by their longest common subsequence. Texts that are too long for it count as replaced. */
function diffWords(before: string, after: string): Piece[] {
  const wordsOf = (text: string): string[] => text.match(/\s+|\S+/gu) ?? [];
  const [one, other] = [wordsOf(before), wordsOf(after)];
  if (before === after) return [{ text: after, kind: 'same' }];
  if (one.length > MOST_WORDS || other.length > MOST_WORDS) {
    return [
      { text: before, kind: 'gone' },
      { text: after, kind: 'new' },
    ];
  }
  const common = commonLengths(one, other);
  const pieces: Piece[] = [];
  const add = (text: string, kind: Piece['kind']): void => {
    const last = pieces.at(-1);
    if (last?.kind === kind) last.text += text;
    else pieces.push({ text, kind });
  };
  let [row, column] = [0, 0];
  while (row < one.length || column < other.length) {
    const [gone, added] = [one[row], other[column]];
    if (gone !== undefined && gone === added) {
      add(gone, 'same');
      row += 1;
      column += 1;
    } else if (gone !== undefined && (added === undefined || common(row + 1, column) >= common(row, column + 1))) {
      add(gone, 'gone');
      row += 1;
    } else {
      add(added ?? '', 'new');
      column += 1;
    }
  }
  return pieces;
}

/** The length of the longest common subsequence of the words from `row` and the words from `column`. */
function commonLengths(one: readonly string[], other: readonly string[]): (row: number, column: number) => number {
  const width = other.length + 1;
  const lengths = new Uint16Array((one.length + 1) * width);
  const at = (row: number, column: number): number => lengths[row * width + column] ?? 0;
  for (let row = one.length - 1; row >= 0; row -= 1) {
    for (let column = other.length - 1; column >= 0; column -= 1) {
      lengths[row * width + column] =
        one[row] === other[column] ? at(row + 1, column + 1) + 1 : Math.max(at(row + 1, column), at(row, column + 1));
    }
  }
  return at;
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
