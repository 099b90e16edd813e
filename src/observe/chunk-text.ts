/** Chunks have about this many characters: six sentences in one vector blur what each of them says. */
const CHUNK_SIZE = 600;

/** Cuts a text into chunks at paragraphs, then sentences, then words. Nothing is lost but white space. */
export function chunkText(text: string, size: number = CHUNK_SIZE): string[] {
  const pieces = text
    .split(/\n\s*\n/u)
    .flatMap((paragraph) => split(paragraph.trim(), size))
    .filter((piece) => piece !== '');
  return join(pieces, size);
}

let segmenter: Intl.Segmenter | undefined;

function split(paragraph: string, size: number): string[] {
  if (paragraph.length <= size) return [paragraph];
  // Made when it is needed: it loads the language data, which takes 6 ms.
  segmenter ??= new Intl.Segmenter('und', { granularity: 'sentence' });
  const sentences = Array.from(segmenter.segment(paragraph), ({ segment }) => segment.trim());
  return join(sentences, size).flatMap((sentence) => splitWords(sentence, size));
}

function splitWords(sentence: string, size: number): string[] {
  if (sentence.length <= size) return [sentence];
  const words = sentence.split(/\s+/u).flatMap((word) => cut(word, size));
  return join(words, size);
}

function cut(word: string, size: number): string[] {
  const characters = [...word];
  const pieces: string[] = [];
  for (let start = 0; start < characters.length; start += size)
    pieces.push(characters.slice(start, start + size).join(''));
  return pieces;
}

function join(pieces: readonly string[], size: number): string[] {
  const joined: string[] = [];
  for (const piece of pieces) {
    const last = joined.at(-1);
    if (last !== undefined && last.length + piece.length + 1 <= size) joined[joined.length - 1] = `${last} ${piece}`;
    else joined.push(piece);
  }
  return joined;
}
