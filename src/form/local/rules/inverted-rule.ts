import { isAffair } from '../../../language/affairs.ts';
import { KINSHIP, PETS } from '../../../language/kinship.ts';
import { withoutLeadIn } from '../clauses/without-lead-in.ts';
import type { RuleSetting } from './self-rule.ts';
import type { StatementDraft } from '../statement-draft.ts';

const FAVORITE =
  /^((?!it\b|that\b|this\b|they\b|those\b|he\b|she\b|which\b|what\b|you\b)[^,;]{2,60}?) (?:is|are|was|were|has to be|would be) (?:probably |definitely |by far |one of |also |some of |still )*my (?:all-?time |absolute )?favou?rites?(?: ([\p{L}' -]{2,40}?))?(?: (?:ever|too|so far|of all time))?[.!]*$/iu;
const RELATIVE =
  /^(\p{Lu}[\p{L}'-]+(?: \p{Lu}[\p{L}'-]+)?) is (?:my|our) ((?:(?:best|older|younger|big|little|new|oldest|late|biggest|main|largest|first|only|current|former) )?\p{Ll}[\p{L}-]+)[.!]*$/u;

/** Sentences turned round: "Horror movies are my favorite", "Ana is my partner". */
export function invertedRule(text: string, setting: RuleSetting): StatementDraft | null {
  const clean = withoutLeadIn(text).replace(/^(?:I think|I'd say),? /i, '');
  const favorite = FAVORITE.exec(clean);
  const common = { subject: setting.subject, polarity: 'positive', confidence: 'high' } as const;
  if (favorite?.[1] !== undefined && !/\b(?:your|his|her|their|I|not|isn't)\b/.test(favorite[1])) {
    const kind = favorite[2] === undefined || /^(?:ever|one|ones|too)$/.test(favorite[2]) ? null : favorite[2];
    const item = favorite[1].replace(/^my /i, 'their ');
    return kind === null
      ? { ...common, type: 'preference', predicate: `loves ${item}`, importance: 0.55, ownWords: ['loves'] }
      : {
          ...common,
          type: 'preference',
          subject: `${setting.subject}'s favorite ${kind}`,
          predicate: `is ${item}`,
          importance: 0.55,
        };
  }
  const relative = RELATIVE.exec(clean);
  const noun = relative?.[2]?.split(' ').at(-1) ?? '';
  const isPerson = KINSHIP.has(noun) || PETS.has(noun);
  if (relative?.[1] === undefined || relative[2] === undefined || !(isPerson || isAffair(noun))) return null;
  return {
    ...common,
    type: isPerson ? 'personal' : 'fact',
    subject: `${setting.subject}'s ${relative[2]}`,
    predicate: `is ${relative[1]}`,
    importance: 0.65,
  };
}
