import { contentStems, coveredBy } from '../language/text-overlap.ts';

/** What became of a memory that was given to the model for one turn. */
export interface Verdict {
  used: boolean;
  /** What the user made of the answer, when it was used. */
  reaction: 'confirmed' | 'corrected' | null;
}

const CORRECTS =
  /^\W*(?:no\b(?! (?:worries|problem|doubt|rush))|nope\b|not (?:quite|really|true|any ?more|right)\b|wrong\b|that(?:['’]s| is| was) (?:wrong|not (?:right|true|correct|so)|incorrect|outdated|old)|actually\b|incorrect\b|i (?:no longer|don['’]t|do not|never)\b|you(?:['’]re| are) (?:wrong|mistaken))/i;
const CONFIRMS =
  /^\W*(?:yes\b|yep\b|yeah\b|exactly\b|correct\b|right\b(?! now)|that(?:['’]s| is) (?:right|correct|true|it|exactly)|perfect\b|great\b|precisely\b|indeed\b|good memory\b|you remembered\b)/i;

/** Half of what a memory adds to the question must be in the answer. */
const USED = 0.5;
/** A memory that adds nothing to the question has to be in the answer nearly whole. */
const REPEATED = 0.8;

/** Whether an answer makes use of a memory, by its words, and how the user took it (L16). */
export function judgeUse(
  memory: string,
  { question, answer, reaction }: { question: string; answer: string; reaction: string | null },
): Verdict {
  const [known, asked, answered] = [contentStems(memory), contentStems(question), contentStems(answer)];
  const added = new Set([...known].filter((stem) => !asked.has(stem)));
  const used =
    added.size > 0 ? coveredBy(added, answered) >= USED : known.size > 0 && coveredBy(known, answered) >= REPEATED;
  return { used, reaction: used && reaction !== null ? reactionOf(reaction) : null };
}

function reactionOf(text: string): Verdict['reaction'] {
  if (CORRECTS.test(text)) return 'corrected';
  return CONFIRMS.test(text) ? 'confirmed' : null;
}
