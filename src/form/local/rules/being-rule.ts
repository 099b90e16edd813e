import type { ParsedClause } from '../clauses/parse-clause.ts';
import { draftOf, type RuleSetting, type SelfRule } from './self-rule.ts';
import { hasContent } from '../clauses/trim-tail.ts';
import { PASSING_ADJECTIVES, VERB_ADVERBS } from '../clauses/verb-classes.ts';
import { isMedication } from '../../../language/health-words.ts';
import { isOccupation } from '../../../language/occupations.ts';
import { joinTokens } from '../../../language/word-tokens.ts';

const FAN =
  /^(?:such )?(?:a )?(?:really )?(?:(?:big|huge|massive|avid|real|die-?hard|great|fairly big|bigger|pretty big) )?(?:fan|lover|fanatic|enthusiast|sucker|addict) (?:of|for)\b/;
const PASSING_PHRASE =
  /^(?:a (?:little(?! (?:girl|boy|kid|child|person|old|lady|woman|man)\b)|bit|tad|lot|mess|wreck|few|good (?:listener )?time|fan$|big fan$|huge fan$)|an idiot|one of (?:those|them)|the (?:same|one|only one|opposite|type|kind)|of course|on (?:my|the) (?:way|phone|fence|same|couch|computer|go)|in (?:a (?:hurry|rush|good mood|bad mood)|the (?:mood|middle|same|process)|love|trouble|awe|shock|agreement|pain|bed|line|charge$)|at (?:home|work|the|least|a|my)|with (?:you|that)|up for|down for|for (?:real|sure)|like|just|here|there|your|so|into (?:it|that)|out of|behind|part of (?:it|that)|all (?:for|about|ears|set|over)|more of|not|too|as|going|about|over|off|back|from (?:there|here)$|a robot|an ai|what)\b/;
const LASTING_PREPOSITION =
  /^(?:from|originally from|in (?:the )?\S+ time ?zone|in (?:college|school|high school|middle school|grad school|graduate school|university|the (?:army|navy|military|marines|air force|process of)|an? (?:\p{L}+ ){0,2}(?:band|wheelchair|relationship|choir|marriage|sorority|fraternity|duo|trio|quartet|quintet|ensemble|orchestra|club|league|troupe|reading group|book club|house ?share|flat ?share|\p{L}+ (?:called|named))|(?:the|my|our) (?:\p{L}+ )?(?:\d+(?:st|nd|rd|th)|first|second|third|fourth|fifth|sixth|final|last|penultimate) (?:year|semester|term|month|trimester|week|season) of|my (?:\w+ )?(?:twenties|thirties|forties|fifties|sixties|seventies|\w+0s|\w+ year)|(?:first|second|third|fourth|fifth|sixth|seventh|eighth|ninth|tenth|eleventh|twelfth|\d+th) grade|real estate|sales|marketing|finance|insurance|construction|\w+ school|charge of)|on (?:permanent |mostly )?(?:nights|days|earlies|lates|(?:night|day|early|late) shifts?)(?!.*\b(?:this|next|today|tonight|tomorrow)\b)|on (?:a |the )?(?:\w+ )?(?:team|diet|medication|disability|vacation|holiday|holidays|leave|parental leave|maternity leave|sabbatical|squad|council|board)|into \p{L}+|against|allergic to|interested in|good at|bad at|great at|terrible at|terrified of|afraid of|scared of|fascinated by|passionate about|addicted to|obsessed with|married to|proud of my|close (?:to|with) my|studying|responsible for|keen on|fluent in|named|called|known as|engaged to|related to|new to)\b/u;

// Away for a time that is named.
const AWAY =
  /^(?:away|off|out of (?:the )?office|on holiday|on vacation|abroad|out of town|travelling|traveling)\b.*(?:\b\d|\b(?:next|until|till|from|between|in) (?:week|month|year|summer|january|february|march|april|may|june|july|august|september|october|november|december|monday|tuesday|wednesday|thursday|friday|saturday|sunday|christmas|easter))/;

// "I'm 5 minutes away", "two pages in".
const OFF_BY =
  /^(?:about |only |just |like )*(?:\d+|an?|one|two|three|four|five|ten|half an?) (?:minutes?|mins?|hours?|seconds?|blocks?|miles?|km|steps?|pages?|points?|days?|weeks?|stops?|chapters?) (?:away|late|early|behind|ahead|in|into|from|out|off|left)\b|^\d+ ?% (?:sure|certain|positive|done|there)\b/;

// "I'm literally dead", "I'm basically Batman": whoever says so is not.
const EXAGGERATING = new Set(['literally', 'basically', 'practically', 'virtually', 'figuratively']);

/** "I am …": what a person is, as far as it lasts. */
export const beingRule: SelfRule = (clause, setting) => {
  if (clause.verb !== 'be') return null;
  return being(withoutLeadingAdverbs(clause), setting);
};

