import { splitSentences } from '../../../language/split-sentences.ts';
import type { MergeInput } from '../../../models/distiller.ts';
import { contentStems } from '../../guards/text-overlap.ts';
import { writeSentence } from '../write-sentence.ts';
import { relateStatements, withSlot, type SlottedStatement } from './relate-statements.ts';

interface Part extends SlottedStatement {
  /** Its place, oldest first. */
  order: number;
  /** How often it was said. */
  times: number;
}

const LONGEST_TEXT = 100_000;
// Each is compared with each: the latest so many.
const MOST_PARTS = 400;

/**
 * Joins texts sentence by sentence: of doubles the more specific stays, of two that contradict each other in one slot
 * the later one. What does not fit into the word limit is left out, the least telling and oldest first; the rest keeps
 * its order and its words.
 */
export function mergeTexts({ purpose, subject, current, additions, wordLimit }: MergeInput): string {
  const texts = [...(current === null ? [] : [current]), ...additions];
  const kept = keepLatest(texts.flatMap((text) => sentencesOf(text)).slice(-MOST_PARTS));
  if (kept.length === 0 || wordLimit < 1) return '';
  const lead = purpose === 'episodes' ? leadOf(additions, subject) : '';
  const room = wordLimit - wordCount(lead);
  const fitting = fitWords(kept, room).toSorted((left, right) => left.order - right.order);
  if (fitting.length > 0) return `${lead} ${fitting.map(({ content }) => content).join(' ')}`.trim();
  const [first] = byWeight(kept);
  return first === undefined ? '' : writeSentence(first.content, wordLimit);
}

/** How many words a text has, as its limits count them. */
export function wordCount(text: string): number {
  return text.match(/\S+/g)?.length ?? 0;
}

function sentencesOf(text: string): string[] {
  return splitSentences(text.slice(0, LONGEST_TEXT)).map((sentence) =>
    /[.!?…。！？"”)]$/.test(sentence.text) ? sentence.text : `${sentence.text}.`,
  );
}

function keepLatest(sentences: readonly string[]): Part[] {
  const kept: Part[] = [];
  for (const [order, content] of sentences.entries()) {
    const next: Part = { ...withSlot(content), order, times: 1 };
    const relations = kept.map((known) => relate(next, known));
    const repeated = relations.indexOf('repeats');
    const known = kept[repeated];
    if (known !== undefined) {
      // Said again: it counts as new, in its more specific wording.
      kept.splice(repeated, 1);
      kept.push({ ...known, order, times: known.times + 1 });
      continue;
    }
    for (let index = relations.length - 1; index >= 0; index -= 1) {
      if (relations[index] === 'unrelated') continue;
      if (relations[index] === 'extends') next.times += kept[index]?.times ?? 0;
      kept.splice(index, 1);
    }
    kept.push(next);
  }
  return kept;
}

/** Sentences that name no subject are compared by their words alone. */
function relate(next: Part, known: Part): ReturnType<typeof relateStatements> {
  if (next.content.toLowerCase() === known.content.toLowerCase()) return 'repeats';
  return relateStatements(next, known);
}

function fitWords(parts: readonly Part[], room: number): Part[] {
  const fitting: Part[] = [];
  let used = 0;
  for (const part of byWeight(parts)) {
    const count = wordCount(part.content);
    if (used + count > room) continue;
    fitting.push(part);
    used += count;
  }
  return fitting;
}

/** What was said often, of late and with names or numbers is told first. */
function byWeight(parts: readonly Part[]): Part[] {
  const last = Math.max(1, ...parts.map(({ order }) => order));
  const weight = ({ content, order, times, slot }: Part): number =>
    Math.min(times, 4) +
    2 * (order / last) +
    (slot.attribute === null ? 0 : 1) +
    Math.min(2, content.match(/(?<=\s)(?:\p{Lu}|\d)/gu)?.length ?? 0) * 0.5 +
    Math.min(1, contentStems(content).size / 8);
  return parts.toSorted((left, right) => weight(right) - weight(left) || right.order - left.order);
}

/** Evidence for a pattern: how many episodes, and how many of them failed. */
function leadOf(episodes: readonly string[], theme: string): string {
  const failed = episodes.filter((text) =>
    /\bfail(?:ed|ure)?\b|\bdid not work\b|\bwithout success\b/i.test(text),
  ).length;
  const outcome = failed === 0 ? '' : `, ${failed} of which failed`;
  return `${episodes.length} episodes on ${theme}${outcome}:`;
}
