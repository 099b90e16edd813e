/** A word or a punctuation mark, with its place in the text it was read from. */
export interface Token {
  text: string;
  lower: string;
  start: number;
  end: number;
}

const WORD =
  /[\p{L}\p{N}\p{M}_@#$€£%]+(?:['.,:/&+-](?=[\p{L}\p{N}])[\p{L}\p{N}\p{M}_]+)*(?:\+\+|#)?|\[[^[\]\s]{1,20}(?: [^[\]\s]{1,20}){0,4}\]|[^\s]/gu;

const WHOLE_CONTRACTIONS: Readonly<Record<string, string>> = {
  im: 'I am',
  ive: 'I have',
  dont: 'do not',
  cant: 'can not',
  didnt: 'did not',
  doesnt: 'does not',
  isnt: 'is not',
  wasnt: 'was not',
  wont: 'will not',
  havent: 'have not',
  hasnt: 'has not',
  couldnt: 'could not',
  wouldnt: 'would not',
  gonna: 'going to',
  wanna: 'want to',
  gotta: 'have to',
  cannot: 'can not',
  "can't": 'can not',
  "won't": 'will not',
  "shan't": 'shall not',
  "ain't": 'am not',
  "let's": 'let us',
  "y'all": 'you all',
  arent: 'are not',
  shouldnt: 'should not',
};
const ENDINGS: ReadonlyArray<readonly [string, string]> = [
  ["n't", 'not'],
  ["'m", 'am'],
  ["'re", 'are'],
  ["'ve", 'have'],
  ["'ll", 'will'],
  ["'d", 'would'],
];
const SUBJECT_PRONOUN =
  /^(?:i|you|he|she|it|we|they|that|this|there|here|who|what|where|when|how|everyone|everything|one)$/;
const AFTER_IS =
  /^(?:a|an|the|not|really|very|so|been|from|in|at|on|called|named|also|just|always|never|my|too|pretty|currently|still|only|about|broken|pregnant|retired|vegan|vegetarian|allergic|cancelled|closed|due|engaged|married|divorced|leaving|off|away|back|[€$£]?\d[\d.,:]*k?%?)$|ing$/;
const AFTER_HAS = /^(?:been|had|got|gone|become|started|passed|moved|left|agreed|changed|put|given)$/;

/** Splits a text into words and marks; spans refer to the text given. */
export function tokenizeWords(text: string): Token[] {
  const tokens: Token[] = [];
  for (const match of text.matchAll(WORD)) {
    const word = match[0];
    // "lasagna,bread" and "end.Next" are two words, "3,000", "8:30" and "e.g" are one.
    const split = /^(\p{L}{3,})([,:])(\p{L}.*)$/u.exec(word);
    if (split?.[1] !== undefined && split[2] !== undefined && split[3] !== undefined) {
      const middle = match.index + split[1].length;
      tokens.push(token(split[1], match.index), token(split[2], middle), token(split[3], middle + 1));
    } else tokens.push(token(word, match.index));
  }
  return tokens;
}

/** Writes contractions out ("I'm" → "I", "am"); both halves keep the span of the whole. */
export function expandContractions(tokens: readonly Token[]): Token[] {
  return tokens.flatMap((word, index) => {
    const whole = WHOLE_CONTRACTIONS[word.lower];
    if (whole !== undefined) return whole.split(' ').map((text) => ({ ...word, text, lower: text.toLowerCase() }));
    for (const [ending, full] of ENDINGS) {
      if (word.lower.endsWith(ending) && word.lower.length > ending.length) return halves(word, ending.length, full);
    }
    const isShort = word.lower.endsWith("'s") && isVerb(word.lower.slice(0, -2), tokens[index + 1]);
    if (isPlace(tokens, index)) return [word];
    // "My knee's been bad", "dad's had a stroke".
    if (word.lower.endsWith("'s") && AFTER_HAS.test(tokens[index + 1]?.lower ?? '')) return halves(word, 2, 'has');
    return isShort ? halves(word, 2, 'is') : [word];
  });
}

const BEFORE_PLACE = /^(?:at|to|from|in|near|for|with|by|of|behind|opposite|outside)$/;

/** "at St Mary's in Leeds", "from Joe's on the corner": a name after a preposition is no subject. */
function isPlace(tokens: readonly Token[], index: number): boolean {
  let first = index;
  while (/^\p{Lu}/u.test(tokens[first]?.text ?? '')) first -= 1;
  return first < index && BEFORE_PLACE.test(tokens[first]?.lower ?? '');
}

/** Puts words back into running text: what touched in the source touches again. */
export function joinTokens(tokens: readonly Token[]): string {
  let text = '';
  for (const [index, word] of tokens.entries()) {
    const previous = tokens[index - 1];
    const glued = previous === undefined || /^[,.;:!?)%\]…]$/.test(word.text) || word.start === previous.end;
    text += glued ? word.text : ` ${word.text}`;
  }
  return text;
}

/** True for a token that carries letters or digits. */
export function isWord(word: Token | undefined): word is Token {
  return word !== undefined && /[\p{L}\p{N}]/u.test(word.text);
}

function token(text: string, start: number): Token {
  return { text, lower: text.toLowerCase(), start, end: start + text.length };
}

function halves(word: Token, length: number, full: string): Token[] {
  const head = word.text.slice(0, -length);
  return [
    { ...word, text: head, lower: head.toLowerCase() },
    { ...word, text: full, lower: full },
  ];
}

/** "my mom's a nurse" is a verb, "my mom's house" is not. */
function isVerb(head: string, next: Token | undefined): boolean {
  return SUBJECT_PRONOUN.test(head) || (next !== undefined && AFTER_IS.test(next.lower));
}
