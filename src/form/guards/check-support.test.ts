import { describe, expect, it } from 'vitest';
import { findUnsupported } from './check-support.ts';

const at = new Date('2026-11-15T10:00:00Z');
const check = (content: string, ...texts: string[]): string | null =>
  findUnsupported(
    content,
    texts.map((text) => ({ text, at })),
  );

describe('[Q3] the support check', () => {
  it.each([
    ['User moved to Berlin in October 2026.', 'By the way, I moved to Berlin last month.'],
    ['User works at Acme.', 'i work at acme'],
    ['User has three kids.', 'I have 3 kids'],
    ['User has 3 kids.', 'I have three kids'],
    ['User earns 1,200 euros.', 'I earn 1200 euros a month'],
    ['User lives in NYC.', 'I live in New York City'],
    ['User chose the executive template on 2026-11-15.', 'I choose the executive template'],
    ['User has an exam on 20 November 2026.', 'My exam is next Friday, on the 20th of November'],
    ['Prefers direct, punchy writing.', 'Please write in a direct, punchy style'],
    ['User lebt in Berlin.', 'Ich wohne jetzt in Berlin'],
    ['User works as a nurse.', 'Ich bin Krankenschwester'],
  ])('lets %j through', (content, source) => {
    expect(check(content, source)).toBeNull();
  });

  it.each([
    ['User moved to Munich in October 2026.', 'By the way, I moved to Berlin last month.', 'Munich'],
    ['User moved to Berlin in March 2019.', 'By the way, I moved to Berlin last month.', 'in March 2019'],
    ['User has 4 kids.', 'I have three kids', '4'],
    ['User met John Smith.', 'I met somebody from work', 'John'],
    ['Melanie has a dog.', 'I have a dog', 'Melanie'],
    ['User enjoys gardening.', 'I have a meeting with the team today', 'User enjoys gardening.'],
  ])('finds what is invented in %j', (content, source, invented) => {
    expect(check(content, source)).toBe(invented);
  });

  it('takes names from what was said before, numbers not', () => {
    const sources = [{ text: 'Her birthday is in May.', at }];
    const before = ['My sister Julia is 34.'];
    expect(findUnsupported("Julia's birthday is in May.", sources, { before })).toBeNull();
    expect(findUnsupported('Julia turns 34 in May.', sources, { before })).toBe('34');
  });
});
