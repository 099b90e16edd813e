import { PLACES } from '../../../language/classify-name.ts';
import { isMedication } from '../../../language/health-words.ts';
import { LANGUAGES } from '../../../language/languages.ts';
import type { FactCategory } from '../../../record/memory.ts';
import type { KeyedFact } from '../extracted-statement.ts';
import { factKey } from './fact-key.ts';
import { slugOf } from './slug-of.ts';

/** What a draft fills. */
export interface FilledSlot {
  /** Whose slot it is, when that is not the grammatical subject: "User's employer is Acme" fills a slot of the user. */
  subject?: string;
  attribute?: string;
  keyedFacts?: KeyedFact[];
}

/** A keyed fact, unless its value is too long to be one. */
export function keyed(key: string, value: string | undefined, category: FactCategory): Pick<FilledSlot, 'keyedFacts'> {
  return value === undefined || value.split(' ').length > 14 ? {} : { keyedFacts: [{ key, value, category }] };
}

const TAKES =
  /^(?:(?:no longer|does not|currently|now|still|also|always|usually) )*(?:takes?|is taking|is (?:now )?on|has to take|needs to take|must take|should take|was put on|was prescribed|was taken off|stopped taking|quit taking|came off|is off|has been (?:on|taking)|started taking|started) (.+)$/;

/** "has to take 50mg losartan every morning": one slot for each medicine. */
export function medicationSlot(predicate: string): FilledSlot | null {
  const taken = TAKES.exec(predicate)?.[1];
  if (taken === undefined) return null;
  const dosed = /\b\d+(?:\.\d+)? ?(?:mg|mcg|µg|ml|g|units|iu)\b(?: of)? (\p{L}{4,})/iu.exec(taken)?.[1];
  const name =
    taken
      .toLowerCase()
      .match(/\p{L}+/gu)
      ?.find(isMedication) ?? dosed?.toLowerCase();
  if (name === undefined) return null;
  const ended = /^(?:no longer|does not|was taken off|stopped|quit|came off|is off)/.test(predicate);
  const key = factKey(`medication ${name}`);
  const value = taken.replace(/ (?:by|for|because|since) .*$/, '').replace(/,.*$/, '');
  return {
    attribute: `medication:${slugOf(name)}`,
    ...(ended || key === null ? {} : keyed(key, value.split(' ').length <= 8 ? value : name, 'health')),
  };
}

const SPEAKS =
  /^(?:(?:also|only|fluently|currently|can) )*(?:speaks?|is fluent in|is a native speaker of|knows|understands) (?:fluent(?:ly)? |both |some )?(.+)$/;

/** All that are named, with how well: "Spanish, Catalan and a bit of German". */
export function languagesSlot(predicate: string): FilledSlot | null {
  const spoken = SPEAKS.exec(predicate)?.[1];
  if (spoken === undefined) return null;
  const named = [...spoken.matchAll(/\p{L}+/gu)].filter(([word]) => LANGUAGES.has(word.toLowerCase()));
  const last = named.at(-1);
  if (last === undefined || /^(?:knows|understands)/.test(predicate)) return null;
  const value = spoken.slice(0, last.index + last[0].length);
  return { attribute: `languages:${slugOf(value)}`, ...keyed('languages', value, 'personal') };
}

/** "lives in cork": a known place is one without its capital too. */
export function homeInSmallLetters(predicate: string): FilledSlot {
  const place =
    /^(?:lives|is living|is based|moved) (?:in|to|out of) (\p{Ll}+)(?=$|[,.]| (?:with|since|now|and|for)\b)/u.exec(
      predicate,
    )?.[1];
  if (place === undefined || !PLACES.has(place)) return {};
  const value = place.charAt(0).toUpperCase() + place.slice(1);
  return { attribute: 'home_city', ...keyed('home_city', value, 'location') };
}

const SHIFT =
  /^(?:(?:now|mostly|usually|currently|only|has|just|recently|permanently) )*(?:works?|is working|is (?:now )?on|moved (?:on)?to|switched to|went (?:on)?to|is doing|does|is back on) (?:(?:mostly|only|mainly|permanent|the|on|now|rotating) )*(nights?|days|evenings|mornings|weekends|earlies|lates|(?:night|day|early|late|morning|evening|graveyard|weekend) shifts?)(?=$|[,.]| (?:now|as of|from|since|only|at|in|instead|again|this|these)\b)/;
const WORKING_TIME =
  /^(?:(?:now|currently|only|has|just|recently) )*(?:works?|is working|is (?:now )?|moved to|switched to|went|dropped to|is down to|is back to) ?(?:down to |to )?(full[- ]time|part[- ]time|(?:\d|two|three|four|five|six) days(?: a week)?|\d{1,3} ?%)(?=$|[,.]| (?:now|as of|from|since|only|instead|again|this)\b)/;

/** "Works mostly nights", "has moved to days": when somebody works, they work then alone. */
export function shiftSlot(predicate: string): FilledSlot {
  if (SHIFT.test(predicate)) return { attribute: 'shift' };
  return WORKING_TIME.test(predicate) ? { attribute: 'working_time' } : {};
}

const STAFF = /^(?:employees|staff|people|colleagues|workers)$/;

/** "has 6 employees", "now has a team of 9 people": how many there are changes. */
export function countSlot(predicate: string): FilledSlot | null {
  const [, team, noun] =
    /^(?:now |currently )*has (?:now )?(a team of )?(?:about |around |over |only |almost )*(?:\d[\d.,]*|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|twenty) (employees|staff|people|colleagues|workers|members|customers|clients|subscribers|followers|users|students|pupils|guests|tenants|patients|players)\b/.exec(
      predicate,
    ) ?? [];
  if (noun === undefined) return null;
  return { attribute: team !== undefined || STAFF.test(noun) ? 'headcount' : `count:${noun}` };
}

/** When a child is due: what is expected in March and then in April is one child. */
export function expecting(predicate: string): FilledSlot {
  return /^(?:is|are) (?:now |also )?(?:expecting (?:an?|their|our|another|twins)|pregnant|due (?:in|on|by))\b/.test(
    predicate,
  )
    ? { attribute: 'due_date' }
    : {};
}
