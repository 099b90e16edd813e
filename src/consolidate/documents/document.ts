import { DATED_LINE, datedLine, splitSentences } from '../../language/sentences.ts';
import { contentStems, coveredBy, withoutEnd } from '../../language/words.ts';
import type { Basis, SentenceBasis } from '../../record/block.ts';
import { contentHash } from '../../record/clock-and-ids.ts';
import { countWords } from '../../record/parse.ts';

/** One sentence of a document, with what it rests on. */
export interface Sentence {
  text: string;
  /** The name of the heading that it is under; null where the document has none. */
  section: string | null;
  /** That heading as it is written, with the headings directly above it; empty where the document has none. */
  heading: string;
  /** The day of a line of a dated list; null for a sentence of prose. */
  day: string | null;
  /** Null: somebody wrote it by hand, and nobody knows what it rests on. It is removed only by an explicit drop. */
  basis: SentenceBasis | null;
  /** The text between it and the previous sentence, and the bullet of a hand-written list. */
  gap: ' ' | '\n' | '\n\n';
  mark: string;
}

/** The text of a block as its sentences, and the ids that were considered for it and left out. */
export interface BlockText {
  sentences: Sentence[];
  omitted: string[];
}

/** The key of the basis under which a document keeps what was considered for it and left out. */
const OMITTED = '';

/** Splits the text of a block into its sentences. */
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
 * Puts a document together: prose first, then the dated lines in the order of their days. Without given sections the sentences without a
 * heading come first, and the others stay under the headings that somebody wrote.
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

/** The section of a heading, independent of its spelling: "Goals and values", "goals & values". */
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
  return [prose, lines.join('\n')].filter((part) => part !== '').join('\n\n');
}

/** The ids that the sentences of a document rest on. */
export function idsOf({ sentences }: Pick<BlockText, 'sentences'>): Set<string> {
  return new Set(sentences.flatMap(({ basis }) => Object.keys(basis?.rests ?? {})));
}

/** Something that a document can be made of: a statement, or an observation that nothing was formed from. */
export interface Material {
  id: string;
  /** The text as a reader sees it, with the day of a plan or the end of a statement that is over. */
  text: string;
  at: Date;
  /** The hash of its words and dates. When they change, or are cut because they were forgotten, sentences that rest on them are stale. */
  hash: string;
  /** Whether it is an event: what somebody said, not a statement that was formed from it. */
  isEvent: boolean;
  /** When sentences that rest on it become stale by the passing of time: the end of a plan's day, or of its validity. */
  until: number | null;
  section: string | null;
  importance: number;
  /**
   * Whether it is true but no longer relevant, because it happened long ago. A sentence is removed when everything that it rests on has
   * aged.
   */
  hasAged: boolean;
  /** The events that a statement was formed from: a document that rests on all of them says it already. */
  events: readonly string[];
}

/** The fields of a material of which no more is known than its words. */
export const BARE = { isEvent: false, until: null, section: null, hasAged: false, importance: 0, events: [] } as const;

/** The basis of a sentence with these items. */
export function basisOf(materials: readonly Material[]): SentenceBasis {
  const ends = materials.flatMap(({ until }) => until ?? []);
  return {
    rests: Object.fromEntries(materials.map(({ id, hash }) => [id, hash])),
    ...(ends.length === 0 ? {} : { until: Math.min(...ends) }),
  };
}

/** A line of a dated list that says one item word for word. */
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

