import { isDeepStrictEqual } from 'node:util';
import { DATED_LINE, datedLine, splitSentences } from '../../language/sentences.ts';
import { contentStems, coveredBy, withoutEnd } from '../../language/words.ts';
import { paragraphs } from '../../models/prompt.ts';
import type { Basis, SentenceBasis } from '../../record/block.ts';
import { cachedFor } from '../../record/cache.ts';
import { contentHash } from '../../record/id.ts';
import { countWords } from '../../record/parse.ts';
import type { Scope } from '../../record/scope.ts';
import { findBlock } from '../../store/block-store.ts';
import type { Reader } from '../../store/database.ts';

export interface Sentence {
  text: string;
  /** The heading above the sentence, without its marks. Null if there is none. */
  section: string | null;
  /** The heading with its marks, and any headings directly above it. Empty if there is none. */
  heading: string;
  /** The day, if the sentence is a line of a dated list. Null for prose. */
  day: string | null;
  /** Null if a person wrote the sentence. Its sources are unknown, so it never becomes stale. */
  basis: SentenceBasis | null;
  gap: ' ' | '\n' | '\n\n';
  /** The bullet or number, if the sentence begins an item of a handwritten list. Otherwise empty. */
  mark: string;
}

/** `omitted` has the ids of the items that were considered for the text and left out. */
export interface BlockText {
  sentences: Sentence[];
  omitted: string[];
}

/** The version of a document that does not exist is 0. */
export interface StoredDocument {
  text: string;
  basis: Basis;
  version: number;
}

export interface ReadDocument extends BlockText {
  stored: StoredDocument;
}

export async function readDocument(
  reader: Reader,
  scope: Scope,
  kind: 'working_memory' | 'profile' | 'reflections',
): Promise<ReadDocument> {
  const { content, basis = {}, version = 0 } = (await findBlock(reader, scope, kind)) ?? {};
  const text = typeof content === 'string' ? content : '';
  return { ...readBlockText(text, basis), stored: { text, basis, version } };
}

/** An empty text for a document that does not exist is no change. */
export function isUnchanged(next: Pick<StoredDocument, 'text' | 'basis'>, stored: StoredDocument): boolean {
  if (next.text === '' && stored.version === 0) return true;
  return next.text === stored.text && isDeepStrictEqual(next.basis, stored.basis);
}

/** The basis stores the omitted ids under this key. No sentence has this hash. */
const OMITTED = '';

