import type { Turn } from '../../models/distiller.ts';
import { classifySentence, type SentenceKind } from './classify-sentence.ts';
import { straightApostrophes } from '../../language/straight-apostrophes.ts';
import { splitSentences, type Sentence } from '../../language/split-sentences.ts';

/** A sentence of a turn that was classified. */
export interface ReadSentence extends Sentence {
  kind: SentenceKind;
}

const MOST_SENTENCES = 120;
// Nobody states anything in a longer one; what has no full stop is data.
const LONGEST_SENTENCE = 1_000;

/** Cuts a turn into classified sentences. Spans refer to the turn's text. */
export function readTurn(turn: Turn, maximumLength: number): ReadSentence[] {
  const sentences = splitSentences(maskForeignParts(turn.content.slice(0, maximumLength))).slice(0, MOST_SENTENCES);
  const read = sentences.map((sentence): ReadSentence => {
    const text = straightApostrophes(sentence.text.slice(0, LONGEST_SENTENCE));
    return { text, span: sentence.span, kind: classifySentence(text) };
  });
  return read.map((sentence, index) =>
    takesBack(read[index + 1]) ? { ...sentence, kind: read[index + 1]?.kind ?? 'jest' } : sentence,
  );
}

/** "Just kidding!" and "Don't save that" take back the sentence before them. */
function takesBack(sentence: ReadSentence | undefined): boolean {
  return (sentence?.kind === 'jest' || sentence?.kind === 'unkept') && sentence.text.length < 40;
}

// What follows is material to work on, not something the user says: "Translate this: I live in Rome."
const MATERIAL =
  /(?:(?:^|[.!?] )(?:(?:please|now|hey|hi|ok|okay|can you|could you),? )*(?:draft|compose|write|send|reply|respond|tell (?!me\b)|say|(?:text|e-?mail|message) (?:him|her|them|my))\b(?! (?:this|that|it|the following) down)[^\n:.?!]{0,60}:\s|\b(?:translate|summari[sz]e|proofread|rewrite|rephrase|paraphrase|edit|correct|review|analy[sz]e|improve|shorten|classify|reply to|respond to)\b[^\n:.?!]{0,60}:\s|^-{2,} ?(?:forwarded|original) message|^(?:from|subject): |^on [^\n]{5,80} wrote:|\b(?:here(?:'s| is| are)|this is|see) (?:the|an?|my|his|her|their|some) (?:[a-z]+ )?(?:e-?mail|article|text|transcript|letter|document|paragraph|essay|job description|story|message|review|draft|post|poem|lyrics?|verse|chorus|caption|quote|monologue|dialogue|excerpt|passage|notes?|bio|resume|cv)\b[^\n:.?!]{0,60}:\s)/im;

// A mail that somebody else wrote, from "Dear …" to "Kind regards".
const LETTER =
  /^[ \t]*(?:dear|hi|hello|hey) [^\n,]{1,40},[ \t]*\n[\s\S]{0,6000}?^[ \t]*(?:(?:kind|best|warm|warmest|many)(?: regards| wishes)?|regards|sincerely|yours (?:sincerely|faithfully|truly)|cheers|thanks|thank you),?[ \t]*(?:\n[^\n]{0,80})?(?=\n|$)/gim;

// 'I've no mother but the sea': an apostrophe within a word does not close the quotation.
const SINGLE_QUOTED =
  /(?<=^|[\s:(])['‘](?!(?:cause|til|tis|twas|em|bout|n)\b)(?=\p{L})(?:[^'’‘\n]|(?<=\p{L})['’](?=\p{L})){8,300}['’](?=[\s.,!?;:)]|$)/gu;
const OWN_WORDS = /\b(?:I|I['’]m|I['’]ve|I['’]d|my|we|our)\b/i;

/** Blanks out what the speaker shows but does not say: markup, code, quoted lines and quoted first-person speech. */
function maskForeignParts(text: string): string {
  const blank = (part: string): string => part.replace(/[^\n]/g, ' ');
  const material = MATERIAL.exec(text);
  const end = material === null ? text.length : material.index + material[0].length;
  return (text.slice(0, end) + blank(text.slice(end)))
    .replace(LETTER, blank)
    .replace(/```[\s\S]{0,6000}?(?:```|$)/g, blank)
    .replace(/<[a-z/!][^<>]{0,300}>/gi, blank)
    .replace(/^[ \t]{0,8}>.*$/gm, blank)
    .replace(/https?:\/\/\S{1,500}/g, blank)
    .replace(/["“][^"“”\n]{3,400}["”]/g, (quoted) =>
      /\b(?:I|I'm|I've|my|we|our|you|your|remember|always|never)\b/i.test(quoted) ? blank(quoted) : quoted,
    )
    .replace(SINGLE_QUOTED, (quoted) => (OWN_WORDS.test(quoted) ? blank(quoted) : quoted))
    .replace(/(?<=\b(?:said|says|say|like|goes|told me|wrote),? )'[^'\n]{3,200}'(?=[\s.,!?]|$)/g, blank);
}
