import type { SourcedDraft } from './statement-draft.ts';
import type { ExtractedStatement } from './extracted-statement.ts';
import { stemEnglish } from '../../language/stem.ts';
import { analyseVerb } from '../../language/verb-forms.ts';
import { isContentWord } from '../../language/stop-words.ts';
import { expandContractions, tokenizeWords } from '../../language/word-tokens.ts';

// Words that rendering in the third person and absolute dates bring in.
const RENDERED = new Set(
  [
    'business',
    'week',
    'weekend',
    'night',
    'few',
    'day',
    'month',
    'year',
    'january',
    'february',
    'march',
    'april',
    'may',
    'june',
    'july',
    'august',
    'september',
    'october',
    'november',
    'december',
    'agent',
    'favorite',
    'cannot',
    'used',
    'use',
  ].map(stemEnglish),
);
const POINTING = /(?:^|\s)(?:it|this|these|those|here|he|she|him)(?=[\s,.]|$)(?! (?:week|month|year|weekend|days))/i;

/** Lets through only what its source supports and what can be read alone. */
export function guardStatement(statement: ExtractedStatement, { draft, source }: SourcedDraft): boolean {
  const { content } = statement;
  if (content.length < 8 || content.length > 400 || /\[[^\]]*\]|\{\{|<[a-z]/i.test(content)) return false;
  if (
    draft.type !== 'feedback' &&
    draft.asked !== true &&
    !content.includes('the agent') &&
    // In a reason "it" is what the statement is about.
    POINTING.test(draft.reason === undefined ? content : content.replace(draft.reason, '')) &&
    !/\bit when\b|\b(?:him|his|her|their|she|he)\b/.test(content)
  )
    return false;
  return isSupported(content, `${source} ${draft.subject} ${(draft.ownWords ?? []).join(' ')}`);
}

/** Every content word, name and number of the statement is in its source; dates may be computed. */
export function isSupported(content: string, source: string): boolean {
  const said = tokenizeWords(normalise(source));
  // As said and written out: "User's meeting" is no contraction.
  const known = new Set(
    [...said, ...expandContractions(said)].flatMap(({ lower }) => [
      lower,
      ...stemsOf(lower),
      ...lower.split(/[-/.]/).flatMap(stemsOf),
    ]),
  );
  return tokenizeWords(normalise(content)).every(
    ({ lower }) =>
      !isContentWord(lower) ||
      known.has(lower) ||
      stemsOf(lower).some((stem) => known.has(stem) || RENDERED.has(stem)) ||
      /^(?:19|20)\d\d(?:\/\d\d)?$|^\d{1,2}$/.test(lower),
  );
}

/** Also that of the verb's base: "goes" was said as "go", and "lives" is not always the plural of "life". */
function stemsOf(lower: string): string[] {
  return [stemEnglish(lower), stemEnglish(analyseVerb(lower).base)];
}

function normalise(text: string): string {
  return text.replace(/[’ʼ`´]/g, "'").replace(/favourite/gi, 'favorite');
}
