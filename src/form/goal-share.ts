import { contentStems, coveredBy } from './guards/text-overlap.ts';
import { withoutReason } from './local/clauses/part-reason.ts';

// Wanting and getting ready: no part of what is reached.
const WANTING = new Set(
  (
    'want goal plan aim hope wish dream try target work reach train prepar practic practis look intend get start final ' +
    'finish complet year month week day next end summer winter spring autumn january februari march april may june juli ' +
    'august septemb octob novemb decemb'
  ).split(' '),
);
const NAME = /(?<=\s)\p{Lu}[\p{L}'-]+/gu;
const DATED =
  /\b(?:in|on|by|until|before|this|next|of)? ?(?:the )?(?:end of )?(?:\d{1,2}(?:st|nd|rd|th)? )?(?:January|February|March|April|May|June|July|August|September|October|November|December)(?: \d{4})?\b|\b(?:19|20)\d\d\b/g;

/**
 * Which share of what a goal aims at a statement says was done. When and where it was to be do not count against it, but
 * another place does: the Paris marathon is not the one of Berlin.
 */
export function goalShare(goal: string, done: string): number {
  // Why something is wanted or was done is neither.
  const [aim, said] = [withoutReason(goal).replace(DATED, ' '), withoutReason(done).replace(DATED, ' ')];
  const [places, others] = [namesIn(aim), namesIn(said)];
  if (places.size > 0 && others.size > 0 && ![...places].some((name) => others.has(name))) return 0;
  if (fallsShort(aim, said)) return 0;
  const stems = [...contentStems(aim)].filter((stem) => !WANTING.has(stem) && !/^\d+$/.test(stem));
  const plain = stems.filter((stem) => !places.has(stem));
  // "Learn Spanish" is nothing without its name.
  return coveredBy(new Set(plain.length >= 2 ? plain : stems), contentStems(said));
}

/** 500 euros are not the 5,000 that were to be saved. */
function fallsShort(aim: string, said: string): boolean {
  const [wanted, got] = [amountsIn(aim), amountsIn(said)];
  return wanted.length > 0 && got.length > 0 && Math.max(...got) < Math.max(...wanted);
}

function amountsIn(text: string): number[] {
  return [...text.matchAll(/(?<![\p{L}\d])(\d[\d,]*(?:\.\d+)?)(k?)(?![\p{L}\d])/giu)].map(
    ([, digits = '', thousand = '']) => Number(digits.replaceAll(',', '')) * (thousand === '' ? 1 : 1000),
  );
}

function namesIn(text: string): Set<string> {
  return new Set((text.match(NAME) ?? []).flatMap((name) => [...contentStems(name)]));
}

/** Whether what is given up is what a goal aims at, what was to be done with it aside: "the marathon" of "run a marathon". */
export function isGivenUp(goal: string, aim: string): boolean {
  if (goalShare(goal, aim) === 1) return true;
  const words = contentStems(
    withoutReason(goal)
      .replace(/^User /, '')
      .replace(DATED, ' '),
  );
  const [wanted, left] = [[...words].filter((stem) => !WANTING.has(stem)), contentStems(aim.replace(DATED, ' '))];
  return left.size > 0 && coveredBy(left, new Set(wanted)) === 1 && wanted.length <= left.size + 1;
}
