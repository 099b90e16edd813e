import type { ParsedClause } from '../clauses/parse-clause.ts';
import { draftOf, type RuleSetting, type SelfRule } from './self-rule.ts';
import { renderPredicate } from '../clauses/render-predicate.ts';
import { hasContent } from '../clauses/trim-tail.ts';
import { DISLIKING, LIKING } from '../clauses/verb-classes.ts';
import { joinTokens, type Token } from '../../../language/word-tokens.ts';

const COMPARED = /^(.{2,60}?) (?:longer|bigger|larger|more|higher|greater) than (\d[\d,.]*(?: ?\p{L}+){1,3})$/u;
const COMPARED_LESS = /^(.{2,60}?) (?:shorter|smaller|less|fewer|lower) than (\d[\d,.]*(?: ?\p{L}+){1,3})$/u;
const VAGUE_OBJECT =
  /^(?:to \p{L}+ )?(?:(?:all|a lot|lots|many|some|several|a variety|different|various|new|other|fun|cool|of|kinds?|sorts?|types?|the|those|everything|about|in|and|good|a|few|bunch) ?)*(?:things|stuff|thing|everything|anything)(?: to \p{L}+)?$|^to have (?:an? )?(?:good |great |nice )?(?:time|fun)\b/u;
// "I like a lot of bands, but …": the second half says which.
const VAGUE_QUANTITY =
  /^(?:a lot of|lots of|many|a few|several|some|a bunch of|most|a variety of) (?:different |other |good |great |new |kinds of |types of |sorts of )*\p{L}+(?: (?:music|movies|books|games|food|shows))?$/u;
const NOT_LASTING =
  /^(?:to (?:see|hear|know|think|say|ask|hear|thank)|how|the way|that|what|hearing|your|seeing|talking to|the idea|the sound|where|when (?:people|you|that|it|they))\b/;

/** Likes, dislikes and "I don't want X": what a person prefers. */
export const likingRule: SelfRule = (clause, setting) => {
  const { verb, rest, tense, modal } = clause;
  const text = joinTokens(rest).toLowerCase();
  if (
    clause.negated &&
    (verb === 'want' || verb === 'need') &&
    tense === 'present' &&
    modal === null &&
    !/^(?:to|you)\b/.test(text)
  ) {
    return hasContent(rest) ? unwanted(clause, setting) : 'drop';
  }
  if (verb === 'stand' || verb === 'bear') {
    if (modal !== 'can' || !clause.negated || !hasContent(rest)) return null;
    const draft = draftOf(clause, setting, 'preference', 0.6);
    return { ...draft, predicate: `cannot ${verb} ${joinTokens(rest)}`, polarity: 'negative' };
  }
  // "I'd rather have a window seat" is as good as "I'd prefer one".
  if (modal === 'would' && verb === 'have' && clause.adverbs.includes('rather') && !clause.negated)
    return hasContent(rest) && !isContextBound(rest)
      ? { ...draftOf(clause, setting, 'preference', 0.6), predicate: `would rather have ${joinTokens(rest)}` }
      : 'drop';
  const disliking = DISLIKING.has(verb);
  if (!disliking && !LIKING.has(verb)) return null;
  if (verb === 'appreciate' || modal === 'could' || modal === 'might' || modal === 'can') return 'drop';
  if (
    modal === 'would' &&
    verb === 'prefer' &&
    !clause.negated &&
    hasContent(rest) &&
    !isContextBound(rest) &&
    !/^to\b|^(?:that|if)\b/.test(text)
  )
    return draftOf(clause, setting, 'preference', 0.6);
  if (modal === 'would') {
    if (
      !/^to \p{L}+ \p{L}+/u.test(text) ||
      /^to (?:see|hear|know|check|talk|chat|meet up|help|join|come|take a look|go with|go (?:one|some|sometime|someday|soon|again)|show|try)\b/.test(
        text,
      ) ||
      clause.negated
    )
      return 'drop';
    return { ...draftOf(clause, setting, 'goal', 0.35), confidence: 'low', tags: ['wish'] };
  }
  if (
    modal !== null ||
    tense === 'future' ||
    tense === 'progressive' ||
    NOT_LASTING.test(text) ||
    !hasContent(rest) ||
    isContextBound(rest) ||
    VAGUE_OBJECT.test(text) ||
    VAGUE_QUANTITY.test(text)
  )
    return 'drop';
  if (tense === 'past' && /\b(?:movie|game|show|book|meal|trip|time|party|experience)$/.test(text)) return 'drop';
  const draft = draftOf(clause, setting, 'preference', verb === 'prefer' ? 0.7 : disliking ? 0.6 : 0.5);
  const past = tense === 'past' || tense === 'usedTo';
  const negative = disliking !== (clause.negated || /^neither\b/.test(text));
  return { ...draft, polarity: negative ? 'negative' : 'positive', ...(past ? { past: true as const } : {}) };
};

/** "I don't want posts longer than 800 words" → "prefers posts under 800 words". */
function unwanted(clause: ParsedClause, setting: RuleSetting): ReturnType<SelfRule> {
  const object = joinTokens(clause.rest).replace(/^(?:any|my|the) /i, '');
  const draft = draftOf(clause, setting, 'preference', 0.8);
  const most = COMPARED.exec(object);
  if (most?.[1] !== undefined && most[2] !== undefined)
    return {
      ...draft,
      polarity: 'positive',
      predicate: `prefers ${most[1]} under ${most[2]}`,
      ownWords: ['prefers', 'under'],
    };
  const least = COMPARED_LESS.exec(object);
  if (least?.[1] !== undefined && least[2] !== undefined)
    return {
      ...draft,
      polarity: 'positive',
      predicate: `prefers ${least[1]} of at least ${least[2]}`,
      ownWords: ['prefers', 'least'],
    };
  return { ...draft, predicate: renderPredicate(clause, false), polarity: 'negative', importance: 0.7 };
}

const KNOWN_DEFINITE =
  /^(?:train|bus|tram|subway|metro|tube|underground|ferry|bike|beach|outdoors|ocean|sea|mountains?|gym|park|city|country|countryside|guitar|piano|violin|drums|cello|flute|saxophone|trumpet|ukulele|internet|news|water|sun|rain|snow|woods|forest|movies|theater|theatre|zoo|library|violin|environment|arts?|color|colour|colors|cold|heat|summer|winter|fall|spring|dark|night|weather|lake|river|desert|beatles|world|moon|stars|outside|wilderness|great|military|army|navy|holidays|library|mall|banjo|harp|bass|harmonica|nature)s?$/;

/** "I love the atmosphere": definite, and only the talk before says of what. */
export function isContextBound(rest: readonly Token[]): boolean {
  const words = rest.map((word) => word.lower);
  const definite = words[0] === 'the' ? 0 : words[0] === 'to' && words[2] === 'the' ? 2 : -1;
  if (definite < 0) return false;
  const tail = rest.slice(definite + 1);
  if (tail[0]?.lower === 'one' || tail[0]?.lower === 'ones') return true;
  if (tail.some((word) => KNOWN_DEFINITE.test(word.lower) || /^\p{Lu}/u.test(word.text))) return false;
  return tail.length <= 2 || tail.some((word) => word.lower === 'and' || word.lower === 'that');
}
