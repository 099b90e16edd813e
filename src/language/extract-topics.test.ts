import { describe, expect, it } from 'vitest';
import { extractTopics } from './extract-topics.ts';

describe('extractTopics', () => {
  it.for([
    ['their second son starts school on monday', ['son', 'school']],
    ['used a green bike last year and turned left yesterday', ['green', 'bike']],
    ['is reading novels every morning', ['novels']],
    ['loves hiking in the Alps', ['alps', 'hiking']],
    ['the meeting with Bosch', ['bosch', 'meeting']],
    ['busiest day is saturday', []],
    ['takes 50mg losartan twice daily', ['losartan']],
    ['finally moved to Kirkgate with the family', ['kirkgate', 'family']],
  ] as const)('[Q8] names nouns and names, no verbs, times, numbers or order: %s', ([text, topics]) => {
    expect(extractTopics(text, 5)).toEqual(topics);
  });
});
