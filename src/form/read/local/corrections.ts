import type { Pack } from '../../../language/packs/pack.ts';
import { packRegExp, perPack, plainMarks, wordsPattern } from '../../../language/packs/packs.ts';
import { withoutEnd } from '../../../language/words.ts';
import { normalValue } from '../../../record/attributes.ts';
import { isUser } from '../../../record/statement.ts';
import { type ReadInput, readStatement, type ReadStatement } from '../reader.ts';
import { type ReadUnit, renderSlot } from './units.ts';

const MOST_WORDS = 4;

const correctingPattern = perPack(({ requests: { correcting } }) => packRegExp(`^(?:${correcting})(.+)$`));

/**
 * "No, Thursday": a short answer that corrects the value that was just given. Only where one slot of the last turns has a value of the same
 * kind (a weekday for a weekday, a number for a number, a name for a name): otherwise null.
 */
export function correctionOf(
  unit: ReadUnit,
  said: readonly ReadStatement[],
  input: ReadInput,
  turn: number,
): ReadStatement | null {
  const { pack } = unit;
  if (pack === null || pack.requests.correcting === '' || unit.isForeign || unit.text.length > 80) return null;
  const match = correctingPattern(pack).exec(plainMarks(unit.text));
  const value = withoutEnd(match?.[1] ?? '', '.! \t\n').trim();
  if (value === '' || value.includes('?') || value.split(' ').length > MOST_WORDS) return null;
  const kind = kindOf(value, pack);
  if (kind === null) return null;
  const recent = said.filter(
    ({ quotes, value: old }) => old !== null && turn - (quotes[0]?.turn ?? 0) <= 2 && turn > (quotes[0]?.turn ?? 0),
  );
  const [own, ...others] = recent.filter(({ value: old }) => kindOf(old ?? '', pack) === kind);
  if (own !== undefined && others.length === 0 && own.attribute !== null) {
    return corrected(
      { subject: own.subject, attribute: own.attribute, type: own.type },
      value,
      unit,
      input,
      turn,
      null,
    );
  }
  const lastTurns = [...input.earlier, ...input.turns.slice(0, turn - 1)]
    .filter(({ origin }) => origin === 'user')
    .slice(-2);
  const matches = input.known
    .map((memory, index) => ({ memory, number: index + 1 }))
    .filter(({ memory }) => memory.attribute !== null && memory.value !== null && kindOf(memory.value, pack) === kind)
    .filter(({ memory }) => memory.sourceEvents.some((id) => lastTurns.some((event) => event.id === id)));
  const [only] = matches;
  if (only === undefined || matches.length > 1 || own !== undefined) return null;
  if (normalValue(only.memory.value ?? '') === normalValue(value)) return null;
  return corrected(
    { subject: only.memory.subject, attribute: only.memory.attribute as string, type: only.memory.type },
    value,
    unit,
    input,
    turn,
    only.number,
  );
}

function corrected(
  of: { subject: string; attribute: string; type: string },
  value: string,
  unit: ReadUnit,
  input: ReadInput,
  turn: number,
  known: number | null,
): ReadStatement {
  const slot = {
    ...of,
    value,
    polarity: 'affirmed' as const,
    tense: null,
    from: null,
    start: 0,
    end: unit.text.length,
  };
  return readStatement({
    ...of,
    value,
    text: renderSlot(slot, unit.pack as Pack, input.attributes),
    quotes: [{ turn, words: unit.text }],
    relation: known === null ? null : { kind: 'replaces', known },
  });
}

/** The kind of a value. Only a value of the same kind can correct it. */
function kindOf(value: string, pack: Pack): string | null {
  const plain = plainMarks(value);
  if (wordsPattern(pack.calendar.weekdays.join('|'), pack.script).test(plain)) return 'weekday';
  if (wordsPattern(pack.calendar.months.join('|'), pack.script).test(plain) && /\d/.test(plain)) return 'date';
  if (/^[€$£]?\d[\d.,:]*\s?(?:\p{L}{1,8}|[€$£])?$/u.test(plain)) return 'number';
  return isUser(plain) || !/^\p{Lu}[\p{L}'-]+(?: \p{Lu}[\p{L}'-]+){0,2}$/u.test(plain) ? null : 'name';
}
