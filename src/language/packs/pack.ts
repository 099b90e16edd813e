import type { AttributeName } from '../../record/attributes.ts';
/**
 * The data of one language. To add a language, write one such file, its lists in `words.json` and `forget-words.json`, an entry in
 * `packs.ts` and sentences in `form/read/local/fill-slots.test.ts`. A list is a part of a regular expression: alternatives separated by
 * bars, in lower case, with straight apostrophes. It matches whole words, except in Chinese and Japanese.
 */
export interface Pack {
  /** ISO 639-1. */
  language: string;
  script: 'latin' | 'han';
  /** Function words, by which the language is detected. */
  common: string;
  words: PackWords;
  questions: PackQuestions;
  requests: PackRequests;
  forget: PackForget;
  calendar: PackCalendar;
  /** From each word to the English one that subjects contain: `{ schwester: 'sister' }`. */
  relations: Readonly<Record<string, string>>;
  /** "My" before a relation, "I" and "I am" for the user, and "is" for other subjects. */
  my: string;
  i: string;
  iAm: string;
  is: string;
  /** A word that is always written with a capital: "i" in English. */
  capitalised?: string;
  /** Whether all nouns are capitalised, so that a capital letter does not mark a name. */
  capitalisesNouns?: boolean;
  /** Whether verb forms do not show the person, as in English. A clause about the user then needs a word for the user. */
  isUninflected?: boolean;
  /** The negation between subject and verb, with a leading space. Absent if the language puts it elsewhere. */
  notVerb?: string;
  /** Not part of `relations`, because the names of partners, pets and children are slots of the user. */
  partners: string;
  pets: string;
  children: string;
  /** Further lists, most of them from `words.json`. Slot patterns refer to them by name (`<job>`, `<condition>`). */
  lists: Readonly<Record<string, string>>;
  slots: readonly SlotRule[];
  /** Questions of the assistant that a short answer completes: "how old are you". The token matches the answer. */
  answers: readonly (readonly [attribute: AttributeName, question: string, token: string])[];
  /** Words for an attribute ("what I earn" for the salary), or for a wider topic such as health. */
  topics: Readonly<Record<string, string>>;
  /** Prefix of a slot that no longer holds. */
  notAnyMore: string;
  /** Prefix of a slot that the user denies and has never stated. */
  notSo: string;
  /** Texts of filled slots: "Lives in {value}". The default is the attribute's label. `being` is for an adjective: "Is diabetic". */
  templates: Readonly<Partial<Record<AttributeName | 'being', string>>>;
  dated: PackDated;
  tried: PackTried;
}

export interface PackDated {
  asOf: string;
  planned: string;
  plannedFor: string;
  until: string;
}

/** Templates with placeholders in braces. */
interface PackTried {
  best: string;
  counted: string;
  /** The part in brackets is written once per sentence. */
  mean: string;
  good: string;
  with: string;
  /** `and` includes its spaces. `times` means "times as many". */
  words: Readonly<Record<'case' | 'cases' | 'others' | 'and' | 'times', string>>;
}

/** Words of requests to forget, from `forget-words.json`. `forgetPatterns` shows where each list is searched. */
export interface PackForget {
  order: string;
  everything: string;
  ofMemory: string;
  forNow: string;
  goesOn: string;
  keeps: string;
  spares: string;
  /** The user wants a statement back: "put back what I told you to delete". */
  restores: string;
  stays: string;
  excepts: string;
  nots: string;
  corrects: string;
  meant: string;
  theirs: string;
  /** "of Tom", "Tom's". `<x>` stands for any word for a person, `<k>` for a relation or a known name. */
  owners: string;
  /** "where Tom works", as in `owners`. */
  doers: string;
  /** Things of other programs ("mails", "alarm"). An order about them is not for the memory, unless the turn has a word of `recalls`. */
  tools: string;
  recalls: string;
}

