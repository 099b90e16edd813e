import type { AttributeName } from '../../record/attributes.ts';
/**
 * The data of one language for the local reader. A new language is one file that implements this interface, its lists in `words.json` and
 * `forget-words.json`, an entry in `packs.ts` and sentences in `form/read/local/fill-slots.test.ts`. Lists are alternatives of a regular
 * expression, separated by bars, in lower case, with straight apostrophes. Lists match whole words, except in Chinese and Japanese,
 * which have no spaces between words.
 */
export interface Pack {
  /** The ISO 639-1 code. */
  language: string;
  /** `latin` has spaces between words; `han` does not. */
  script: 'latin' | 'han';
  /** Function words that distinguish the language from others. */
  common: string;
  words: PackWords;
  questions: PackQuestions;
  requests: PackRequests;
  forget: PackForget;
  calendar: PackCalendar;
  /** Words for relations, each with the English word that subjects contain: `schwester` is `sister`. */
  relations: Readonly<Record<string, string>>;
  /** The forms of "my" before a relation, of "I" and "I am" for the user as the subject, and of "is" for others. */
  my: string;
  i: string;
  iAm: string;
  is: string;
  /** A word that is always capitalised, in lower case: "i". */
  capitalised?: string;
  /** Whether all nouns are capitalised, so that a capital letter does not show a name. */
  capitalisesNouns?: boolean;
  /** Whether verbs do not show the person, although the language has an alphabet. A clause about the user then names the user. */
  isUninflected?: boolean;
  /** The negation between the subject and the verb, with a leading space; absent where the language puts it elsewhere. */
  notVerb?: string;
  /** Words for a partner, for pets and for children. They are separate from `relations`, because these names are slots of the user. */
  partners: string;
  pets: string;
  children: string;
  /**
   * Further lists, by name. Tokens of slot patterns (`<job>`, `<condition>`) and code for texts of any language (`wordsOfAll`) refer to the
   * lists. Most lists are in `words.json`.
   */
  lists: Readonly<Record<string, string>>;
  slots: readonly SlotRule[];
  /** Questions of the assistant that a short answer completes, by attribute: "how old are you". The answer is matched by a token. */
  answers: readonly (readonly [attribute: AttributeName, question: string, token: string])[];
  /** Words for the topic of an attribute, in a request ("what I earn") or a statement. A topic need not be an attribute of the table. */
  topics: Readonly<Record<string, string>>;
  /** The words before a slot that no longer holds. */
  notAnyMore: string;
  /** The words before a slot that the user denies and has never stated. */
  notSo: string;
  /**
   * Templates for the text of a filled slot, such as "Lives in {value}". An attribute without a template is written with its label. `being`
   * is the template for a condition that is an adjective: "Is diabetic".
   */
  templates: Readonly<Partial<Record<AttributeName | 'being', string>>>;
  dated: PackDated;
  tried: PackTried;
}

/** Notes in brackets after a statement: the day of its writing, the day for which it is planned, or the day of its end. */
export interface PackDated {
  asOf: string;
  planned: string;
  plannedFor: string;
  until: string;
}

/** Templates for a report on what was tried and with which result. The names in braces are placeholders. */
interface PackTried {
  best: string;
  counted: string;
  /** The part in brackets appears once in a sentence. */
  mean: string;
  good: string;
  with: string;
  /** `and` is written before the last item of a list and includes its spaces; `times` is "times as many". */
  words: Readonly<Record<'case' | 'cases' | 'others' | 'and' | 'times', string>>;
}

/** Words of requests to forget, in `forget-words.json`. Each is a list of alternatives; `forgetPatterns` says where each is searched. */
export interface PackForget {
  order: string;
  everything: string;
  ofMemory: string;
  forNow: string;
  goesOn: string;
  keeps: string;
  spares: string;
  stays: string;
  excepts: string;
  nots: string;
  corrects: string;
  meant: string;
  theirs: string;
  /**
   * The places of a word for a person to whom something belongs or who does it: "Tom's", "of Tom", "where Tom". `<x>` is any such word, and
   * `<k>` a relation or a known name ("toms").
   */
  owners: string;
  /** Things of other programs ("mails", "alarm"). An order about them is not a request, unless the turn has a word of `recalls`. */
  tools: string;
  /** Words for telling, knowing and remembering. */
  recalls: string;
}

