import { METRIC } from '../../../language/classify-name.ts';
import type { StatementDraft } from '../statement-draft.ts';

const OUTCOME =
  /^(my|our|the) ([\p{L}\p{N}][\p{L}\p{N}' &-]{2,70}?) (?:just |already |has |have |only |finally )*(got|received|earned|reached|hit|has|had|brought in|made|generated|gained|sold) ((?:about |around |over |almost |nearly |only |more than )*[$€£]?\d[\d.,]*[kKmM%]?(?: new| more| unique)? ?\p{L}[\p{L} -]{0,60}?)[.!]*$/iu;

/** "My Diwali Sweet Recipes post got 340 views": how something turned out. */
export function outcomeRule(text: string, speaker: string): StatementDraft | null {
  const match = /\d/.test(text) ? OUTCOME.exec(text) : null;
  if (match === null || !METRIC.test(match[4] ?? '')) return null;
  const [, owner = '', thing = '', verb = '', result = ''] = match;
  const subject = owner.toLowerCase() === 'the' ? `The ${thing}` : `${speaker}'s ${thing}`;
  return {
    type: 'episode',
    subject,
    predicate: `${verb.toLowerCase()} ${result}`,
    polarity: 'positive',
    importance: 0.65,
    confidence: 'high',
    tags: ['outcome'],
  };
}