export interface PackWords {
  me: string;
  my: string;
  we: string;
  you: string;
  they: string;
  question: string;
  ask: string;
  greeting: string;
  assent: string;
  hedge: string;
  if: string;
  not: string;
  past: string;
  future: string;
  habit: string;
  change: string;
  taste: string;
  decision: string;
  feeling: string;
  joke: string;
  kidding: string;
  said: string;
  /** A past state ("used to"). A slot in such a sentence is not filled. */
  over: string;
  /** A state that has just ended ("no longer"). A slot in such a sentence is denied. */
  ended: string;
  /** A moment ("today"). A home or a job in such a clause is not filled, unless the clause also reports a change. */
  passing: string;
  confirms: string;
  corrects: string;
}

export interface PackQuestions {
  stop: string;
  now: string;
  past: string;
  /** Asks also for statements that no longer hold. Without this list, every question does. */
  history?: string;
  several: string;
  /** Asks for the changes, or for the plans, at a time and for nothing else. */
  changes?: string;
  agenda?: string;
  when: string;
  howMany: string;
  advice?: string;
  agentSaid?: string;
  /** Asks whether the assistant still knows a fact ("did you forget"), unless a clause states it ("that I work there again"). */
  stillKnown?: string;
}

interface PackRequests {
  remember: string;
  /** Phrases that contain a word of `remember` but are no request: "do you remember". */
  recalls?: string;
  /** An order for later, which must not be carried out now: "when I say so, forget my number". */
  delayed?: string;
  polite: string;
  /** Words that restrict what precedes: "but". In scripts without spaces, the list matches the positions where such a clause begins. */
  but: string;
  so: string;
  /** The beginning of an answer that replaces the value just given: "no, I meant". If empty, corrections are not recognised. */
  correcting: string;
  /** Words before a request in its clause: "please", "could you". */
  lead: string;
  wish: string;
  reminder: string;
  /** Words next to somebody else's text: "is this a scam", "translate this". */
  aboutText: string;
}

interface PackCalendar {
  /** `months` from January on, `weekdays` from Monday on, each name as alternatives. */
  months: readonly string[];
  weekdays: readonly string[];
  /** Days from today: "yesterday" is -1. */
  days: readonly (readonly [pattern: string, days: number])[];
  /** "Last week", "next week" and, in some languages, "this week"; the same for months and years. */
  spans: readonly (readonly [unit: 'week' | 'month' | 'year', ...lastNextCurrent: string[]])[];
  /** Patterns for the past ("vor <n> <unit>") and the future ("in <n> <unit>"). */
  ago: string;
  ahead: string;
  units: { day: string; week: string; month: string; year: string };
  numbers: Readonly<Record<string, number>>;
  /** Ranges within a month: "vom <d>. bis <e>. <m>", with and without the month. The English ones are in `resolve-dates.ts`. */
  ranges: readonly string[];
  /** Patterns for a day of a month: "<d>. <m> <y>", with an optional year. The groups `early`, `mid` and `late` mark a part of a month. */
  dates: readonly string[];
  nextWeekday: string;
  laterWeekday?: string;
  lastWeekday: string;
  /** A weekday alone. In a sentence about a habit it is not a date. */
  weekday: string;
  /** The short names from Monday on, and patterns for where such a name (`<s>`) is a weekday and not another word: "Do 15 Uhr", "am Do". */
  shortWeekdays?: readonly string[];
  shortWeekday?: string;
  /** Whether "at 3" means the afternoon, because texts rarely use the 24-hour clock. */
  twelveHourClock?: boolean;
  /** "{d} {month} {y}", where `{month}` is the month's name and `{m}` its number. */
  written: string;
  /** Words before the first and the last day of a state: "from", "until". Empty if they follow the day. */
  from: string;
  until: string;
}

/**
 * A rule that fills a slot. `<who>` in its pattern matches the user or a person related to the user ("I", "my sister Ana") and sets the
 * subject; `<related>` matches only such a person. Without both, the subject is the user. The value is a token such as `<name>`, `<place>`
 * or `<money>` (`VALUE_SOURCES` in `slot-patterns.ts`), or a list of the pack. `{list}` matches a word of a list. The words of a group
 * `role` must be a job or in the list `employed`: "I'm a guest at …" names no employer.
 */
