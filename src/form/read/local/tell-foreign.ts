import { asksAboutText, type ForeignSpan } from '../../../language/foreign-text.ts';
import { detectPack } from '../../../language/packs/packs.ts';
import type { Embedder, EmbedOptions } from '../../../models/embedder.ts';
import { splitSentences, type TextSpan } from '../../../language/sentences.ts';

/** Asks the model that was taught whose words a message has (train/foreign) about its parts: above 0 where they are foreign. */
export type TellForeign = NonNullable<Embedder['tellForeign']>;

const READ = 24_000;
const MOST_PARTS = 400;
/** "Translate this: …": the words before a colon, when they are this few, may ask for something about what follows. */
const LONGEST_LEAD = 160;
const LEAD_END = /[:：](?=\s|["“„«»「『'‘]|\p{Lo})/u;

/**
 * How sure the model must be, as log-odds. It was taught mostly in English: at 0 it takes 2 of 100 own sentences of English lives that it has
 * not seen for foreign, and 6 of 100 in other languages (train/foreign).
 */
const SURE = { en: 0, others: 1 };
/** A message of a sentence or two and nothing else is its author's, unless it asks for something about a text. */
const LONGEST_BARE = 200;
/** Shorter messages are nobody else's text. */
const SHORTEST = 25;

/** The foreign spans of a message, as the model tells them. */
export async function foreignAsTold(text: string, tell: TellForeign, options: EmbedOptions): Promise<ForeignSpan[]> {
  const readable = text.slice(0, READ);
  const parts = partsOf(readable);
  const isBare = readable.length < LONGEST_BARE && !readable.includes('\n') && !asksAboutText(readable);
  if (readable.length < SHORTEST || parts.length === 0 || (isBare && parts.length === 1)) return [];
  const sure = detectPack(readable)?.language === 'en' ? SURE.en : SURE.others;
  // From the end of the part before, so that the marks of a list belong to their lines.
  const told = await tell(
    parts.map(({ end }, index) => readable.slice(parts[index - 1]?.end ?? 0, end)),
    options,
  );
  if (isBare && told.every((value) => value > sure)) return [];
  const spans: ForeignSpan[] = [];
  for (const [index, { start, end }] of parts.entries()) {
    if ((told[index] ?? 0) <= sure) continue;
    const last = spans.at(-1);
    if (last !== undefined && (told[index - 1] ?? 0) > sure) last.end = end;
    else spans.push({ start, end, kind: 'pasted' });
  }
  return spans;
}

/** Sentences and lines, and a short lead before a colon apart from what follows it. */
function partsOf(text: string): TextSpan[] {
  return splitSentences(text)
    .slice(0, MOST_PARTS)
    .flatMap(({ span: { start, end } }) => {
      const colon = LEAD_END.exec(text.slice(start, Math.min(end, start + LONGEST_LEAD)))?.index ?? 0;
      const cut = start + colon + 1;
      return colon > 1 && end - cut > 4
        ? [
            { start, end: cut },
            { start: cut, end },
          ]
        : [{ start, end }];
    });
}