/** Words that distinguish a statement from a question, a guess or a joke. Each is a list of alternatives. */
export interface PackWords {
  me: string;
  my: string;
  we: string;
  you: string;
  they: string;
  question: string;
  /** The beginning of a request to the assistant: "can you", "please", "write". */
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
  /** Phrases after which the preceding words are not meant seriously. */
  kidding: string;
  said: string;
  /** Phrases for what held in the past: "used to". A slot in such a sentence is not filled. */
  over: string;
  /** Phrases for what has just ended: "no longer", "any more". A slot in such a sentence is denied. */
  ended: string;
  /** Words for a moment: "today", "right now". A home or a job in such a clause is not filled, unless the words tell of a change. */
  passing: string;
  /** The beginning of a reaction that confirms the preceding answer, and of one that corrects it. */
  confirms: string;
  corrects: string;
}

/** Words that show the kind of a question. Each is a list of alternatives. */
export interface PackQuestions {
  /** Stop words of a question, which are not searched for. */
  stop: string;
  /** Words that ask what holds now, after any change. */
  now: string;
  /** Words that ask what held before, or first. */
  past: string;
  /** Words of questions whose answer may include statements that no longer hold. If absent, the answer to every question may. */
  history?: string;
  /** Words that ask for a list, a count or a comparison. */
  several: string;
  /** Words that ask what changed at a time, if the question has no other content than that time. */
  changes?: string;
  /** Words that ask what is planned for a time, if the question has no other content than that time. */
  agenda?: string;
  when: string;
  howMany: string;
  /** Words that ask for advice, for how something is done or would be, or for a piece of work, and not for a fact. */
  advice?: string;
  /** Words that ask for what the assistant has said. */
  agentSaid?: string;
  /**
   * Words that ask whether the assistant still knows a fact ("did you forget"), unless a clause states the fact
   * ("that I work there again").
   */
  stillKnown?: string;
}

/** Phrases by which a user makes a request to the memory. Each is a list of alternatives. */
interface PackRequests {
  remember: string;
  /** Phrases with the words of `remember` that are not a request: "do you remember", "I remember". */
  recalls?: string;
  /** An order for another time, which asks for nothing now: "when I say so, forget my number". */
  delayed?: string;
  /** Words that address a sentence to the assistant. */
  polite: string;
  /**
   * Words that begin a clause which restricts the preceding clause. In scripts without spaces, the list matches the positions at
   * which such a clause begins.
   */
  but: string;
  /** Words that begin a clause which follows from the preceding clause. */
  so: string;
  /** The beginning of an answer that replaces the value just given: "no, I meant". If empty, such answers are not read. */
  correcting: string;
  /** Words that may precede a request in its clause: "please", "could you". */
  lead: string;
  wish: string;
  reminder: string;
  /** Words beside a text of somebody else: "is this a scam", "translate this". */
  aboutText: string;
}

