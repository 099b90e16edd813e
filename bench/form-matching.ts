/**
 * How bench/form.ts compares a statement with gold and with what was said. Its word lists and its stemmer are its own,
 * none is shared with src/, so that the measure does not inherit the mistakes of what it measures.
 *
 * A text is reduced to stems of its content words, with 25 groups of synonyms. Words of liking, having, working and
 * playing are light: they count only when nothing else is left. Polarity is the number of negating words, even or odd.
 */
const SYNONYMS: Readonly<Record<string, string>> = Object.fromEntries(
  [
    'mother mom mum mommy',
    'father dad daddy',
    'child kid kids children son daughter',
    'job work career profession occupation employ living',
    'car vehicle truck',
    'marry married wife husband spouse',
    'film movie movies films',
    'big large huge',
    'vacation trip holiday travel traveling travelling',
    'house home',
    'doctor physician',
    'grandmother grandma granny',
    'grandfather grandpa',
    'photo picture photograph photography',
    'soccer football',
    'university college',
    'bike bicycle biking cycling',
    'workout exercise gym',
    'color colour',
    'currently now',
    'parent parents',
    'pet animal animals',
    'music song songs',
    'shop store',
    'study studying major',
  ].flatMap((group) => group.split(' ').map((word, _, [head = word]) => [stem(word), head])),
);
const STOP = new Set(
  'a an the and or but if then so as at by for from in into of off on onto out over to up with without about after before between during through under until while than that this these those there here it its he him his she her they them their themself i me my mine myself we us our you your who which what when where why how be am is are was were been being do does did done have has had will would shall should can could may might must not no nor never just also too very really quite much many more most lot lots some any all both each every few several such only same other another again ever even still yet already one get got getting go going goes person1 person2 because since though actually definitely pretty always usually often sometimes time thing things stuff way bit little something anything everything old year day currently now "'.split(
    ' ',
  ),
);
const LIGHT = new Set(
  'like love enjoy favorite favourite fan prefer hate dislike adore have own live spend make take feel try want good great kind type work job use look play watch hobby start'
    .split(' ')
    .map(stem),
);
const VAGUE = new Set(
  'new different kind kinds type types many various people ones one good great nice fun school best favorite most lot find looking look trying'
    .split(' ')
    .map(stem),
);
// Words that writing in the third person and computed dates bring in.
const RENDERED =
  /^(?:need|plan|want|chose|choos|prefer|us|lov|love|20\d\d|january|february|march|april|june|july|august|septemb|september|novemb|november|octob|october|decemb|december|week|weekend|month|\d{1,2})$/;
const NEGATING =
  /\b(?:not|never|no|cannot|hate|hates|hated|dislike|dislikes|without|nothing|none|neither|despise|quit|stopped|can't stand)\b|n't\b/gi;
const POINTING = /\b(?:it|this|that one|those|these|there|here|the ones?)\b|\b(?:him|her|them)\.?$/i;

/** Whether `text`, an answer with its question, says what `gold` says: 60 % of its heavy stems, in the same polarity. */
export function coversGold(gold: string, text: string, question = '', threshold = 0.6): boolean {
  if (isNegative(gold) !== isNegative(text)) return false;
  const wanted = [...stemsOf(gold)];
  const heavy = wanted.filter((word) => !LIGHT.has(word));
  const needed = heavy.length > 0 ? heavy : wanted;
  if (needed.length === 0) return false;
  const known = stemsOf(`${text} ${question}`);
  const own = stemsOf(text);
  const covered = needed.filter((word) => known.has(word)).length;
  // The question alone says nothing: at least one word, or a plain yes or no, comes from the answer.
  const answered = needed.some((word) => own.has(word)) || /^(?:yes|yeah|yep|i do|i am|i have|no|nope)\b/i.test(text);
  return answered && covered / needed.length >= threshold;
}

/**
 * Whether a statement is right as far as a machine can tell: every content word was said, one clause of its sentence (or
 * the question it answers) has its polarity, it names something beyond vague words, and no word points elsewhere.
 */
export function isRight(
  content: string,
  said: { sentence: string; source: string; answersOrEchoes: boolean },
): boolean {
  if (unsupportedWords(content, said.source).length > 0 || POINTING.test(content)) return false;
  const telling = [...stemsOf(content)].filter((word) => !LIGHT.has(word) && !VAGUE.has(word));
  const alone = [...stemsOf(content)].some((word) => LIGHT.has(word)) && content.split(' ').length <= 3;
  if (telling.length === 0 && !alone) return false;
  if (/\bhas never\b.*\b(?:before|been to an?)\b/i.test(content)) return false;
  if (said.answersOrEchoes) return true;
  const clauses = said.sentence.split(/[,;]|\b(?:but|and|because|so|when|although|though|while)\b/i);
  return [said.sentence, ...clauses].some((clause) => isNegative(clause) === isNegative(content));
}

/** Content words and numbers of a statement that its source does not have; computed dates are checked by tests. */
export function unsupportedWords(content: string, source: string): string[] {
  const known = stemsOf(source);
  return [...stemsOf(content)].filter((word) => !known.has(word) && !RENDERED.test(word));
}

/** Two statements of one speaker with the same polarity whose stems overlap by 0.8 (Jaccard) or more. */
export function isDouble(left: string, right: string): boolean {
  return isNegative(left) === isNegative(right) && overlapOf(stemsOf(left), stemsOf(right)) >= 0.8;
}

function isNegative(text: string): boolean {
  const plain = text
    .replace(/[’]/g, "'")
    .replace(/^(?:no|not really|nope)[,.! ]+/i, '')
    .replace(/\bnot only\b/gi, '');
  return (plain.match(NEGATING) ?? []).length % 2 === 1;
}

/** Stems of content words, synonyms joined. */
function stemsOf(text: string): Set<string> {
  const words =
    text
      .toLowerCase()
      .replace(/[’]/g, "'")
      .replace(/\b(?:[a-z]+)'(?:m|re|ve|ll|d)\b/g, ' ')
      .replace(/n't\b/g, ' ')
      .replace(/'s\b/g, '')
      .match(/[\p{L}\p{N}]+/gu) ?? [];
  return new Set(words.filter((word) => !STOP.has(word)).map((word) => SYNONYMS[stem(word)] ?? stem(word)));
}

function overlapOf(left: ReadonlySet<string>, right: ReadonlySet<string>): number {
  const shared = [...left].filter((word) => right.has(word)).length;
  return left.size + right.size === 0 ? 0 : shared / (left.size + right.size - shared);
}

function stem(word: string): string {
  const irregular = new Map(
    'went:go bought:buy taught:teach grew:grow wrote:write drove:drive ate:eat ran:run made:make took:take won:win lost:lose children:child women:woman men:man knew:know left:leave sang:sing met:meet broke:break broken:break'
      .split(' ')
      .map((pair) => pair.split(':') as [string, string]),
  );
  const base = irregular.get(word) ?? word;
  if (base.length <= 3) return base;
  let result = base
    .replace(/(?:ies|ied)$/, 'y')
    .replace(/(?<=(?:ss|x|z|ch|sh))es$/, '')
    .replace(/(?<!s)s$/, '');
  const bare = result.replace(/(?:ing|ed)$/, '');
  if (bare.length >= 3) result = bare;
  result = result.replace(/([^aeiouls])\1$/, '$1').replace(/(?<=..)e$/, '');
  return result.replace(/(?:ly|er|or)$/, (end) => (result.length > 6 ? '' : end));
}
