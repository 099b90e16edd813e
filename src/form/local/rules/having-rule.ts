import type { ParsedClause } from '../clauses/parse-clause.ts';
import { draftOf, type RuleSetting, type SelfRule } from './self-rule.ts';
import { KINSHIP, PETS } from '../../../language/kinship.ts';
import { isContextBound } from './liking-rule.ts';
import { hasContent } from '../clauses/trim-tail.ts';
import { joinTokens } from '../../../language/word-tokens.ts';

const ABSTRACT =
  /^(?:(?:a|an|as|any|favou?rite|no|some|such|so|really|much|many|the|quite|very|more|too|plenty|lots?|few|great|good|bad|hard|always|big|little|nice|of|wonderful|fun|long|lovely|tough|rough|busy|not|hundred|hundreds|thousand|thousands|million|millions|billion|zillion|enough|other|specific|particular|all|sort|kind|bit) )*(?:idea|ideas|clue|doubt|question|questions|point|fun|time|day|days|night|weekend|feeling|feelings|chance|choice|trouble|plans?|problem|problems|issue|issues|thought|thoughts|luck|reason|reasons|faith|opportunity|opportunities|experience|experiences|memories|memory|favou?rites?|ones?|blast|lot|look|try|talk|moment|second|minute|sense|thing|things|something|anything|nothing|everything|energy|patience|interest|regrets?|hopes?|recommendations?|suggestions?|preference|options?|respect|say|week|month|year|life|work|conversation|laugh|ways?|money|support|access|control|break|dinner|lunch|breakfast|coffee|answer|impact|influence|stories|story|tips?|advice|fond|trip|meal|effect|mind|crush|worries|bad|good|great|best|worst|pleasure)(?=$|,| (?:of|to|with|about|in|for|at|on|today|now|that|and|but|as|from|left|yet|since|when|where|how|if|there|here|planned|lately|recently|\w+ing)\b)/;
// Whatever follows, having these is talk.
const TALK =
  /^(?:(?:a|an|any|no|some|such|really|much|many|the|quite|very|great|good|bad|hard|big|nice|awesome|amazing|exciting|huge|wonderful|lots|of|so|more) )*(?:ideas?|clue|doubt|questions?|point|fun|blast|luck|news|trouble|time(?! zone)|faith|sense|chance|regrets?|laugh|pleasure|lots?|updates?|surprise)\b/;
const UPCOMING =
  /\b(?:meeting|appointment|interview|exam|flight|call|wedding|surgery|presentation|race|test|demo|trip)\b.*\b(?:today|tonight|tomorrow|next|this|on (?:mon|tues|wednes|thurs|fri|satur|sun)day|in (?:a|an|one|two|three|\d+|january|february|march|april|may|june|july|august|september|october|november|december))\b/;
const WITHOUT =
  /^(?!(?:it|that|this|any|an?|the|my|our|your|you|him|her|them|people|another|one|both|everything|all|more|two|three|meetings?|guests?|visitors?)\b)\p{L}+(?: (?:and|or|milk|products|food|drinks)\b| \p{L}+$|,|$)/u;
const HAVING = new Set(['have', 'own', 'possess']);

/** "I have two dogs", "I don't have kids", "I've got blue eyes". */
export const havingRule: SelfRule = (clause, setting) => {
  const got = clause.verb === 'get' && clause.tense === 'perfect';
  if (!HAVING.has(clause.verb) && !got) return null;
  const { rest, tense, modal, negated } = clause;
  const text = joinTokens(rest).toLowerCase();
  // "I can't have gluten or dairy": what one has to do without.
  if (modal === 'can' && negated && WITHOUT.test(text) && !ABSTRACT.test(text) && !TALK.test(text)) {
    const draft = draftOf(clause, setting, 'fact', 0.6);
    return { ...draft, predicate: draft.predicate.replace(/^can not /, 'cannot ') };
  }
  if (modal !== null || tense === 'future' || tense === 'progressive' || tense === 'pastProgressive') return 'drop';
  if (/^(?:to|been|it|had)\b/.test(text) || !hasContent(rest) || isContextBound(rest)) return 'drop';
  if (TALK.test(text)) return 'drop';
  if (isMealtime(clause, text)) return draftOf(clause, setting, 'fact', 0.45);
  if (ABSTRACT.test(text) && !/\b(?:named|called|in (?:business|law|medicine)|degree|job)\b/.test(text)) return 'drop';
  if (tense === 'perfect' && !got)
    return negated ? draftOf(clause, setting, 'fact', 0.4) : pastHaving(clause, setting, text);
  if (tense === 'past') return negated ? draftOf(clause, setting, 'fact', 0.4) : pastHaving(clause, setting, text);
  if (!negated && UPCOMING.test(text)) return { ...draftOf(clause, setting, 'intention', 0.55), looksAhead: true };
  const personal = rest.some((word) => KINSHIP.has(word.lower) || PETS.has(word.lower));
  const predicate = got ? `has ${negated ? 'no ' : ''}${joinTokens(rest)}` : null;
  const draft = draftOf(clause, setting, personal ? 'personal' : 'fact', personal ? 0.6 : 0.5);
  return {
    ...draft,
    ...(predicate === null ? {} : { predicate: draft.predicate.replace(/^has (?:not )?(?:got|gotten) /, 'has ') }),
    ...(tense === 'usedTo' ? { past: true as const } : {}),
  };
};

/** "I usually have lunch at 1pm". */
function isMealtime({ tense, negated, adverbs }: ParsedClause, text: string): boolean {
  return (
    tense === 'present' &&
    !negated &&
    /^(?:an? )?(?:\p{L}+ )?(?:breakfast|lunch|dinner|supper|brunch|tea|coffee|snack)\b.{3}/u.test(text) &&
    (adverbs.some((adverb) => /^(?:always|usually|often|normally|generally|typically|mostly|never)$/.test(adverb)) ||
      /\b(?:every|on (?:mon|tues|wednes|thurs|fri|satur|sun)days|on weekdays|most days)\b/.test(text))
  );
}

function pastHaving(clause: ParsedClause, setting: RuleSetting, text: string): ReturnType<SelfRule> {
  const event =
    /\b(?:surgery|operation|baby|accident|stroke|heart attack|interview|meeting|wedding|dog|cat|pet|horse|business|career|scholarship|cancer|kids?|child|children|appointment|son|daughter|party|birthday)\b|\b(?:hip|knee|tooth|teeth|appendix|tonsils|gallbladder|kidney|heart|shoulder|mole|cyst|tumou?r|\p{L}+) (?:replaced|removed|operated on|taken out|transplanted)\b|\b(?:miscarriage|transplant|bypass|c-section|stent|concussion)\b/u;
  return event.test(text) ? { ...draftOf(clause, setting, 'fact', 0.5), past: true } : 'drop';
}
