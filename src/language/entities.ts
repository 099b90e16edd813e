import type { EntityType, NewEntity } from '../record/entity.ts';
import { belongsToUser, isUser } from '../record/statement.ts';
import { FEASTS, UNAMBIGUOUS_DAYS } from './calendar.ts';
import { GIVEN_NAMES } from './given-names.ts';
import { PACKS } from './packs/packs.ts';
import { splitSentences, type TextSpan } from './sentences.ts';
import { matchesOf, withoutEnd, words, wordSet } from './words.ts';

/** Relatives and friends of the speaker. A statement about them is not about the speaker. */
export const KINSHIP: ReadonlySet<string> = wordSet(`
  mother mom mum mommy father dad daddy parent parents sister sisters brother brothers sibling siblings son sons daughter
  daughters child children kid kids baby wife husband spouse partner girlfriend boyfriend fiance fiancé fiancee fiancée
  grandmother grandma granny nana grandfather grandpa grandparents grandparent grandson granddaughter grandchildren
  grandkids aunt aunts uncle uncles cousin cousins niece nieces nephew nephews family stepmother stepmom stepfather stepdad
  stepson stepdaughter godmother godfather twin twins friend friends bestie roommate roommates flatmate boss manager
  colleague colleagues coworker coworkers neighbor neighbors neighbour neighbours teacher coach therapist doctor dentist
  landlord ex mentor client clients assistant cofounder team folks relatives in-laws mother-in-law father-in-law
  sister-in-law brother-in-law son-in-law daughter-in-law gf bf mam ma hubby missus fella bloke bro sis gran nan grandad
  granddad auntie stepbrother stepsister half-brother half-sister godson goddaughter toddler newborn ex-wife ex-husband
  ex-girlfriend ex-boyfriend mate mates housemate housemates flatmates co-founder supervisor tutor trainer accountant
  lawyer solicitor nanny babysitter employee employees intern interns gp physio`);

const PETS: ReadonlySet<string> = wordSet(`
  dog dogs cat cats puppy puppies kitten kittens pet pets horse horses rabbit rabbits hamster hamsters parrot parrots bird
  birds fish goldfish turtle turtles tortoise snake snakes lizard lizards iguana ferret guinea pig pigs chicken chickens
  goat goats cow cows poodle labrador retriever beagle bulldog terrier spaniel collie corgi husky pug dachshund shepherd
  greyhound whippet tabby budgie pony`);

const LONGEST_TEXT = 20_000;
const MOST_ENTITIES = 60;
const CAPITALISED =
  /(?<![\p{L}\p{N}])i?\p{Lu}[\p{L}\p{N}'’&.+-]*(?:(?: (?:of|the|and|de|la|del|van|von|der|&|for))? \p{Lu}[\p{L}\p{N}'’&.+-]*|(?<=\p{L}) \d{1,4}\b){0,6}/gu;
const SENTENCE_OPENERS = new Set([
  ...UNAMBIGUOUS_DAYS,
  ..."i i'm i've i'd i'll the a an my our we he she it they you your this that these those in on at and but or so if when what where who how why yes no oh well hi hey hello thanks thank please actually just also by from for to with as is are do does did can could would will should let remember note there here his her their its one two three some any all last next yesterday today tomorrow since because after before while not never always great nice cool okay ok sure wow maybe perhaps sorry congrats agent user speaking good bad keep make use write call send book buy mr mrs ms dr prof me us him them".split(
    ' ',
  ),
]);
const CONTENT =
  /\b(?:[Mm]y|[Oo]ur|[Tt]he|[Nn]ew|[Ll]atest|[Tt]his|[Aa]|called|titled) ((?:\p{Lu}[\p{L}\p{N}'’-]*|\p{L}+)(?: (?:\p{Lu}[\p{L}\p{N}'’-]*|of|and|for|the|to|in)){0,6}?) (post|blog post|article|video|newsletter|podcast|episode|book|song|album|recipe|guide|ebook|course|webinar|story|essay|novel|report|draft|deck|presentation|reel|tweet)\b/gu;