export function readBlockText(text: string, basis: Basis): BlockText {
  const sentences: Sentence[] = [];
  let section: string | null = null;
  let heading = '';
  let isBelowHeading = false;
  let gap: Sentence['gap'] = '\n';
  for (const line of text.split('\n')) {
    if (line.trim() === '') {
      gap = '\n\n';
      continue;
    }
    if (/^#{1,4}\s/.test(line)) {
      section = withoutEnd(line.replace(/^#{1,4}/, ''), '# ').trim();
      heading = isBelowHeading ? `${heading}\n${line.trim()}` : line.trim();
      isBelowHeading = true;
      continue;
    }
    isBelowHeading = false;
    const [, day, listed] = DATED_LINE.exec(line) ?? [];
    const parts = listed === undefined ? splitSentences(line).map((part) => part.text) : [listed];
    for (const [index, part] of parts.entries()) {
      sentences.push({
        text: part,
        section,
        heading,
        day: day ?? null,
        basis: basis[contentHash(part)] ?? null,
        gap: index === 0 ? gap : ' ',
        mark: index === 0 && listed === undefined ? (/^\s*(?:[-*•]|\d+[.)])\s+/.exec(line)?.[0] ?? '') : '',
      });
    }
    gap = '\n';
  }
  return { sentences, omitted: Object.keys(basis[OMITTED]?.rests ?? {}) };
}

/** Prose comes first under each heading, then the dated lines by day. With `sections`, an unknown section becomes the last one. */
export function writeBlockText(
  { sentences, omitted }: BlockText,
  sections: readonly string[] | null = null,
): { text: string; basis: Basis } {
  const place = ({ section, heading }: Sentence): string =>
    sections === null ? heading : `## ${sectionNamed(section, sections) ?? sections.at(-1) ?? ''}`;
  const places = sections?.map((name) => `## ${name}`) ?? ['', ...headingsOf(sentences)];
  const bodies = places.map((heading) =>
    `${heading}\n${writeBody(sentences.filter((sentence) => place(sentence) === heading))}`.trim(),
  );
  const basis: Record<string, SentenceBasis> = {};
  for (const { text, basis: rests } of sentences) if (rests !== null) basis[contentHash(text)] = rests;
  if (omitted.length > 0) basis[OMITTED] = { rests: Object.fromEntries(omitted.map((id) => [id, ''])) };
  const isEmpty = sentences.length === 0;
  return { text: isEmpty ? '' : bodies.join('\n\n').trim(), basis };
}

function headingsOf(sentences: readonly Sentence[]): string[] {
  return [...new Set(sentences.map(({ heading }) => heading))].filter((heading) => heading !== '');
}

/** Ignores spelling: "Goals and values" is "goals & values". */
function sectionNamed(heading: string | null, sections: readonly string[]): string | null {
  const plain = (text: string): string =>
    text
      .toLowerCase()
      .replace(/\band\b|&/g, '')
      .replace(/[^\p{L}]+/gu, ' ')
      .trim();
  return heading === null ? null : (sections.find((name) => plain(name) === plain(heading)) ?? null);
}

function writeBody(sentences: readonly Sentence[]): string {
  const prose = sentences
    .filter(({ day }) => day === null)
    .reduce((text, { text: sentence, gap, mark }) => `${text}${text === '' ? '' : gap}${mark}${sentence}`, '');
  const lines = sentences
    .flatMap(({ text, day }) => (day === null ? [] : [{ text, at: new Date(day) }]))
    .toSorted((one, other) => one.at.getTime() - other.at.getTime())
    .map(datedLine);
  return paragraphs([prose, lines.join('\n')]);
}

export function sourcesOf({ basis }: Pick<Sentence, 'basis'>): string[] {
  return Object.keys(basis?.rests ?? {});
}

export function idsOf({ sentences }: Pick<BlockText, 'sentences'>): Set<string> {
  return new Set(sentences.flatMap(sourcesOf));
}

/** A source of a document: a statement, an observation or a turn. */
export interface Material {
  id: string;
  /** The text as documents show it. It includes the day of a plan, or the end of a statement that has ended. */
  text: string;
  at: Date;
  /** The hash of the text with its dates. If the text changes or is partly forgotten, sentences based on it become stale. */
  hash: string;
  isEvent: boolean;
  /** When sentences based on the source expire: at the end of a plan's day or of the source's validity. Null if never. */
  until: number | null;
  section: string | null;
  importance: number;
  /** Whether the source is in doubt, or is a past event or passing remark that was neither said nor used for a long time. */
  hasAged: boolean;
  /** The events from which a statement was formed. If a document has considered all of them, it does not list the statement. */
  events: readonly string[];
}

export const BARE = { isEvent: false, until: null, section: null, hasAged: false, importance: 0, events: [] } as const;

/** The basis of a replacement sentence needs only ids and hashes, so the sources need not be read again. */
export function standInsOf({ basis }: Sentence): Material[] {
  const { rests, until = null } = basis ?? { rests: {} };
  return Object.entries(rests).map(([id, hash]) => ({ ...BARE, id, hash, until, text: '', at: new Date(0) }));
}

export function basisOf(materials: readonly Material[]): SentenceBasis {
  const ends = materials.flatMap(({ until }) => until ?? []);
  return {
    rests: Object.fromEntries(materials.map(({ id, hash }) => [id, hash])),
    ...(ends.length === 0 ? {} : { until: Math.min(...ends) }),
  };
}

export function lineOf(material: Material): Sentence {
  return {
    text: material.text.replace(/\s+/gu, ' ').trim(),
    section: material.section,
    heading: '',
    day: material.at.toISOString().slice(0, 10),
    basis: basisOf([material]),
    gap: '\n',
    mark: '',
  };
}

export interface OpenDocument {
  read: ReadDocument;
  /** The sentences that are still true. In the working memory, each statement that was missing has a line. */
  document: BlockText;
  materials: Materials;
}

export interface Materials {
  /** The sources that are still valid, by id. A sentence based on any other source is stale. */
  known: ReadonlyMap<string, Material>;
  wanted: readonly Material[];
}

/** Removes the sentences whose sources have changed or ended, and adds a line for each wanted item that no sentence is based on. */
export function refreshed(document: BlockText, { known, wanted }: Materials, now: number): BlockText {
  const listed = new Set(wanted.map(({ id }) => id));
  const sentences = document.sentences.filter((sentence) => {
    const { basis, day } = sentence;
    if (basis === null) return true;
    const sources = sourcesOf(sentence);
    const isWanted = day === null || sources.every((id) => listed.has(id));
    const hasAged = sources.length > 0 && sources.every((id) => known.get(id)?.hasAged === true);
    const isExpired = basis.until !== undefined && basis.until <= now;
    const isSound = Object.entries(basis.rests).every(([id, hash]) => known.get(id)?.hash === hash);
    return isSound && !isExpired && isWanted && !hasAged;
  });
  const omitted = document.omitted.filter((id) => known.has(id));
  const texts = new Set(sentences.map(({ text }) => contentHash(text)));
  const lines = unsaid({ sentences, omitted }, wanted)
    .map(lineOf)
    .filter(({ text }) => {
      const hash = contentHash(text);
      if (texts.has(hash)) return false;
      texts.add(hash);
      return true;
    });
  return { sentences: [...sentences, ...lines], omitted };
}

/** Merges into `next` the changes that turned `before` into `current`. */
export function withChangesSince(next: BlockText, before: BlockText, current: BlockText): BlockText {
  const hashesOf = (sentences: readonly Sentence[]) => new Set(sentences.map(({ text }) => contentHash(text)));
  const [was, is] = [hashesOf(before.sentences), hashesOf(current.sentences)];
  const kept = next.sentences.filter(({ text }) => is.has(contentHash(text)) || !was.has(contentHash(text)));
  const known = new Set([...was, ...hashesOf(kept)]);
  const considered = new Set([...idsOf(next), ...next.omitted]);
  const news = current.sentences.filter((sentence) => {
    const isLine = sentence.day !== null && sentence.basis !== null;
    return !known.has(contentHash(sentence.text)) && !(isLine && sourcesOf(sentence).every((id) => considered.has(id)));
  });
  const said = idsOf({ sentences: news });
  return { sentences: [...kept, ...news], omitted: next.omitted.filter((id) => !said.has(id)) };
}

export function unsaid(document: BlockText, wanted: readonly Material[]): Material[] {
  const considered = new Set([...idsOf(document), ...document.omitted]);
  return wanted.filter(
    ({ id, events }) => !considered.has(id) && !(events.length > 0 && events.every((event) => considered.has(event))),
  );
}

/** A line's mark and day count as two words. Cached, because fitting counts each sentence repeatedly. */
const wordsOf = cachedFor(({ text, day, mark }: Sentence) => countWords(`${mark}${text}`) + (day === null ? 0 : 2));

function wordsOfAll(sentences: readonly Sentence[]): number {
  return sentences.reduce((sum, sentence) => sum + wordsOf(sentence), 0);
}

/**
 * Keeps handwritten sentences first. Of the remaining words, prose gets those that the dated lines do not need, but at least half. Of the
 * lines, those whose sources are all in another document (`elsewhere`) are removed first, then the oldest.
 */
export function fitted(document: BlockText, limit: number, elsewhere: ReadonlySet<string> = new Set()): BlockText {
  const isElsewhere = (sentence: Sentence): boolean => {
    const ids = sourcesOf(sentence);
    return ids.length > 0 && ids.every((id) => elsewhere.has(id));
  };
  let left = limit - headingsOf(document.sentences).reduce((sum, heading) => sum + countWords(heading), 0);
  const kept = new Set<Sentence>();
  const keep = (sentences: readonly Sentence[], most: number): void => {
    const after = left - most;
    for (const sentence of sentences) {
      if (left - wordsOf(sentence) < after) break;
      left -= wordsOf(sentence);
      kept.add(sentence);
    }
  };
  const byHand = document.sentences.filter(({ basis }) => basis === null);
  const prose = document.sentences.filter(({ basis, day }) => basis !== null && day === null);
  const lines = document.sentences.filter(({ basis, day }) => basis !== null && day !== null);
  keep(byHand, left);
  keep(prose, Math.max(Math.floor(left / 2), left - wordsOfAll(lines)));
  const ranked = lines.toSorted(
    (one, other) =>
      Number(isElsewhere(one)) - Number(isElsewhere(other)) || (other.day ?? '').localeCompare(one.day ?? ''),
  );
  keep(ranked, left);
  return { ...document, sentences: document.sentences.filter((sentence) => kept.has(sentence)) };
}

/** The longest section loses its least important line, or else its last sentence. Handwritten sentences go last. */
export function fittedSections(
  document: BlockText,
  limit: number,
  { sections, importance }: { sections: readonly string[]; importance: ReadonlyMap<string, number> },
): BlockText {
  const weightOf = (sentence: Sentence): number =>
    Math.max(0, ...sourcesOf(sentence).map((id) => importance.get(id) ?? 0));
  const names = [...new Set(document.sentences.map(({ section }) => section))];
  let { sentences } = document;
  let total = sections.reduce((sum, name) => sum + countWords(name) + 1, 0) + wordsOfAll(sentences);
  while (total > limit) {
    const lengths = names.map((name) => {
      const all = sentences.filter(({ section }) => section === name);
      const written = all.filter(({ basis }) => basis !== null);
      const hasWritten = written.length > 0;
      return { left: hasWritten ? written : all, hasWritten: Number(hasWritten), words: wordsOfAll(all) };
    });
    const [longest] = lengths.toSorted((one, other) => other.hasWritten - one.hasWritten || other.words - one.words);
    const lines = longest?.left.filter(({ day }) => day !== null) ?? [];
    const next = lines.toSorted((one, other) => weightOf(one) - weightOf(other))[0] ?? longest?.left.at(-1);
    if (next === undefined) break;
    sentences = sentences.filter((sentence) => sentence !== next);
    total -= wordsOf(next);
  }
  return { ...document, sentences };
}

/** Whether a text contains enough of a statement's words. A material without text cannot be compared, so it counts as contained. */
export function says(text: string, material: Pick<Material, 'text'>): boolean {
  return material.text === '' || coveredBy(contentStems(material.text), contentStems(text)) >= SAYS;
}

// This share is low, because a model may rephrase most of a statement.
const SAYS = 0.34;