interface PackCalendar {
  /** The names of the months from January on, each as alternatives. */
  months: readonly string[];
  /** The names of the weekdays from Monday on, each as alternatives. */
  weekdays: readonly string[];
  /** Days from today: "yesterday" is -1. */
  days: readonly (readonly [pattern: string, days: number])[];
  /** "Last week", "next week" and, in some languages, "this week"; the same for months and years. */
  spans: readonly (readonly [unit: 'week' | 'month' | 'year', ...lastNextCurrent: string[]])[];
  /** Patterns for times in the past ("vor <n> <unit>") and in the future ("in <n> <unit>"), and the names of the units. */
  ago: string;
  ahead: string;
  units: { day: string; week: string; month: string; year: string };
  numbers: Readonly<Record<string, number>>;
  /** Ranges of days of one month, with the month and without it: "vom <d>. bis <e>. <m>". In English, they are in `resolve-dates.ts`. */
  ranges: readonly string[];
  /** "<d>. <m> <y>": the ways to write a day of a month. The year may be left out. The groups `early`, `mid` and `late` mark a part of a month. */
  dates: readonly string[];
  nextWeekday: string;
  /** The weekday after the next one, where the language has a word for it: "übernächsten". */
  laterWeekday?: string;
  lastWeekday: string;
  /** A weekday alone, which is a date only in a sentence that does not describe a habit. */
  weekday: string;
  /**
   * The short names of the weekdays from Monday on, and where such a name (`<s>`) is a weekday. Most of the names are other words too, so
   * that a time (`<time>`), the end of the clause (`<end>`) or certain words must be beside the name: "Do 15 Uhr", "am Do".
   */
  shortWeekdays?: readonly string[];
  shortWeekday?: string;
  /** Whether texts rarely use the 24-hour clock, so that "at 3" is in the afternoon. */
  twelveHourClock?: boolean;
  /** The format of a date: "{d} {month} {y}", where `{month}` is the name of the month and `{m}` its number. */
  written: string;
  /** The words before the first and before the last day of a state: "from", "until". Empty where such words follow the day. */
  from: string;
  until: string;
}

/**
 * A rule that fills a slot. The pattern is a regular expression with tokens. `<who>` is the user or a person related to the user ("I", "my
 * sister Ana") and determines the subject; `<related>` is only a person related to the user. Without these tokens the subject is the user.
 * The value is one of `<name>`, `<place>`, `<org>`, `<job>`, `<age>`, `<money>`, `<hours>`, `<date>`, `<day>`, `<words>`, `<email>` and
 * `<phone>`, or a list of the pack. `{list}` is one of the words of a list. A match is dropped unless the words of its group `role` are a
 * job or a word of the list `employed`: "I'm a guest at …" names no employer.
 */
export interface SlotRule {
  attribute: AttributeName;
  pattern: string;
  /** The value, where the words only imply it ("keep it short" → short). */
  value?: string;
  /** Whether the words deny the attribute. */
  denied?: boolean;
  /** The tense, unless it follows from the sentence. */
  tense?: 'planned' | 'habit';
  /** Whether the rule is for a standing wish, which is filled only in a sentence with a phrase of `requests.wish`. */
  standing?: boolean;
  /** Whether the slot is also filled beside a question or a hedge, because the words alone are certain. */
  firm?: boolean;
  /**
   * Set if the words nearly always mean the slot. The slot is filled only in a sentence that the selector keeps (`kept`) and, with `alone`,
   * only where the clause speaks of nobody else.
   */
  likely?: 'kept' | 'alone';
  /**
   * Whether the slot is filled only where the sentence is the whole turn: "Please answer in German" before a text may be
   * meant for that text alone.
   */
  whole?: boolean;
  /**
   * Whether the slot is filled only where neither the turn nor the question before it mentions somebody else: "sleep apnoea, since 2019".
   */
  alone?: boolean;
}

type SlotMaker = (attribute: AttributeName, patterns: readonly string[], more?: Partial<SlotRule>) => SlotRule[];

/** Rules for an attribute that differ in their patterns alone. */
const slotWith =
  (kind: Partial<SlotRule>): SlotMaker =>
  (attribute, patterns, more = {}) =>
    patterns.map((pattern) => ({ attribute, pattern, ...kind, ...more }));

/**
 * `slot(…)` makes rules with any fields. `slot.denied(…)`, `slot.planned(…)` and so on make rules with one of the most frequent fields set.
 */
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

/**
 * Rules for a format of answers that the user excludes ("avoid emojis") or allows again ("you can use emojis again"). `without` is the
 * value of an exclusion, such as "no {value}". The words are in the lists of the pack.
 */
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

/**
 * Rules for a new number, e-mail address or postal address: after words such as "my" or "I have a" (`mine`), or at the beginning of a message
 * that speaks of nobody else. `is` is a pattern of the words between the noun and the value.
 */
