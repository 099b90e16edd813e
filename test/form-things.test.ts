import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Handle } from '../src/handle/handle.ts';
import type { ManualClock } from '../src/record/clock.ts';
import type { Varve } from '../src/varve.ts';
import { databases } from './databases.ts';
import { liveStatements, openForming, tell as tellAll } from './form-model.ts';

for (const database of databases()) {
  describe.skipIf(database.skip !== null)(`what users say of their things, by rules, on ${database.name}`, () => {
    let drop: () => Promise<void>;
    let varve: Varve;
    let clock: ManualClock;
    let user = 0;
    const fresh = (): Handle => varve.for({ tenant: 'things', user: `user${(user += 1)}`, session: 's1' });
    const tell = (handle: Handle, ...lines: string[]): Promise<void> => tellAll({ varve, clock }, handle, lines);
    const contents = async (handle: Handle): Promise<string[]> =>
      (await liveStatements(handle)).map(({ content }) => content);

    beforeAll(async () => {
      const created = await database.create();
      drop = created.drop;
      ({ varve, clock } = await openForming(created.options));
    });
    afterAll(async () => {
      await varve.close();
      await drop();
    });

    it.for([
      'pls remember: gate code for the yard is behind the blue door',
      'note to self: gate code for the yard is behind the blue door',
      'remember that my accountant is Raj',
    ])('[L6] what is asked to be remembered is live, explicit and important: %s', async (said) => {
      const handle = fresh();
      await tell(handle, said);
      const [memory, ...more] = await liveStatements(handle);
      expect(memory).toMatchObject({ sourceType: 'explicit', confidence: 'high' });
      expect(memory?.importance).toBeGreaterThanOrEqual(0.8);
      expect(more).toEqual([]);
    });

    it('[Q10] what is asked to be remembered goes through the privacy policy all the same', async () => {
      const handle = fresh();
      await tell(handle, 'remember my password is hunter2', 'note to self: api key sk-proj-abcdefghij0123456789klmn');
      expect((await contents(handle)).join('\n')).not.toMatch(/hunter2|sk-proj/);
    });

    it.for([
      [
        ['remember that the council inspection is on 3 july at 10am', 'actually the inspection got moved to 5 july'],
        ['The council inspection is now on 5 July 2027.'],
      ],
      [['The launch is on 8 October.', 'the launch slipped to november'], ['The launch is now in November 2026.']],
      [['the budget for Q3 is 40k', "it's 45k now"], ['The budget for Q3 is now 45k.']],
      [['we have 6 employees', "we're now 9 people"], ['User has a team of 9 people.']],
      [
        ['our flour supplier is Shipton Mill', "we switched suppliers, it's Doves Farm now"],
        ['Flour supplier name: Doves Farm'],
      ],
      [
        ['my accountant is Raj', 'Raj left, my new accountant is Priya'],
        ["User's accountant Raj left.", 'Accountant name: Priya'],
      ],
      [
        ['the launch is on 8 October', 'our launch budget is 40k', 'the launch is off'],
        ["User's launch budget is 40k.", 'The launch is off.'],
      ],
      [
        ['im flying to Denver on 2 february', 'not going to Denver after all'],
        ['User is not going to Denver after all.'],
      ],
      [['I have a gym membership at PureGym', 'cancelled the gym membership'], ['User cancelled the gym membership.']],
      [["We're going to Lisbon from 3 to 10 May.", 'the trip is off'], ['The trip is off.']],
    ] as const)('[Q4] [X3] an old value does not stay: %s', async ([lines, stays]) => {
      const handle = fresh();
      await tell(handle, ...lines);
      expect(await contents(handle)).toEqual(stays);
      // Reading the session again brings nothing back.
      await handle.session.close();
      await varve.drain();
      expect(await contents(handle)).toEqual(stays);
    });

    it('[Q4] a change is read against what another session knows', async () => {
      const handle = fresh();
      await tell(handle, 'remember that the council inspection is on 3 july at 10am');
      await handle.session.close();
      await varve.drain();
      const later = varve.for({ ...handle.scope, tenant: 'things', session: 's2' });
      await tell(later, 'the inspection was pushed to 5 july');
      expect(await contents(later)).toEqual(['The council inspection is now on 5 July 2027.']);
    });

    it('[L6] a holiday has its dates, its place and who comes along', async () => {
      const handle = fresh();
      await tell(handle, 'im on holiday from 10 to 17 june, going to Crete with my partner Sam');
      expect(await contents(handle)).toEqual([
        'User is on holiday from 10 June 2027 to 17 June 2027.',
        'User is going to Crete with their partner Sam from 10 June 2027 to 17 June 2027.',
        'Partner name: Sam',
      ]);
      expect((await liveStatements(handle))[0]).toMatchObject({ validTo: new Date('2027-06-18T00:00:00Z') });
    });

    it('[Q8] what unrelated things have in common is no tag', async () => {
      const handle = fresh();
      await tell(
        handle,
        'the launch is on 8 October',
        'I turned 40 yesterday',
        'my second son Max starts school on monday',
      );
      const tags = (await liveStatements(handle)).flatMap((memory) => memory.tags);
      expect(tags.toSorted()).toEqual(['launch', 'school']);
    });
  });
}