function being(clause: ParsedClause, setting: RuleSetting): ReturnType<SelfRule> {
  const { tense, modal, rest } = clause;
  if (modal !== null || tense === 'future' || clause.verbText === 'being') return 'drop';
  if (clause.adverbs.some((adverb) => EXAGGERATING.has(adverb))) return 'drop';
  const text = joinTokens(rest).toLowerCase();
  if (FAN.test(text))
    return hasContent(rest.slice(rest.findIndex((word) => word.lower === 'of' || word.lower === 'for') + 1))
      ? draftOf(clause, setting, 'preference', 0.55)
      : 'drop';
  if (tense === 'usedTo') return !hasContent(rest) ? 'drop' : { ...draftOf(clause, setting, 'fact', 0.5), past: true };
  if (tense === 'past') return pastBeing(clause, setting, text);
  if (tense === 'perfect')
    return /^(?:to \p{L}|out of \p{L}|a |an |married|vegan|vegetarian|in |sober|diagnosed|divorced|single|with |at (?:the )?\p{L}.* (?:for|since) )/u.test(
      text,
    ) &&
      hasContent(rest) &&
      !/^(?:to (?:see|hear)|a (?:while|long|lot|few|pleasure|great|bit)|in (?:a|the) )/.test(text)
      ? draftOf(clause, setting, 'fact', 0.5)
      : 'drop';
  if (
    /^(?:now )?(?:on|off) /.test(text) &&
    rest.some(({ lower }) => isMedication(lower) || /^\d+(?:mg|mcg)$/.test(lower))
  )
    return draftOf(clause, setting, 'fact', 0.7);
  if (/^on \p{Lu}\p{Ll}+$/u.test(joinTokens(rest))) return draftOf(clause, setting, 'fact', 0.5);
  if (AWAY.test(text)) return { ...draftOf(clause, setting, 'fact', 0.55), looksAhead: true };
  if (PASSING_PHRASE.test(text) || OFF_BY.test(text) || !hasContent(rest)) return 'drop';
  if (/^(?:named|called) |^\p{Lu}[\p{L}'-]+$/u.test(joinTokens(rest))) return draftOf(clause, setting, 'personal', 0.7);
  if (/^\d{1,3}(?: years?| yrs?|$| and\b|,)/.test(text)) return draftOf(clause, setting, 'personal', 0.6);
  if (LASTING_PREPOSITION.test(text))
    return draftOf(
      clause,
      setting,
      /^(?:into |interested|fascinated|passionate|addicted|obsessed|keen)/.test(text)
        ? 'preference'
        : /^(?:from|in|on|studying|responsible|fluent)/.test(text)
          ? 'fact'
          : 'personal',
      0.55,
    );
  if (/^(?:an?|the|one of|also an?|his|her|\w+'s|my|our)\b/.test(text)) return identity(clause, setting, text);
  const first = rest[0]?.lower ?? '';
  if (PASSING_ADJECTIVES.has(first) || /(?:ing)$/.test(first)) return 'drop';
  if (/^(?:in|at|on|with|for|by|under|over|between|than)\b/.test(text)) return 'drop';
  return { ...draftOf(clause, setting, 'personal', 0.5), confidence: clause.hedged ? 'medium' : 'high' };
}

/** "I am really very tall": the adverbs belong to the verb group. */
function withoutLeadingAdverbs(clause: ParsedClause): ParsedClause {
  let count = 0;
  while (
    count < clause.rest.length - 1 &&
    VERB_ADVERBS.has(clause.rest[count]?.lower ?? '') &&
    /^(?!(?:and|or|but|in|at|on)$)[\p{L}\p{N}]/u.test(clause.rest[count + 1]?.text ?? '')
  )
    count += 1;
  return {
    ...clause,
    adverbs: [...clause.adverbs, ...clause.rest.slice(0, count).map((word) => word.lower)],
    rest: clause.rest.slice(count),
  };
}

function identity(clause: ParsedClause, setting: RuleSetting, text: string): ReturnType<SelfRule> {
  const passing =
    /^(?:an?|the) (?:\w+ )?(?:fan|bit|little(?! (?:girl|boy|kid|child|person|old|lady))|big believer|good (?:guess|idea|thing)|firm believer|long way|long time|busy|ways|nervous)\b|^my (?:own|fault)|^the (?:one|same|first|last|best|worst|kind|type|only)\b(?! (?:child|girl|boy|son|daughter|grandchild|person|youngest|oldest))/;
  if (passing.test(text)) return 'drop';
  const work =
    /^(?:what do you do|what is your (?:job|profession|occupation)|what kind of work|where do you work|do you work)/.test(
      setting.question,
    );
  return draftOf(clause, setting, work || isOccupation(text) ? 'fact' : 'personal', 0.65);
}

// "In Rome last week": where one was, and when.
const WAS_IN =
  /^(?:in|at) (?:the )?(?!January|February|March|April|May|June|July|August|September|October|November|December)\p{Lu}.* (?:last|on|in|ago|yesterday|this|over|from|for|two|three|a few)\b/u;

function pastBeing(clause: ParsedClause, setting: RuleSetting, text: string): ReturnType<SelfRule> {
  const where = `${joinTokens(clause.rest)} ${clause.lead.toLowerCase()}`;
  if (WAS_IN.test(where) && !clause.negated) return draftOf(clause, setting, 'episode', 0.45);
  const lasting =
    /^(?:born|raised|adopted|diagnosed|brought up|fired|laid off|promoted|hired|married|divorced|homeschooled|in (?:the (?:army|navy|military|marines|air force|war)|a band|\w+ school|college|school)|poor|bullied|an? |the (?:captain|director|head|manager|ceo|cto|lead|president|founder)|named|called|director|head|vice president|vp|ceo|cto|senior|lead|manager|engineer|software|product|homeless|elected|injured|robbed|abused|engaged|overweight|vegan|vegetarian|(?:chief|staff|principal|junior) )/;
  if (
    !lasting.test(text) ||
    /^an? (?:lot|bit|little|great|good|bad|blast|long|nice|wonderful|fun|amazing|tough|hard|kid|child|while|pleasure)\b/.test(
      text,
    )
  )
    return 'drop';
  return { ...draftOf(clause, setting, 'fact', 0.6), past: true };
}