export interface SlotRule {
  attribute: AttributeName;
  pattern: string;
  /** The value, if the words only imply it: "short" for "keep it short". */
  value?: string;
  denied?: boolean;
  tense?: 'planned' | 'habit';
  /** The sentence must contain a phrase of `requests.wish`. */
  standing?: boolean;
  /** Whether the words are certain enough to fill the slot in a question or a guess. */
  firm?: boolean;
  /** The words state the slot nearly always: the selector must keep the sentence. With `alone`, the clause must mention nobody else. */
  likely?: 'kept' | 'alone';
  /** Whether the sentence must be the whole turn. "Please answer in German" before a text may apply only to that text. */
  whole?: boolean;
  /** Whether the turn and the question before it must mention nobody else: "sleep apnoea, since 2019". */
  alone?: boolean;
}

type SlotMaker = (attribute: AttributeName, patterns: readonly string[], more?: Partial<SlotRule>) => SlotRule[];

const slotWith =
  (kind: Partial<SlotRule>): SlotMaker =>
  (attribute, patterns, more = {}) =>
    patterns.map((pattern) => ({ attribute, pattern, ...kind, ...more }));

/** `slot(…)` makes one rule per pattern. `slot.denied(…)` and the others preset a field. */
export const slot: SlotMaker & Record<'denied' | 'planned' | 'firm' | 'standing' | 'likely', SlotMaker> = Object.assign(
  slotWith({}),
  {
    denied: slotWith({ denied: true }),
    planned: slotWith({ tense: 'planned' }),
    firm: slotWith({ firm: true }),
    standing: slotWith({ standing: true, firm: true }),
    likely: slotWith({ likely: 'alone' }),
  },
);

/** Formats of answers that the user excludes ("avoid emojis") or allows again. `without` is the value: "no {value}". */
export function formatRules(without: string): SlotRule[] {
  const allowed = [
    '{permits}(?: \\S+){0,4}? {again}(?: \\S+){0,3}? <format>',
    '{permits}(?: \\S+){0,4}? <format>(?: \\S+){0,2}? {again}(?![\\p{L}])',
    '<format> {permits}(?: \\S+){0,3}? {again}(?![\\p{L}])',
    '<format>(?: \\S+){0,2}? {again} {allowed}(?![\\p{L}])',
    '<format>(?: \\S+)? {allowed} {again}(?![\\p{L}])',
    '{bringsBack}(?: \\S+){0,3}? <format>',
  ];
  return [
    ...slot.denied('answer_format', allowed, { firm: true, value: without }),
    ...slot.standing('answer_format', ["{excludes}(?: {wishGap}){0,4} (?:d')?<format>"], { value: without }),
  ];
}

/** The noun follows `mine` ("my", "I have a") or begins a message that mentions nobody else. `is` matches the words after it. */
export function contactRules(by: Record<'mine' | 'is' | 'phone' | 'email' | 'address', string>): SlotRule[] {
  const rulesFor = (attribute: AttributeName, noun: string, value: string): SlotRule[] => [
    ...slot(attribute, [`(?:${by.mine}) ?(?:${noun})${by.is} ?${value}`]),
    ...slot(attribute, [`^(?:[\\p{L}']+[,:!，：！] ?)?(?:${noun})${by.is} ?${value}`], { alone: true }),
  ];
  return [
    ...rulesFor('email', by.email, '<email>'),
    ...rulesFor('phone_number', by.phone, '<phone>'),
    // Directly after the noun, an address begins with its number: "my new address book has 90 pages".
    ...rulesFor('address', by.address, `(?:(?<!(?:${by.address}) ?)|(?=\\d))<street>`),
  ];
}

