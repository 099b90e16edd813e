import { feedbackRule } from './feedback-rule.ts';
import { asThirdPerson } from './as-third-person.ts';
import { outcomeRule } from './outcome-rule.ts';
import type { StatementDraft } from '../statement-draft.ts';
import { analyseVerb } from '../../../language/verb-forms.ts';

const LEAD_IN =
  /^(?:(?:and|also|oh|btw|by the way|ok|okay|great|perfect|thanks|one more thing)[,.!:]? )+(?=please|never|always|don't|do not|stop|keep|no |from now|call me)/i;
const MAY_WISH =
  /\b(?:always|never|not|don'?t|stop|keep|no|calls? me|from now on|future|going forward|as a rule|in general|every|each|all|everything|whenever|you)\b/i;
const STANDING =
  /^(?:please,? )?(?:(?:from now on|in (?:the )?future|going forward|for (?:all )?future \w+|as a rule|in general|every time),? (?:please )?)/i;
const ACT =
  '(?:use|write|add|include|send|call|give|make|answer|reply|respond|speak|format|start|end|sign|mention|put|keep|ask|suggest|recommend|show|provide|explain|summari[sz]e|translate|address|avoid|remind|schedule|book|post|publish|assume|apologi[sz]e|repeat|round|cite|list|tell|stick|confirm|check|delete|share|refer|be)';
const ALWAYS = new RegExp(`^(?:please,? )?(always|never) (${ACT}\\b.{2,140}?)[.!]*$`, 'i');
const DO_NOT = new RegExp(
  `^(?:please,? )?(?:do not|don't|dont) (?:ever |always )?(${ACT}\\b.{2,140}?)(?:,? please)?[.!]*$`,
  'i',
);
const STOP = /^(?:please,? )?stop (\p{L}+ing) (.{2,140}?)(?:,? please)?[.!]*$/iu;
const PLAIN_ACT = new RegExp(`^(${ACT}\\b.{2,140}?)[.!]*$`, 'i');
const KEEP =
  /^(?:please,? )?keep (it|them|things|answers|your answers|replies|your replies|responses|posts|emails|messages|the tone|your tone|everything|explanations) ((?!going|up|on|in mind|coming)[^.!?]{2,100}?)[.!]*$/i;
const PLEASE = new RegExp(
  `^(?:please,? )?(${ACT}\\b.{2,100}?\\b(?:in everything|whenever|every time|when you|in all|for all|each time|in every)\\b.{0,60}?)[.!]*$`,
  'i',
);
const NO_THING =
  /^(?:and |but |also |please,? )?no (?:more )?((?!me\b|problem|worries|thanks|thank|idea|way|wonder|doubt|need|one|pun|i\b|it\b|that|but|not|matter|rush|pressure|luck|kidding|longer|big deal|biggie|sorry)[a-z][a-z'-]*(?: [a-z'-]+){0,3}?)(?:,? please|,? thanks)?[.!]*$/i;
const CALL_ME =
  /^(?:[Pp]lease,? |[Yy]ou can |[Jj]ust |[Ee]veryone )*[Cc]alls? me (\p{Lu}[\p{L}'-]+)(?:,? please)?[.!]*$/u;
const LETS =
  /^(?:(?:ok|okay|yes|yeah|alright|great|perfect|sure|cool|hmm|well|then|so)[,.!]? )*(?:let us|let's|lets|we(?:'ll| will)|i(?:'ll| will)|i(?:'d| would) like to) (?:go (?:ahead )?with|use|choose|pick|take|stick with|stay with|do) ((?:the |option |a |an |our |version |plan |\p{Lu})[^.!?]{1,80}?)(?:,? (?:then|please|instead|thanks))?[.!]*$/iu;
const IT_IS = /^(?:ok|okay|alright)?,? ?((?:the |option |plan )?[a-z0-9 ]{2,40}) it is[.!]*$/i;
const THIS_TASK = /\b(?:this|that|these|those|here|above|below|it|now|today|again)\b/i;
const RATHER = new RegExp(
  `^i(?:'d| would) (?:rather|prefer)(?: that| if| it if)? you (?:to )?(?:would )?(${ACT})d?\\b(.{2,120}?)[.!]*$`,
  'i',
);
const WANT_YOU = new RegExp(
  `^(?:please,? )?i (?:want|need|would like|'d like|expect) you to (always|never) (${ACT}\\b.{2,120}?)[.!]*$`,
  'i',
);

/** What a user asks of the agent's work: standing wishes, decisions, feedback, outcomes. One-off requests yield nothing. */
export function instructionRule(text: string, speaker: string): StatementDraft | null {
  const clean = text.replace(/[’]/g, "'").replace(LEAD_IN, '').trim();
  if (clean.length > 240 || /\?\s*$/.test(clean)) return null;
  return (
    standingWish(clean, speaker) ??
    decision(clean, speaker) ??
    outcomeRule(clean, speaker) ??
    feedbackRule(clean, speaker)
  );
}

function standingWish(text: string, speaker: string): StatementDraft | null {
  // Most sentences are about the speaker: they need none of the patterns below, which take 10 ms to compile.
  if (!MAY_WISH.test(text)) return null;
  if (/^(?:i|i'm|i've|my|we|our|he|she|they|the)\b/i.test(text) && !/\byou\b/i.test(text)) return null;
  const name = CALL_ME.exec(text)?.[1];
  if (name !== undefined)
    return {
      ...preference(speaker, `wants to be called ${name}`),
      attribute: 'preferred_name',
      keyedFacts: [{ key: 'preferred_name', value: name, category: 'personal' }],
      ownWords: ['wants', 'called'],
    };
  const standing = STANDING.test(text);
  const rest = text.replace(STANDING, '');
  const always = ALWAYS.exec(rest) ?? WANT_YOU.exec(rest);
  if (always?.[1] !== undefined && always[2] !== undefined)
    return preference(
      speaker,
      `wants the agent to ${always[1].toLowerCase()} ${asThirdPerson(always[2])}`,
      always[1].toLowerCase() === 'never',
    );
  const stop = STOP.exec(rest);
  const stopped =
    stop?.[1] === undefined || stop[2] === undefined
      ? undefined
      : `${analyseVerb(stop[1].toLowerCase()).base} ${stop[2]}`;
  const rather = RATHER.exec(rest);
  if (rather?.[1] !== undefined && rather[2] !== undefined)
    return preference(speaker, `wants the agent to ${rather[1].toLowerCase()}${asThirdPerson(rather[2])}`);
  const unwanted = DO_NOT.exec(rest)?.[1] ?? (stopped !== undefined && PLAIN_ACT.test(stopped) ? stopped : undefined);
  if (unwanted !== undefined && (standing || !THIS_TASK.test(unwanted)))
    return preference(speaker, `does not want the agent to ${asThirdPerson(unwanted)}`, true);
  const kept = KEEP.exec(rest);
  if (kept?.[1] !== undefined && kept[2] !== undefined)
    return preference(
      speaker,
      `wants ${/^(?:it|them|things|everything)$/i.test(kept[1]) ? "the agent's work" : kept[1].toLowerCase().replace(/^your /, "the agent's ")} kept ${kept[2]}`,
    );
  const none = NO_THING.exec(rest)?.[1];
  if (none !== undefined) return preference(speaker, `wants no ${none}`, true);
  const act = standing ? PLAIN_ACT.exec(rest)?.[1] : PLEASE.exec(rest)?.[1];
  return act === undefined ? null : preference(speaker, `wants the agent to ${asThirdPerson(act)}`);
}

function decision(text: string, speaker: string): StatementDraft | null {
  const chosen = (LETS.exec(text)?.[1] ?? IT_IS.exec(text)?.[1])?.trim();
  if (chosen === undefined || /^(?:that|this|it|a look|a break)\b/i.test(chosen)) return null;
  return {
    type: 'decision',
    subject: speaker,
    predicate: `chose ${chosen.replace(/\bmy\b/g, 'their').replace(/\bour\b/g, 'their')}`,
    polarity: 'positive',
    importance: 0.7,
    confidence: 'high',
    ownWords: ['chose'],
  };
}

function preference(speaker: string, predicate: string, negative = false): StatementDraft {
  return {
    type: 'preference',
    subject: speaker,
    predicate,
    polarity: negative ? 'negative' : 'positive',
    importance: 0.75,
    confidence: 'high',
    ownWords: ['wants', 'want', 'agent', "agent's", 'work', 'kept', 'keep', 'use', 'write'],
  };
}
