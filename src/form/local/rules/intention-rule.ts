import type { ParsedClause } from '../clauses/parse-clause.ts';
import { draftOf, type RuleSetting, type SelfRule } from './self-rule.ts';
import { isContextBound } from './liking-rule.ts';
import { hasContent } from '../clauses/trim-tail.ts';
import { WANTING } from '../clauses/verb-classes.ts';
import { isMedication } from '../../../language/health-words.ts';
import { joinTokens } from '../../../language/word-tokens.ts';

const LEAVING =
  /^(?:go|get going|get back|get ready|run|leave|head|be going|be off|say|ask|tell|admit|know|think|thank|check|look|see|be honest|agree|talk|chat|stop|wait|hear|let|be|try|do|apologize|apologise|catch|give it|confess|mention|meet|invite|show|send|introduce|join|come|share|make sure|keep|find out|figure|start looking|just|have|learn more|get some|get one|watch|work on)\b/;
const DATE_HINT =
  /\b(?:today|tonight|tomorrow|next|this (?:week|weekend|month|year|summer|winter|fall|spring|friday|saturday|sunday|monday)|in (?:a|an|one|two|three|four|five|six|\d+|the|january|february|march|april|may|june|july|august|september|october|november|december) ?\w*|on (?:monday|tuesday|wednesday|thursday|friday|saturday|sunday)|soon|later|by (?:monday|tuesday|wednesday|thursday|friday|saturday|sunday|the end|next|tomorrow)|(?:19|20)\d\d)\b/;

// What people ask an agent for; wanting it is a request, not a goal.
const DELIVERABLE =
  /^(?:an?|the|some|another|one|more|your) (?:\p{L}+ ){0,3}?(?:summary|list|draft|e-?mail|function|script|report|translation|answers?|examples?|table|code|image|logo|version|copy|explanation|outline|reply|response|way|solution|post|article|caption|title|poem|essay|letter|chart|review|feedback|suggestions?|ideas?|tips?|details|information|info|recommendations?)\b/u;

/** Wants, plans, hopes: goals of the speaker. */
export const wantingRule: SelfRule = (clause, setting) => {
  const { verb, rest, tense, modal, negated } = clause;
  const text = joinTokens(rest).toLowerCase();
  if (tense === 'progressive' || tense === 'perfectProgressive') return seeking(clause, setting, text);
  if (!WANTING.has(verb)) return null;
  if (modal !== null || !hasContent(rest)) return 'drop';
  if (
    verb === 'hope' ||
    verb === 'plan' ||
    verb === 'aim' ||
    verb === 'intend' ||
    verb === 'aspire' ||
    verb === 'long'
  ) {
    if (!/^(?:to|on)\b/.test(text)) return 'drop';
  }
  const act = text.replace(/^(?:to|on) /, '');
  if (
    /^(?:to|on) /.test(text) &&
    /^(?:see|hear|know|ask|say|tell|thank|talk|chat|go there|be able|check|try|hear more|learn more|meet|do|make sure|get to know|try (?:some|one))\b(?! (?:to|law|business|music|a doctor|(?:an?|my) (?:\p{L}+ )?(?:masters?|master's|phd|degree|mba|course|bachelor'?s?|internship|apprenticeship|marathon|triathlon)))/u.test(
      act,
    )
  )
    return 'drop';
  if (/^to (?:go|try|do|visit|learn|play|be|see|have|make|meet|come)$/.test(text)) return 'drop';
  if (DELIVERABLE.test(text) || /^(?:a |some )?(?:help|advice|change|good time)\b/.test(text) || isContextBound(rest))
    return 'drop';
  const past = tense === 'past' && !clause.adverbs.includes('always');
  if (past && !/^to (?:be|become)\b/.test(text)) return 'drop';
  // What is no longer wanted is no goal; it ends the one that was.
  if (negated && (clause.adverbs.includes('no longer') || /\bany ?more$/.test(text)))
    return draftOf(clause, setting, 'fact', 0.5);
  return {
    ...draftOf(clause, setting, 'goal', negated ? 0.55 : 0.7),
    ...(past ? { past: true as const } : {}),
    looksAhead: true,
  };
};

