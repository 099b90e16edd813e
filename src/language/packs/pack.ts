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
  /** Forms of "my" before a relation, of "I" and "I am" for the user, and of "is" for other subjects. */
  my: string;
  i: string;
  iAm: string;
  is: string;
  /** A word that is always capitalised, in lower case: "i". */
  capitalised?: string;
  /** Whether all nouns are capitalised, so that a capital letter does not show a name. */
  capitalisesNouns?: boolean;
  /** Whether verbs do not show the person, in a language with an alphabet. A clause about the user then needs a word for the user. */
  isUninflected?: boolean;
  /** The negation between the subject and the verb, with a leading space. Absent if the language puts it elsewhere. */
  notVerb?: string;
  /**
   * Words for a partner, for pets and for children. They are not in `relations`, because the names of these people and animals are slots of
   * the user.
   */
  partners: string;
  pets: string;
  children: string;
  /**
   * Further lists by name, most of them from `words.json`. They are used by the tokens of slot patterns (`<job>`, `<condition>`) and by
   * code for texts of any language (`wordsOfAll`).
   */
  lists: Readonly<Record<string, string>>;
  slots: readonly SlotRule[];
  /** Questions of the assistant that a short answer completes ("how old are you"), by attribute. The token matches the answer. */
  answers: readonly (readonly [attribute: AttributeName, question: string, token: string])[];
  /**
   * Words for the topic of an attribute, as requests ("what I earn") and statements name it. A topic need not be an attribute of the table.
   */
  topics: Readonly<Record<string, string>>;
  /** Written before a slot that no longer holds. */
  notAnyMore: string;
  /** Written before a slot that the user denies and has never stated. */
  notSo: string;
  /**
   * Templates for the text of a filled slot, such as "Lives in {value}". Without a template, the attribute's label is used. `being` is the
   * template for a condition that is an adjective: "Is diabetic".
   */
  templates: Readonly<Partial<Record<AttributeName | 'being', string>>>;
  dated: PackDated;
  tried: PackTried;
}

/** Notes in brackets after a statement: the day on which it was written, for which it is planned, or on which it ended. */
export interface PackDated {
  asOf: string;
  planned: string;
  plannedFor: string;
  until: string;
}

/** Templates for a report on attempts and their results. The names in braces are placeholders. */
interface PackTried {
  best: string;
  counted: string;
  /** The part in brackets is written only once per sentence. */
  mean: string;
  good: string;
  with: string;
  /** `and` is written before the last item of a list and includes its spaces; `times` is "times as many". */
  words: Readonly<Record<'case' | 'cases' | 'others' | 'and' | 'times', string>>;
}

/**
 * Words of requests to forget, from `forget-words.json`. Each field is a list of alternatives; `forgetPatterns` shows where each is
 * searched.
 */
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
   * Phrases that name an owner or a doer: "Tom's", "of Tom", "where Tom". `<x>` stands for any word for a person, and `<k>` for a relation
   * or a known name ("toms").
   */
  owners: string;
  /**
   * Things that belong to other programs ("mails", "alarm"). An order about them is not a request to the memory, unless the turn has a word
   * of `recalls`.
   */
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
  /** Phrases that show that the preceding words are not meant seriously. */
  kidding: string;
  said: string;
  /** Phrases for a past state: "used to". A slot in such a sentence is not filled. */
  over: string;
  /** Phrases for a state that has just ended: "no longer", "any more". A slot in such a sentence is denied. */
  ended: string;
  /** Words for a moment: "today", "right now". A home or a job in such a clause is not filled, unless the clause also reports a change. */
  passing: string;
  /** The beginning of a reaction that confirms the preceding answer, and of a reaction that corrects it. */
  confirms: string;
  corrects: string;
}

