import { LANGUAGES } from '../../../language/languages.ts';
import { analyseVerb } from '../../../language/verb-forms.ts';
import { withoutAskingLeadIn } from '../clauses/without-lead-in.ts';
import { instructionTopic } from '../slots/instruction-topic.ts';
import type { StatementDraft } from '../statement-draft.ts';
import { asThirdPerson } from './as-third-person.ts';
import { isAtHand, isOfAgentsWork } from './of-agents-work.ts';

const MAY_WISH =
  /\b(?:always|never|not|don'?t|stop|keep|back|switch|no|calls? me|from now on|future|going forward|as a rule|in general|by default|every|each|all|everything|whenever|you|be|use|answer|reply|repl(?:y|ies)|respond|responses?|answers?|write|speak|sign|skip|avoid|spell|round|please|pls|fine|again|should|must|rather|give|show|text|book|call|explain|address|treat|without|shorter|longer|fewer|less|scrap|drop|lose|ditch|cut|leave|spare|enough|forget|done|instead|better|nicer|prefer|need|want|more|like|cancel|turn)\b/i;
const STANDING =
  /,? ?\b(?:from now on(?:wards)?|from here on|in (?:the )?future|going forward|for (?:all )?future \w+|as a rule|in general|every time|by default|at all times|permanently|ever again|forever|any ?more|until i say otherwise)\b,?|,? ever$/i;
const POLITE =
  /,? ?(?:\b(?:please|pls|plz|thanks|thank you|ok\?|okay\?|if (?:you can|possible|you don't mind)|btw|by the way)\b,?|[!.?]+$)/gi;
const ONCE =
  /\b(?:this (?:time|once|one|mail|email|post|draft|text|letter|message|reply|answer|function|code|paragraph|sentence|section|part|version)|just once|for now|for this|for today|today|tonight|here|above|below|the following|these|those|now)\b/i;
// "…, I go to church then": why, or something else.
const POINTS = /\b(?:this|it|again|yet)\b|\bthat\b(?! (?:is|are|has|have|\p{L}+s)\b)/iu;
const REASON =
  /,? (?=because\b)|[,;] (?=(?:i|i'm|i've|i'd|my|we|it|it's|they|he|she|since|as|so|that's|nobody|everyone|only (?:my|the|people))\b)/i;
const ACT =
  '(?:use|write|add|include|send|call|give|make|answer|reply|respond|speak|talk|format|start|begin|end|open|close|sign|mention|put|keep|ask|suggest|recommend|show|provide|explain|summari[sz]e|translate|address|avoid|remind|schedule|book|post|publish|assume|apologi[sz]e|repeat|round|cite|list|tell|stick|confirm|check|delete|share|refer|be|stay|sound|promise|praise|flatter|sugarcoat|lecture|quote|spell|treat|text|email|message|ping|skip|offer|propose|bring|say|plan|order|wake|notify|charge|sell|forward|copy|cc|flag|archive|interrupt|correct|push|judge|patronise|patronize|ramble|waffle|swear|joke|greet|thank|do|let(?!.s| us)|finish|wrap|lead|bother|compliment|simplify|shorten|prefer|number|capitali[sz]e|abbreviate|bold|nag)';
const BEGINS_WISH = `(?:please |pls |plz |always |never |don't |do not |dont |no |stop |avoid |skip |${ACT} )`;
const NEXT_WISH = new RegExp(
  `(?:,|;| -)? (?:and |but |so |also |then |plus )+(?=${BEGINS_WISH})|[,;] (?=(?:please |pls |don't |do not |never |always |no |stop |avoid )[a-z]|(?:i|we)(?:'d| would) (?:rather|prefer)\\b|[a-z' -]{3,40}? (?:(?:would be|is|are) (?:better|nicer|easier)|instead)\\b)`,
  'i',
);
const WORKS =
  '(?:answers?|repl(?:y|ies)|responses?|e-?mails?|messages?|posts?|texts?|explanations?|summar(?:y|ies)|reports?|drafts?|letters?|captions?|suggestions?|recipes?|lists?|sentences?|paragraphs?|tone|style|language|everything|output|code|comments?|notifications?|reminders?)';
const QUALITY =
  '(?:blunt|brief|briefer|concise|honest|direct|formal|informal|casual|polite|friendly|friendlier|kind|nice|gentle|critical|strict|patient|funny|serious|short|shorter|long|longer|clear|precise|specific|professional|encouraging|tough|straight|succinct|simple|simpler|detailed|warm|warmer|quick|positive|plain|neutral|low-key|light|chatty|creative|to the point|sparing|careful)';

const CALL_ME =
  /^(?:(?:[Yy]ou can|[Yy]ou may|[Jj]ust|[Ee]veryone|[Pp]eople|[Ff]riends|my friends) )*(?:please )?[Cc]alls? me (\p{Lu}[\p{L}'-]+)\b(?!'s)/u;
const UNWANTED = new RegExp(
  `^(?:do not|don't|dont|never|not|please not|didn't|did not|to not|not to) (?:ever |always )?(${ACT}\\b.{2,140})$`,
  'i',
);
const STOP = /^(?:to )?(?:stop|quit) (\p{L}+ing)\b ?(.{0,140})$/iu;
const ALWAYS = new RegExp(`^(always|never) (${ACT}\\b.{1,140})$`, 'i');
const AVOID = /^(?:avoid|skip|leave out|spare me) (?:the |all |any |using |your )*(.{3,80})$/i;
// Said of many things: a wish only where it speaks of how the agent works.
const REVOKE =
  /^(?:(?:let's|lets|let us|can we|could we|we can|you can|you may|i think we can) (?:just |please )?)?(?:scrap|cancel|turn off|drop|cut(?: out)?|lose|ditch|forget(?: about)?|stop(?: it)? with|enough (?:with|of)|no more of|done with|get rid of|do away with|lay off|ease off|go easy on|tone down|never mind|skip|leave out|i'm (?:done|finished) with|i(?:'ve| have) had enough of|i'm over|(?:there's |there is )?no need for|i (?:no longer|don't|do not) (?:need|want)) (?:(?:the|my|all|any|using|your|those|these|of) )*([\p{L}][\p{L}' -]{2,50}?)(?: any ?more| already| altogether| entirely)*(?:, .*)?$/iu;
const RATHER =
  /^(?:(?:i|we)(?:'d| would) (?:much )?(?:rather|prefer)(?: to)?(?: have| get| see| read)?|(?:let's |lets |can we |please )?(?:go |switch |change )(?:back )?to|back to|bring back)(?: the)? ([\p{L}][\p{L}' -]{2,50}?)(?: (?:instead|again|please|over|than|to|rather than|instead of|not)\b.*)?$/iu;
const WANTED_BACK = /^i (?:want|need) (?:the |my )?([\p{L}][\p{L}' -]{2,50}?) (?:again|back|instead)$/iu;
const LIKE = /^(?:i|we)(?:'d| would) like ([\p{L}][\p{L}' -]{2,50})$/iu;
const LESS = /^((?:less|fewer) [\p{L}][\p{L}' -]{2,40})$/iu;
const BETTER =
  /^((?!it\b|that\b|this\b)[\p{L}][\p{L}' -]{2,50}?)(?: (?:would be (?:better|nicer|easier|nice|good|great|best)|(?:is|are|work|works|would work) (?:better|nicer|easier|best))(?: for me)?| instead(?: of [\p{L}' -]{3,40})?|,? not [\p{L}' -]{3,40})(?: instead)?$/iu;
const KEEP = new RegExp(
  `^keep (it|them|things|(?:all |your |the |my )*${WORKS}) ((?!going|up|on\\b|in mind|coming)[^.!?]{2,100})$`,
  'i',
);
const PLAIN = new RegExp(`^(${ACT}\\b.{1,140})$`, 'i');
const NO_THING =
  /^no (?:more )?(?!.* (?:for|until|till) (?:now|(?:the )?next|an?|one|two|three|four|five|six|seven|eight|nine|ten|\d+)\b)((?!me\b|problem|worries|thanks|thank|idea|way|wonder|doubt|need|one|pun|i\b|it\b|that|the|but|not|matter|rush|pressure|luck|kidding|longer|big deal|biggie|sorry|wait|way|joke|lie|cap|dice|fair|actually|seriously|really|hurry|offen[cs]e|clue|thing|more$|chance|comment|surprise|stress|shame)[a-z][a-z'-]*(?: [a-z'-]+){0,3}?)$/i;
const SHOULD_BE = new RegExp(
  `^(?:all |your |my |the )*(${WORKS}) (?:should|must|need to|have to|has to|needs to|ought to) (?:always |never )?(?:be |stay |have |use |contain |include |come )?(.{3,100})$`,
  'i',
);
const MORE_OF = new RegExp(
  `^((?:(?:much|a bit|slightly|way) )?(?:shorter|longer|fewer|less|more|simpler|brief|short|long|detailed|concise|warmer|bigger) (?:[a-z]+ ){0,2}?${WORKS})$`,
  'i',
);
const FRAMES: readonly RegExp[] = [
  /^(?:can|could|would|will) (?:you|u) (?:please |pls |maybe |also |kindly )*(.+)$/i,
  /^i(?:'d| would) (?:rather|prefer)(?: it)?(?: that| if)? you (?:would )?(.+)$/i,
  /^i (?:want|need|would like|expect|prefer) you to (.+)$/i,
  /^i'd like you to (.+)$/i,
  /^(?:it would be|it'd be) (?:great|nice|good|better|helpful) if you (?:could )?(.+)$/i,
  /^(?:make sure|remember|try|be sure)(?: that)?(?: you)?(?: to)? (.+)$/i,
  /^you (?:should|must|need to|have to) (.+)$/i,
  /^you (don't|do not|never) (?:need|have) to (.+)$/i,
];
const ALLOWED = [
  /^(?:you (?:can|may)|feel free to) (?:start )?(?:use|using|write|add|include|send|suggest|recommend|give|make|be) (.{2,60}?) again$/i,
  /^([a-z][a-z' -]{2,40}?) (?:is|are) (?:totally |perfectly |absolutely |all )?(?:fine|ok|okay|allowed|good|welcome)(?: (?:with|by|for) me)? (?:again|now|after all)$/i,
  /^(?:you (?:can|may)|feel free to) (?:go |switch |change |come )?back to (?:(?:the|your|using|giving me|writing) )*([\p{L}][\p{L}' -]{3,50}?)(?: again| now)?$/iu,
  /^(?:you (?:can|may)|feel free to) (?:again )?(use (?:emojis?|bullet points|bullets|abbreviations|markdown|tables?))$/i,
] as const;

// What an agent does again and again: asked for in general, it is meant for every time.
const STYLE: readonly RegExp[] = [
  new RegExp(
    `^(?:be|stay|sound) (?:(?:more|less|a bit|very|as|always|really|super|completely|totally|brutally) )*${QUALITY}\\b`,
    'i',
  ),
  /^use (?:(?:only|more|fewer|less|simple|short|shorter|plain|proper|british|american|uk|us|metric|imperial|easy|the|my|a|an|24-hour|24h|full|first|last|lower ?case|clear|dry|formal|informal|gender-neutral|inclusive|oxford) )*(?:units?|spelling|english|words?|sentences|language|bullets?|bullet points|lists|emojis?|headings|headers|markdown|tables|examples|tabs|spaces|paragraphs|humou?r|dates?|currency|celsius|fahrenheit|kilomet(?:re|er)s|names?|system|clock|commas?|time|pronouns|format)\b/i,
  /^(?:answer|reply|respond|write|speak|talk)(?: to me| me| back)? (?:only |always )?(?:in|with) (?!the\b|this|that|my|a (?:poem|letter|list|mail|email))\S/i,
  /^(?:sign|end|start|begin|open|close|finish) (?:all |every |your |my |each |the )*(?:off )?(?:replies|e-?mails|messages|answers|letters|posts|responses)\b/i,
  /^(?:give|show|quote|list|write|put|state|tell)(?: me)? (?:all |the |any )?(?:(?!first|second|last|next|same)\p{L}+ )?(?:prices?|dates?|times?|amounts?|numbers|distances?|temperatures?|weights?|measurements?|code|results|sources)(?: to me)? (?:in|as|first|with)\b/iu,
  /^(?:text|email|message|ping) me\b/i,
  /^(?:book|schedule|plan|suggest|recommend|send|propose) (?:me )?(?:nothing|no)\b/i,
  /^explain (?:things|everything|stuff)\b/i,
  /\b(?:every|each) (?:day|morning|evening|night|week|month|monday|tuesday|wednesday|thursday|friday|saturday|sunday|weekday|time)\b|\b(?:daily|whenever|in everything|in all|for all|in every|when you)\b/i,
  /^(?:reply|answer|respond|write|send) (?:to )?(?:all|every)\b/i,
  /^(?:treat|address|greet) me\b/i,
  /^(?:round|spell|cite|capitali[sz]e|abbreviate) (?!this|that|it\b)/i,
];

const OWN_WISH =
  /^(?:i|we)(?:'d| would) (?:much )?(?:rather|prefer)\b|^(?:i (?:no longer|don't|do not) (?:need|want)|i'm (?:done|finished) with|i'm over|i(?:'ve| have) had enough of|we can)\b|^(?:i|we)(?:'d| would) like\b|^i (?:want|need) .{3,60} (?:again|back|instead)[.!]*$/i;

/** Whether a text opens with a standing wish, whatever follows. */
export function opensWithWish(text: string, speaker: string): boolean {
  return standingWishes(withoutAskingLeadIn(text).split(NEXT_WISH)[0] ?? text, speaker).length > 0;
}

/** "I'd rather have …", "I no longer need …": a wish in the form of what one says of oneself. */
export function isOwnWish(text: string): boolean {
  return OWN_WISH.test(text);
}

/** What a user asks of the agent for good: "keep answers short, and don't use bullet points". One-off requests are none. */
export function standingWishes(text: string, speaker: string): StatementDraft[] {
  if (!MAY_WISH.test(text) || text.length > 240) return [];
  const clean = withoutAskingLeadIn(text).trim();
  const own = /^(?:i|i'm|im|i've|my|we|our|he|she|they|the)\b/i.test(clean);
  if (own && !/\b(?:you|u)\b/i.test(clean) && !SHOULD_BE.test(clean) && !OWN_WISH.test(clean)) return [];
  const isStanding = STANDING.test(clean);
  const pieces = clean.split(NEXT_WISH).map((piece) => piece.trim());
  return pieces.flatMap((piece) => wishOf(piece, speaker, isStanding) ?? []);
}

function wishOf(piece: string, speaker: string, standing: boolean): StatementDraft | null {
  const polite = withoutAskingLeadIn(piece);
  const name = CALL_ME.exec(polite)?.[1];
  if (name !== undefined)
    return {
      ...wish(speaker, `wants to be called ${name}`),
      attribute: 'preferred_name',
      keyedFacts: [{ key: 'preferred_name', value: name, category: 'personal' }],
    };
  let text = (polite.replace(/[.!]+$/, '').split(REASON)[0] ?? polite)
    .replace(STANDING, '')
    .replace(POLITE, '')
    .replace(/\s+/g, ' ')
    .trim();
  for (const allowed of ALLOWED) {
    const thing = allowed.exec(text)?.[1];
    if (thing !== undefined) return wish(speaker, `is fine with the agent ${asUse(thing)} again`, { about: thing });
  }
  const isOnce = !standing && ONCE.test(text);
  const asked = FRAMES.map((frame) => frame.exec(text)).find((match) => match !== null);
  if (asked !== undefined && asked !== null) text = asked.slice(1).join(' ').trim();
  const revoked = REVOKE.exec(text)?.[1];
  if (revoked !== undefined && isOfAgentsWork(revoked) && !isOnce)
    return wish(speaker, `wants no ${asThirdPerson(revoked)}`, { negative: true });
  const rather = (
    RATHER.exec(text) ??
    BETTER.exec(text) ??
    WANTED_BACK.exec(text) ??
    LESS.exec(text) ??
    (standing ? LIKE.exec(text) : null)
  )?.[1];
  if (rather !== undefined && isOfAgentsWork(rather) && !isOnce)
    return wish(speaker, `prefers ${asThirdPerson(rather)}`, { about: rather });
  const always = ALWAYS.exec(text);
  if (always?.[1] !== undefined && always[2] !== undefined)
    return wish(speaker, `wants the agent to ${always[1].toLowerCase()} ${asThirdPerson(always[2])}`, {
      negative: always[1].toLowerCase() === 'never',
    });
  if (isOnce) return null;
  const stop = STOP.exec(text);
  const stopped =
    stop?.[1] === undefined ? undefined : `${analyseVerb(stop[1].toLowerCase()).base} ${stop[2] ?? ''}`.trim();
  const unwanted =
    UNWANTED.exec(text)?.[1] ?? (stopped !== undefined && PLAIN.test(`${stopped} x`) ? stopped : undefined);
  if (unwanted !== undefined && (standing || !POINTS.test(unwanted)))
    return wish(speaker, `does not want the agent to ${asThirdPerson(unwanted)}`, { negative: true });
  const language = languageOf(text);
  if (language !== null) return wish(speaker, `wants the agent to answer in ${language}`, { topic: 'language' });
  if (asked !== undefined && asked !== null && !standing && /\?\s*$/.test(piece) && !isStyle(text)) return null;
  const kept = KEEP.exec(text);
  if (kept?.[1] !== undefined && kept[2] !== undefined)
    return wish(
      speaker,
      `wants ${/^(?:it|them|things|everything)$/i.test(kept[1]) ? "the agent's work" : kept[1].toLowerCase().replace(/^your /, "the agent's ")} kept ${asThirdPerson(kept[2])}`,
    );
  const none = NO_THING.exec(text)?.[1] ?? AVOID.exec(text)?.[1];
  if (none !== undefined && (standing || !isAtHand(none))) return wish(speaker, `wants no ${none}`, { negative: true });
  const should = SHOULD_BE.exec(text);
  if (should?.[1] !== undefined && should[2] !== undefined)
    return wish(speaker, `wants ${should[1].toLowerCase()} to be ${asThirdPerson(should[2])}`);
  const more = MORE_OF.exec(text)?.[1];
  if (more !== undefined && (standing || more.endsWith('s'))) return wish(speaker, `wants ${more.toLowerCase()}`);
  const act = standing || isStyle(text) ? PLAIN.exec(text)?.[1] : undefined;
  return act === undefined || (!standing && POINTS.test(act))
    ? null
    : wish(speaker, `wants the agent to ${asThirdPerson(act)}`);
}

function isStyle(text: string): boolean {
  return STYLE.some((style) => style.test(text));
}

function asUse(thing: string): string {
  return /^use /i.test(thing) ? thing.replace(/^use /i, 'using ') : `using ${thing.toLowerCase()}`;
}

/** "Answer me in German", "English please": which language. */
function languageOf(text: string): string | null {
  const name =
    /^(?:(?:answer|reply|respond|write|speak|talk|chat)(?: to me| with me| me| back)? )?(?:only )?(?:in |(?:let's |lets )?(?:go |switch |change )?(?:back )?to )?(\p{L}+)(?:, my .*| only| again| now)*$/iu.exec(
      text,
    )?.[1] ?? /^(?:answer|reply|respond|speak|talk)(?: to me| me)? in (\p{L}+)\b/iu.exec(text)?.[1];
  if (name === undefined || !LANGUAGES.has(name.toLowerCase())) return null;
  return name.charAt(0).toUpperCase() + name.slice(1).toLowerCase();
}

function wish(
  speaker: string,
  predicate: string,
  { negative = false, topic, about }: { negative?: boolean; topic?: string; about?: string } = {},
): StatementDraft {
  return {
    type: 'preference',
    subject: speaker,
    predicate,
    polarity: negative ? 'negative' : 'positive',
    importance: 0.75,
    confidence: 'high',
    attribute: `instruction:${topic ?? instructionTopic(about ?? predicate)}`,
    ownWords: [
      'wants',
      'want',
      'agent',
      "agent's",
      'work',
      'kept',
      'keep',
      'use',
      'using',
      'write',
      'answer',
      'fine',
      'called',
      'again',
      'prefers',
    ],
  };
}