const QUOTED = /["“«]([^"“”«»\n]{2,60})["”»]/g;
const CONTENT_SERVICE: Readonly<Record<string, string>> = {
  post: 'blog',
  'blog post': 'blog',
  article: 'blog',
  newsletter: 'newsletter',
  podcast: 'podcast',
  episode: 'podcast',
  video: 'video',
  tweet: 'twitter',
  reel: 'instagram',
};
const PROJECT =
  /\b[Pp]roject ((?:\p{Lu}[\p{L}\p{N}-]*)(?: \p{Lu}[\p{L}\p{N}-]*){0,2})|\b((?:\p{Lu}[\p{L}\p{N}-]*)(?: \p{Lu}[\p{L}\p{N}-]*){0,2}) (?:project|initiative|launch|campaign)\b/gu;
const COUNTED = /(?:^|\s)[$€£]?\d[\d.,]*[kKmM]? (?:new |more |unique |total )?(\p{L}+)/gu;
const PET_NAME =
  /\b(?:my|our|an?|the) (?:\p{L}+ ){0,2}?(\p{L}+),? (?:named|called|is named|is called|'s name is|, )\s?(\p{Lu}[\p{L}'-]+)/gu;

/** Merges all mentions of a name. Reads the first 20,000 characters and returns at most 60 entities. */
export function extractEntities(text: string): ExtractedEntity[] {
  const readable = text.slice(0, LONGEST_TEXT);
  const found = new Map<string, ExtractedEntity>();
  const taken: TextSpan[] = [];
  const add = (type: EntityType, name: string, start: number, aliases: readonly string[] = []): void => {
    const key = words(name).join(' ');
    if (key === '' || found.size >= MOST_ENTITIES) return;
    const known = found.get(key);
    const span = { start, end: start + name.length };
    taken.push(span);
    if (known === undefined)
      found.set(key, {
        type,
        name,
        aliases: [...new Set(aliases.filter((alias) => alias !== name))],
        spans: [span],
      });
    else known.spans.push(span);
  };
  const isFree = (start: number, end: number): boolean => !taken.some((span) => start < span.end && end > span.start);

  addByPattern(readable, add);
  for (const sentence of splitSentences(readable)) addNames(sentence.text, sentence.span.start, add, isFree);
  addGroup(readable, COUNTED, 'metric', add, (counted) => METRIC.test(counted));
  for (const [service, pattern] of SERVICES) {
    const match = pattern.exec(readable);
    if (match !== null && !found.has(service)) add('service', service, match.index);
  }
  return [...found.values()];
}

type Add = (type: EntityType, name: string, start: number, aliases?: readonly string[]) => void;

/** Runs before capitalised words are added, because these patterns are more reliable. */
function addByPattern(text: string, add: Add): void {
  for (const match of matchesOf(text, CONTENT)) addContent(match, add);
  addGroup(text, QUOTED, 'content', add, (title) => /^\p{Lu}/u.test(title) && !/\b(?:I|you)\b/.test(title));
  addGroup(text, PROJECT, 'project', add, () => true);
  for (const { 0: whole, 1: kind = '', 2: name = '', index } of matchesOf(text, PET_NAME)) {
    if (KINSHIP.has(kind) || PETS.has(kind)) add('person', name, index + whole.lastIndexOf(name));
  }
}

function addGroup(
  text: string,
  pattern: RegExp,
  type: EntityType,
  add: Add,
  isWanted: (name: string) => boolean,
): void {
  for (const { 0: whole, 1: first, 2: second, index } of matchesOf(text, pattern)) {
    const name = first ?? second ?? '';
    if (isWanted(name)) add(type, name, index + whole.lastIndexOf(name));
  }
}

function addContent(match: RegExpExecArray, add: Add): void {
  const found = match[1] ?? '';
  const start = found.search(/\p{Lu}/u);
  const title = start < 0 ? undefined : found.slice(start);
  const kind = match[2] ?? '';
  if (title !== undefined)
    add(
      SERVICES.some(([name]) => name === title.toLowerCase()) ? 'service' : 'content',
      title,
      match.index + match[0].indexOf(title),
      [`${title} ${kind}`],
    );
  const service = CONTENT_SERVICE[kind];
  if (service !== undefined) add('service', service, match.index + match[0].length - kind.length, [kind]);
}