/** An increase alone ("50 more") states no rent. `from` is the word before the first day of the new rent. */
export function rentRules(rent: string, by: Record<'to' | 'insteadOf' | 'from', string>): SlotRule[] {
  const rises = '(?<![\\p{L}]){rises}(?![\\p{L}])';
  return slot.likely('rent', [
    `(?:${rent})(?: [^;!?]{0,40}?)? {rises}[^;!?]{0,40}? (?:${by.to}) <money>`,
    `(?:${rent})[^;!?]{0,40}? <money> (?:${by.insteadOf}) \\d`,
    `(?:${rent})(?: (?:(?!${rises})[^.;\\d]){0,20})?(?: (?:${by.from}) \\d{1,2}[^\\s\\d]\\S*(?: (?!\\d)\\p{L}+)?(?: 20\\d\\d)?)? <money>`,
  ]);
}

/**
 * Rules for replaced medicines and new doses. In `replaced` ("from <old> to <new>"), `<old>` ends. `takes` is a verb in the first person.
 */
export function medicineRules(by: {
  replaced: readonly string[];
  takes: string;
  insteadOf: string;
  dose: string;
}): SlotRule[] {
  const [takes, old, next] = [`(?:${by.takes})`, `(?:${by.insteadOf}) ?<old>`, '<new>'];
  const gap = "(?: [\\p{L}']+){0,3}?";
  const changes = [
    ...by.replaced,
    `${takes}${gap} ${next}(?: [\\p{L}']+)?,? ${old}`,
    `${takes}${gap} ${old},?${gap} ${next}`,
    `${old},?${gap} ${takes}${gap} ${next}`,
  ];
  const rulesFor = (value: string, other: string): string[] =>
    changes.map((pattern) => pattern.replace(value, '<drug>').replace(other, '{drug}'));
  return [
    ...slot.denied('medication', rulesFor('<old>', '<new>')),
    ...slot('medication', rulesFor('<new>', '<old>')),
    ...slot.likely(
      'medication',
      [`<drug>(?: \\p{L}+){0,4}? (?:${by.dose}) (?<dose>\\d+(?:[.,]\\d+)? ?(?:mg|mcg|µg))(?![\\p{L}])`],
      {
        value: '{value} {dose}',
      },
    ),
  ];
}

/** Inverts the lists: `{ sister: 'schwester|schwesterherz' }` gives `{ schwester: 'sister', schwesterherz: 'sister' }`. */
export function relations(lists: Record<string, string>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(lists).flatMap(([english, words]) => words.split('|').map((word) => [word, english])),
  );
}

export function inOrder(entries: string): string[] {
  return entries.split(' ');
}

/** Numbers the words from one: "un|una dos tres". */
export function numbered(entries: string): Record<string, number> {
  return Object.fromEntries(
    inOrder(entries).flatMap((words, index) => words.split('|').map((word) => [word, index + 1] as const)),
  );
}

export const HAN_MONTHS: readonly string[] = inOrder('一 二 三 四 五 六 七 八 九 十 十一 十二').map(
  (name, index) => `${index + 1}月|${name}月`,
);

export const CARS =
  'toyota|honda|ford|hyundai|kia|nissan|mazda|subaru|suzuki|mitsubishi|volkswagen|vw|audi|bmw|mercedes|skoda|škoda|seat|opel|vauxhall|renault|peugeot|citro[eë]n|fiat|dacia|volvo|tesla|jeep|chevrolet|chevy|dodge|lexus|porsche|mini cooper|land rover|range rover|byd|tata nexon|maruti|mahindra|hilux|corolla|camry|yaris|prius|rav4|noah|tacoma|tundra|land cruiser|previa|civic|accord|cr-v|hr-v|jazz|f-?150|focus|fiesta|mondeo|transit|ranger|mustang|golf(?! (?:clubs?|course|lessons?|balls?|bag))|polo(?! (?:shirts?|necks?|mints?))|passat|tiguan|touran|caddy|transporter|octavia|fabia|superb|astra|corsa|zafira|clio|megane|twingo|kangoo|208|308|berlingo|panda|punto|500l|duster|sandero|swift|vitara|jimny|tiida|micra|qashqai|leaf|navara|outback|forester|impreza|cx-5|sportage|picanto|tucson|i10|i20|i30|ioniq|model [3sxy]|silverado|wrangler|corvette';

