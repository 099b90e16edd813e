/** One sentence with a full stop and at most `mostWords` words (default 30), cut where a clause or a list item ends. */
export function writeSentence(text: string, mostWords = 30): string {
  const flat = text
    .replace(/\s+/g, ' ')
    .replace(/ ([,.;:!?])/g, '$1')
    .replace(/[\s,;:.!?-]+("?)$/, '$1');
  const clean = (flat.match(/"/g) ?? []).length % 2 === 1 ? `${flat}"` : flat;
  const words = clean.split(' ');
  if (words.length <= mostWords) return `${clean}.`;
  const head = words.slice(0, mostWords).join(' ');
  const cut = Math.max(
    head.lastIndexOf(','),
    head.lastIndexOf(';'),
    head.lastIndexOf(' because '),
    head.lastIndexOf(' and '),
    head.lastIndexOf(' but '),
  );
  return `${(cut > 20 ? head.slice(0, cut) : head).replace(/[\s,;]+$/, '')}.`;
}
