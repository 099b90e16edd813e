import type { Pack } from './packs/pack.ts';
import { PACKS, packRegExp, plainMarks } from './packs/packs.ts';

/** Longer texts say something. */
const LONGEST = 100;

/**
 * A text of nothing but words of some lists. Small talk is too short to tell its language, so that all packs with the script count. Signs
 * and emoji may occur anywhere.
 */
function onlyWords(script: Pack['script'], listsOf: (pack: Pack) => readonly (string | undefined)[]): RegExp {
  const lists = PACKS.filter((pack) => pack.script === script).flatMap(listsOf);
  const words = lists.flatMap((list) => list?.replaceAll('^', '') ?? []).join('|');
  const end = script === 'han' ? '' : '(?![\\p{L}\\p{N}])';
  return packRegExp(`^(?:[^\\p{L}\\p{N}]*(?:${words})${end})*[^\\p{L}\\p{N}]*$`);
}

interface Patterns {
  any: RegExp;
  courtesy: RegExp;
}

const made = new Map<Pack['script'], Patterns>();

function patternsFor(text: string): Patterns {
  const script = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]/u.test(text) ? 'han' : 'latin';
  let patterns = made.get(script);
  if (patterns === undefined) {
    patterns = {
      any: onlyWords(script, ({ words: { greeting, assent }, lists }) => [greeting, assent, lists['courtesy']]),
      courtesy: onlyWords(script, ({ lists }) => [lists['courtesy']]),
    };
    made.set(script, patterns);
  }
  return patterns;
}

/**
 * `courtesy` for a text of thanks, wishes and acknowledgements alone, which also answers no question; `reply` for a text of greetings and
 * agreement, which says something only as the answer to a question; null for a text with content.
 */
export function smallTalkIn(text: string): 'courtesy' | 'reply' | null {
  if (text.length > LONGEST) return null;
  const said = plainMarks(text);
  // An emoji alone agrees with something.
  if (!/[\p{L}\p{N}]/u.test(said)) return 'reply';
  const { any, courtesy } = patternsFor(said);
  if (!any.test(said)) return null;
  return courtesy.test(said) ? 'courtesy' : 'reply';
}