/** "I am looking for a job", "I am saving for a car", "I am thinking of moving". */
function seeking(clause: ParsedClause, setting: RuleSetting, text: string): ReturnType<SelfRule> {
  const { verb, rest, negated } = clause;
  if (!hasContent(rest) || isContextBound(rest))
    return WANTING.has(verb) || verb === 'look' || verb === 'think' ? 'drop' : null;
  if (
    verb === 'look' &&
    /^(?:for|to)\b/.test(text) &&
    !/^for(?:ward)? (?:some|something|a good|the)\b/.test(text) &&
    !/^forward\b/.test(text)
  )
    return { ...draftOf(clause, setting, 'goal', 0.8), looksAhead: true };
  if (verb === 'think' && /^(?:about|of) \p{L}+ing\b/u.test(text) && !negated)
    return { ...draftOf(clause, setting, 'goal', 0.45), confidence: 'low', looksAhead: true };
  if (
    /^(?:plan|hope|aim|save|train|apply|interview|prepare|strive|target)$/.test(verb) &&
    !/^(?:that|you)\b/.test(text)
  )
    return { ...draftOf(clause, setting, 'goal', 0.7), looksAhead: true };
  if (verb === 'dream' && /^(?:of|about)\b/.test(text))
    return { ...draftOf(clause, setting, 'goal', 0.6), looksAhead: true };
  if (
    verb === 'try' &&
    /^to \p{L}+ \p{L}+/u.test(text) &&
    !/^to (?:\p{L}+ )+(?:things|stuff|out|up|better)\b/u.test(text) &&
    !/^to (?:be|get|figure|decide|think|understand|say|find out)\b/.test(text)
  )
    return draftOf(clause, setting, 'goal', 0.6);
  return null;
}

/** "I should call the dentist", "I need to finish that report", "I'm going to …". */
export const intentionRule: SelfRule = (clause, setting) => {
  const { verb, rest, tense, modal, negated } = clause;
  const text = joinTokens(rest).toLowerCase();
  if (
    tense === 'progressive' &&
    verb === 'go' &&
    /^to \p{L}+/u.test(text) &&
    rest[1] !== undefined &&
    /^\p{Ll}/u.test(rest[1].text) &&
    !/^(?:the|an?|my|our|some|this|see|one)$/.test(rest[1].lower)
  )
    return planned(clause, setting, text.slice(3), negated);
  if (tense === 'future')
    return DATE_HINT.test(`${clause.lead} ${text}`.toLowerCase())
      ? planned(clause, setting, `${verb} ${text}`, negated)
      : 'drop';
  if (modal === 'should' || modal === 'must') return negated ? 'drop' : commitment(clause, setting, `${verb} ${text}`);
  if (modal !== null && modal !== 'can') return 'drop';
  const owes =
    (((verb === 'need' || verb === 'have') && tense === 'present') || (verb === 'get' && tense === 'perfect')) &&
    /^to \p{L}+/u.test(text);
  if (owes) return negated ? 'drop' : commitment(clause, setting, text.slice(3));
  return null;
};

function planned(clause: ParsedClause, setting: RuleSetting, act: string, negated: boolean): ReturnType<SelfRule> {
  if (negated || LEAVING.test(act) || !/ /.test(act) || !hasContent(clause.rest)) return 'drop';
  const draft = draftOf(clause, setting, 'intention', 0.5);
  return { ...draft, looksAhead: true, followUpDays: followUp(act) };
}

function commitment(clause: ParsedClause, setting: RuleSetting, act: string): ReturnType<SelfRule> {
  // A medicine that has to be taken is no errand.
  if (
    act.startsWith('take ') &&
    clause.rest.some(({ lower }) => isMedication(lower) || /^\d+(?:mg|mcg|ml)$/.test(lower))
  )
    return draftOf(clause, setting, 'fact', 0.7);
  if (LEAVING.test(act) || !/ /.test(act) || !hasContent(clause.rest)) return 'drop';
  const draft = draftOf(clause, setting, 'intention', 0.6);
  return {
    ...draft,
    predicate: `${clause.modal ?? (clause.verb === 'need' ? 'needs to' : 'has to')} ${draft.predicate.replace(/^(?:should|must|needs to|has to|has got to|has gotten to) /, '')}`,
    looksAhead: true,
    followUpDays: followUp(act),
  };
}

/** Small errands are asked about soon, long projects later. */
function followUp(act: string): number {
  if (/\b(?:today|tonight|tomorrow)\b/.test(act)) return 1;
  if (/\b(?:call|email|mail|text|reply|pay|buy|send|book|renew|pick up|submit|order|return)\b/.test(act)) return 3;
  return /\b(?:learn|write a book|lose weight|train|save|study|graduate|move|marathon|degree)\b/.test(act) ? 30 : 7;
}
