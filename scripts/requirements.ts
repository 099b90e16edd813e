import { REQUIREMENT_IDS, REQUIREMENTS } from '../test/requirements.ts';

// npm run requirements [-- ID]: lists the test cases that prove each requirement, and counts the requirements that have one.

const [wanted] = process.argv.slice(2);
for (const [id, { asks, cases, pending }] of REQUIREMENTS) {
  if (wanted !== undefined && wanted !== id) continue;
  console.log(`${id.padEnd(4)}${asks}${pending === null ? '' : ` (not yet: ${pending})`}`);
  for (const { shows, file, test } of cases) console.log(`    ${shows}\n      ${file}: ${test}`);
}
const proven = REQUIREMENT_IDS.filter((id) => REQUIREMENTS.get(id)?.pending === null);
console.log(`${proven.length} of ${REQUIREMENT_IDS.length} requirements proven.`);
