const COUNTING =
  'zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen';
const TENS = 'twenty thirty forty fifty sixty seventy eighty ninety';

/** English number words in the order of their values: zero to twenty, then the tens to ninety. */
export const ENGLISH_NUMBERS: ReadonlyMap<string, number> = new Map([
  ...COUNTING.split(' ').map((word, value): [string, number] => [word, value]),
  ...TENS.split(' ').map((word, index): [string, number] => [word, (index + 2) * 10]),
]);

/** "a couple of" → 2, "an" → 1, "12" → 12; NaN for what is no number. */
export function numberOf(word: string | undefined): number {
  const lower = (word ?? '').toLowerCase();
  if (lower === 'a' || lower === 'an') return 1;
  return lower.startsWith('a couple') ? 2 : (ENGLISH_NUMBERS.get(lower) ?? Number(lower));
}

/** Counting words of the other languages in their order from one, and the English ordinals. */
const COUNTED = [
  'first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth',
  'eins zwei drei vier fünf sechs sieben acht neun zehn elf zwölf',
  'uno dos tres cuatro cinco seis siete ocho nueve diez once doce',
  'un deux trois quatre cinq six sept huit neuf dix onze douze',
  'um dois três quatro cinco seis sete oito nove dez onze doze',
  'una due tre quattro cinque sei sette otto nove dieci undici dodici',
  'een twee drie vier vijf zes zeven acht negen tien elf twaalf',
  'ein duas - - - - - - - - - dozen',
  '一 二 三 四 五 六 七 八 九 十 - 打',
];
const OTHERS =
  'half=0.5 once=1 single=1 eine=1 une=1 uma=1 twice=2 couple=2 pair=2 both=2 两=2 dutzend=12 docena=12 douzaine=12 dúzia=12 dozzina=12 dozijn=12 hundred=100 百=100 thousand=1000 千=1000 万=10000 million=1000000';
const NUMBER_WORDS: ReadonlyMap<string, number> = new Map([
  ...ENGLISH_NUMBERS,
  ...COUNTED.flatMap((words) => words.split(' ').map((word, index): [string, number] => [word, index + 1])),
  ...entries(OTHERS),
]);
const HAN_NUMBER = /[一二两三四五六七八九十百千万打]+/gu;
const SCALES: ReadonlyMap<string, number> = new Map(
  entries(
    'k=1000 thousand=1000 tausend=1000 mil=1000 mille=1000 千=1000 万=10000 m=1000000 mio=1000000 million=1000000 millionen=1000000',
  ),
);

const FIGURE = new RegExp(
  `\\d+(?:[.,'\\u00a0\\u202f ]\\d{3})*(?:[.,]\\d+)?(?:\\s?(${[...SCALES.keys()].join('|')})(?![\\p{L}]))?`,
  'giu',
);

/** The numbers that a text says, in figures or in words: "40k", "a dozen", "forty-two". */
export function numbersSaid(text: string): Set<number> {
  const numbers = new Set<number>();
  const plain = text.normalize('NFKC').toLowerCase();
  for (const match of plain.matchAll(FIGURE)) {
    const scale = SCALES.get(match[1] ?? '') ?? 1;
    const { whole, parts } = readings(match[0].replace(match[1] ?? '', '').trim());
    for (const number of [...whole, ...parts]) {
      numbers.add(number * scale);
      if (scale > 1) numbers.add(number);
    }
  }
  // A number does not go on in the next sentence: "under four thousand. Three thousand eight hundred and forty."
  for (const sentence of plain.split(/[.!?;:\n]/u))
    for (const number of numbersInWords(sentence.match(/[\p{L}]+/gu) ?? [])) numbers.add(number);
  // "Half past five" is 5:30, "a quarter to six" 5:45.
  if (/\b(?:half|halb)\b/u.test(plain)) numbers.add(30);
  if (/\b(?:quarter|viertel)\b/u.test(plain)) numbers.add(15).add(45);
  for (const run of plain.match(HAN_NUMBER) ?? []) {
    numbers.add(hanNumber(run));
    for (const sign of run) numbers.add(NUMBER_WORDS.get(sign) ?? 0);
  }
  return numbers;
}

