import type { ParsedClause } from './parse-clause.ts';
import { thirdPerson } from '../../../language/verb-forms.ts';
import { COMMON_VERBS, EMPTY_ADVERBS, LIKING } from './verb-classes.ts';
import { joinTokens, type Token } from '../../../language/word-tokens.ts';

const PERSON: Readonly<Record<string, string>> = {
  i: 'they',
  we: 'they',
  me: 'them',
  us: 'them',
  my: 'their',
  our: 'their',
  mine: 'theirs',
  ours: 'theirs',
  myself: 'themself',
  ourselves: 'themselves',
};

/** Turns first-person words into third-person ones: "my mom and I" → "their mom and they". */
export function toThirdPerson(tokens: readonly Token[]): Token[] {
  return tokens.map((word, index) => {
    const previous = tokens[index - 1]?.lower;
    const spokenBySelf = previous === 'i' || previous === 'we';
    if (spokenBySelf && word.lower === 'am') return renamed(word, 'are');
    if (spokenBySelf && word.lower === 'was') return renamed(word, 'were');
    const person = PERSON[word.lower];
    return person === undefined || (word.lower === 'us' && word.text === 'US') ? word : renamed(word, person);
  });
}

/** Writes the verb and what follows it as said of somebody: "don't eat my…" → "does not eat their…". */
export function renderPredicate(clause: ParsedClause, plural: boolean): string {
  return [...renderVerb(clause, plural), joinTokens(toThirdPerson(agreeing(clause, plural)))]
    .filter((part) => part !== '')
    .join(' ');
}

/** "stay home and watch movies": the second verb takes the person of the first. */
function agreeing(clause: ParsedClause, plural: boolean): readonly Token[] {
  if (plural || clause.tense !== 'present' || clause.negated || clause.modal !== null || LIKING.has(clause.verb))
    return clause.rest;
  return clause.rest.map((word, index) => {
    const previous = clause.rest[index - 1]?.lower;
    return (previous === 'and' || previous === 'or') &&
      // "needs to stay and watch" goes on with the infinitive.
      !clause.rest.slice(0, index).some(({ lower }) => lower === 'to') &&
      COMMON_VERBS.has(word.lower) &&
      (index === clause.rest.length - 1
        ? clause.rest[index - 2]?.text === ','
        : /^\p{L}/u.test(clause.rest[index + 1]?.text ?? ''))
      ? renamed(word, thirdPerson(word.lower))
      : word;
  });
}

function renderVerb(clause: ParsedClause, plural: boolean): string[] {
  const { negated, verb, verbText } = clause;
  const adverbs = clause.adverbs.filter((adverb) => !EMPTY_ADVERBS.has(adverb));
  const not = negated && !adverbs.includes('never') && !adverbs.includes('no longer') ? ['not'] : [];
  const be = plural ? 'are' : 'is';
  switch (clause.tense) {
    case 'present':
      if (clause.modal !== null) return [clause.modal, ...not, ...adverbs, verb];
      if (verb === 'be') return [be, ...not, ...adverbs];
      if (not.length > 0) return [plural ? 'do' : 'does', 'not', ...adverbs, verb];
      return [...adverbs, plural ? verb : thirdPerson(verb)];
    case 'past':
      if (verb === 'be') return [plural ? 'were' : 'was', ...not, ...adverbs];
      if (not.length > 0) return ['did', 'not', ...adverbs, verb];
      return [...adverbs, adverbs.includes('never') && verbText === verb ? thirdPerson(verb) : verbText];
    case 'perfect':
      return adverbs.includes('still') && not.length > 0
        ? ['still', plural ? 'have' : 'has', 'not', verb === 'be' ? 'been' : verbText]
        : [plural ? 'have' : 'has', ...not, ...adverbs, verb === 'be' ? 'been' : verbText];
    case 'perfectProgressive':
      return [plural ? 'have' : 'has', ...not, ...adverbs, 'been', verbText];
    case 'progressive':
      return [be, ...not, ...adverbs, verbText];
    case 'pastProgressive':
      return [plural ? 'were' : 'was', ...not, ...adverbs, verbText];
    case 'future':
      return ['will', ...not, ...adverbs, verb];
    case 'usedTo':
      return ['used to', ...adverbs, verb];
  }
}

function renamed(word: Token, text: string): Token {
  return { ...word, text, lower: text };
}
