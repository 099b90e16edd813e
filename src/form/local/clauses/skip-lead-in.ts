import type { Token } from '../../../language/word-tokens.ts';

const INTERJECTIONS = new Set(
  `oh ah wow well yeah yes yep yup yea ya no nope nah hmm hm um uh haha hahaha lol hey hi hello thanks ok okay
  sure right so and but also actually honestly anyway anyways btw plus oops awesome cool nice great absolutely definitely
  exactly totally true same alright indeed personally basically hi gosh man dude aww aw ha yay ooh ugh unfortunately
  luckily sadly funny sometimes usually currently recently lately nowadays today now then still first second third
  finally because although though or yet hopefully obviously frankly please fyi
  fortunately apparently surprisingly speaking ironically mostly especially normally generally typically additionally
  furthermore moreover however instead otherwise meanwhile that which who cause cuz perhaps maybe remember note yo wait
  omg sorry hiya both morning evening correction update whoops guess heads`.split(/\s+/),
);
const DATED = new Set(['sometimes', 'usually', 'currently', 'recently', 'lately', 'nowadays', 'today', 'now', 'still']);
const HEDGES: ReadonlyArray<readonly string[]> = [
  'i think that',
  'i think',
  'i guess',
  'i suppose',
  'i believe that',
  'i believe',
  'i feel like',
  'i mean',
  'i would say that',
  'i would say',
  'i have to say',
  'i must say',
  'i have to admit',
  'i must admit',
  'i know',
  'i bet',
  'i should mention that',
  'i should mention',
  'i forgot to mention that',
  'i forgot to mention',
  'i also want to mention that',
  'i just wanted to say that',
  'you know',
  'as for me',
  'for me',
  'by the way',
  'to be honest',
  'in fact',
  'as a matter of fact',
  'of course',
  'at the moment',
  'these days',
  'in general',
  'for fun',
  'for work',
  'in my free time',
  'in my spare time',
  'remember that',
  'remember',
  'note that',
  'please remember that',
  'please remember',
  'just so you know',
  'for the record',
  'for context',
  'a bit about me',
  'one thing',
  'the thing is',
  'me too',
  'me neither',
  'same here',
  'no problem',
  'good point',
  'thank you',
  'not really',
  'not much',
  'no worries',
  'of all',
  'at least',
  'fun fact',
  'guess what',
  'other than that',
  'on the other hand',
  'i have to confess',
  'please note that',
  'keep in mind that',
  'keep in mind',
  'you should know that',
  'you should know',
  'it turns out that',
  'it turns out',
  'turns out',
  'good question',
  'at first',
].map((phrase) => phrase.split(' '));
const DOUBTFUL = new Set([
  'i think',
  'i think that',
  'i guess',
  'i suppose',
  'i believe',
  'i believe that',
  'i feel like',
  'i would say',
  'i would say that',
  'i bet',
]);
const ADVERBIAL =
  /^(?:last|next|this|in|on|at|back|since|after|before|yesterday|tomorrow|tonight|every|during|when|until|by|over|around|for|growing|once|one|two|three|a|as|with|outside|besides|aside|when|from)$/;

/** Steps over "Oh, well, by the way, I think" and over a leading adverbial such as "Last week". */
export function skipLeadIn(tokens: readonly Token[]): { tokens: Token[]; lead: Token[]; hedged: boolean } {
  let index = 0;
  let hedged = false;
  const lead: Token[] = [];
  while (index < tokens.length) {
    const word = tokens[index];
    if (word === undefined) break;
    const phrase = HEDGES.find(
      (hedge) =>
        hedge.every((part, offset) => tokens[index + offset]?.lower === part) &&
        leadsToClause(tokens, index + hedge.length, hedge),
    );
    if (phrase !== undefined) {
      hedged ||= DOUBTFUL.has(phrase.join(' '));
      index += phrase.length;
    } else if (!/[\p{L}\p{N}]/u.test(word.text)) index += 1;
    else if (INTERJECTIONS.has(word.lower)) {
      if (DATED.has(word.lower)) lead.push(word);
      index += 1;
    } else break;
  }
  const reported = reportedBy(tokens, index);
  // What a doctor thinks is not yet known.
  hedged ||= tokens.slice(index, index + reported).some(({ lower }) => /^(?:thinks|reckons|suspects)$/.test(lower));
  index += reported;
  const adverbial = leadingAdverbial(tokens, index);
  if (adverbial > 0) {
    lead.push(...tokens.slice(index, index + adverbial).filter((word) => word.text !== ','));
    index += adverbial;
  }
  return { tokens: tokens.slice(index), lead, hedged };
}

const CARER =
  /^(?:doctor|dr|gp|dentist|physio|physiotherapist|therapist|surgeon|nurse|cardiologist|dermatologist|neurologist|psychiatrist|specialist|consultant|midwife|vet|dietitian|nutritionist)$/;

/** "My doctor says I have to …", "Dr. Patel told me that my …": how many tokens stand before what was said. */
function reportedBy(tokens: readonly Token[], from: number): number {
  const carer = tokens.findIndex((word, index) => index >= from && index < from + 2 && CARER.test(word.lower));
  if (carer === -1) return 0;
  const verb = tokens.findIndex(
    (word, index) =>
      index > carer && index < carer + 4 && /^(?:says?|said|told|thinks|reckons|suspects)$/.test(word.lower),
  );
  if (verb === -1) return 0;
  let end = verb + 1;
  while (/^(?:me|us|that|,)$/.test(tokens[end]?.lower ?? '')) end += 1;
  return /^(?:i|my|we|our)$/.test(tokens[end]?.lower ?? '') ? end - from : 0;
}

/** A hedge that is itself the whole clause ("I guess so") is no lead-in. */
function leadsToClause(tokens: readonly Token[], index: number, hedge: readonly string[]): boolean {
  const next = tokens[index];
  if (next === undefined) return false;
  return hedge[0] !== 'i' || ['i', 'my', 'we', 'our', ','].includes(next.lower);
}

/** "In 2019 I …", "Last week, my sister …": how many tokens stand before the subject. */
function leadingAdverbial(tokens: readonly Token[], from: number): number {
  const first = tokens[from];
  if (first === undefined || !ADVERBIAL.test(first.lower)) return 0;
  const opening = tokens
    .slice(from, from + 4)
    .map(({ lower }) => lower)
    .join(' ');
  // "This book I read" is no adverbial, "This week I read" is.
  if (
    /^(?:this|last|next|every|one|two|three|a)\b/.test(opening) &&
    !/\b(?:week|weekend|month|year|day|night|morning|afternoon|evening|summer|winter|spring|fall|autumn|mon|tues|wednes|thurs|fri|satur|sun|january|february|march|april|may|june|july|august|september|october|november|december|time)s?/.test(
      opening,
    )
  )
    return 0;
  for (let index = from + 1; index < Math.min(tokens.length, from + 9); index += 1) {
    const word = tokens[index]?.lower;
    const previous = tokens[index - 1];
    if (word === 'i' || word === 'we') return index - from;
    if ((word === 'my' || word === 'our') && previous?.text === ',') return index - from;
  }
  return 0;
}
