import { describe, expect, it } from 'vitest';
import { REQUIREMENT_IDS, REQUIREMENTS } from './requirements.ts';
import { titleWithoutIds, writtenTests } from './written-tests.ts';

describe('the requirements', () => {
  const written = writtenTests();
  const cases = [...REQUIREMENTS].flatMap(([id, requirement]) => requirement.cases.map((each) => ({ id, ...each })));
  const named = ({ file, test }: { file: string; test: string }) =>
    written.filter((each) => each.file === file && titleWithoutIds(each.title) === test);

  it('have a row in the table each, with a case or with the reason why there is none yet', () => {
    const proven = [...REQUIREMENTS].filter(([, { cases, pending }]) => cases.length > 0 || pending !== null);
    expect(proven.map(([id]) => id).toSorted()).toEqual(REQUIREMENT_IDS.toSorted());
    for (const [id, { asks, cases, pending }] of REQUIREMENTS)
      for (const text of [asks, ...cases.map(({ shows }) => shows), pending ?? 'met'])
        expect([id, text.length > 2]).toEqual([id, true]);
  });

  it('have cases that each name one existing test, which cites the requirement and asserts something', () => {
    const wrong = cases.flatMap((each) => {
      const found = named(each);
      if (found.length !== 1) return [`${each.id}: ${found.length} tests in ${each.file} are called “${each.test}”`];
      if (found[0]?.ids.includes(each.id) !== true) return [`${each.id}: “${each.test}” does not cite it`];
      return found[0].asserts ? [] : [`${each.id}: “${each.test}” asserts nothing`];
    });
    expect(wrong).toEqual([]);
  });

  it('include every id that a test cites', () => {
    const unknown = written.filter(({ ids }) => ids.some((id) => !REQUIREMENT_IDS.includes(id)));
    expect(unknown.map(({ file, title }) => `${file}: ${title}`)).toEqual([]);
  });
});
