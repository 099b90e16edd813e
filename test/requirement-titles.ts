import { globSync, readFileSync } from 'node:fs';

const ID = /\[([A-Z]\d+)\]/g;
// The title of a test, up to where its function begins.
const TITLE = /\b(?:it|test|describe)(?:\.\w+(?:\([^)]*\))?)*\(\s*(['"`])(.*?)\1/gs;

/** The ids that test titles name, each with the files that do: read from the source, so that a skipped test counts as written. */
export function citedRequirements(): Map<string, Set<string>> {
  const cited = new Map<string, Set<string>>();
  for (const file of globSync('{src,test}/**/*.test.ts')) {
    for (const [, , title = ''] of readFileSync(file, 'utf8').matchAll(TITLE)) {
      for (const [, id = ''] of title.matchAll(ID)) cited.set(id, (cited.get(id) ?? new Set()).add(file));
    }
  }
  return cited;
}
