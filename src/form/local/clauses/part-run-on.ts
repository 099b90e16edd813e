import { wordSet } from '../../../language/word-set.ts';
import { namedThing, saidOfThing } from './named-thing.ts';
import { isNoSubject, isPreposition } from './read-plain.ts';
import { VERB_ADVERBS } from './verb-classes.ts';

/** A stretch of a sentence that is read on its own. */
export interface Part {
  text: string;
  /** Joined to what stands before it: "our MRR is 42k and churn is 3%". What is of the user's affairs there, is here. */
  joined?: true;
  /** The firm or thing whose name stands in the place of "they": "BrightSmile pays 5k a month". */
  thing?: string;
}

const IT_IS =
  /^(.*?\b(?:found|got|booked|picked|chose|bought|have|rented|signed|hired|named|ordered|reserved|finished|opened|set up) (?:an?|the|our|my) ([^,;]{3,60})), (?:and )?(?:it's|its|it is|it'll be|it will be|that's) (?!been|the (?:best|same)|so|not|really|very|too|a bit)(\S.{1,80})$/i;
const PARTICIPLE =
  /^((?:(?:so|and|hey|hi|btw|ok)[,!]? )*(?:i'm|im|i am|we're|we are|i'll be|we'll be|i will be)\b[^,]{3,80}), (?:and )?(going|visiting|staying|flying|travelling|traveling|driving|heading|meeting|seeing|moving) (.+)$/i;
const WHEN = / from \d.*$/;
// What somebody did, and what follows from it.
const DID =
  /^(.{2,30}? (?:left|quit|resigned|retired|moved on|signed|renewed|cancelled|canceled|paid|declined|accepted|agreed|confirmed)), (?:and |so )?(?=(?:my|our|the) (?:new )?\p{L}+|\p{L}+ (?:is|are|starts|ends|costs)\b)/iu;
// "My manager is no longer Kim, it's Jordan": what is so now is said of the same.
const NO_LONGER =
  /^((?:my|our|the) [\p{L} '-]{2,40}? (?:is|are)) (?:no longer|not) ([^,;]{2,40}?)(?: any ?more)?[,;] (?:(?:it's|it is|they're|they are)(?: now)?|but|now it's) (?!not\b|a (?:bit|lot))(\S.{1,60})$/iu;

/** What the rules make of a part. */
export interface Reads {
  /** Whether it asks something of the agent. */
  asks: (text: string) => boolean;
  /** Whether it says something that is kept: what says nothing alone stays with what it was said beside. */
  says: (part: Part) => boolean;
}

/** Parts what chat runs together, so that each part has one subject and can end alone. */
export function partRunOn(text: string, reads: Reads): Part[] {
  const clean = text.replace(/[.!\s]+$/, '');
  const wish = wishAfter(clean, reads);
  if (wish !== null) return [...partRunOn(wish.before, reads), { text: wish.wish }];
  const it = IT_IS.exec(clean);
  if (it?.[1] !== undefined && it[2] !== undefined && it[3] !== undefined)
    return [{ text: it[1] }, { text: `the ${it[2]} is ${it[3]}` }];
  const going = PARTICIPLE.exec(clean);
  if (going?.[1] !== undefined && going[2] !== undefined && going[3] !== undefined)
    return [
      { text: going[1] },
      {
        text: `${/\bwe\b/i.test(going[1]) ? 'we are' : 'I am'} ${going[2].toLowerCase()} ${going[3]}${WHEN.exec(going[1])?.[0] ?? ''}`,
      },
    ];
  const did = DID.exec(clean);
  if (did?.[1] !== undefined) return [{ text: did[1] }, { text: clean.slice(did[0].length) }];
  const changed = NO_LONGER.exec(clean);
  if (changed?.[1] !== undefined && changed[3] !== undefined)
    return [{ text: `${changed[1]} no longer ${changed[2] ?? ''}` }, { text: `${changed[1]} ${changed[3]}` }];
  const [head, ofThing] = partThing(clean);
  if (ofThing.length > 0) return [...partRunOn(head, reads), ...ofThing];
  const parts = partSubjects(clean, reads);
  return parts.length === 1 ? [{ text }] : parts;
}

const OF_SPEAKER = /^(?:i|i'm|im|i've|i'd|my|we|we're|our|he|she|they|the)\b/i;
const BEFORE_WISH = /(?:[,;] |,? )(?:(?:and|but|so|also|then)(?: also)?,? )?(?=\p{L})/giu;
const MOST_CUTS = 12;
const MOST_PARTS = 6;

/** "I prefer bullet points, and always show numbers in euros": what is said of oneself, and what is asked. */
function wishAfter(text: string, { asks }: Reads): { before: string; wish: string } | null {
  if (!OF_SPEAKER.test(text) || /\b(?:you|u)\b/i.test(text)) return null;
  let cuts = 0;
  for (const match of text.matchAll(BEFORE_WISH)) {
    if (match[0] === ' ' || match.index < 4) continue;
    if ((cuts += 1) > MOST_CUTS) return null;
    const wish = text.slice(match.index + match[0].length);
    if (asks(wish) && !isLacking(text.slice(0, match.index), wish)) return { before: text.slice(0, match.index), wish };
  }
  return null;
}

/** "My flat has two bedrooms and no lift": what is not there is no wish. */
function isLacking(before: string, wish: string): boolean {
  return /^no /i.test(wish) && /\b(?:has|have|had|got|with|there(?:'s| is| are)|\p{L}+'ve)\b[^,;]*$/iu.test(before);
}

const OF_THEM = /^(.{6,160}?)(?:,|;|,? and|,? but) ((?:they|it|they're|it's|their|its)\b.{3,120})$/i;

/** "Our biggest customer is BrightSmile, they pay 5k a month": what stands before, and what is said of BrightSmile. */
function partThing(text: string): [string, Part[]] {
  const [, head, rest] = OF_THEM.exec(text) ?? [];
  const thing = head === undefined ? null : namedThing(head);
  if (head === undefined || rest === undefined || thing === null) return [text, []];
  return [head, saidOfThing(rest, thing).map((each): Part => ({ text: each, thing }))];
}

const VERBS = wordSet(`
  is are was were has have costs cost starts start begins ends end opens open closes close runs comes come arrives leaves
  leave expires needs need pays lives live works work lands takes lasts goes moved turned wants
  went fell rose dropped grew hit love loves likes hates plays`);
// A clause within another is not the speaker's own word, or holds only under it.
const WITHIN =
  /\b(?:if|unless|whether|when|whenever|while|where|who|whose|which|that|how|what|why|because|since|although|though|than|until|once|said|says|say|told|tells|thinks|thought|heard|hope|wish|imagine|suppose|claims?|mentioned|wrote|asked|decided|agreed|between|like|love|enjoy|hate|prefer|want|not sure)\b|:\s|[?"“(]/i;
const NEXT_SUBJECT = /(?:,? (?:and|but)|[,;]) (?=\p{L})/giu;
const OWNER =
  /^(?:(?:so|and|ok|okay|well|oh|hi|hey|yes|actually|also|now|i think|i believe|i guess|i'd say)[,!]? )*(my|our) /i;
const FINITE =
  /^(?:am|is|are|was|were|has|have|had|will|can|\p{L}+(?:'s|'m|'re|'ve|'ll|n't)|\p{L}{2,}ed|costs?|starts?|ends?|went|got|broke|left|works?|lives?|needs?|plays?|runs?|goes|takes?|pays?|earns?|spends?)$/iu;

/** "Our MRR is 42k and churn is 3%": each subject with what is said of it. A bare noun is whose the first was. */
function partSubjects(text: string, { says }: Reads): Part[] {
  const parts: Part[] = [];
  const owner = OWNER.exec(text)?.[1]?.toLowerCase();
  let start = 0;
  for (const match of text.matchAll(NEXT_SUBJECT)) {
    const head = text.slice(start, match.index);
    const at = match.index + match[0].length;
    if (parts.length >= MOST_PARTS) break;
    if (!beginsWithSubject(text.slice(at, at + 100)) || !isClause(head)) continue;
    if (WITHIN.test(text.slice(0, match.index).replace(/^i'd say /i, ''))) break;
    if (!says(partOf(text.slice(at), true, owner))) continue;
    parts.push(partOf(head, parts.length > 0, owner));
    start = at;
  }
  return [...parts, partOf(text.slice(start), parts.length > 0, owner)].flatMap((part) => partVerbs(part, says));
}

function partOf(text: string, joined: boolean, owner: string | undefined): Part {
  if (!joined) return { text };
  const isBare = !/^(?:the|my|our|an?) /i.test(text) && (/^\p{Ll}/u.test(text) || /^\p{Lu}{2,5} /u.test(text));
  return { text: isBare && owner !== undefined ? `${owner} ${text}` : text, joined: true };
}

/** A subject and a verb with something after it. */
function isClause(text: string): boolean {
  const words = text.trim().split(' ');
  const at = words.findIndex((word, index) => index > 0 && (FINITE.test(word) || VERBS.has(word.toLowerCase())));
  return (at >= 0 && at < words.length - 1) || /^(?:i|we) \p{L}+ \S/iu.test(text);
}

const NO_THING = wordSet('today yesterday tomorrow tonight last next everything everyone nothing life weather please');

/** "churn is", "the new flat costs": a noun phrase and its verb. */
function beginsWithSubject(text: string): boolean {
  const words = text.split(' ');
  const first = /^(?:the|my|our)$/i.test(words[0] ?? '') ? 1 : 0;
  const verb = words.findIndex((word, index) => index > first && VERBS.has(word.toLowerCase()));
  if (verb === -1 || verb > first + (first === 0 ? 3 : 4) || verb === words.length - 1) return false;
  return words.slice(first, verb).every((word) => {
    const lower = word.toLowerCase().replace(/'\p{L}+$/u, '');
    return (
      /^[\p{L}\p{N}'-]+$/u.test(word) &&
      !isNoSubject(lower) &&
      !VERB_ADVERBS.has(lower) &&
      !NO_THING.has(lower) &&
      (first === 1 || !isPreposition(lower))
    );
  });
}

const THIRD =
  '(?:is|has|costs|starts|ends|opens|closes|needs|lives|works|takes|pays|plays|studies|loves|likes|hates|wants|speaks|drives|runs|teaches)';
const TWO_VERBS = new RegExp(
  `^((?:(?:so|and|ok|well|oh|yes|actually|also|now)[,!]? )*(?:my|our|the) (?:[\\p{L}'-]+ ){0,3}?[\\p{L}'-]+) (${THIRD} [^,;]{2,80}?),? and (${THIRD} \\S.{2,80})$`,
  'iu',
);

/** "Our nursery costs 1,100 a month and closes at 5": two things are said of one. */
function partVerbs(part: Part, says: Reads['says']): Part[] {
  const [, subject, first, second] = TWO_VERBS.exec(part.text) ?? [];
  if (subject === undefined || first === undefined || second === undefined || WITHIN.test(`${subject} ${first}`))
    return [part];
  const parts = [
    { ...part, text: `${subject} ${first}` },
    { ...part, text: `${subject} ${second}` },
  ] as const;
  return parts.every(says) ? [parts[0], ...partVerbs(parts[1], says)] : [part];
}
