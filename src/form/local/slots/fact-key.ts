const LONGEST_KEY = 100;

/** The key of a keyed fact from its words ("favorite café" → `favorite_cafe`), or null when they cannot make one. */
export function factKey(words: string): string | null {
  const folded = words
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    // One key whichever way it is spelt.
    .replace(/\b(favo|colo|flavo|neighbo)u(?=r)/g, '$1')
    .replace(/[^\p{L}\p{N}]+/gu, '_')
    .replace(/^_+|_+$/g, '');
  // Without its letters "favorite 寿司" would be the key of every favourite.
  return folded.length <= LONGEST_KEY && /^[a-z][a-z0-9]*(?:_[a-z0-9]+)*$/.test(folded) ? folded : null;
}
