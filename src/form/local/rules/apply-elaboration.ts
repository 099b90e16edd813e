import type { SourcedDraft } from '../statement-draft.ts';
import type { ReadSentence } from '../read-turn.ts';
import { tokenizeWords } from '../../../language/word-tokens.ts';

const LONGEST = 14;
const DETAIL =
  /^(?:\p{L}+ or \p{L}+|ideally|preferably|no |not |under |over |at least|at most|between|around|with|without|only|in |remote|full-time|part-time|keep (?:it|them|things)|something|anything|must|nothing)\b/iu;
const OPENS_ANEW =
  /^(?:thanks|thank|please|can|could|what|how|ok|okay|great|cool|yes|no problem|no worries|hi|hello|sorry|let|any)\b/i;

/** A fragment after a goal or preference ("Seed or Series A, ideally under 30 people.") belongs to it. */
export function applyElaboration(drafts: SourcedDraft[], sentence: ReadSentence): void {
  const last = drafts.at(-1);
  if (last === undefined || (last.draft.type !== 'goal' && last.draft.type !== 'preference')) return;
  const detail = sentence.text.replace(/[.!\s]+$/, '');
  const words = tokenizeWords(detail).filter(({ text }) => /[\p{L}\p{N}]/u.test(text));
  if (
    words.length > LONGEST ||
    OPENS_ANEW.test(detail) ||
    !DETAIL.test(detail) ||
    words.some(({ lower }) => /^(?:i|you|your|my|we|is|are|was)$/.test(lower))
  )
    return;
  drafts[drafts.length - 1] = {
    draft: {
      ...last.draft,
      predicate: `${last.draft.predicate}; ${lowerFirst(detail)}`,
      importance: Math.min(1, last.draft.importance + 0.05),
    },
    span: { start: last.span.start, end: sentence.span.end },
    source: `${last.source} ${sentence.text}`,
  };
}

function lowerFirst(text: string): string {
  return /^(?:Ideally|Preferably|No|Not|Under|Over|At|Between|Around|With|Without|Only|In|Keep|Something|Anything|Must|Nothing|Remote)\b/.test(
    text,
  )
    ? text.charAt(0).toLowerCase() + text.slice(1)
    : text;
}