export function contactRules(by: Record<'mine' | 'is' | 'phone' | 'email' | 'address', string>): SlotRule[] {
  const rulesFor = (attribute: AttributeName, noun: string, value: string): SlotRule[] => [
    ...slot(attribute, [`(?:${by.mine}) ?(?:${noun})${by.is} ?${value}`]),
    ...slot(attribute, [`^(?:[\\p{L}']+[,:!，：！] ?)?(?:${noun})${by.is} ?${value}`], { alone: true }),
  ];
  return [
    ...rulesFor('email', by.email, '<email>'),
    ...rulesFor('phone_number', by.phone, '<phone>'),
    // Words or a house number must follow the noun: "my new address book has 90 pages".
    ...rulesFor('address', by.address, `(?:(?<!(?:${by.address}) ?)|(?=\\d))<street>`),
  ];
}

/**
 * Rules for the rent: an amount near the word, a new amount after a word of the list `rises` and `to`, and one that replaces another
 * (`insteadOf`). A rise by an amount states no rent. `from` is the word before the first day of the new rent.
 */
export function rentRules(rent: string, by: Record<'to' | 'insteadOf' | 'from', string>): SlotRule[] {
  const rises = '(?<![\\p{L}]){rises}(?![\\p{L}])';
  return slot.likely('rent', [
    `(?:${rent})(?: [^;!?]{0,40}?)? {rises}[^;!?]{0,40}? (?:${by.to}) <money>`,
    `(?:${rent})[^;!?]{0,40}? <money> (?:${by.insteadOf}) \\d`,
    `(?:${rent})(?: (?:(?!${rises})[^.;\\d]){0,20})?(?: (?:${by.from}) \\d{1,2}[^\\s\\d]\\S*(?: (?!\\d)\\p{L}+)?(?: 20\\d\\d)?)? <money>`,
  ]);
}

/**
 * Rules for a medicine that replaces another one and for a new dose of it ("my ramipril goes up to 10 mg"). In each pattern of `replaced`
 * ("from <old> to <new>"), `<old>` is the medicine that ends. `takes` is a first-person verb for taking a medicine, for "I take <new> instead
 * of <old>" in the orders in which the parts may follow each other.
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

/**
 * Inverts lists of words for family and other relations: `{ sister: 'schwester|schwesterherz' }` gives
 * `{ schwester: 'sister', schwesterherz: 'sister' }`.
 */
export function relations(lists: Record<string, string>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(lists).flatMap(([english, words]) => words.split('|').map((word) => [word, english])),
  );
}

/** The entries of a list in their order: "januar|jan februar|feb". */
export function inOrder(entries: string): string[] {
  return entries.split(' ');
}

/** Number words with their values, from one on: "un|una dos tres". */
export function numbered(entries: string): Record<string, number> {
  return Object.fromEntries(
    inOrder(entries).flatMap((words, index) => words.split('|').map((word) => [word, index + 1] as const)),
  );
}

/** The months in Chinese and Japanese. */
export const HAN_MONTHS: readonly string[] = inOrder('一 二 三 四 五 六 七 八 九 十 十一 十二').map(
  (name, index) => `${index + 1}月|${name}月`,
);

/** Names that are the same in many languages. Lists of packs may include them. */

export const CARS =
  'toyota|honda|ford|hyundai|kia|nissan|mazda|subaru|suzuki|mitsubishi|volkswagen|vw|audi|bmw|mercedes|skoda|škoda|seat|opel|vauxhall|renault|peugeot|citro[eë]n|fiat|dacia|volvo|tesla|jeep|chevrolet|chevy|dodge|lexus|porsche|mini cooper|land rover|range rover|byd|tata nexon|maruti|mahindra|hilux|corolla|camry|yaris|prius|rav4|noah|tacoma|tundra|land cruiser|previa|civic|accord|cr-v|hr-v|jazz|f-?150|focus|fiesta|mondeo|transit|ranger|mustang|golf(?! (?:clubs?|course|lessons?|balls?|bag))|polo(?! (?:shirts?|necks?|mints?))|passat|tiguan|touran|caddy|transporter|octavia|fabia|superb|astra|corsa|zafira|clio|megane|twingo|kangoo|208|308|berlingo|panda|punto|500l|duster|sandero|swift|vitara|jimny|tiida|micra|qashqai|leaf|navara|outback|forester|impreza|cx-5|sportage|picanto|tucson|i10|i20|i30|ioniq|model [3sxy]|silverado|wrangler|corvette';