/** Words that show the kind of a question. Each is a list of alternatives. */
export interface PackQuestions {
  /** Stop words of a question, which are not searched for. */
  stop: string;
  /** Words that ask for the present state, after any change. */
  now: string;
  /** Words that ask for an earlier state, or the first one. */
  past: string;
  /** Words of questions whose answer may include statements that no longer hold. If absent, this applies to every question. */
  history?: string;
  /** Words that ask for a list, a count or a comparison. */
  several: string;
  /** Words that ask for the changes at a time, if the question is about nothing else. */
  changes?: string;
  /** Words that ask for the plans at a time, if the question is about nothing else. */
  agenda?: string;
  when: string;
  howMany: string;
  /** Words that ask for advice, for how to do something or how it would be, or for a piece of work, and not for a fact. */
  advice?: string;
  /** Words that ask for an earlier answer of the assistant. */
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
  /** Phrases that contain words of `remember` but are not a request: "do you remember", "I remember". */
  recalls?: string;
  /** An order for another time, so that nothing is to be done now: "when I say so, forget my number". */
  delayed?: string;
  /** Words that address a sentence to the assistant. */
  polite: string;
  /**
   * Words such as "but": they begin a clause that restricts the preceding one. In scripts without spaces, the list matches the positions at
   * which such a clause begins.
   */
  but: string;
  /** Words such as "so": they begin a clause that follows from the preceding one. */
  so: string;
  /**
   * The beginning of an answer that replaces the value just given: "no, I meant". If empty, corrections are not recognised in this
   * language.
   */
  correcting: string;
  /** Words that may precede a request in its clause: "please", "could you". */
  lead: string;
  wish: string;
  reminder: string;
  /** Words next to somebody else's text: "is this a scam", "translate this". */
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
  /**
   * The ways to write a day of a month: "<d>. <m> <y>". The year may be left out. The groups `early`, `mid` and `late` mark a part of a
   * month.
   */
  dates: readonly string[];
  nextWeekday: string;
  /** The weekday after the next one, if the language has a word for it: "übernächsten". */
  laterWeekday?: string;
  lastWeekday: string;
  /** A weekday alone. It is a date only if the sentence does not describe a habit. */
  weekday: string;
  /**
   * The short names of the weekdays from Monday on, and where such a name (`<s>`) is a weekday. Most of these names are other words too, so
   * one of three must be next to the name: a time (`<time>`), the end of the clause (`<end>`) or certain words ("Do 15 Uhr", "am Do").
   */
  shortWeekdays?: readonly string[];
  shortWeekday?: string;
  /** Whether texts rarely use the 24-hour clock. "At 3" is then in the afternoon. */
  twelveHourClock?: boolean;
  /** The format of a date: "{d} {month} {y}", where `{month}` is the name of the month and `{m}` its number. */
  written: string;
  /** The words before the first and before the last day of a state: "from", "until". Empty if such words follow the day. */
  from: string;
  until: string;
}

/**
 * A rule that fills a slot. Its pattern is a regular expression with tokens. `<who>` matches the user or a person related to the user ("I",
 * "my sister Ana") and determines the subject; `<related>` matches only a person related to the user. Without these tokens, the subject is
 * the user. The token of the value is `<name>`, `<place>`, `<org>`, `<job>`, `<age>`, `<money>`, `<hours>`, `<date>`, `<day>`, `<words>`,
 * `<email>`, `<phone>` or a list of the pack. `{list}` matches a word of a list. If the pattern has a group `role`, its words must be a job
 * or a word of the list `employed`: "I'm a guest at …" names no employer.
 */
export interface SlotRule {
  attribute: AttributeName;
  pattern: string;
  /** The value, if the words only imply it ("keep it short" → short). */
  value?: string;
  /** Whether the words deny the attribute. */
  denied?: boolean;
  /** The tense, unless it follows from the sentence. */
  tense?: 'planned' | 'habit';
  /** Whether the rule is for a standing wish. It then applies only to a sentence with a phrase of `requests.wish`. */
  standing?: boolean;
  /** Whether the slot is filled even in a sentence with a question or a hedge, because the words alone are certain. */
  firm?: boolean;
  /**
   * Set if the words nearly always, but not surely, state the slot. The slot is filled only if the selector keeps the sentence (`kept`).
   * With `alone`, the clause must also mention nobody else.
   */
  likely?: 'kept' | 'alone';
  /** Whether the sentence must be the whole turn: "Please answer in German" before a text may apply only to that text. */
  whole?: boolean;
  /** Whether the turn and the question before it must not mention another person: "sleep apnoea, since 2019". */
  alone?: boolean;
}

type SlotMaker = (attribute: AttributeName, patterns: readonly string[], more?: Partial<SlotRule>) => SlotRule[];

/** Makes rules for an attribute that differ only in their patterns. */
const slotWith =
  (kind: Partial<SlotRule>): SlotMaker =>
  (attribute, patterns, more = {}) =>
    patterns.map((pattern) => ({ attribute, pattern, ...kind, ...more }));