/** What a document is made of. */
export interface Materials {
  /** All that still holds, by id: a sentence that rests on anything else is stale. */
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
  const isWanted = ({ day, basis }: Sentence): boolean =>
    day === null || Object.keys(basis?.rests ?? {}).every((id) => listed.has(id));
  const sentences = document.sentences.filter(
    (sentence) =>
      sentence.basis === null ||
      (isSound(sentence.basis, known, now) && isWanted(sentence) && !hasAged(sentence.basis, known)),
  );
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

/** The items that a document neither contains nor has left out. */
export function unsaid(document: BlockText, wanted: readonly Material[]): Material[] {
  const considered = new Set([...idsOf(document), ...document.omitted]);
  return wanted.filter(
    ({ id, events }) => !considered.has(id) && !(events.length > 0 && events.every((event) => considered.has(event))),
  );
}

/** Whether the sources of a sentence are unchanged. */
function isSound({ rests, until }: SentenceBasis, known: ReadonlyMap<string, Material>, now: number): boolean {
  if (until !== undefined && until <= now) return false;
  return Object.entries(rests).every(([id, hash]) => known.get(id)?.hash === hash);
}

function hasAged({ rests }: SentenceBasis, known: ReadonlyMap<string, Material>): boolean {
  const ids = Object.keys(rests);
  return ids.length > 0 && ids.every((id) => known.get(id)?.hasAged === true);
}

/**
 * Fits the document into a word limit. What somebody wrote by hand stays. Of the rest, prose gets the words that the lines leave, but at
 * least half. Lines that rest on what another document says (`elsewhere`) are removed first, then the oldest.
 */
export function fitted(document: BlockText, limit: number, elsewhere: ReadonlySet<string> = new Set()): BlockText {
  const wordsOf = ({ text, day, mark }: Sentence): number => countWords(`${mark}${text}`) + (day === null ? 0 : 2);
  const isElsewhere = ({ basis }: Sentence): boolean => {
    const ids = Object.keys(basis?.rests ?? {});
    return ids.length > 0 && ids.every((id) => elsewhere.has(id));
  };
  let left = limit - headingsOf(document.sentences).reduce((sum, heading) => sum + countWords(heading), 0);
  const kept = new Set<Sentence>();
  const keep = (sentences: readonly Sentence[], most: number): void => {
    let room = most;
    for (const sentence of sentences) {
      room -= wordsOf(sentence);
      if (room < 0) break;
      left -= wordsOf(sentence);
      kept.add(sentence);
    }
  };
  const written = document.sentences.filter(({ basis }) => basis !== null);
  const lines = written.filter(({ day }) => day !== null);
  keep(
    document.sentences.filter(({ basis }) => basis === null),
    left,
  );
  const lineWords = lines.reduce((sum, line) => sum + wordsOf(line), 0);
  keep(
    written.filter(({ day }) => day === null),
    Math.max(Math.floor(left / 2), left - lineWords),
  );
  const ranked = lines.toSorted(
    (one, other) =>
      Number(isElsewhere(one)) - Number(isElsewhere(other)) || (other.day ?? '').localeCompare(one.day ?? ''),
  );
  keep(ranked, left);
  return { ...document, sentences: document.sentences.filter((sentence) => kept.has(sentence)) };
}

/**
 * A document of sections within a word limit. Each section has its share of the words, and sections may use what others leave: while the
 * whole is too long, the longest section loses its least important line, or its last sentence if it has no line.
 */
export function fittedSections(
  document: BlockText,
  limit: number,
  { sections, importance }: { sections: readonly string[]; importance: ReadonlyMap<string, number> },
): BlockText {
  const headings = sections.reduce((sum, name) => sum + countWords(name) + 1, 0);
  const wordsOf = ({ text, day }: Sentence): number => countWords(text) + (day === null ? 0 : 2);
  const weightOf = ({ basis }: Sentence): number =>
    Math.max(0, ...Object.keys(basis?.rests ?? {}).map((id) => importance.get(id) ?? 0));
  const bySection = Map.groupBy(document.sentences, ({ section }) => section);
  const sizes = new Map([...bySection].map(([name, all]) => [name, all.reduce((sum, each) => sum + wordsOf(each), 0)]));
  const dropped = new Set<Sentence>();
  for (let total = headings + [...sizes.values()].reduce((sum, size) => sum + size, 0); total > limit;) {
    const [longest] = [...sizes].toSorted(([, one], [, other]) => other - one);
    const left = (bySection.get(longest?.[0] ?? null) ?? []).filter((sentence) => !dropped.has(sentence));
    const lines = left.filter(({ day }) => day !== null);
    const next = lines.toSorted((one, other) => weightOf(one) - weightOf(other))[0] ?? left.at(-1);
    if (next === undefined || longest === undefined) break;
    dropped.add(next);
    sizes.set(longest[0], longest[1] - wordsOf(next));
    total -= wordsOf(next);
  }
  return { ...document, sentences: document.sentences.filter((sentence) => !dropped.has(sentence)) };
}

/** Whether a text contains a statement: its value, or enough of its words. */
export function says(text: string, material: Pick<Material, 'text'>): boolean {
  return material.text === '' || coveredBy(contentStems(material.text), contentStems(text)) >= SAYS;
}

// A model may choose other words for most of it.
const SAYS = 0.34;
