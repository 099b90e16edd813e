import { draftOf, type SelfRule } from './self-rule.ts';
import { hasContent } from '../clauses/trim-tail.ts';
import { joinTokens } from '../../../language/word-tokens.ts';

/** "I chose the executive template", "I decided to…", "I'll go with…". */
export const decisionRule: SelfRule = (clause, setting) => {
  const { verb, rest, tense, modal, negated } = clause;
  const text = joinTokens(rest).toLowerCase();
  const settled = tense === 'past' || tense === 'perfect';
  const chosen =
    settled &&
    (verb === 'choose' ||
      verb === 'pick' ||
      verb === 'opt' ||
      verb === 'select' ||
      (verb === 'decide' && /^(?:to|on|against|that|not)\b/.test(text)) ||
      (verb === 'go' &&
        /^with (?:the|a|an|our|my|\p{Lu})\b/u.test(text) &&
        / (?:plan|template|option|version|design|approach|provider|offer|layout|theme|name|model|one)\b/.test(text)) ||
      (verb === 'agree' && /^(?:not )?to (?!disagree|differ)\p{L}+ \p{L}|^on (?:an?|the|\d)/u.test(text)) ||
      (verb === 'settle' && /^on\b/.test(text)));
  const announced =
    (tense === 'future' || tense === 'progressive') &&
    ((verb === 'go' && /^with (?!you|my|our|some|a friend)/.test(text)) ||
      ((verb === 'choose' || verb === 'pick') && /^(?:the|option|number)\b/.test(text)) ||
      (verb === 'take' && /^(?:option|number|plan)\b/.test(text)));
  if (!chosen && !announced) return null;
  if (modal !== null && modal !== 'will') return 'drop';
  if (!hasContent(rest)) return 'drop';
  const draft = draftOf(clause, setting, 'decision', 0.7);
  return announced
    ? { ...draft, predicate: `chose ${joinTokens(rest).replace(/^with /i, '')}`, ownWords: ['chose'] }
    : {
        ...draft,
        polarity: negated || /^(?:against|not)\b/.test(text) ? 'negative' : 'positive',
        ownWords: ['chose', 'decided', 'against'],
      };
};

const MILESTONE =
  /^(?:the |my |an? )?(?:new )?(?:(?:half|full|ultra|first|final|last|master's|dream) ){0,2}(?:job|promotion|offer|marathon|degree|diploma|scholarship|driver's license|license|visa|book|novel|thesis|course|exam|test|race|project|certification|house|contract|funding|role|position|internship|raise|dissertation|triathlon|10k|5k)\b/;

/** "I got the job!", "I finally finished the marathon": a goal was reached. */
export const goalReachedRule: SelfRule = (clause, setting) => {
  const { verb, rest, tense, negated, adverbs } = clause;
  if ((tense !== 'past' && tense !== 'perfect') || negated || clause.modal !== null) return null;
  const text = joinTokens(rest).toLowerCase();
  const reached =
    /^(?:get|land|finish|complete|win|pass|achieve|reach|earn|ace|run|secure|hit)$/.test(verb) &&
    (MILESTONE.test(text) ||
      (/^(?:achieve|reach|hit|finish|complete)$/.test(verb) && adverbs.includes('finally')) ||
      /^(?:my|our) goal\b/.test(text));
  const accepted = verb === 'be' && /^(?:hired|promoted|accepted (?:to|into|at)\b)/.test(text);
  const engaged = verb === 'get' && /^(?:hired|promoted|accepted|married|engaged)\b/.test(text);
  if (!reached && !accepted && !engaged) return null;
  if (!hasContent(rest)) return null;
  return {
    ...draftOf(clause, setting, engaged && /^(?:married|engaged)/.test(text) ? 'personal' : 'fact', 0.8),
    achievesGoal: true,
    tags: ['achievement'],
  };
};
