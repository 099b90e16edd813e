import { withoutEnd } from './without-end.ts';
import { classifyName, GIVEN_NAMES, METRIC, SERVICES } from './classify-name.ts';
import type { EntityType, ExtractedEntity } from './extracted-entity.ts';
import { KINSHIP, PETS } from './kinship.ts';
import { splitSentences } from './split-sentences.ts';
import type { TextSpan } from './text-span.ts';
import { words } from './words.ts';

const LONGEST_TEXT = 20_000;
const MOST_ENTITIES = 60;
const CAPITALISED =
  /(?<![\p{L}\p{N}])i?\p{Lu}[\p{L}\p{N}'’&.+-]*(?:(?: (?:of|the|and|de|la|del|van|von|der|&|for))? \p{Lu}[\p{L}\p{N}'’&.+-]*|(?<=\p{L}) \d{1,4}\b){0,6}/gu;
const SENTENCE_OPENERS = new Set(
  "i i'm i've i'd i'll the a an my our we he she it they you your this that these those in on at and but or so if when what where who how why yes no oh well hi hey hello thanks thank please actually just also by from for to with as is are do does did can could would will should let remember note there here his her their its one two three some any all last next yesterday today tomorrow since because after before while not never always great nice cool okay ok sure wow maybe perhaps sorry congrats agent user speaking good bad keep make use write call send book buy monday tuesday wednesday thursday friday saturday sunday january february march april june july august september october november december mr mrs ms dr prof me us him them".split(
    ' ',
  ),
);
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

/**
 * Finds what a text names: people, organisations, places, content, services, metrics, projects and products. Mentions
 * of one name are one entity. Reads 20,000 characters and gives 60 at most.
 */
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

  for (const match of readable.matchAll(CONTENT)) addContent(match, add);
  for (const match of readable.matchAll(QUOTED))
    if (/^\p{Lu}/u.test(match[1] ?? '') && !/\b(?:I|you)\b/.test(match[1] ?? ''))
      add('content', match[1] ?? '', match.index + 1);
  for (const match of readable.matchAll(PROJECT))
    add('project', match[1] ?? match[2] ?? '', match.index + match[0].indexOf(match[1] ?? match[2] ?? ''));
  for (const match of readable.matchAll(PET_NAME))
    if (KINSHIP.has(match[1] ?? '') || PETS.has(match[1] ?? ''))
      add('person', match[2] ?? '', match.index + match[0].lastIndexOf(match[2] ?? ''));
  for (const sentence of splitSentences(readable)) addNames(sentence.text, sentence.span.start, add, isFree);
  for (const match of readable.matchAll(COUNTED))
    if (METRIC.test(match[1] ?? ''))
      add('metric', match[1] ?? '', match.index + match[0].length - (match[1] ?? '').length);
  for (const [service, pattern] of SERVICES) {
    const match = pattern.exec(readable);
    if (match !== null && !found.has(service)) add('service', service, match.index);
  }
  return [...found.values()];
}

type Add = (type: EntityType, name: string, start: number, aliases?: readonly string[]) => void;

/** The title that stands before "post": words from the first capital on. */
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

function addNames(sentence: string, offset: number, add: Add, isFree: (start: number, end: number) => boolean): void {
  for (const match of sentence.matchAll(CAPITALISED)) {
    const parts = withoutEnd(match[0].replace(/['’]s$/, ''), ".'’-").split(' ');
    while (
      parts.length > 0 &&
      SENTENCE_OPENERS.has((parts[0] ?? '').toLowerCase().replace(/[’]/g, "'").replace(/\.$/, ''))
    )
      parts.shift();
    while (parts.length > 0 && /^(?:of|the|and|de|la|for|&|I|I'm|I've)$/.test(parts.at(-1) ?? '')) parts.pop();
    const name = parts.join(' ').replace(/['’]s$/, '');
    const start = offset + match.index + match[0].indexOf(parts[0] ?? '');
    if (name.length < 2 || !isFree(start, start + name.length)) continue;
    const nameStart = match.index + match[0].indexOf(parts[0] ?? '');
    const before = sentence.slice(Math.max(0, nameStart - 30), nameStart);
    const after = sentence.slice(match.index + match[0].length, match.index + match[0].length + 20);
    // A single capital word that opens a sentence is a name only when something else says so.
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
