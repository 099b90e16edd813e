import type { ParsedClause } from '../clauses/parse-clause.ts';
import { draftOf, type RuleSetting, type SelfRule } from './self-rule.ts';
import { isContextBound } from './liking-rule.ts';
import { hasContent } from '../clauses/trim-tail.ts';
import { EVENTFUL, PASSING, SKILLS, TALKING } from '../clauses/verb-classes.ts';
import { PETS } from '../../../language/kinship.ts';
import { LANGUAGES } from '../../../language/languages.ts';
import { DATE_VALUE } from '../clauses/read-plain.ts';
import type { StatementDraft } from '../statement-draft.ts';
import { wordSet } from '../../../language/word-set.ts';
import { joinTokens } from '../../../language/word-tokens.ts';

const COMPLETE_ALONE = wordSet(
  'smoke drink travel read cook paint swim dance sing volunteer exercise farm garden fish hunt surf ski knit sew code run jog hike bike meditate drive teach diet write bake box snore vape stutter camp sculpt',
);
const FORMATIVE = wordSet(
  'graduate retire study work live serve grow raise volunteer teach marry divorce major move quit adopt move own join found start drop',
);
const LASTING_PROGRESS = wordSet(
  'work study live train learn switch migrate save write plan try read raise teach take build run major attend volunteer pursue date interview apply recover move play grow coach start finish renovate prepare develop launch practice practise manage expect stay rent go see make collect sell lead drive',
);
// "I go a few times a week": where to, only the talk before says.
const AIM = /^(?:to|\p{L}+ing|on|for|out|by|back|through|into|over|there)\b/u;
const VAGUE =
  /^(?:on (?:it|that|my own|some|something)|to|in|out|up|back|well|a lot|alot|hard|a little|a bit|so|too|very|it|that|some things|stuff|things|something|anything|everything|all|my best|sense|sure|fine|great|good|mistakes|home|away|by|as|with|for|part|place|care|time|a break|the time|the best|the same|better|there|forward|crazy|nothing|any|much|fun of|friends|off|down)(?:$| (?:of|to(?! (?:work|school|uni|university|college|class|full-time|part-time)\b)|about|if|whether)\b)/;
const HABITUAL =
  /\b(?:always|usually|often|sometimes|never|rarely|every|daily|weekly|regularly|constantly|occasionally|frequently|once|twice|times|weekends|mornings|most|typically|normally|currently|since|for \w+ (?:years|months))\b/;
const DATED =
  /\b(?:yesterday|ago|last|this (?:morning|week|weekend|month|year|summer|afternoon)|today|tonight|in (?:\w+ )?(?:19|20)\d\d|in (?:january|february|march|april|may|june|july|august|september|october|november|december)|recently|on (?:monday|tuesday|wednesday|thursday|friday|saturday|sunday)|(?:19|20)\d\d|when i was|just|finally|for (?:a|\w+) (?:years|months|weeks|decade)|since|at (?:the age|age)|growing up)\b/;

// Whom one worked for is known although it is "the firm".
const LEAVES =
  /^(?:quit|leave|join|sell) .*\b(?:job|house|flat|apartment|car|van|boat|farm|firm|company|team|agency|army|navy|practice|band|university|school|pub|shop|restaurant|hospital|startup|pharmacy|bank|business)\b/;

const CANCELS = /^cancel (?:the|my|our|all|an?) \p{L}/u;
// "I'm not going to Denver after all": what was planned is not.
const CALLED_OFF =
  /^(?:learn|study|play|train|see|date|use|run|work|eat|drink|go|fly|travel|move|come|drive|visit|attend|do|take|switch|stay|buy|sell)$/;

// "I gave up on the idea of writing a book", "I dropped my plan to move".
const GIVES_UP =
  /^(?:give up (?:on (?:the|my|our|\p{L}+ing)|my|the|\p{L}+ing)\b|(?:abandon|drop|scrap|shelve|ditch) (?:the|my|our) (?:idea|plans?|dream|goal)\b)/u;

const PLACE_NAME =
  '(?!(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day|I\\b|January|February|March|April|May|June|July|August|September|October|November|December)\\p{Lu}';