const TWO_NAMES =
  /^(\p{Lu}[\p{L}\p{M}'’-]+(?: \p{Lu}[\p{L}\p{M}'’-]+)?) and (\p{Lu}[\p{L}\p{M}'’-]+(?: \p{Lu}[\p{L}\p{M}'’-]+)?)\.?$/u;
const BEFORE_LIST = wordSet('are were called named');

/** Splits "Tom, Ulla and Vic" and "Mia and Jonas", but not "Marks and Spencer". */
function eachOfList({ 0: text, index }: RegExpExecArray, sentence: string): { text: string; index: number }[] {
  const [, first, last] = TWO_NAMES.exec(text) ?? [];
  if (first === undefined || last === undefined) return [{ text, index }];
  const isGiven = (name: string): boolean => GIVEN_NAMES.has(name.toLowerCase().split(' ')[0] ?? '');
  const before = sentence.slice(Math.max(0, index - 40), index).trimEnd();
  const lead = before.split(' ').findLast((word) => !BEFORE_LIST.has(word)) ?? '';
  const word = withoutEnd(lead, ',:');
  const isList = (before.endsWith(',') && /^\p{Lu}/u.test(lead)) || KINSHIP.has(word) || PETS.has(word);
  if (!isList && !(isGiven(first) && isGiven(last))) return [{ text, index }];
  return [
    { text: first, index },
    { text: last, index: index + text.lastIndexOf(last) },
  ];
}

