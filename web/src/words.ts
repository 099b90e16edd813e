// Formats values for people.

const DATE = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short', year: 'numeric' });
const DATE_TIME = new Intl.DateTimeFormat('en-GB', {
  day: 'numeric',
  month: 'short',
  year: 'numeric',
  hour: '2-digit',
  minute: '2-digit',
});
const TIME = new Intl.DateTimeFormat('en-GB', { hour: '2-digit', minute: '2-digit' });
const MONTH = new Intl.DateTimeFormat('en-GB', { month: 'long', year: 'numeric' });
const NUMBER = new Intl.NumberFormat('en-GB');
const RELATIVE = new Intl.RelativeTimeFormat('en', { numeric: 'auto' });

export const date = (at: string | null): string => (at === null ? '–' : DATE.format(new Date(at)));
export const dateTime = (at: string | null): string => (at === null ? '–' : DATE_TIME.format(new Date(at)));
export const time = (at: string): string => TIME.format(new Date(at));
export const month = (at: string): string => MONTH.format(new Date(at));
/**
 * The months from the earliest to the latest of the given times, including months without any. A pause of more than a year is one gap
 * (null).
 */
export function monthsOf(times: readonly string[]): (string | null)[] {
  const numbers = [...new Set(times.map((at) => new Date(at).getFullYear() * 12 + new Date(at).getMonth()))];
  const months: (number | null)[] = [];
  for (const next of numbers.sort((one, other) => one - other)) {
    const last = months.at(-1) ?? next - 1;
    if (next - last > 13) months.push(null);
    else for (let between = last + 1; between < next; between += 1) months.push(between);
    months.push(next);
  }
  return months.map((at) => (at === null ? null : MONTH.format(new Date(Math.floor(at / 12), at % 12))));
}

/**
 * The day of a memory's `validFrom`, `validTo` or `dueAt`, as noon in the browser's zone, so that every format shows this day. It is a day
 * in the zone in which the statement was made, or in UTC.
 */
export function statedDay({ internal }: { internal: object }, at: string): string {
  const zone = 'timeZone' in internal && typeof internal.timeZone === 'string' ? internal.timeZone : 'UTC';
  return `${isoDayIn(zone, new Date(at))}T12:00:00`;
}

function isoDayIn(zone: string, at: Date): string {
  // Older browsers accept no offset such as "-06:00" as a time zone.
  const [, sign = '', hours = '', minutes = ''] = /^([+-])(\d{2}):?(\d{2})$/.exec(zone) ?? [];
  const offset = (Number(hours) * 60 + Number(minutes)) * (sign === '-' ? -60_000 : 60_000);
  if (sign !== '') return new Date(at.getTime() + offset).toISOString().slice(0, 10);
  return new Intl.DateTimeFormat('en-CA', { timeZone: zone }).format(at);
}

/** The day on which a memory is due; null if no day was stated and `dueAt` is only the day for bringing the memory up. */
export function dueDay(memory: { dueAt: string | null; internal: object }): string | null {
  const isFollowUp = 'due' in memory.internal && memory.internal.due === 'follow-up';
  return isFollowUp || memory.dueAt === null ? null : statedDay(memory, memory.dueAt);
}

export const number = (value: number): string => NUMBER.format(value);
export const percent = (share: number | null): string => (share === null ? '–' : `${Math.round(share * 100)} %`);
/** Micro-dollars as dollars. */
export const dollars = (micro: number): string => `$${(micro / 1e6).toFixed(micro === 0 ? 2 : micro < 1e4 ? 4 : 2)}`;

const STEPS: readonly [Intl.RelativeTimeFormatUnit, number][] = [
  ['year', 31_536_000_000],
  ['month', 2_592_000_000],
  ['week', 604_800_000],
  ['day', 86_400_000],
  ['hour', 3_600_000],
  ['minute', 60_000],
];

export function ago(at: string): string {
  const distance = new Date(at).getTime() - Date.now();
  const step = STEPS.find(([, size]) => Math.abs(distance) >= size);
  return step === undefined ? 'just now' : RELATIVE.format(Math.round(distance / step[1]), step[0]);
}

// Technical names that do not say what they stand for.
const NAMES: Readonly<Record<string, string>> = { scaffold: 'Structured notes' };