/** Makes rules: `slot(…)` with any fields, and `slot.denied(…)`, `slot.planned(…)` and so on with one of the most frequent fields set. */
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
 * Makes rules for a format of answers that the user excludes ("avoid emojis") or allows again ("you can use emojis again"). `without` is
 * the value of an exclusion, such as "no {value}". The words are in the lists of the pack.
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
 * Makes rules for a new number, e-mail address or postal address. They match after words such as "my" or "I have a" (`mine`), or at the
 * beginning of a message that mentions nobody else. `is` is a pattern of the words between the noun and the value.
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
 * Makes rules for the rent: an amount near the word, a new amount after a word of the list `rises` and `to`, and one that replaces another
 * (`insteadOf`). An increase alone ("50 more") states no rent. `from` is the word before the first day of the new rent.
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
 * Makes rules for a medicine that replaces another one, and for a new dose ("my ramipril goes up to 10 mg"). In each pattern of `replaced`
 * ("from <old> to <new>"), `<old>` is the medicine that ends. `takes` is a first-person verb for taking a medicine; it is used for "I take
 * <new> instead of <old>", with the parts in any order that the language allows.
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
 * Inverts lists of words for relations: `{ sister: 'schwester|schwesterherz' }` gives `{ schwester: 'sister', schwesterherz: 'sister' }`.
 */
export function relations(lists: Record<string, string>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(lists).flatMap(([english, words]) => words.split('|').map((word) => [word, english])),
  );
}

/** Splits a list into its entries, in order: "januar|jan februar|feb". */
export function inOrder(entries: string): string[] {
  return entries.split(' ');
}

/** Numbers the words of a list from one: "un|una dos tres". */
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

/** First words of the names of programs, systems and services. Users also "move to" and "live in" these. */
export const PRODUCTS =
  'android|ios|iphones?|ipad|mac|macos|macbook|apple|windows|linux|ubuntu|debian|fedora|arch|chromebook|chromeos|slack|teams|zoom|meet|excel|word|powerpoint|outlook|gmail|thunderbird|proton|notion|obsidian|evernote|onenote|todoist|trello|asana|jira|confluence|linear|discord|whatsapp|signal|telegram|messenger|instagram|facebook|twitter|bluesky|mastodon|threads|tiktok|reddit|youtube|twitch|substack|medium|linkedin|spotify|tidal|deezer|netflix|disney|plex|kindle|kobo|vinted|ebay|etsy|amazon|depop|firefox|chrome|safari|edge|brave|opera|google|bing|duckduckgo|chatgpt|claude|gemini|copilot|python|java|javascript|typescript|rust|go|kotlin|swift|php|ruby|react|vue|angular|svelte|django|rails|node|deno|bun|docker|kubernetes|aws|azure|gcp|github|gitlab|bitbucket|vscode|vim|neovim|emacs|intellij|figma|sketch|photoshop|lightroom|illustrator|canva|blender|ableton|postgres|postgresql|mysql|sqlite|mongodb|dropbox|icloud|onedrive|minecraft|fortnite|roblox|sims|skyrim|steam|playstation|xbox|nintendo|switch|starlink|vodafone|ee|o2|monzo|revolut|starling|paypal';

/** The names of medicines, with their endings in different languages. */
export const DRUGS =
  'insulin[ae]?|insuline?|warfarine?a?|aspirine?a?|paracetamol|acetaminophen|ibuprofen[oe]?|ibuprof[eè]ne|ibu|diclofenac|ketoprofen|naproxen|difene|metformine?a?|thyroxine?|levothyroxine|l-thyroxin|euthyrox|prednison[ea]?|prednisolone?|cortisone?|lithium|heparin|eliquis|xarelto|clexane|ozempic|mounjaro|wegovy|methotrexate|ventolin|salbutamol|foster|symbicort|ritalin|concerta|adderall|elvanse|prozac|zoloft|sertralin[ea]?|lexapro|citalopram|xanax|lorazepam|diazepam|tramadol|novalgin|metamizol|codeine?|morphine?|amoxicillin[ea]?|penicillin|omeprazol[e]?|pantoprazol[e]?|ramipril|lisinopril|enalapril|amlodipine?|telmisartan|losartan|candesartan|valsartan|bisoprolol|metoprolol|atenolol|atorvastatine?|simvastatine?|rosuvastatine?|gabapentin|pregabalin|lyrica|donepezil|tamoxifen|letrozole|adalimumab|humira|melatonin[ea]?|cetirizine?|loratadine?|epipen|nicotine patches|beta[- ]blockers?|statins?|antidepressants?|blood thinners?|antihistamines?';