function addNames(sentence: string, offset: number, add: Add, isFree: (start: number, end: number) => boolean): void {
  for (const match of matchesOf(sentence, CAPITALISED).flatMap((found) => eachOfList(found, sentence))) {
    const parts = withoutEnd(match.text.replace(/['’]s$/, ''), ".'’-").split(' ');
    while (
      parts.length > 0 &&
      SENTENCE_OPENERS.has((parts[0] ?? '').toLowerCase().replace(/[’]/g, "'").replace(/\.$/, ''))
    )
      parts.shift();
    while (parts.length > 0 && /^(?:of|the|and|de|la|for|&|I|I'm|I've)$/.test(parts.at(-1) ?? '')) parts.pop();
    const name = parts.join(' ').replace(/['’]s$|-(?:like|style|based|esque)$/, '');
    const start = offset + match.index + match.text.indexOf(parts[0] ?? '');
    const isFeast = FEASTS.has(
      name
        .toLowerCase()
        .replaceAll('’', "'")
        .replace(/ \d{4}$/, ''),
    );
    if (name.length < 2 || isFeast || !isFree(start, start + name.length)) continue;
    const nameStart = match.index + match.text.indexOf(parts[0] ?? '');
    const before = sentence.slice(Math.max(0, nameStart - 30), nameStart);
    const after = sentence.slice(match.index + match.text.length, match.index + match.text.length + 20);
    // A single capitalised word at the start of a sentence is a name only if there is other evidence.
    const opens = start === offset && parts.length === 1;
    const type = classifyName(name, before, after);
    if (opens && type === 'other' && !GIVEN_NAMES.has(name.toLowerCase())) continue;
    add(type, name, start, aliasesOf(name, type));
  }
}

function aliasesOf(name: string, type: EntityType): string[] {
  if (type === 'person') return name.includes(' ') ? [name.split(' ')[0] ?? name] : [];
  if (type !== 'organisation') return [];
  const short = name.replace(/,? (?:Inc|Corp|Corporation|Ltd|LLC|GmbH|AG|Co|Company|Group|Labs)\.?$/, '');
  return short === name ? [] : [short];
}

interface ExtractedEntity {
  type: EntityType;
  name: string;
  aliases: string[];
  spans: TextSpan[];
}

export const PLACES: ReadonlySet<string> = wordSet(`
  berlin munich hamburg cologne köln paris london madrid barcelona rome milan vienna zurich geneva amsterdam brussels lisbon
  dublin oslo stockholm copenhagen helsinki warsaw prague budapest athens istanbul moscow kyiv mumbai delhi bangalore bengaluru
  pune chennai kolkata hyderabad tokyo osaka kyoto seoul beijing shanghai singapore bangkok hanoi manila jakarta sydney
  melbourne auckland toronto vancouver montreal chicago boston seattle denver austin dallas houston miami atlanta phoenix
  philadelphia portland detroit nashville brooklyn manhattan california texas florida ohio alaska colorado oregon washington
  michigan georgia virginia alabama arizona nevada utah hawaii india germany france spain italy portugal england scotland
  ireland wales britain uk usa us america canada mexico brazil argentina chile peru colombia japan china korea vietnam
  thailand indonesia philippines australia egypt nigeria kenya ghana morocco israel turkey russia ukraine poland sweden norway
  denmark finland netherlands belgium switzerland austria greece europe asia africa valencia seville porto ghent antwerp
  rotterdam utrecht krakow bordeaux lyon marseille lille nice naples turin florence venice bologna frankfurt stuttgart leipzig
  dresden bremen düsseldorf manchester liverpool leeds york glasgow edinburgh cardiff belfast cork galway limerick birmingham
  bristol sheffield newcastle brighton oxford cambridge lagos nairobi accra cairo casablanca johannesburg dubai doha riyadh
  karachi lahore dhaka colombo kathmandu taipei guangzhou shenzhen brisbane perth adelaide wellington calgary ottawa
  edmonton honolulu sacramento oakland baltimore pittsburgh cleveland columbus minneapolis milwaukee orlando tampa charlotte
  raleigh memphis tucson albuquerque jersey queens bronx iowa idaho illinois indiana kansas kentucky louisiana maine maryland
  massachusetts minnesota mississippi missouri montana nebraska oklahoma pennsylvania tennessee vermont wisconsin wyoming`);
const PLACE_ENDING =
  /\b(?:City|Street|Avenue|Road|Park|Beach|Lake|River|Island|Islands|Mountain|Mountains|County|Bay|Valley|Airport|Square|Bridge|Station|Hills)$/;
const ORGANISATION_ENDING =
  /(?:^|\s)(?:Inc|Corp|Corporation|Ltd|LLC|GmbH|AG|Co|Company|Group|Labs|University|College|School|Bank|Hospital|Institute|Foundation|Association|Agency|Studio|Studios|Systems|Technologies|Bakery|Restaurant|Museum|Club|Church|Ministry|Department|Airlines|Partners|Ventures|Capital|Media)\.?$/;
const ORGANISATIONS = wordSet(
  'google apple microsoft amazon meta facebook netflix stripe openai anthropic tesla ibm intel oracle sap siemens bosch bmw nasa walmart target starbucks mcdonalds uber airbnb shopify nike adidas sony samsung',
);
const PRODUCTS =
  /^(?:iPhone|iPad|MacBook|Xbox|PlayStation|Kindle|Tesla Model|Nintendo Switch|Windows|Excel|Photoshop|Android|GPT|ChatGPT|Claude|Gemini|Slack|Notion|Figma|Jira|Docker|Python|TypeScript|JavaScript|PostgreSQL|SQLite|React)\b/;

const METRIC: RegExp =
  /\b(views?|clicks?|likes?|shares?|comments?|subscribers?|followers?|signups?|sign-ups?|sales|orders?|downloads?|visits?|visitors?|impressions?|conversions?|replies|reads?|leads?|reviews?|bookings?|installs?|stars?|opens?|retweets?|upvotes?|streams?|plays?|applicants?|donations?|customers?|users?|members?|revenue|votes?)\b/iu;

const SERVICES: ReadonlyArray<readonly [string, RegExp]> = [
  ['blog', /\bblogs?\b/i],
  ['newsletter', /\bnewsletters?\b/i],
  ['instagram', /\binstagram\b/i],
  ['youtube', /\byoutube\b/i],
  ['twitter', /\btwitter\b/i],
  ['linkedin', /\blinkedin\b/i],
  ['facebook', /\bfacebook\b/i],
  ['tiktok', /\btiktok\b/i],
  ['whatsapp', /\bwhatsapp\b/i],
  ['reddit', /\breddit\b/i],
  ['github', /\bgithub\b/i],
  ['gmail', /\bgmail\b/i],
  ['website', /\bwebsites?\b/i],
  ['podcast', /\bpodcasts?\b/i],
];

function classifyName(name: string, before: string, after: string): EntityType {
  const lower = name.toLowerCase();
  const first = lower.split(' ')[0] ?? lower;
  if (SERVICES.some(([service]) => service === lower)) return 'service';
  if (PRODUCTS.test(name)) return 'product';
  if (ORGANISATION_ENDING.test(name) || ORGANISATIONS.has(lower)) return 'organisation';
  if (PLACES.has(lower) || PLACE_ENDING.test(name)) return 'place';
  if (
    /\b(?:Mr|Mrs|Ms|Dr|Prof)\.? ?$/.test(before) ||
    /\b(?:named|called|met|with|my (?:\p{L}+ )?(?:wife|husband|partner|sister|brother|friend|son|daughter|boss|mother|father|mom|dad|girlfriend|boyfriend|colleague|cousin|aunt|uncle|roommate)(?: is)?,?) $/iu.test(
      before,
    ) ||
    (GIVEN_NAMES.has(first) && name.split(' ').length <= 3)
  )
    return 'person';
  if (
    /\b(?:work(?:s|ed|ing)? (?:at|for)|job at|joined|employed (?:by|at)|hired by|left|CEO of|founder of|director (?:of \p{L}+ )?at|offer from|interview (?:at|with)|intern at|engineer at|manager at|startup,?) $/iu.test(
      before,
    )
  )
    return 'organisation';
  if (
    /\b(?:live[sd]? in|living in|move[sd]? (?:to|from)|moving to|based in|located in|born in|from|travel(?:l?ed|l?ing)? to|visit(?:ed|ing)?|trip to|fl(?:y|ew) to|raised in|vacation in|been to|near|went to|in) (?:the )?$/i.test(
      before,
    ) &&
    /^\p{L}/u.test(name)
  )
    return 'place';
  if (/^ (?:app|software|phone|laptop|camera|car|bike|console|tool|library|framework)\b/.test(after)) return 'product';
  return /^ (?:said|says|told|is my|loves|likes|asked|thinks)\b/.test(after) ? 'person' : 'other';
}

/** "Diwali Sweet Recipes" → "diwali-sweet-recipes", in any script. */
export function entitySlug(name: string): string {
  return name
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\p{So}]+/gu, '-')
    .replace(/^-|-$/g, '')
    .slice(0, 200);
}

const MOST_IN_STATEMENT = 20;

/** A capitalised verb at the beginning of a rendering is not a name: "User's sister Léa: Habite à Lyon", "Pays 1250 rent". */
const RENDERED = new RegExp(
  `(?<=^|: )(?:${PACKS.flatMap(({ templates }) => Object.values(templates))
    .map((template) => /^\p{Lu}\p{L}*(?= )/u.exec(template)?.[0])
    .filter((verb) => verb !== undefined)
    .join('|')})(?= )`,
  'gu',
);

/** A relation at the beginning of a rendering is not part of the name: "Schwester Léa: Lebt in Lyon". */
const RELATION_FIRST = new RegExp(
  `^(?:${PACKS.flatMap(({ relations }) => Object.keys(relations))
    .toSorted((one, other) => other.length - one.length)
    .map((word) => word.charAt(0).toUpperCase() + word.slice(1))
    .join('|')})(?=(?: [^:]{1,80})?: )`,
  'u',
);

export function entitiesOf(text: string, subject: string, names: readonly string[]): NewEntity[] {
  const found = new Map<string, NewEntity>();
  const subjectName = isUser(subject) || belongsToUser(subject) ? '' : subject;
  // "User's Diwali post" names a post and not a person.
  const own = text.replace(RELATION_FIRST, (relation) => relation.toLowerCase());
  const said = own.replace(RENDERED, (verb) => verb.toLowerCase()).replace(/\b[Uu]ser['’]s\b/g, 'my');
  for (const { type, name, aliases } of extractEntities(`${said}\n${subjectName}`)) {
    if (!isNumber(name) && !/^user$/i.test(name)) found.set(entitySlug(name), { type, name, aliases });
  }
  for (const name of names) {
    const slug = entitySlug(name);
    if (!found.has(slug) && !isNumber(name)) found.set(slug, { type: 'other', name: name.slice(0, 200) });
  }
  found.delete('');
  return [...found.values()].slice(0, MOST_IN_STATEMENT);
}

function isNumber(name: string): boolean {
  return /^[\d\s.,:/-]+$/.test(name);
}