/** `home_city` as "Home city". */
export function label(name: string): string {
  const known = Object.hasOwn(NAMES, name) ? NAMES[name] : undefined;
  if (known !== undefined) return known;
  const spaced = name
    .replaceAll(/([a-z])([A-Z])/g, '$1 $2')
    .replaceAll('_', ' ')
    .toLowerCase();
  return spaced.charAt(0).toUpperCase() + spaced.slice(1);
}

const VERBS: Readonly<Record<string, string>> = { is: 'are', was: 'were', has: 'have', does: 'do', goes: 'go' };

/** "keeps" → "keep", "isn't" → "aren't"; other words stay. */
function secondPersonVerb(word: string): string {
  const [, stem = word, not = ''] = /^(.*?)(n['’]t)?$/.exec(word) ?? [];
  if (VERBS[stem] !== undefined) return VERBS[stem] + not;
  if (/(?:ss|x|ch|sh|zz)es$/.test(word)) return word.slice(0, -2);
  if (/..ies$/.test(word)) return `${word.slice(0, -3)}y`;
  return /[^su]s$/.test(word) ? word.slice(0, -1) : word;
}

const SUBJECT =
  /(^|[.!?;,:] |\b(?:and|but|because|that|when|if|while|so) )(?:[Tt]he )?User\b((?: (?:always|never|also|often|usually|still|now|no longer))*)(?: (\p{Ll}[\p{L}'’]*))?/gu;

/** Rewrites an English sentence about "User" in the second person: "User keeps bees" becomes "You keep bees". */
export function inSecondPerson(text: string): string {
  return text
    .replace(/(?<=^|[.!?] )(?:The )?User['’]s\b/g, 'Your')
    .replace(/\b(?:the )?User['’]s\b/g, 'your')
    .replace(SUBJECT, (_match, before: string, adverbs: string, verb?: string) => {
      const you = before === '' || /[.!?] $/.test(before) ? 'You' : 'you';
      return `${before}${you}${adverbs}${verb === undefined ? '' : ` ${secondPersonVerb(verb)}`}`;
    })
    .replace(/\b(?:the )?User\b/g, 'you')
    .replace(/(?<=^|[.!?] )You\b[^.!?]*/g, (sentence) =>
      sentence.replace(/(?<= (?:and|but) )(?:is|was|has|does)\b/g, secondPersonVerb),
    )
    .replace(/^(You\b[^.!?]*?) (?:himself|herself|themself|themselves)\b/, '$1 yourself');
}

export function ownerName({ agent, user }: { agent: string | null; user: string | null }): string {
  if (user !== null) return agent === null ? user : `${user} · ${agent}`;
  return agent === null ? 'Shared by all' : `${agent} (agent)`;
}

export const plural = (count: number, one: string, many = `${one}s`): string =>
  `${number(count)} ${count === 1 ? one : many}`;

// Invisible characters and direction marks. They are shown by their code points, so that a memory cannot hide them.
const INVISIBLE = /(?![\t\n\r])[\p{Cc}\p{Default_Ignorable_Code_Point}]/u;

export interface TextPart {
  text: string;
  isHidden: boolean;
}

/**
 * Splits text into visible parts and the code points of invisible characters. Joiners inside an emoji are visible, and so are joiners
 * between letters of scripts that write with joiners, such as Persian.
 */
export function visibleParts(text: string): TextPart[] {
  if (!INVISIBLE.test(text)) return [{ text, isHidden: false }];
  const parts: TextPart[] = [];
  for (const match of text.matchAll(
    /(\p{Extended_Pictographic}[\uFE0F\u200D\p{Extended_Pictographic}\p{Emoji_Modifier}]*|(?<=(?!\p{ASCII})\p{L})[\u200C\u200D](?=(?!\p{ASCII})\p{L}))|([^]?)/gu,
  )) {
    const [whole, emoji, character = ''] = match;
    if (whole === '') continue;
    const isHidden = emoji === undefined && INVISIBLE.test(character);
    const shown = isHidden ? `U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}` : whole;
    const last = parts.at(-1);
    if (last !== undefined && last.isHidden === isHidden && !isHidden) last.text += shown;
    else parts.push({ text: shown, isHidden });
  }
  return parts;
}
