import { afterAll, beforeAll, expect, it } from 'vitest';
import { runTool } from '../src/tools/agent-tools.ts';
import type { Varve } from '../src/varve.ts';
import { openVarve } from './assemble-users.ts';

let varve: Varve;
let users = 0;
beforeAll(async () => void ({ varve } = await openVarve()));
afterAll(() => varve.close());

/** The value of a key after the agent has corrected it with a text. */
async function corrected(key: string, old: string, text: string): Promise<string | null> {
  const handle = varve.for({ agent: 'a', user: `user-${(users += 1)}` });
  const { memory } = await handle.facts.set({ key, value: old, statedBy: 'agent' });
  const { outcome } = await runTool(handle, 'correct', { what: memory.id, text });
  expect(outcome).toBe('corrected');
  const fact = await handle.facts.get(key);
  expect(fact?.content).toContain(fact?.value);
  return fact?.value ?? null;
}

it.each([
  ['partner_name', 'Jens', 'Partner is called Mirela', 'Mirela'],
  ['partner_name', 'Jens', 'Partner heißt Mirela.', 'Mirela'],
  ['partner_name', 'Jens', 'The user’s partner is Mirela', 'Mirela'],
  ['pet_name', 'Fips', 'Dog is called Otto', 'Otto'],
  ['employer', 'Umicore', 'Employer is Solvay', 'Solvay'],
  ['employer', 'Umicore', 'New employer: Solvay', 'Solvay'],
  ['employer', 'Umicore', 'Arbeitet bei Solvay', 'Solvay'],
  ['home_city', 'Ghent', 'Home is Bruges', 'Bruges'],
  ['home_city', 'Ghent', 'Home city is now Bruges', 'Bruges'],
  ['home_city', 'Ghent', 'Wohnort ist Aachen', 'Aachen'],
  ['home_city', 'Ghent', 'La ciudad es Cádiz', 'Cádiz'],
  ['home_city', 'Ghent', 'La ville est Lille', 'Lille'],
  ['home_city', 'Ghent', 'A cidade é Porto', 'Porto'],
  ['home_city', 'Ghent', 'La città è Torino', 'Torino'],
  ['home_city', 'Ghent', 'Woonplaats is Breda', 'Breda'],
  ['home_city', 'Ghent', '居住城市是北京', '北京'],
  ['home_city', 'Ghent', '居住地は京都です', '京都'],
  ['allergy', 'nuts', 'Allergy is soy', 'soy'],
  ['allergy', 'nuts', 'Allergic to soy', 'soy'],
  ['favourite_film', 'Heat', 'Favourite film: Life is Beautiful', 'Life is Beautiful'],
  ['shoe_size', '44', 'The shoe size is 45', '45'],
])('correct takes the value of %s from the words around it: %s → %s', async (key, old, text, value) => {
  expect(await corrected(key, old, text)).toBe(value);
});

it.each([
  ['partner_name', 'Jens', 'Mirela'],
  ['employer', 'Umicore', 'The Guardian'],
  ['employer', 'Umicore', 'Home Depot'],
  ['home_city', 'Ghent', 'City of London'],
  ['home_city', 'Ghent', 'Bruges, Belgium'],
  ['working_hours', '9 to 5', '9:00 to 17:00'],
  ['job_title', 'nurse', 'Head of operations at the hospital in town'],
  ['diet', 'vegan', 'eats fish now and then'],
  ['favourite_book', 'Emma', 'War and Peace'],
  ['answer_tone', 'dry', 'Answers should be warm, and jokes are fine'],
  ['shoe_size', '44', 'It is different for each brand'],
])('correct keeps a value that has no words around it: %s, %s → %s', async (key, old, text) => {
  expect(await corrected(key, old, text)).toBe(text);
});

it.each([
  ['partner_name', 'Jens', 'They broke up last week'],
  ['home_city', 'Ghent', 'The user seems to have relocated'],
  ['employer', 'Umicore', 'She says the contract ended'],
  ['home_city', 'Ghent', 'Der Umzug ist abgesagt'],
])('correct asks for the value instead of storing a sentence under %s: %s → %s', async (key, old, text) => {
  await expect(corrected(key, old, text)).rejects.toThrow('Give only the new value as text');
  const fact = await varve.for({ agent: 'a', user: `user-${users}` }).facts.get(key);
  expect(fact?.value).toBe(old);
});

it('remember with a key takes the value from the text, too', async () => {
  const handle = varve.for({ agent: 'a', user: 'noa' });
  await runTool(handle, 'remember', { key: 'employer', text: 'Employer is Solvay' });
  expect((await handle.facts.get('employer'))?.value).toBe('Solvay');
  await expect(runTool(handle, 'remember', { key: 'employer', text: 'She says the contract ended' })).rejects.toThrow(
    '"Employer"',
  );
});
