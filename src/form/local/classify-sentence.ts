/** How a sentence may be taken. Only a `statement` is read for what it states. */
export type SentenceKind = 'statement' | 'question' | 'hypothetical' | 'quotation' | 'jest' | 'unkept' | 'courtesy';

const TRAILING_QUESTION =
  /[,.;]?\s*\b(?:(?:and |so )?(?:what|how) about (?:you|yourself)|and (?:you|yourself)|(?:do|are|have|would|can|did) you|you|right|correct|you know|isn't it|don't you think|haha|lol|(?:can|would) you believe (?:it|that))\s*\?+\s*$/i;
const INVERTED =
  /^(?:(?:so|and|but|oh|well|ok|okay|hey|hi|wow|yeah|cool|nice|great|btw|by the way|also|anyway)[,!]? )*(?:what|where|who|whom|whose|why|how|which|when|do|does|did|are|is|am|was|were|have|has|can|could|would|will|should|may|shall|isn't|aren't|don't|doesn't|didn't|can't|won't|wouldn't|couldn't|haven't|hasn't) (?:\w+ ){0,3}?(?:you|your|i|it|he|she|they|we|that|this|there|the|a|my)\b/i;
const HYPOTHETICAL =
  /^(?:(?:but|and|so|well|oh|yeah),? )*(?:if|what if|suppose|supposing|imagine|let's say|say i|pretend|assuming|hypothetically|in theory|were i|had i|unless|maybe|perhaps|possibly|for example|for instance|e\.g\.|(?:just )?(?:for testing|testing|as a test|a test)|for the sake of (?:argument|the example))\b|\b(?:hypothetically|role-?play|pretend (?:that )?i|let's pretend|i wish|in another life|as if i|as though i)\b/i;
const JEST =
  /\b(?:j\/k|jk|just kidding|only kidding|i'm kidding|im kidding|i am kidding|just joking|i'm joking|sarcasm|yeah,? right|kidding aside)\b|(?:^|\s)\/s\s*$|🙄|\bnot!$/iu;
// "Don't save this: …", "…, off the record": asked not to be remembered. "I don't remember that" is something else.
const UNKEPT =
  /(?:^|[,;:.(–—-] ?|\b(?:please|but|and|so) )(?:don't|dont|do not|never|no need to|you (?:don't|do not) (?:need|have) to) (?:ever )?(?:(?:remember|save|store|memori[sz]e|record|log) (?:this|that|it|the following|any of (?:this|that)|what i)\b|(?:write|note|jot) (?:this|that|it) down\b|make a note of (?:this|that)\b)|\boff the record\b|^(?:please )?forget (?:this|that|it|what i (?:just )?said)(?:[.!:,]|$)/i;
const OWN_LABEL =
  /^(?:note|ps|p\.s|fyi|update|edit|also|btw|fact|facts|name|job|so|hi|hello|hey|yes|no|remember|ok|okay|tl;dr|context|background|me|goal|preference|about me|decision|decided|important|reminder|news|heads|verdict|agreed|psa)\b/i;
const SPEAKER_LABEL =
  /^[\p{Lu}][\p{L}.'-]{1,20}(?: [\p{Lu}][\p{L}.'-]{1,20})?(?: \(\w+\))?:\s+["'“]?(?:I|I'm|I've|My|We)\b/u;
// "The client said: I don't like blue", "according to the form I'm a member": somebody else's words of themself or of me.
const REPORTED =
  /^(?!(?:as |like )?(?:i|you)\b)[^:?!]{1,60}\b(?:said|says|wrote|writes|replied|answered|asked|texted|e-?mailed|messaged|goes|commented|posted|announced)(?: (?:me|us|back|that|to (?:me|us)))*\s*:\s*["'“]?(?:I|I'm|I've|I'd|I'll|my|we|our)\b|^according to (?!my\b)/i;
// What is so in a story is so nowhere else.
const FICTION =
  /^(?:(?:so|and|but|ok|okay|well),? )*(?:in|for) (?:the|my|our|this|that|a|your) (?:[a-z]+ )?(?:story|novel|tale|game|campaign|screenplay|movie|film|play|comic|dream|scene|chapter|role-?play|scenario|simulation|fan ?fic(?:tion)?|hypothetical)\b,? (?=(?:i|i'm|i've|my|we|our|the|there|he|she)\b)/i;
const COURTESY =
  /^(?:(?:hi|hello|hey|thanks|thank you|good (?:morning|evening|night|afternoon|luck)|bye|goodbye|see you|take care|you're welcome|no problem|nice to meet you|how are you|sounds good|sure thing|welcome|cheers|great|cool|awesome|ok|okay|exactly|absolutely|definitely|indeed|congratulations|congrats)\b[\s,!.]*)+(?:there|all|everyone|so much|a lot|again|too|very much|for (?:asking|sharing|the [\w ]{2,20}|your [\w ]{2,20}))?[\s!.,]*$/i;

/** Decides from the form of a sentence whether it asserts anything. */
export function classifySentence(text: string): SentenceKind {
  const asked = /\?[\s"')\]!\p{Extended_Pictographic}]*$/u.test(text);
  if (JEST.test(text)) return 'jest';
  if (UNKEPT.test(text)) return 'unkept';
  if ((SPEAKER_LABEL.test(text) && !OWN_LABEL.test(text)) || REPORTED.test(text)) return 'quotation';
  if (HYPOTHETICAL.test(text) || FICTION.test(text)) return 'hypothetical';
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
