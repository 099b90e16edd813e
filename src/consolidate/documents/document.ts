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

/** One sentence of a document, with its sources. */
export interface Sentence {
  text: string;
  /** The name of the heading above the sentence; null if there is none. */
  section: string | null;
  /** The heading as it was written, with any headings directly above it; empty if the sentence has no heading. */
  heading: string;
  /** The day of a line of a dated list; null for a sentence of prose. */
  day: string | null;
  /** Null for a sentence that somebody wrote by hand: its sources are unknown, so it never becomes stale. */
  basis: SentenceBasis | null;
  /** The white space before the sentence. */
  gap: ' ' | '\n' | '\n\n';
  /** The bullet or number of an item of a handwritten list; otherwise empty. */
  mark: string;
}

/** The text of a block, split into sentences, and the ids of items that were considered for it and left out. */
export interface BlockText {
  sentences: Sentence[];
  omitted: string[];
}

/** A document as it is stored. The version of a document that does not exist is 0. */
export interface StoredDocument {
  text: string;
  basis: Basis;
  version: number;
}

/** A document as it was read, with its sentences. */
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

/** Whether writing the new text would change nothing. An empty text for a document that does not exist is no change. */
export function isUnchanged(next: Pick<StoredDocument, 'text' | 'basis'>, stored: StoredDocument): boolean {
  if (next.text === '' && stored.version === 0) return true;
  return next.text === stored.text && isDeepStrictEqual(next.basis, stored.basis);
}

/** The key of the basis that holds the omitted ids. It is not the hash of any sentence. */
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

/**
 * Writes the text of a document. Under each heading, prose comes before the dated lines, which are in the order of their days. Without
 * `sections`, sentences without a heading come first and the others stay under their headings. With `sections`, a sentence of an unknown
 * section goes under the last section.
 */
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

/** The section that a heading names, regardless of spelling: "Goals and values", "goals & values". */
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

/** The ids that a sentence rests on. */
export function sourcesOf({ basis }: Pick<Sentence, 'basis'>): string[] {
  return Object.keys(basis?.rests ?? {});
}

/** The ids that the sentences of a document rest on. */
export function idsOf({ sentences }: Pick<BlockText, 'sentences'>): Set<string> {
  return new Set(sentences.flatMap(sourcesOf));
}

/** A source of a document: a statement, an observation or a turn. */
export interface Material {
  id: string;
  /** The text as documents show it, with the day of a plan or the end of a statement that is over. */
  text: string;
  at: Date;
  /** The hash of the text with its dates. When the text changes or is partly forgotten, sentences that rest on the source are stale. */
  hash: string;
  /** Whether the source is an event, not a statement that was formed from one. */
  isEvent: boolean;
  /** When sentences that rest on the source expire: at the end of a plan's day or of the source's validity; null if they never do. */
  until: number | null;
  section: string | null;
  importance: number;
  /**
   * Whether a statement counts as outdated: a later statement puts it in doubt, or it is a past event or a passing remark that has been
   * neither said nor used for a long time. A sentence is removed when all its sources have aged.
   */
  hasAged: boolean;
  /** The events that a statement was formed from. A document that has considered all of them does not list the statement. */
  events: readonly string[];
}

/** The defaults of the fields that depend on the kind of material. */
export const BARE = { isEvent: false, until: null, section: null, hasAged: false, importance: 0, events: [] } as const;

/**
 * Materials without text for the sources of a sentence. The basis of a sentence that replaces it needs only their ids and hashes, so the
 * sources are not read again.
 */
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

/** A dated line that contains one item word for word. */
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

/** A document that is being brought up to date. */
export interface OpenDocument {
  read: ReadDocument;
  /** Its sentences that still hold, and for the working memory a line for each statement that it lacked. */
  document: BlockText;
  materials: Materials;
}

/** The sources of a document. */
export interface Materials {
  /** The sources that still hold, by id. A sentence that rests on anything else is stale. */
  known: ReadonlyMap<string, Material>;
  /** The items that the document should contain. */
  wanted: readonly Material[];
}

/**
 * Adds a line for each wanted item that no sentence rests on and that was not left out before. Sentences that rest on changed or ended
 * statements are removed first; their statements that still hold are added again as lines.
 */
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

/**
 * A new version of the document `before`, with the changes that `current` has made to `before` meanwhile: sentences that `current` removed
 * are removed, and its new sentences are added. A new line whose sources the new version has already considered is not added.
 */
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

/** The items that a document neither contains nor has left out. */
export function unsaid(document: BlockText, wanted: readonly Material[]): Material[] {
  const considered = new Set([...idsOf(document), ...document.omitted]);
  return wanted.filter(
    ({ id, events }) => !considered.has(id) && !(events.length > 0 && events.every((event) => considered.has(event))),
  );
}

/** The words of a sentence as it is written. The mark and the day of a line count as two. Cached, because fitting counts repeatedly. */
const wordsOf = cachedFor(({ text, day, mark }: Sentence) => countWords(`${mark}${text}`) + (day === null ? 0 : 2));

function wordsOfAll(sentences: readonly Sentence[]): number {
  return sentences.reduce((sum, sentence) => sum + wordsOf(sentence), 0);
}

/**
 * Fits a document into a word limit. Handwritten sentences are kept first. Prose gets the remaining words that the dated lines do not need,
 * but at least half of them. Lines whose sources another document contains (`elsewhere`) are removed first, then the oldest lines.
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

/**
 * Fits a document with sections into a word limit. While the document is too long, the longest section loses its least important line, or
 * its last sentence if it has no line. Handwritten sentences are removed when nothing else is left.
 */
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

/** Whether a text contains enough of a statement's words. A material without text counts as contained, because it cannot be compared. */
export function says(text: string, material: Pick<Material, 'text'>): boolean {
  return material.text === '' || coveredBy(contentStems(material.text), contentStems(text)) >= SAYS;
}

// A model may rephrase most of a statement.
const SAYS = 0.34;
