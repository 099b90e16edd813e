import { findDates, type FoundDate } from '../../../language/pack-dates.ts';
import { plainMarks, type Pack } from '../../../language/packs/pack.ts';
import { packPattern } from '../../../language/packs/packs.ts';
import { attributeLabel, type AttributeTable } from '../../../record/attributes.ts';
import { isUser, type Tense } from '../../../record/statement.ts';
import type { FilledSlot } from './fill-slots.ts';

/** A filled slot as a sentence: "Lives in Graz", "User's sister Ana: lives in Graz". */
export function renderSlot(slot: FilledSlot, pack: Pack, attributes: AttributeTable): string {
  const template =
    pack.templates[slot.attribute] ?? `${attributeLabel(attributes, slot.attribute, pack.language)}: {value}`;
  const sentence = template.replace('{value}', () => slot.value);
  const denied =
    slot.polarity === 'denied' ? `${NOT_ANY_MORE[pack.language] ?? NOT_ANY_MORE['en']}: ${sentence}` : sentence;
  return isUser(slot.subject) ? denied : `${slot.subject}: ${denied}`;
}

const NOT_ANY_MORE: Readonly<Record<string, string>> = {
  en: 'No longer so',
  de: 'Nicht mehr so',
  es: 'Ya no es así',
  fr: 'Ce n’est plus le cas',
  pt: 'Já não é assim',
  it: 'Non è più così',
  nl: 'Niet meer zo',
  zh: '已不再',
  ja: '今は違う',
};

/** A day without a year that lies further ahead may have been meant of the year before. */
const DOUBTFUL_AHEAD = 250 * 86_400_000;

export interface DatedWords {
  /** The user's words, with what a relative date means beside it: "moved yesterday [3 May 2026]". */
  text: string;
  dates: FoundDate[];
}

/** Writes the meaning of relative dates beside the user's words. Habits get none, and a bare weekday only where it is one day. */
export function withDates(
  words: string,
  tense: Tense,
  pack: Pack | null,
  at: { now: Date; timeZone: string },
): DatedWords {
  if (pack === null || tense === 'habit' || packPattern(pack, 'habit').test(plainMarks(words)))
    return { text: words, dates: [] };
  const found = findDates(plainMarks(words), pack, { ...at, prefer: tense === 'happened' ? 'past' : 'future' });
  const dates = found.filter(
    ({ isBareWeekday, relative, from }) =>
      (!isBareWeekday || tense === 'happened' || tense === 'planned') &&
      // "Due 28 November", said in January: the day of the year before is as likely as the one to come.
      !(relative && from !== null && from.getTime() - at.now.getTime() > DOUBTFUL_AHEAD),
  );
  let text = '';
  let position = 0;
  for (const date of dates) {
    if (!date.relative) continue;
    text += `${words.slice(position, date.end)} [${date.written}]`;
    position = date.end;
  }
  return { text: text + words.slice(position), dates };
}
