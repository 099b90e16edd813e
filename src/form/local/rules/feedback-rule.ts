import type { StatementDraft } from '../statement-draft.ts';

const MAY_JUDGE =
  /\b(?:too|make)\b|\b(?:it|this|that|the|your)\b.*(?:'s|\b(?:is|was|are|were|sound|look|feel|felt|read|seem|came))/i;
const QUALITY =
  '(?:formal|informal|casual|long|short|wordy|verbose|generic|vague|stiff|robotic|salesy|boring|complicated|complex|technical|simple|aggressive|pushy|dry|cheesy|cold|corporate|dense|repetitive|bland|flowery|brief|detailed|direct|soft|loud|slow|fast|dark|bright|big|small|expensive|cheap|good|great|perfect|excellent|better|nice|helpful|useful|wrong|bad|terrible|confusing|clear|unclear|professional|friendly|conversational|punchy|buzzwordy|academic|fluffy)';
const JUDGED = new RegExp(
  `^(?:(?:hmm|well|ok|okay|sorry|no|honestly|i think|i feel|actually|but|and),? )*(it|this|that|it's|that's|this is|your (?:last |first |second |new )?[a-z ]{3,40}?|(?:the|this|that) (?:last |first |second |new |previous )?(?:[a-z]+ ){0,2}?(?:answer|reply|response|drafts?|version|e-?mail|post|text|summary|list|caption|letter|tone|title|plan|code|design|logo|image|picture|layout|wording|intro|introduction|ending|paragraph|sentence|headline|script|report|message|suggestions?|ideas?|name|slogan|explanation|translation|recipe|proposal|template|article|essay|poem|story|song|melody|copy|page|website|presentation|slides?|schedule|itinerary|one)) (?:is|was|are|were|sounds?|sounded|looks?|looked|feels?|felt|reads?|seems?|came out) (?:really |very |a bit |a little |still |just |kind of |kinda |so |way )*((?:much )?(?:too|way too|not|more|less|rather|quite)? ?${QUALITY}(?:[^.!?,;]{0,60})?)(?:[,;].*)?[.!]*$`,
  'i',
);
const SHORT = new RegExp(
  `^(?:(?:hmm|well|no|still|sorry|that's|it's|a bit|way|a little|much),? )*(too ${QUALITY}(?:[^.!?]{0,40})?)[.!]*$`,
  'i',
);
const ASKED =
  /^(?:(?:hmm|well|no|ok|okay|please|can you|could you),? )*make (it|this|that|the [a-z ]{3,30}) ((?:a (?:bit|little|lot) |much |way )?(?:more|less) [a-z-]+|shorter|longer|simpler|punchier|friendlier|warmer|bolder|clearer|funnier|sound (?:more|less) [a-z-]+)\b[^.!?]{0,40}[.!]*$/i;

/** "Too formal", "the last draft was too long", "make it punchier": a reaction to the agent's work. */
export function feedbackRule(text: string, speaker: string): StatementDraft | null {
  if (!MAY_JUDGE.test(text)) return null;
  const clean = text.replace(/\b(it|that|this)'s\b/gi, '$1 is');
  const judged = JUDGED.exec(clean);
  if (
    judged?.[1] !== undefined &&
    judged[2] !== undefined &&
    !/\b(?:weather|day|news|idea|point|weekend|week|to hear|i|my|we)\b/i.test(`${judged[1]} ${judged[2]}`)
  ) {
    const pointing = /^(?:it|this|that)$/i.test(judged[1]);
    // "That's great" is courtesy; praise needs a named thing.
    if (pointing && !/\b(?:too|more|less|not)\b/i.test(judged[2])) return null;
    return feedback(
      speaker,
      `found ${pointing ? "the agent's last work" : judged[1].replace(/^your /i, "the agent's ").replace(/^The/, 'the')} ${judged[2].trim()}`,
    );
  }
  const short = SHORT.exec(clean)?.[1];
  if (short !== undefined) return feedback(speaker, `found the agent's last work ${short.trim()}`);
  const asked = ASKED.exec(clean);
  if (asked?.[1] === undefined || asked[2] === undefined) return null;
  return feedback(
    speaker,
    `asked to make ${/^(?:it|this|that)$/i.test(asked[1]) ? "the agent's last work" : asked[1].toLowerCase()} ${asked[2]}`,
  );
}

function feedback(speaker: string, predicate: string): StatementDraft {
  return {
    type: 'feedback',
    subject: speaker,
    predicate,
    polarity: /\bnot\b/.test(predicate) ? 'negative' : 'positive',
    importance: 0.6,
    confidence: 'high',
    tags: ['feedback'],
    ownWords: ['found', 'agent', "agent's", 'last', 'work', 'asked', 'make'],
  };
}
