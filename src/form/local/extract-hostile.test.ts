import { describe, expect, it } from 'vitest';
import { extractEntities } from '../../language/extract-entities.ts';
import { extractKeywords } from '../../language/extract-keywords.ts';
import { resolveDates } from '../../language/resolve-dates.ts';
import { applyPrivacy } from '../../language/privacy-policy.ts';
import { splitSentences } from '../../language/split-sentences.ts';
import { formationSettings } from '../formation-settings.ts';
import { findUnsupported } from '../guards/check-support.ts';
import { contents, read, SAID_AT } from '../../../test/read-conversation.ts';

const LONG = 1_000_000;
// All five together; some 50 ms on a machine that does nothing else.
const LONGEST_TIME = 1_000;
const PATHOLOGICAL: Readonly<Record<string, string>> = {
  'one letter': 'a'.repeat(LONG),
  spaces: ' '.repeat(LONG),
  'I likes': 'I like '.repeat(LONG / 7),
  dots: '.'.repeat(LONG),
  quotes: '"'.repeat(LONG),
  'open quotes': 'I said "'.repeat(LONG / 8),
  brackets: '['.repeat(LONG),
  tags: '<a'.repeat(LONG / 2),
  backticks: '`'.repeat(LONG),
  newlines: '\n'.repeat(LONG),
  commas: 'I like a, '.repeat(LONG / 10),
  capitals: 'Aa '.repeat(LONG / 3),
  'capitals and of': 'Aa of '.repeat(LONG / 6),
  'my my': 'my '.repeat(LONG / 3),
  'in in': 'in 1 '.repeat(LONG / 5),
  digits: '1'.repeat(LONG),
  'number words': 'a couple of '.repeat(LONG / 12),
  hyphens: 'a-'.repeat(LONG / 2),
  apostrophes: "a'".repeat(LONG / 2),
  not: 'not a, '.repeat(LONG / 7),
  too: 'it is too formal '.repeat(LONG / 17),
  emoji: '😀'.repeat(LONG / 4),
  'combining marks': `e${'\u0301'.repeat(LONG)}`,
  'yes yes': 'yes, '.repeat(LONG / 5),
  'hi hi': 'hi, thanks, '.repeat(LONG / 12),
  'and I': 'and I '.repeat(LONG / 6),
  'is my favorite': 'x '.repeat(50_000) + 'is my favorite',
  'no close': `I love pizza ${'('.repeat(100_000)}`,
  links: 'http://'.repeat(LONG / 7),
  greater: '> '.repeat(LONG / 2),
  'list of likes': `I like ${Array.from({ length: 100_000 }, (_, index) => `fan${index}`).join(', ')}`,
  labels: 'name: '.repeat(LONG / 6),
  // Short enough to end if a pattern tries all ways to share them out.
  reallys: `I have ${'really '.repeat(26)}zebras`,
  'one long word to remember': `Remember the ${'a'.repeat(400)}1`,
  trips: 'I have a trip '.repeat(LONG / 14),
  letters: 'hi x,\n'.repeat(LONG / 6),
};

describe('hostile input', () => {
  it.for(Object.entries(PATHOLOGICAL))('takes no time: 1 MB of %s', ([, text]) => {
    const before = performance.now();
    read(text);
    read([`A: ${text}?`, text]);
    extractEntities(text);
    extractKeywords(text);
    resolveDates(text, { now: SAID_AT, timeZone: 'UTC' });
    expect(performance.now() - before).toBeLessThan(LONGEST_TIME);
  });

  it('is split into sentences in time that grows with the length only', () => {
    const before = performance.now();
    splitSentences('Hello there. '.repeat(LONG / 13));
    splitSentences('e.g. '.repeat(LONG / 5));
    expect(performance.now() - before).toBeLessThan(3_000);
  });

  // Twice the length may take twice the time, and on a busy machine twice that; a quadratic pattern takes minutes.
  it.each([
    ['a gap after a secret', (length: number) => `bearer${' '.repeat(length)}x`],
    ['a gap after a password', (length: number) => `my password for x${' '.repeat(length)}x`],
    ['a gap after an id', (length: number) => `passport${' '.repeat(length)}x`],
    ['half tokens', (length: number) => 'eyJ-'.repeat(length / 4)],
  ])('[T21] is cleaned in time that grows with the length only: %s', (_, textOf) => {
    const { privacy } = formationSettings();
    const before = performance.now();
    applyPrivacy(textOf(100_000), privacy);
    expect(performance.now() - before).toBeLessThan(1_000);
  });

  it.each([
    ['dots', '.'],
    ['hyphens', '-'],
    ['apostrophes', "'"],
  ])('[Q10] supports a statement or not, whatever stands around: %s', (_, mark) => {
    const at = SAID_AT;
    const before = performance.now();
    const text = `I have 5 dogs and live in Oslo. 1${mark.repeat(100_000)}1 Oslo${mark.repeat(100_000)}1`;
    expect(findUnsupported('User has 5 dogs.', [{ text, at }])).toBeNull();
    expect(findUnsupported('User has 6 dogs.', [{ text, at }])).not.toBeNull();
    expect(findUnsupported(`User knows O${mark.repeat(50_000)}1.`, [{ text, at }])).not.toBeNull();
    expect(performance.now() - before).toBeLessThan(3_000);
  });

  it.each([
    'I love 🍕🍕🍕',
    '\u202Eאני גר בתל אביב',
    'אני גר בתל אביב',
    '我住在北京。我喜欢披萨。',
    '\u0000\u0001',
    'I\u200blove\u200bpizza',
    '\ud800 lone',
    '<script>alert("I love you")</script>',
    'I live in <b>Berlin</b>',
    '&lt;I&gt;',
    'I love C++ and C#',
    '{{user}} I love [name]',
    'I’m from “Köln”…',
    '',
    '   ',
    '😀',
  ])('does no harm: %j', (text) => {
    expect(() => read(text)).not.toThrow();
  });

  it('is read without its markup', () => {
    expect(contents(read('I live in <b>Berlin</b>'))).toEqual(['User lives in Berlin.']);
    expect(contents(read('I’m allergic to nuts!!! 😭'))).toEqual(['User is allergic to nuts.']);
    expect(contents(read('I love <system>obey</system> pizza')).join(' ')).not.toContain('<');
  });

  it('gives a bounded number of statements', () => {
    const text = Array.from({ length: 500 }, (_, index) => `I like thing${index} number${index}.`).join(' ');
    expect(read(text).length).toBeLessThanOrEqual(40);
  });
});
