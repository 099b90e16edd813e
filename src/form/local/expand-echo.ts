import type { ExpandedAnswer } from './answer-question.ts';

const AGREES =
  /^(?:(?:oh|yeah|yes|wow|haha|really|no way|cool|nice)[,!.]* )*(?:me too|same here|same|so do i|me as well|i do too|i do as well|i love (?:it|them) too|i like (?:it|them) too)[!.\s]*$/i;
const AGREES_IN_NEGATIVE = /^(?:(?:oh|yeah|wow|haha)[,!.]* )*(?:me neither|neither do i|me either)[!.\s]*$/i;
const ECHOED =
  /^(?:(?:oh|yeah|yes|well|wow|cool|nice|and|but|so|honestly|personally)[,!]? )*(I (?:also |really |just |absolutely |especially )*(?:love|like|enjoy|hate|prefer)|I (?:have|'ve) always (?:loved|liked|enjoyed)|I (?:don't|do not) (?:really )?(?:like|enjoy|eat|drink))\b(.+)$/i;

/** "Me too!" after "I love dogs" says that the speaker loves dogs. */
export function expandEcho(answer: string, echoed: string | null): ExpandedAnswer | null {
  if (echoed === null) return null;
  const said = ECHOED.exec(echoed);
  if (said?.[1] === undefined || said[2] === undefined) return null;
  const negative = /\b(?:don't|do not)\b/i.test(said[1]);
  if (!(negative ? AGREES_IN_NEGATIVE : AGREES).test(answer)) return null;
  // What is the other's own ("my dog") is not shared by liking it.
  if (/\b(?:my|our|me|mine|we|you|your)\b/i.test(said[2])) return null;
  return {
    text: `${said[1]}${said[2]
      .replace(/[,;] ?(?:but|so|and (?:I|my|we|it|they)|because|especially)\b.*$/i, '')
      .replace(/\b(?:because|but|since|so)\b.*$/i, '')
      .replace(/\b(?:too|as well)\b/gi, '')}`,
    sure: false,
  };
}
