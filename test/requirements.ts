import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** A case of a requirement: what a test shows, its file and its title without ids. */
export interface RequirementCase {
  shows: string;
  file: string;
  test: string;
}

/** A requirement in a few words, and the cases that prove it. */
export interface Requirement {
  asks: string;
  cases: RequirementCase[];
  /** Why the requirement is knowingly not met yet; null if it is met. */
  pending: string | null;
}

// The number of requirements of each group. The letter of the group is the first letter of the ids.
const DESIGNS = { Q: 13, T: 21, K: 20, L: 16, E: 15, X: 4 };

/** The ids of all requirements. */
export const REQUIREMENT_IDS: readonly string[] = Object.entries(DESIGNS).flatMap(([prefix, count]) =>
  Array.from({ length: count }, (_, index) => `${prefix}${index + 1}`),
);

/** The table of requirements.md, by id. */
export const REQUIREMENTS: ReadonlyMap<string, Requirement> = readTable(
  readFileSync(join(import.meta.dirname, 'requirements.md'), 'utf8'),
);

function readTable(text: string): Map<string, Requirement> {
  const requirements = new Map<string, Requirement>();
  for (const line of text.split('\n')) {
    const [id = '', asks = '', shows = '', file = '', test = ''] = line
      .split('|')
      .slice(1)
      .map((cell) => cell.trim());
    if (!/^[A-Z]\d+$/.test(id)) continue;
    const requirement = requirements.get(id) ?? { asks, cases: [], pending: null };
    if (file === 'pending') requirement.pending = shows;
    else requirement.cases.push({ shows, file, test });
    requirements.set(id, requirement);
  }
  return requirements;
}
