import type { ExtractedStatement } from './extracted-statement.ts';
import { hasOneWish } from './slots/instruction-topic.ts';
import { stemEnglish } from '../../language/stem.ts';
import { isContentWord } from '../../language/stop-words.ts';

const NEAR = 0.75;
const LIKING = /^(?:like|love|enjoy|adore|favor|fan|big|huge|prefer|lov)$/;

/** Removes doubles among new statements and against known ones; the more specific of two stays. */
export function deduplicateStatements(
  statements: readonly ExtractedStatement[],
  known: readonly ExtractedStatement[] = [],
): ExtractedStatement[] {
  const knownKeys = known.map(keyOf);
  const kept: Array<{ statement: ExtractedStatement; key: StatementKey }> = [];
  for (const statement of statements) {
    const key = keyOf(statement);
    if (knownKeys.some((other) => isDouble(key, other) && key.words.size <= other.words.size)) continue;
    const double = kept.findIndex((other) => isDouble(key, other.key));
    const previous = kept[double];
    if (previous === undefined) kept.push({ statement, key });
    else if (isLaterWish(statement, previous.statement)) kept[double] = { statement, key };
    else if (key.words.size > previous.key.words.size)
      kept[double] = {
        statement: { ...statement, importance: Math.max(statement.importance, previous.statement.importance) },
        key,
      };
  }
  return kept.map(({ statement }) => statement);
}

/** Of two wishes on one topic the later one holds: "answer in Dutch", "back to English please". */
function isLaterWish(next: ExtractedStatement, known: ExtractedStatement): boolean {
  const { attribute = '' } = next;
  return hasOneWish(attribute.replace(/^instruction:/, '')) && attribute === known.attribute && next.turn > known.turn;
}

interface StatementKey {
  subject: string;
  polarity: string;
  type: string;
  attribute: string;
  value: string;
  words: Set<string>;
  correction: boolean;
}

function keyOf(statement: ExtractedStatement): StatementKey {
  const words = (statement.content.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [])
    .filter(isContentWord)
    .map(stemEnglish)
    .filter((word) => !LIKING.test(word));
  return {
    subject: statement.subject.toLowerCase(),
    polarity: statement.polarity,
    type: statement.type,
    attribute: statement.attribute ?? '',
    value: (statement.keyedFacts?.[0]?.value ?? '').toLowerCase(),
    words: new Set(words),
    correction: statement.correction !== undefined,
  };
}

function isDouble(left: StatementKey, right: StatementKey): boolean {
  if (left.subject !== right.subject || left.polarity !== right.polarity || left.correction !== right.correction)
    return false;
  // A slot without a value says what two statements are about, not that they say the same.
  const isValued = left.value !== '' || right.value !== '' || left.attribute.includes(':');
  if (left.attribute !== '' && left.attribute === right.attribute && isValued) return left.value === right.value;
  if (left.words.size === 0 || right.words.size === 0) return false;
  let shared = 0;
  for (const word of left.words) if (right.words.has(word)) shared += 1;
  const smaller = Math.min(left.words.size, right.words.size);
  const contained = shared === smaller && (left.type === right.type || smaller > 2) && smaller > 1;
  return contained || shared / (left.words.size + right.words.size - shared) >= NEAR;
}
