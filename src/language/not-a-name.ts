import { wordSet } from './word-set.ts';
import { GIVEN_NAMES, PLACES } from './classify-name.ts';
import { LANGUAGES } from './languages.ts';

// What a person can be with a capital letter that is no name: creeds, signs, origins that no ending tells.
const GROUPS = wordSet(`
  dutch swiss greek czech thai french german english spanish arab turk pole dane swede scot brit aussie kiwi
  catholic protestant christian muslim jewish jew hindu buddhist sikh atheist agnostic mormon lutheran orthodox
  democrat republican labour tory liberal virgo libra scorpio aries taurus gemini cancer sagittarius capricorn aquarius
  pisces team type gen generation asian african european latino latina hispanic black white filipino filipina vegan
  vegetarian native mr mrs ms dr prof god christmas easter monday tuesday wednesday thursday friday saturday sunday january
  february march april may june july august september october november december ok okay yes no not ai chatgpt claude gpt
  ceo cto cfo coo vp pm po hr it qa phd mba md gp dj`);
// What a sentence may open with, and so has a capital: "Actually, my dog …".
const OPENERS = wordSet(`
  actually also and anyway apparently basically besides but correction currently earlier finally fortunately frankly fyi hello
  hey hi honestly hopefully however lately like luckily meanwhile nowadays now oh oops recently remember sadly so sometimes
  sorry still thankfully then though today tomorrow tonight unfortunately update usually wait well yeah yep yesterday yup`);
const OF_A_PLACE = /(?:ish|ese|[^aeiou]ian|nian|ean|ican|rian|lian|tian|sian|ch|sch)$/;

/** Whether a capitalised word after "I'm" or a word of kinship can be somebody's name: "Tomás", not "Dutch" or "INTJ". */
export function canBeName(word: string): boolean {
  const lower = word.toLowerCase();
  if (GROUPS.has(lower) || OPENERS.has(lower)) return false;
  if (GIVEN_NAMES.has(lower)) return true;
  if (!/^\p{Lu}[\p{L}'’-]+$/u.test(word) || /^\p{Lu}{2,}$/u.test(word)) return false;
  return !PLACES.has(lower) && !LANGUAGES.has(lower) && !OF_A_PLACE.test(lower);
}
