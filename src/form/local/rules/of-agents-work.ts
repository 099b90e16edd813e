// What an agent's texts are made of and how they are put.
const WORK =
  /\b(?:bullets?|bullet points?|(?:numbered )?lists?|tables?|emojis?|smileys|emoticons|exclamation (?:marks|points)|hashtags|head(?:ing|er)s|markdown|bold(?: text)?|italics|jargon|buzzwords|abbreviations|acronyms|disclaimers?|caveats|apologies|small ?talk|chit-?chat|pleasantries|fluff|filler|flattery|compliments|praise|footnotes|citations|sources|links|examples|analogies|metaphors|puns|jokes|sarcasm|humou?r|slang|greetings?|sign-?offs?|signatures?|summar(?:y|ies)|recaps?|intros?|introductions?|conclusions?|follow-?up questions|reminders?|notifications?|updates|reports?|check-?ins?|quotes|tips|warnings|explanations?|comments|formality|tone|style|language|walls? of text|answers?|repl(?:y|ies)|responses?|paragraphs?|sentences|words|dashes|em dashes|semicolons|caps|pep talks?|lectures|moralising|plain text|prose|text|details?|euros?|dollars?|pounds|units?|spelling|format(?:ting)?|e-?mails?|messages|posts|drafts|code blocks?|code|steps|numbers|charts?|diagrams?|screenshots?)\b/i;
// A part of the text at hand: what is asked of it is asked once.
const AT_HAND =
  /\b(?:first|second|third|fourth|last|next|previous|top|bottom|opening|closing|row|column|line|file|chapter|section|page|slide|function|test|blue|red|green|one|ones|option)\b|\b(?:this|that|these|those|it|what|who|how|i|they|you|your|is|was|were|are|am|did|does)\b|\d/i;

// In general one speaks of many, or of what is not counted: "the answer" is the one at hand.
const IN_GENERAL =
  /(?:s|jargon|markdown|talk|chat|fluff|filler|flattery|praise|formality|tone|style|language|humou?r|slang|bold|sarcasm|spelling|format|formatting|prose|text|details?|code)$|^(?:daily|weekly|monthly|morning|evening|nightly) \p{L}+$/iu;
const NARROWED = /\b(?:from|in|of|to|at|on|with|and|or)\b/i;

/** Whether a phrase speaks of how an agent writes in general: "bullet points", "the formal tone", not "the last paragraph". */
export function isOfAgentsWork(phrase: string): boolean {
  return (
    WORK.test(phrase) &&
    IN_GENERAL.test(phrase) &&
    !AT_HAND.test(phrase) &&
    (!NARROWED.test(phrase) || phrase.endsWith(' of text'))
  );
}

/** Whether a phrase names a part of the text or the data at hand: "the first row". */
export function isAtHand(phrase: string): boolean {
  return AT_HAND.test(phrase);
}
