const COUNT =
  /(?<![\p{L}\d/:.-])(?:(?:[€$£] ?)?\d[\d.,]*(?: ?(?:k|kg|km|%|mg))?(?![\d:/-])(?! (?:January|February|March|April|May|June|July|August|September|October|November|December)\b)|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|once|twice)(?![\p{L}\d-])(?: times\b)?/giu;
const AT_TIME = /\b(?:at|until|from|by|in|on) (?:\d|one\b|two\b|three\b)|\b(?:19|20)\d\d\b/iu;
const HELD = /^User(?:'s [\p{L}' -]{2,50}?)? (?:is|are|has|have|\p{Ll}+s) /u;
const FILLING = /\b(?:now|only|currently|still|about|around|just|nearly|almost|over|down to|up to|instead|mostly)\b/gi;
const WEEKDAYS = /\b(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)days?\b/gi;

/**
 * "Pays 45 a month for the gym" after "pays 40 …": what is so now, in the same words with another number. With "instead"
 * another day of the week as well. Dates and hours are no such numbers: of two appointments both hold.
 */
export function isRestated(next: string, known: string): boolean {
  if (next === known || !HELD.test(next) || !HELD.test(known) || AT_TIME.test(next)) return false;
  const isInstead = /\binstead\b(?! of)/.test(next);
  const [left, right] = [next, known].map((text) => {
    const counted = text.replace(COUNT, '#');
    return (isInstead ? counted.replace(WEEKDAYS, '#') : counted)
      .replace(FILLING, '')
      .replace(/[\s.,]+/g, ' ')
      .trim();
  });
  return left !== undefined && left.includes('#') && left === right;
}
