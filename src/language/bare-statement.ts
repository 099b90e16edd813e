import { withoutEnd } from './without-end.ts';

/** A statement without what does not make it another one: its closing mark, capitals, and white space around it. */
export function bareStatement(text: string): string {
  return withoutEnd(text.trim(), '.!').toLowerCase();
}
