import { entitySlug } from '../record/entity.ts';
import type { Scope } from '../record/scope.ts';
import type { Reader } from '../store/database.ts';
import { findEntitiesByName } from '../store/entity-store.ts';
import { rowsAbout } from '../store/load-records.ts';
import type { RecallView } from './recall-view.ts';

const LONGEST_NAME = 4;
const MOST_WORDS = 40;

/** The documents that are linked to an entity which the query names: they come in whatever their similarity. */
export async function documentsAboutNamed(
  reader: Reader,
  scope: Scope,
  query: string,
  view: RecallView,
): Promise<Set<number>> {
  const entities = await findEntitiesByName(reader, scope, possibleNames(query));
  const rows = await rowsAbout(
    reader,
    scope.tenant,
    entities.map((entity) => entity.id),
  );
  const found = new Set<number>();
  for (const row of rows) {
    const ordinal = view.ordinalOf('memory', row);
    if (ordinal !== undefined) found.add(ordinal);
  }
  return found;
}

/** All runs of up to four words: one of them may be a name. */
function possibleNames(query: string): string[] {
  const words = entitySlug(query).split('-').slice(0, MOST_WORDS);
  const names: string[] = [];
  for (let start = 0; start < words.length; start += 1) {
    for (let length = 1; length <= LONGEST_NAME && start + length <= words.length; length += 1) {
      names.push(words.slice(start, start + length).join('-'));
    }
  }
  return names;
}