/** "forty-two", "three thousand eight hundred and forty", "sixteen fifty": a run of number words, with all its parts. */
function* numbersInWords(words: readonly string[]): Generator<number> {
  let [thousands, current, last] = [0, 0, 0];
  for (const word of words) {
    const value = NUMBER_WORDS.get(word);
    if (value === undefined) {
      if (word !== 'and' && word !== 'und') [thousands, current, last] = [0, 0, 0];
      continue;
    }
    yield value;
    // "Sixteen fifty" and "six fifty" are read as on a price tag.
    if (last >= 1 && last < 100 && value >= 10 && value < 100) yield last * 100 + value;
    if (value >= 1000) [thousands, current] = [thousands + Math.max(current, 1) * value, 0];
    else current = value === 100 ? Math.max(current, 1) * 100 : current + value;
    last = value;
    yield thousands + current;
  }
}

/** 八万五千 is 85,000: digits are multiplied by the power of ten that follows, and 万 multiplies all before it. */
function hanNumber(run: string): number {
  let total = 0;
  let section = 0;
  let digit = 0;
  for (const sign of run) {
    const value = NUMBER_WORDS.get(sign) ?? 0;
    if (value < 10) digit = value;
    else if (value < 10_000) section += Math.max(digit, 1) * value;
    else total += Math.max(section + digit, 1) * value;
    if (value >= 10) digit = 0;
    if (value >= 10_000) section = 0;
  }
  return total + section + digit;
}

/** "40,000" and "40.000" are forty thousand; "4,5" and "4.5" are four and a half; "1,234" is read both ways. */
function readings(figure: string): { whole: number[]; parts: number[] } {
  const grouped = Number(figure.replace(/[.,'\u00a0\u202f ](?=\d{3}(?:\D|$))/gu, '').replace(',', '.'));
  const decimal = Number(figure.replace(/['\u00a0\u202f ]/gu, '').replace(',', '.'));
  const parts = figure.split(/[^\d]+/).map(Number);
  return { whole: [grouped, decimal].filter((number) => Number.isFinite(number)), parts };
}

/** The first number of a value that no source says; null when all are said. */
export function numberNotSaid(value: string, said: ReadonlySet<number>): string | null {
  const rest = value.normalize('NFKC').replace(CLOCK_TIME, (time, hour: string, minute: string) => {
    return isTimeSaid(Number(hour), Number(minute), said) ? ' ' : time;
  });
  for (const match of rest.matchAll(FIGURE)) {
    const letter = (match[1] ?? '').toLowerCase();
    const { whole, parts } = readings(match[0].replace(match[1] ?? '', '').trim());
    // "1,40 m" may be metres as well as millions.
    const scales = [SCALES.get(letter) ?? 1, ...(/\sm$/i.test(match[0]) ? [1] : [])];
    // "9.20" is said by "9:20" part by part; one part does not confirm a longer number.
    const isSaid = scales.some(
      (scale) =>
        whole.some((number) => said.has(number * scale) || isSaidInThousands(number * scale, said)) ||
        parts.every((number) => said.has(number * scale)),
    );
    if (!isSaid) return match[0].trim();
  }
  return null;
}

/** "Asking one sixty thousand, not a cent under one fifty": beside a sum of thousands, 150 may mean 150,000. */
function isSaidInThousands(number: number, said: ReadonlySet<number>): boolean {
  return number >= 1000 && number % 1000 === 0 && said.has(number / 1000) && [...said].some((other) => other >= 1000);
}

const CLOCK_TIME = /(?<!\d)([01]?\d|2[0-4])[:.](\d{2})(?!\d)/g;

/** "Six till four" says 18:00 and 4:00: an hour is said on either half of the day, and a full hour without its minutes. */
function isTimeSaid(hour: number, minute: number, said: ReadonlySet<number>): boolean {
  const hours = [hour, hour % 12, (hour % 12) + 12];
  return hours.some((each) => said.has(each) && (minute === 0 || said.has(minute)));
}

/** The pairs of "dozen=12 pair=2". */
function entries(list: string): [string, number][] {
  return list.split(' ').map((entry) => [entry.split('=')[0] ?? '', Number(entry.split('=')[1])]);
}
