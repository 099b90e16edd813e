import { KINSHIP, PETS } from '../../../language/kinship.ts';
import type { ParsedClause } from '../clauses/parse-clause.ts';
import { renderPredicate } from '../clauses/render-predicate.ts';
import { confidenceOf, looksAhead, type RuleSetting } from './self-rule.ts';
import type { StatementDraft } from '../statement-draft.ts';
import { hasContent } from '../clauses/trim-tail.ts';
import { PASSING_ADJECTIVES, TALKING } from '../clauses/verb-classes.ts';
import { wordSet } from '../../../language/word-set.ts';
import { joinTokens } from '../../../language/word-tokens.ts';

const PASSING_NOUNS =
  wordSet(`day weekend week night morning evening point bad pleasure mistake apologies opinion guess question mind thoughts
  thought bet turn fault goodness god gosh condolences answer advice recommendation experience experiences feelings feeling
  understanding way heart kind type thing things stuff time favorite favourite problem hope reason impression condolence pick
  apology memory memories word luck conversation plan plans ideas idea`);
const LASTING_NOUNS =
  wordSet(`name job work hobby hobbies house home apartment car birthday hair eyes bedroom room business company shop store
  address email phone number salary degree major school college university hometown city country religion faith diet health
  budget deadline timezone profession occupation career passion dream goal height weight age team project product audience
  website blog channel favorite favourite language nickname wedding anniversary truck bike boat farm garden collection band
  nationality ethnicity zodiac sign skin allergies allergy condition disability income pronouns username handle stack office employer title role surname company zone town launch release event meeting conference campaign
  thesis dissertation shift editor shell phone laptop bank gym therapist contract flight appointment exam interview warehouse customers clients revenue mission`);
const GOAL_NOUNS = wordSet('goal dream ambition aim mission');
const LASTING_WORDS = wordSet(
  'tall short kind strict religious retired deceased dead divorced married vegan vegetarian allergic blind deaf disabled sick old young older younger italian irish mexican german french chinese',
);

// "Our busiest day is Saturday" is no passing day.
const NAMED_DAY = /^(?!(?:first|last|whole|best|worst|next) )\p{L}+ day\b/u;
const WEEKDAY = /\b(?:mon|tues|wednes|thurs|fri|satur|sun)days?\b/i;

/** "My sister works at Google": about the speaker's sister, never about the speaker. */
export function applyOwnedRules(clause: ParsedClause, setting: RuleSetting): StatementDraft | null {
  const { subject, rest, verb, modal, tense } = clause;
  if (subject.kind !== 'owned') return null;
  const isNamedDay = subject.noun === 'day' && NAMED_DAY.test(subject.phrase) && WEEKDAY.test(joinTokens(rest));
  if (
    PASSING_NOUNS.has(subject.noun) &&
    !isNamedDay &&
    subject.phrase.toLowerCase() !== 'blood type' &&
    !/favou?rite \p{L}/u.test(subject.phrase)
  )
    return null;
  if (/^(?:ones?|things?|parts?|aspect)$/.test(subject.noun)) return null;
  if ((modal !== null && modal !== 'can' && modal !== 'will') || (tense === 'future' && !KINSHIP.has(subject.noun)))
    return null;
  const favorite = /\bfavou?rite\b/i.test(subject.phrase);
  const kin = KINSHIP.has(subject.noun) || PETS.has(subject.noun);
  const worth = setting.toAgent === true && namesValue(clause);
  if (isOfInjury(clause)) return injuryDraft(clause, setting);
  if (!favorite && !kin && !worth && !isLasting(subject, verb)) return null;
  const age = /^(?:turn|be)$/.test(verb) && AGE.test(joinTokens(rest));
  if (!hasContent(rest) && !age && !/^(?:die|retire|smoke|drink|leave|visit|snore|quit|resign)$/.test(verb))
    return null;
  const advised = isAdvice(clause);
  if (TALKING.has(verb) && !ALSO_DONE.test(verb) && !advised) return null;
  if (verb === 'be' && !favorite && isPassing(clause, kin)) return null;
  if (verb === 'go' && /^to be (?:fine|ok|okay|alright|all right|great|good|so|there)\b/i.test(joinTokens(rest)))
    return null;
  if (!kin && !worth && tense === 'past' && !favorite && !LASTING_NOUNS.has(subject.noun)) return null;

  const past = tense === 'past' || tense === 'usedTo';
  return {
    type: advised
      ? 'fact'
      : favorite
        ? 'preference'
        : GOAL_NOUNS.has(subject.noun)
          ? 'goal'
          : kin
            ? 'personal'
            : 'fact',
    subject: `${possessive(setting.subject)} ${phraseOf(subject.phrase)}`,
    predicate: renderPredicate(clause, subject.plural),
    polarity: clause.negated ? 'negative' : 'positive',
    importance: advised ? 0.65 : favorite ? 0.55 : GOAL_NOUNS.has(subject.noun) ? 0.7 : kin ? 0.5 : 0.55,
    confidence: confidenceOf(clause),
    ...(looksAhead(clause) ? { looksAhead: true as const } : {}),
    ...(past && verb === 'be' ? { past: true as const } : {}),
  };
}