export const BIKES =
  'giant|trek|specialized|cannondale|canyon|scott|cube|gazelle|batavus|bianchi|brompton|cowboy|vanmoof|surly|kona|merida|orbea|ktm|kawasaki|yamaha|ducati|triumph|harley|vespa';

export const PHONES =
  'iphone(?: (?:\\d+|se|x[rs]?)(?: (?:pro max|pro|plus|mini|max))?)?|(?:google )?pixel(?: \\d+a?)?(?: pro)?|(?:samsung )?galaxy(?: [a-z]?\\d+\\+?)?(?: ultra)?|samsung(?: [a-z]?\\d+)?|redmi(?: note)?(?: \\d+)?|xiaomi(?: \\d+)?|huawei(?: p?\\d+)?|nokia(?: \\d+)?|motorola|oneplus(?: \\d+)?|fairphone(?: \\d)?';

/** The first words of the names of programs, systems and services, which people also "move to" and "live in". */
export const PRODUCTS =
  'android|ios|iphones?|ipad|mac|macos|macbook|apple|windows|linux|ubuntu|debian|fedora|arch|chromebook|chromeos|slack|teams|zoom|meet|excel|word|powerpoint|outlook|gmail|thunderbird|proton|notion|obsidian|evernote|onenote|todoist|trello|asana|jira|confluence|linear|discord|whatsapp|signal|telegram|messenger|instagram|facebook|twitter|bluesky|mastodon|threads|tiktok|reddit|youtube|twitch|substack|medium|linkedin|spotify|tidal|deezer|netflix|disney|plex|kindle|kobo|vinted|ebay|etsy|amazon|depop|firefox|chrome|safari|edge|brave|opera|google|bing|duckduckgo|chatgpt|claude|gemini|copilot|python|java|javascript|typescript|rust|go|kotlin|swift|php|ruby|react|vue|angular|svelte|django|rails|node|deno|bun|docker|kubernetes|aws|azure|gcp|github|gitlab|bitbucket|vscode|vim|neovim|emacs|intellij|figma|sketch|photoshop|lightroom|illustrator|canva|blender|ableton|postgres|postgresql|mysql|sqlite|mongodb|dropbox|icloud|onedrive|minecraft|fortnite|roblox|sims|skyrim|steam|playstation|xbox|nintendo|switch|starlink|vodafone|ee|o2|monzo|revolut|starling|paypal';

/** The names of medicines, with their endings in different languages. */
export const DRUGS =
  'insulin[ae]?|insuline?|warfarine?a?|aspirine?a?|paracetamol|acetaminophen|ibuprofen[oe]?|ibuprof[eè]ne|ibu|diclofenac|ketoprofen|naproxen|difene|metformine?a?|thyroxine?|levothyroxine|l-thyroxin|euthyrox|prednison[ea]?|prednisolone?|cortisone?|lithium|heparin|eliquis|xarelto|clexane|ozempic|mounjaro|wegovy|methotrexate|ventolin|salbutamol|foster|symbicort|ritalin|concerta|adderall|elvanse|prozac|zoloft|sertralin[ea]?|lexapro|citalopram|xanax|lorazepam|diazepam|tramadol|novalgin|metamizol|codeine?|morphine?|amoxicillin[ea]?|penicillin|omeprazol[e]?|pantoprazol[e]?|ramipril|lisinopril|enalapril|amlodipine?|telmisartan|losartan|candesartan|valsartan|bisoprolol|metoprolol|atenolol|atorvastatine?|simvastatine?|rosuvastatine?|gabapentin|pregabalin|lyrica|donepezil|tamoxifen|letrozole|adalimumab|humira|melatonin[ea]?|cetirizine?|loratadine?|epipen|nicotine patches|beta[- ]blockers?|statins?|antidepressants?|blood thinners?|antihistamines?';