export const BIKES =
  'giant|trek|specialized|cannondale|canyon|scott|cube|gazelle|batavus|bianchi|brompton|cowboy|vanmoof|surly|kona|merida|orbea|ktm|kawasaki|yamaha|ducati|triumph|harley|vespa';

export const PHONES =
  'iphone(?: (?:\\d+|se|x[rs]?)(?: (?:pro max|pro|plus|mini|max))?)?|(?:google )?pixel(?: \\d+a?)?(?: pro)?|(?:samsung )?galaxy(?: [a-z]?\\d+\\+?)?(?: ultra)?|samsung(?: [a-z]?\\d+)?|redmi(?: note)?(?: \\d+)?|xiaomi(?: \\d+)?|huawei(?: p?\\d+)?|nokia(?: \\d+)?|motorola|oneplus(?: \\d+)?|fairphone(?: \\d)?';

/** Names or first words of names of programs, systems and services. Users also "move to" and "live in" these. */
export const PRODUCTS =
  'android|ios|iphones?|ipad|mac|macos|macbook|apple|windows|linux|ubuntu|debian|fedora|arch|chromebook|chromeos|slack|teams|zoom|meet|excel|word|powerpoint|outlook|gmail|thunderbird|proton|notion|obsidian|evernote|onenote|todoist|trello|asana|jira|confluence|linear|discord|whatsapp|signal|telegram|messenger|instagram|facebook|twitter|bluesky|mastodon|threads|tiktok|reddit|youtube|twitch|substack|medium|linkedin|spotify|tidal|deezer|netflix|disney|plex|kindle|kobo|vinted|ebay|etsy|amazon|depop|firefox|chrome|safari|edge|brave|opera|google|bing|duckduckgo|chatgpt|claude|gemini|copilot|python|java|javascript|typescript|rust|go|kotlin|swift|php|ruby|react|vue|angular|svelte|django|rails|node|deno|bun|docker|kubernetes|aws|azure|gcp|github|gitlab|bitbucket|vscode|vim|neovim|emacs|intellij|figma|sketch|photoshop|lightroom|illustrator|canva|blender|ableton|postgres|postgresql|mysql|sqlite|mongodb|dropbox|icloud|onedrive|minecraft|fortnite|roblox|sims|skyrim|steam|playstation|xbox|nintendo|switch|starlink|vodafone|ee|o2|monzo|revolut|starling|paypal';

export const DRUGS =
  'insulin[ae]?|insuline?|warfarine?a?|aspirine?a?|paracetamol|acetaminophen|ibuprofen[oe]?|ibuprof[eè]ne|ibu|diclofenac|ketoprofen|naproxen|difene|metformine?a?|thyroxine?|levothyroxine|l-thyroxin|euthyrox|prednison[ea]?|prednisolone?|cortisone?|lithium|heparin|eliquis|xarelto|clexane|ozempic|mounjaro|wegovy|methotrexate|ventolin|salbutamol|foster|symbicort|ritalin|concerta|adderall|elvanse|prozac|zoloft|sertralin[ea]?|lexapro|citalopram|xanax|lorazepam|diazepam|tramadol|novalgin|metamizol|codeine?|morphine?|amoxicillin[ea]?|penicillin|omeprazol[e]?|pantoprazol[e]?|ramipril|lisinopril|enalapril|amlodipine?|telmisartan|losartan|candesartan|valsartan|bisoprolol|metoprolol|atenolol|atorvastatine?|simvastatine?|rosuvastatine?|gabapentin|pregabalin|lyrica|donepezil|tamoxifen|letrozole|adalimumab|humira|melatonin[ea]?|cetirizine?|loratadine?|epipen|nicotine patches|beta[- ]blockers?|statins?|antidepressants?|blood thinners?|antihistamines?';
