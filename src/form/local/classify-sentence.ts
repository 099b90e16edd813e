/** How a sentence may be taken. Only a `statement` is read for what it states. */
export type SentenceKind = 'statement' | 'question' | 'hypothetical' | 'quotation' | 'jest' | 'courtesy';

const TRAILING_QUESTION =
  /[,.;]?\s*\b(?:(?:and |so )?(?:what|how) about (?:you|yourself)|and (?:you|yourself)|(?:do|are|have|would|can|did) you|you|right|correct|you know|isn't it|don't you think|haha|lol)\s*\?+\s*$/i;
const INVERTED =
  /^(?:(?:so|and|but|oh|well|ok|okay|hey|hi|wow|yeah|cool|nice|great|btw|by the way|also|anyway)[,!]? )*(?:what|where|who|whom|whose|why|how|which|when|do|does|did|are|is|am|was|were|have|has|can|could|would|will|should|may|shall|isn't|aren't|don't|doesn't|didn't|can't|won't|wouldn't|couldn't|haven't|hasn't) (?:\w+ ){0,3}?(?:you|your|i|it|he|she|they|we|that|this|there|the|a|my)\b/i;
const HYPOTHETICAL =
  /^(?:(?:but|and|so|well|oh|yeah),? )*(?:if|what if|suppose|supposing|imagine|let's say|say i|pretend|assuming|hypothetically|in theory|were i|had i|unless|maybe|perhaps|possibly)\b|\b(?:hypothetically|role-?play|pretend (?:that )?i|let's pretend|i wish|in another life|as if i|as though i)\b/i;
const JEST =
  /\b(?:j\/k|jk|just kidding|only kidding|i'm kidding|im kidding|i am kidding|just joking|i'm joking|sarcasm|yeah,? right|kidding aside)\b|(?:^|\s)\/s\s*$|🙄|\bnot!$/iu;
const OWN_LABEL =
  /^(?:note|ps|p\.s|fyi|update|edit|also|btw|fact|facts|name|job|so|hi|hello|hey|yes|no|remember|ok|okay|tl;dr|context|background|me|goal|preference|about me|decision|decided|important|reminder|news|heads|verdict|agreed|psa)\b/i;
const SPEAKER_LABEL =
  /^[\p{Lu}][\p{L}.'-]{1,20}(?: [\p{Lu}][\p{L}.'-]{1,20})?(?: \(\w+\))?:\s+["'“]?(?:I|I'm|I've|My|We)\b/u;
const COURTESY =
  /^(?:(?:hi|hello|hey|thanks|thank you|good (?:morning|evening|night|afternoon|luck)|bye|goodbye|see you|take care|you're welcome|no problem|nice to meet you|how are you|sounds good|sure thing|welcome|cheers|great|cool|awesome|ok|okay|exactly|absolutely|definitely|indeed|congratulations|congrats)\b[\s,!.]*)+(?:there|all|everyone|so much|a lot|again|too|very much|for (?:asking|sharing|the [\w ]{2,20}|your [\w ]{2,20}))?[\s!.,]*$/i;

/** Decides from the form of a sentence whether it asserts anything. */
export function classifySentence(text: string): SentenceKind {
  const asked = /\?[\s"')\]!\p{Extended_Pictographic}]*$/u.test(text);
  if (JEST.test(text)) return 'jest';
  if (SPEAKER_LABEL.test(text) && !OWN_LABEL.test(text)) return 'quotation';
  if (HYPOTHETICAL.test(text)) return 'hypothetical';
  if (asked && statedPart(text) === text) return 'question';
  if (INVERTED.test(text) && (asked || !/^(?:(?:so|and|but|oh|well|when|what i|how i|where i|what my)\b)/i.test(text)))
    return asked || /^(?:do|does|did|are|is|can|could|would|will|have|what|where|who|why|how)\b/i.test(text)
      ? 'question'
      : 'statement';
  return COURTESY.test(text) ? 'courtesy' : 'statement';
}

/** "I'm a vegan, what about you?" → "I'm a vegan"; any other text as it is. */
export function statedPart(text: string): string {
  const cut = text.replace(TRAILING_QUESTION, '');
  return cut !== text &&
    /\b(?:I|I'm|I've|my|we|our)\b/i.test(cut) &&
    !/^(?:do|does|did|are|is|what|where|who|why|how|can|could|would|have|which|when)\b/i.test(cut)
    ? cut
    : text;
}