const TRAVELS = new RegExp(
  `^(?:(?:fly|travel|sail)(?: back| out| over| home)? (?:to|from)|leave for|visit|(?:drive|cycle|head|return|come)(?: back| out| over| home| up| down)? (?:to|from)(?=.* (?:today|tonight|tomorrow|next|this|on|in|until|for)\\b))(?: the)? ${PLACE_NAME}`,
  'u',
);
const RETURNED = new RegExp(
  `^(?:come|get|return|fly)(?: (?:back|home))* from (?:(?:the|my|our|an?) (?:\\p{L}+ ){0,3}?(?:trip|holiday|vacation|journey|visit|conference|honeymoon|tour)\\b|(?:the )?${PLACE_NAME})`,
  'u',
);
// What one is doing at a time that is named, one plans; what one is thinking then is talk.
const NO_PLAN = wordSet(
  'think guess hope wonder look wait feel talk chat ask tell say kid joke assume imagine try worry struggle mean wish laugh die sit be sound need want like expect work study live major teach date raise attend volunteer coach rent',
);
const FEAST =
  /\b(?:for|over|at|until|before|after|around) (?:the )?(?:christmas|xmas|easter|thanksgiving|new year(?:'s)?|eid|ramadan|diwali|hanukkah|passover|tet|lunar new year|holidays|half[- ]term|spring break|summer|winter)\b/i;
const AT_HAND =
  /\b(?:today|tonight|right now|at the moment|since|married|engaged|divorced|puppy|kitten|dog|cat|this (?:morning|afternoon|evening)|it|that|these|those)\b/i;
const STUDIES =
  /^(?:an?|my|the) (?:[\p{L}'-]+ ){0,3}?(?:course|degree|ma|msc|mba|phd|bsc|ba|masters?|master's|bachelors?|bachelor's|doctorate|apprenticeship|internship|residency|diploma|placement|a-levels|traineeship)\b|^(?:a-levels|gcses)\b/iu;
const BOOKED = /^(?:book|reserve|register|schedule|enrol|enroll) |^sign up for /;
const A_JOB =
  /^an? (?:[\p{L}-]+ ){0,3}?(?:job|role|position|gig|apprenticeship|internship|placement) (?:at|as|in|with|for)\b/u;
const TOOLS =
  /^(?:python|javascript|typescript|java|rust|go|golang|c|c\+\+|c#|\.net|ruby|php|sql|html|css|react|vue|angular|svelte|node(?:\.js)?|swift|kotlin|scala|haskell|elixir|erlang|clojure|perl|r|matlab|julia|lua|dart|flutter|excel|photoshop|illustrator|figma|docker|kubernetes|terraform|aws|azure|linux|git|django|flask|rails|laravel|latex|bash|powershell|cobol|fortran|blender|autocad|solidworks|sign language|braille|morse code)$/;
// "I read a lot of science fiction" says what of; "I do a lot of things" does not.
const MUCH =
  /^present (?:read|watch|eat|drink|play|cook|write|listen to|bake|paint|drive|run) (?:a lot|lots) of (?!(?:things|stuff|it|time|people|fun)\b)\p{L}/u;
const SUM = /^the (?:[$€£] ?\d|\d[\d.,]*k? ?(?:€|\$|£|euros?|dollars?|pounds?|bucks|eur|usd|gbp)\b)/;

/** Every other verb: habits, skills, work and home, what happened. */
export const doingRule: SelfRule = (clause, setting) => {
  const { verb, rest, tense, modal, negated } = clause;
  const text = joinTokens(rest).toLowerCase();
  if (isPlanned(clause) || (tense === 'progressive' && verb === 'do' && !negated && STUDIES.test(text)))
    return { ...draftOf(clause, setting, verb === 'do' ? 'fact' : 'context', 0.5), looksAhead: true };
  const around = `${clause.lead} ${clause.adverbs.join(' ')} ${text}`.toLowerCase();
  if (modal === 'can') return skill(clause, setting, text);
  if (
    modal !== null ||
    verb === 'be' ||
    verb === 'have' ||
    (isContextBound(rest) &&
      !SUM.test(text) &&
      !(tense === 'past' && (DATED.test(around) || LEAVES.test(`${verb} ${text}`) || CANCELS.test(`${verb} ${text}`))))
  )
    return 'drop';
  // "I'm eating meat again", "I'm smoking again": what had ended goes on.
  if (
    tense === 'progressive' &&
    !negated &&
    /^(?:eat|drink|smoke|run|train|drive|cycle|swim|play|vape)$/.test(verb) &&
    /(?:^| )again(?:$| )/.test(`${text} ${clause.adverbs.join(' ')}`)
  )
    return draftOf(clause, setting, 'fact', 0.5);
  const aimless = verb === 'go' && !AIM.test(text);
  if (tense === 'usedTo')
    return !aimless && (hasContent(rest) || (rest.length === 0 && COMPLETE_ALONE.has(verb)))
      ? { ...draftOf(clause, setting, 'fact', 0.5), past: true }
      : 'drop';
  if (verb === 'expect' && tense === 'progressive' && /\b(?:baby|child|twins|boy|girl|son|daughter)\b/.test(text))
    return { ...draftOf(clause, setting, 'personal', 0.75), looksAhead: true };
  if (verb === 'get' && tense === 'progressive' && /^(?:married|divorced|engaged)\b/.test(text))
    return { ...draftOf(clause, setting, 'personal', 0.7), looksAhead: true };
  if (verb === 'get' && tense === 'progressive' && !negated && rest.some(({ lower }) => PETS.has(lower)))
    return { ...draftOf(clause, setting, 'personal', 0.6), looksAhead: true };
  const going = travels(clause, setting);
  if (going !== null) return going;
  if (knows(clause, text)) return draftOf(clause, setting, 'fact', 0.5);
  if (
    TALKING.has(verb) &&
    !(verb === 'get' && tense !== 'present') &&
    !(verb === 'come' && /^from\b/.test(text)) &&
    !(verb === 'call' && tense === 'past') &&
    !(verb === 'see' && tense === 'past') &&
    !(verb === 'get' && /^(?:up (?:at|early)|migraines|paid)/.test(text)) &&
    !(verb === 'look' && /^(?:after|like my)\b/.test(text))
  )
    return 'drop';
  if (/\b(?:something|somewhere|someone)\b|^(?:on |with )?one (?:from|of|more)\b/.test(text)) return 'drop';
  if (
    VAGUE.test(text) &&
    !MUCH.test(`${tense} ${verb} ${text}`) &&
    !(verb === 'break' && tense === 'past') &&
    !(HABITUAL.test(around) && / /.test(text))
  )
    return 'drop';
  if (/^(?:stop|quit)$/.test(verb) && (tense === 'past' || tense === 'perfect') && /^\p{L}+ing\b/u.test(text))
    return { ...draftOf(clause, setting, 'fact', 0.6), polarity: 'negative' };
  if (GIVES_UP.test(`${verb} ${text}`) && (tense === 'past' || tense === 'perfect') && !negated && hasContent(rest))
    return { ...draftOf(clause, setting, 'fact', 0.5), polarity: 'negative' };
  if (
    tense === 'progressive' &&
    negated &&
    CALLED_OFF.test(verb) &&
    (/\b(?:after all|any ?more)\b/.test(around) || clause.adverbs.includes('no longer')) &&
    hasContent(rest)
  )
    return { ...draftOf(clause, setting, 'fact', 0.5), polarity: 'negative' };
  if (CANCELS.test(`${verb} ${text}`) && (tense === 'past' || tense === 'perfect'))
    return draftOf(clause, setting, 'fact', 0.5);
  switch (tense) {
    case 'present':
      return present(clause, setting, text);
    case 'progressive':
      return LASTING_PROGRESS.has(verb) &&
        !PASSING.has(verb) &&
        hasContent(rest) &&
        !/^(?:on it|out|to (?:get|be|do))\b/.test(text) &&
        !(
          verb === 'go' &&
          !/^to \p{Lu}|\b(?:today|tonight|tomorrow|next|this|on \p{Lu}\p{L}+day)\b/u.test(joinTokens(rest))
        ) &&
        !negated
        ? {
            ...draftOf(clause, setting, lasting(verb) ? 'fact' : 'context', lasting(verb) ? 0.6 : 0.45),
            ...(verb === 'move' || verb === 'go' ? { looksAhead: true as const } : {}),
          }
        : 'drop';
    case 'perfect':
    case 'perfectProgressive':
      return perfect(clause, setting, text, around);
    case 'past':
      return happened(clause, setting, around);
    default:
      return 'drop';
  }
};

/** "I'm giving a talk in Naples in May", "we're repainting the kitchen next weekend". */
function isPlanned({ verb, rest, tense, negated, modal, lead }: ParsedClause): boolean {
  if (tense !== 'progressive' || negated || modal !== null || NO_PLAN.has(verb) || !hasContent(rest)) return false;
  const said = `${joinTokens(rest)} ${lead}`;
  return (
    (DATE_VALUE.test(said) || FEAST.test(said)) && !AT_HAND.test(said) && /\p{L}{3}/u.test(said.replace(DATE_VALUE, ''))
  );
}

/** "I'm flying to Tokyo next week", "I came back from the trip to Japan". */
function travels(clause: ParsedClause, setting: RuleSetting): StatementDraft | null {
  const { verb, rest, tense, negated } = clause;
  if (negated) return null;
  const text = joinTokens(rest);
  if (tense === 'progressive' && TRAVELS.test(`${verb} ${text}`))
    return { ...draftOf(clause, setting, 'context', 0.5), looksAhead: true };
  const returned = (tense === 'past' || tense === 'perfect') && RETURNED.test(`${verb} ${text}`);
  return returned ? draftOf(clause, setting, 'episode', 0.45) : null;
}

const HOW_WELL =
  /^(?:(?:both|also|only|just) )?(?:(?:some|a (?:bit|little)(?: of)?|a few words of|basic|conversational|fluent|enough|very little|rudimentary|school) )?(?=\S)/;

/** "I know Python", "I know German and a bit of French", "I know how to sail"; whom one knows is talk. */
function knows({ verb, tense, negated, rest }: ParsedClause, text: string): boolean {
  if (verb !== 'know' || tense !== 'present' || negated) return false;
  if (/^how to \p{L}{3,}/u.test(text))
    return hasContent(rest.slice(2)) && !/^how to (?:do|get|make|feel|use)\b/.test(text);
  return text
    .split(/,? and |, | or /)
    .map((each) => each.replace(HOW_WELL, ''))
    .every((name) => TOOLS.test(name) || LANGUAGES.has(name));
}

function lasting(verb: string): boolean {
  return /^(?:work|study|live|major|teach|date|raise|attend|volunteer|coach|rent)$/.test(verb);
}

function present(clause: ParsedClause, setting: RuleSetting, text: string): ReturnType<SelfRule> {
  const { verb, rest, negated } = clause;
  if (verb === 'do' && (!hasContent(rest) || /^(?:not|well|my best|some|a (?:lot|little|bit|few)|all)\b/.test(text)))
    return 'drop';
  if (verb === 'need' || verb === 'find' || verb === 'give' || verb === 'make')
    return verb === 'make' &&
      hasContent(rest) &&
      !/^(?:sure|sense|a (?:point|difference|mistake|good|great)|my own (?:decisions|choices)|friends|me|people|mistakes|decisions|time)\b/.test(
        text,
      )
      ? draftOf(clause, setting, 'fact', 0.45)
      : 'drop';
  if (
    !hasContent(rest) &&
    !(rest.length === 0 && COMPLETE_ALONE.has(verb)) &&
    !(COMPLETE_ALONE.has(verb) && /^(?:a lot|too much|every day|any ?more|often|regularly)$/.test(text))
  )
    return 'drop';
  if (verb === 'go' && !AIM.test(text)) return 'drop';
  if (negated && /^(?:really |even )?(?:agree|blame|judge|worry|regret|care)/.test(verb)) return 'drop';
  return draftOf(
    clause,
    setting,
    'fact',
    /^(?:work|live|study|own|speak|teach|run|attend|volunteer|suffer)$/.test(verb) ? 0.7 : 0.5,
  );
}

function skill(clause: ParsedClause, setting: RuleSetting, text: string): ReturnType<SelfRule> {
  if (!SKILLS.has(clause.verb) || (clause.rest.length > 0 && !hasContent(clause.rest)) || VAGUE.test(text))
    return 'drop';
  const draft = draftOf(clause, setting, 'fact', 0.5);
  return { ...draft, predicate: draft.predicate.replace(/^can not /, 'cannot ') };
}

function perfect(clause: ParsedClause, setting: RuleSetting, text: string, around: string): ReturnType<SelfRule> {
  const { verb, rest, negated } = clause;
  if (
    /^(?:hear|think|see|notice|mean|feel|do|try|talk|tell|find|say|have|know|consider|wonder|hope|wait|look|meet|forget)$/.test(
      verb,
    ) &&
    !(verb === 'see' && rest.some((word, index) => index > 0 || /^\p{Lu}/u.test(word.text)) && !negated) &&
    !(verb === 'try' && negated) &&
    !(verb === 'know' && /^how\b/.test(text))
  )
    return 'drop';
  if (!hasContent(rest))
    return clause.tense === 'perfectProgressive' && /^(?:since|for)\b/.test(text)
      ? draftOf(clause, setting, 'fact', 0.5)
      : 'drop';
  if (
    verb === 'get' &&
    !/\b(?:dog|cat|job|tattoo|divorce|promotion|degree|puppy|kitten|house|car|married|divorced|engaged)\b/.test(text)
  )
    return 'drop';
  if (/^(?:want|love|like|enjoy|hate|dream)$/.test(verb)) return null;
  return draftOf(clause, setting, 'fact', HABITUAL.test(around) ? 0.5 : 0.45);
}

function happened(clause: ParsedClause, setting: RuleSetting, around: string): ReturnType<SelfRule> {
  const { verb, rest, negated } = clause;
  if (/^(?:talk|chat|speak)$/.test(verb) && !/^(?:about|at)\b/.test(joinTokens(rest))) return 'drop';
  if (verb === 'break' && /^up\b/.test(joinTokens(rest))) return draftOf(clause, setting, 'personal', 0.6);
  if (
    verb === 'get' &&
    /^(?:an? [A-F][+-]?\b|a first\b|\d[\d.,]* ?(?:%|\/|out of|points|percent))/.test(joinTokens(rest))
  )
    return draftOf(clause, setting, 'episode', 0.5);
  if (verb === 'get' && A_JOB.test(joinTokens(rest))) return draftOf(clause, setting, 'fact', 0.6);
  if (verb === 'pay' && /^off (?:my|our|the) \p{L}/u.test(joinTokens(rest)))
    return draftOf(clause, setting, 'episode', 0.5);
  if (verb === 'end' && /^up \p{L}+ing .*\p{L}{3}/u.test(joinTokens(rest)) && hasContent(rest.slice(2)))
    return draftOf(clause, setting, 'episode', 0.45);
  if (!EVENTFUL.has(verb) && !DATED.test(around)) return 'drop';
  if (
    !hasContent(rest) &&
    !(FORMATIVE.has(verb) && rest.length > 0 && DATED.test(around)) &&
    !/^(?:retire|quit|graduate)$/.test(verb)
  )
    return 'drop';
  if (FORMATIVE.has(verb))
    return {
      ...draftOf(clause, setting, 'fact', 0.6),
      ...(/^(?:work|live|study|serve|teach|volunteer)$/.test(verb) ? { past: true as const } : {}),
    };
  if (negated)
    return DATED.test(around) || /^(?:graduate|finish|go)$/.test(verb) ? draftOf(clause, setting, 'fact', 0.4) : 'drop';
  if (
    /^(?:make|get|give|find|put|take|see|meet|try|leave|come|set|turn|show|use|bring|have|change)$/.test(verb) &&
    !DATED.test(around) &&
    !LEAVES.test(`${verb} ${joinTokens(rest).toLowerCase()}`) &&
    !/\b(?:dog|cat|job|tattoo|car|house|degree|puppy|kitten|test|surgery|\p{Lu}\p{L}+)\b/u.test(joinTokens(rest))
  )
    return 'drop';
  return {
    ...draftOf(clause, setting, 'episode', DATED.test(around) ? 0.5 : 0.4),
    // What one has booked is to come.
    ...(BOOKED.test(`${verb} ${joinTokens(rest)}`) ? { looksAhead: true as const } : {}),
  };
}
