import { citedRequirements } from '../test/requirement-titles.ts';
import { PENDING, REQUIREMENTS } from '../test/requirements.ts';

// npm run requirements: how many of the source designs' requirements have a test, and which do not.

const cited = citedRequirements();
const ids = Object.keys(REQUIREMENTS);
const proven = ids.filter((id) => cited.has(id) && PENDING[id] === undefined);
const partly = ids.filter((id) => cited.has(id) && PENDING[id] !== undefined);
const open = ids.filter((id) => !cited.has(id));

for (const [name, list] of [
  ['in part', partly],
  ['not yet', open],
] as const) {
  for (const id of list)
    console.log(`${id.padEnd(4)}${name}: ${REQUIREMENTS[id]} (${PENDING[id] ?? 'no test and no reason'})`);
}
console.log(`${proven.length} of ${ids.length} requirements proven, ${partly.length} in part, ${open.length} not yet.`);