const CARERS = wordSet(
  'doctor gp dentist physio therapist cardiologist dermatologist surgeon nutritionist dietitian midwife',
);

/** "My doctor told me to avoid salt". */
function isAdvice({ subject, verb, rest, tense }: ParsedClause): boolean {
  return (
    subject.kind === 'owned' &&
    CARERS.has(subject.noun) &&
    (tense === 'past' || tense === 'perfect') &&
    /^(?:tell|ask|advise|warn|order)$/.test(verb) &&
    /^me (?:not )?to \p{L}+ (?!back\b|later\b)\p{L}/u.test(joinTokens(rest))
  );
}

// Verbs of talking that also say what happens: "is expecting a child", "got a job", "looks after us".
const ALSO_DONE = /^(?:get|call|come|expect|look|forget|wait)$/;
const AGE =
  /^(?:almost |nearly |only |just )?(?:\d{1,3}|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve)\b/;
const VALUE =
  /\d|\S\.\p{L}{2}|@|(?:^|\s)(?!I\b)\p{Lu}[\p{L}&]+|\b(?:monday|tuesday|wednesday|thursday|friday|saturday|sunday|january|february|march|april|june|july|august|september|october|november|december|tomorrow|next (?:week|month|year)|due|remote|warm|negative|positive|closed|open)\b/u;

/** "My exams start on the 12th of May", "our best seller is the Lemongrass Whip": a value that somebody may ask for. */
function namesValue({ rest, tense, verb, negated, modal }: ParsedClause): boolean {
  if (modal !== null || tense === 'usedTo') return false;
  if (verb === 'be') return (tense === 'present' || tense === 'past') && VALUE.test(joinTokens(rest));
  return !TALKING.has(verb) && !negated && VALUE.test(joinTokens(rest));
}

/** "Ana" → "Ana's"; a name in -s takes the same. */
export function possessive(name: string): string {
  return `${name}'s`;
}

const BODY =
  /^(?:wrists?|ankles?|knees?|back|shoulders?|foot|feet|legs?|arms?|hands?|neck|hips?|elbows?|fingers?|thumbs?|toes?|ribs?|eyes?|ears?|tooth|teeth|stomach|throat|achilles|hamstring|calf|jaw|nose)$/;
const WELL =
  /^(?:(?:all|completely|fully|finally|totally|much|now|back to) )*(?:fine|ok|okay|alright|right|better|healed|healthy|recovered|good|normal|well)(?: (?:again|now))$/;

const INJURED = /^(?:badly |slightly )?(?:broken|sprained|fractured|injured|torn|dislocated|infected)\b/;

/** "My wrist is broken", "my wrist is fine again": an injury, or its end. */
function isOfInjury({ subject, verb, rest, tense, negated, adverbs }: ParsedClause): boolean {
  if (subject.kind !== 'owned' || !BODY.test(subject.noun) || negated) return false;
  if (verb === 'heal') return tense === 'past' || tense === 'perfect';
  const text = joinTokens(rest).toLowerCase();
  return (
    verb === 'be' &&
    tense === 'present' &&
    (INJURED.test(text) || WELL.test(adverbs.includes('now') ? `${text} now` : text))
  );
}

function injuryDraft(clause: ParsedClause, setting: RuleSetting): StatementDraft | null {
  const { subject } = clause;
  if (subject.kind !== 'owned') return null;
  return {
    type: 'fact',
    subject: `${possessive(setting.subject)} ${phraseOf(subject.phrase)}`,
    predicate: renderPredicate(clause, subject.plural),
    polarity: 'positive',
    importance: 0.45,
    confidence: confidenceOf(clause),
  };
}

function phraseOf(phrase: string): string {
  return phrase.replace(/\bmy\b/g, 'their').replace(/\bI\b/g, 'they');
}

function isLasting(subject: { noun: string; phrase: string }, verb: string): boolean {
  return (
    LASTING_NOUNS.has(subject.noun) ||
    (verb === 'be' &&
      /\b(?:address|name|number|email|city|job|title|role|goal|dream|birthday|color|colour|size)\b/.test(
        subject.phrase,
      ))
  );
}

function isPassing(clause: ParsedClause, kin: boolean): boolean {
  const text = joinTokens(clause.rest).toLowerCase();
  if (
    /^(?:obsessed with|into|scared of|afraid of|terrified of|crazy about|good at|bad at|hard of|allergic to|pregnant)\b/.test(
      text,
    )
  )
    return false;
  if (/^(?:an?|the|from|in|at|my|named|called|\d+)\b/.test(text))
    return /^(?:a (?:lot|bit|little|great|good|big|mess|blast|pain|nice|wonderful)|the (?:best|same|worst|only))\b/.test(
      text,
    );
  const words = clause.rest.filter((word) => /\p{L}/u.test(word.text)).map((word) => word.lower);
  if (words.some((word) => LASTING_WORDS.has(word))) return false;
  return (
    kin &&
    !clause.negated &&
    words
      .slice(0, 3)
      .some(
        (word) =>
          (PASSING_ADJECTIVES.has(word) && !/^(?:in|on|at|from|by|with|always|never)$/.test(word)) ||
          /^(?:great|funny|sweet|cute|supportive|adorable|beautiful|lovely)$/.test(word),
      )
  );
}
