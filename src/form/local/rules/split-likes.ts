import type { StatementDraft } from '../statement-draft.ts';
import { COMMON_VERBS } from '../clauses/verb-classes.ts';

const LIKE =
  /^((?:(?:also|especially|mostly|always|usually) )*(?:likes|loves|enjoys|hates|dislikes|does not like|does not enjoy|prefers|has always loved)|is (?:an? )?(?:(?:big|huge|avid) )?fan of) (to )?(.+)$/;
const ITEM_LIMIT = 7;
const MOST_ITEMS = 12;

/** "likes to read, watch movies, and go hiking" → three statements, one memory each. */
export function splitLikes(draft: StatementDraft): StatementDraft[] {
  if (draft.type !== 'preference') return [draft];
  const match = LIKE.exec(draft.predicate);
  const [, verb = '', to = '', objects = ''] = match ?? [];
  if (
    match === null ||
    /\b(?:because|when|but|so|that|who|which|if|than|more|over|between|from|such as|like|where)\b|[;:()]/.test(objects)
  )
    return [draft];
  const items = listItems(objects).slice(0, MOST_ITEMS);
  if (items.length < 2 || items.some((item) => item.split(' ').length > ITEM_LIMIT || item === '')) return [draft];
  return items.map((item) => ({
    ...draft,
    predicate: `${verb} ${to === '' ? item : asInfinitive(item, items[0] ?? '')}`,
  }));
}

/** "to read fantasy, thrillers": an item without a verb of its own takes the verb of the first. */
function asInfinitive(item: string, first: string): string {
  if (item.startsWith('to ')) return item;
  const verb = first.split(' ')[0] ?? '';
  const own = COMMON_VERBS.has(item.split(' ')[0] ?? '') || item === first;
  return own ? `to ${item}` : `to ${verb} ${item}`;
}

function listItems(objects: string): string[] {
  const byComma = objects.split(/, (?:and |or |as well as )?|,? (?:and|or) (?=to )/).map((item) => item.trim());
  // "going to the beach, the mountains, and the city": the gerund reaches over the whole list.
  const gerund = (item: string | undefined): boolean => /^\p{L}+ing\b/u.test(item ?? '');
  if (byComma.length >= 3)
    return gerund(byComma[0]) && !byComma.slice(1).every((item) => gerund(item)) ? [objects] : byComma;
  const pair = /^(\p{L}+ing\b[^,]*?),? and (\p{L}+ing\b.*)$/u.exec(objects);
  return pair?.[1] !== undefined && pair[2] !== undefined
    ? [pair[1], pair[2]]
    : byComma.length === 2 && / to /.test(` ${byComma[1] ?? ''}`)
      ? byComma
      : [objects];
}
