import { isoDay, plannedFor, type Memory } from '../record/memory.ts';
import type { PackDated } from './packs/pack.ts';
import { detectPack, packOf } from './packs/packs.ts';

const ENGLISH = packOf('en');

/** A text with a note in its own language, such as "(until 2026-05-04)". The day is written so that it reads the same in all languages. */
export function withDatedNote(text: string, note: keyof PackDated, day: Date | null = null): string {
  // In doubt English, but not as the fallback of a text of three words: "Lebt in Köln" would then count as English.
  const isShort = text.split(' ').length <= 3;
  const pack = detectPack(text, isShort ? null : ENGLISH) ?? ENGLISH;
  const written = pack?.dated[note].replace('{day}', day === null ? '' : isoDay(day));
  return `${text} (${written})`;
}

/** A rendering with the date of a plan or of the end of a statement, so that it is not read as currently true. */
export function timedRendering(memory: Pick<Memory, 'content'> & Parameters<typeof plannedFor>[0]): string {
  if (memory.tense === 'planned') {
    const day = plannedFor(memory);
    return withDatedNote(memory.content, day === null ? 'planned' : 'plannedFor', day);
  }
  return memory.validTo === null ? memory.content : withDatedNote(memory.content, 'until', memory.validTo);
}

/** The text of a statement in a result. A replaced statement has the day until which it was true. */
export function shownStatement(memory: Pick<Memory, 'archivedAt'> & Parameters<typeof timedRendering>[0]): string {
  return timedRendering({ ...memory, validTo: memory.validTo ?? memory.archivedAt });
}
