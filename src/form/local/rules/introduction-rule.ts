import { GIVEN_NAMES, PLACES } from '../../../language/classify-name.ts';
import { canBeName } from '../../../language/not-a-name.ts';
import { isOccupation } from '../../../language/occupations.ts';
import { PASSING_ADJECTIVES } from '../clauses/verb-classes.ts';
import type { StatementDraft } from '../statement-draft.ts';

const GREETING =
  /^(?:(?:hi|hello|hey|hiya|yo|good (?:morning|afternoon|evening)|morning|evening|ok|okay|so|well|oh|yes|btw|by the way|nice to meet you|greetings|dear assistant)(?: there| all| everyone)?[,.!:]* )*/i;
const OPENING =
  /^(?:i'm|i am|im|this is|it's|my name's|my name is|my names|name's|the name's|the name is|i go by|i'm called|i am called|they call me) (?:called )?/i;
const HERE = /^(\p{L}[\p{L}'-]+(?: \p{Lu}[\p{L}'-]+)?) here\b[,.!]*/u;
const ENDS = /^(?:$|[,.;!(–—-]|\s+(?:and|from|here|by the way|btw|but|so|im|i'm|i am|the|your)\b|\s*[,;])/i;
const AGED =
  /^(?:,|\s+and|\s*\()?\s*(?:i'm |i am |im |aged? )?(\d{1,3})(?: years? old| yo| y\/o)?\)?(?=$|[,.;!]| (?:and|from|years)\b)/i;
const ROLE =
  /^(?:,|\s+and)?\s*(?:an? |the )?((?!and\b|but\b|i\b|i'm\b|so\b|we\b|my\b|from\b)[\p{L}-][\p{L}' &/-]{2,80}?)(?=$|[,.;!]| (?:and (?:i|we|my|i'm|i've|im)|who|living|based|but|from)\b)/iu;
const ROLE_NOUN =
  /^(?:(?:single|proud|working|stay-at-home|new) )?(?:mum|mom|mother|dad|father|parent|student|founder|owner|partner|head|director|retired|freelance|self-employed)\b/i;
const FROM =
  /^(?:,|\s+and)?\s*from ((?:the )?\p{L}[\p{L}'& -]{1,50}?)(?=$|[,.;!]| (?:and|but|where|who|working|i)\b)/iu;

/** What somebody says who introduces themself, and the rest of the sentence. */
export interface Introduction {
  drafts: StatementDraft[];
  rest: string;
}

/** "I'm Tomás, 34, and I teach …", "this is Joe", "Grace here, …": name, age, what they do, where from. */
export function readIntroduction(text: string, speaker: string): Introduction | null {
  const clean = text.replace(GREETING, '');
  const found = nameIn(clean);
  if (found === null) return null;
  let { rest } = found;
  const drafts = [draft(`${speaker}'s name`, `is ${found.name}`, { type: 'personal', importance: 0.7 })];
  const age = AGED.exec(rest);
  if (age?.[1] !== undefined) {
    drafts.push(draft(speaker, `is ${age[1]} years old`, { type: 'personal', importance: 0.6 }));
    rest = rest.slice(age[0].length);
  }
  const role = ROLE.exec(rest);
  if (role?.[1] !== undefined && (isOccupation(role[1]) || ROLE_NOUN.test(role[1]))) {
    drafts.push(draft(speaker, `is ${withArticle(role[1])}`, { type: 'fact', importance: 0.65 }));
    rest = rest.slice(role[0].length);
  }
  const studies = STUDIES.exec(rest);
  if (studies?.[2] !== undefined) {
    drafts.push(draft(speaker, studied(studies), { type: 'fact', importance: 0.65 }));
    rest = rest.slice(studies[0].length);
  }
  const from = FROM.exec(rest);
  if (from?.[1] !== undefined) {
    drafts.push({ ...draft(speaker, `is from ${from[1]}`, { type: 'fact', importance: 0.6 }), ...origin(from[1]) });
    rest = rest.slice(from[0].length);
  }
  return { drafts, rest: rest.replace(/^[\s,.;!–—-]+(?:and |but )?|^\s*(?:and|but) /i, '') };
}

// "2nd year mechanical engineering at TU Delft", "studying law in Ghent".
const STUDIES =
  /^(?:,|\s+and)?\s*(?:in (?:my )?|an? )?(?:((?:\d(?:st|nd|rd|th)|first|second|third|fourth|fifth|sixth|final|last)[- ]year)(?: of)?|studying|doing|reading) ((?!and\b|but\b)[\p{L}][\p{L}' &-]{2,50}?)(?: student)?((?: (?:at|in) [\p{L}][\p{L}' -]{1,40}?)?)(?=$|[,.;!]| and (?:i|i'm|im|my|we)\b)/iu;

function studied([, year, field = '', where = '']: RegExpExecArray): string {
  return year === undefined ? `is studying ${field}${where}` : `is a ${year} ${field} student${where}`;
}

function nameIn(text: string): { name: string; rest: string } | null {
  const here = HERE.exec(text);
  if (here?.[1] !== undefined && here[1].split(' ').every((word) => isNameWord(word)))
    return { name: capitalised(here[1]), rest: `,${text.slice(here[0].length)}` };
  const opening = OPENING.exec(text)?.[0];
  if (opening === undefined) return null;
  const words: string[] = [];
  let rest = text.slice(opening.length);
  while (words.length < 3) {
    const word = /^(\p{L}[\p{L}'-]*\p{L})(?=$|[^\p{L}'-])/u.exec(rest)?.[1];
    if (word === undefined || !isNameWord(word, words.length > 0)) break;
    words.push(word);
    rest = rest.slice(word.length);
    if (/^ \p{Lu}/u.test(rest)) rest = rest.slice(1);
    else break;
  }
  if (words.length === 0 || !ENDS.test(rest)) return null;
  // "It's Berlin" and "this is Spotify" answer or show something.
  if (/^(?:this is|it's) /i.test(opening) && !GIVEN_NAMES.has(words[0]?.toLowerCase() ?? '')) return null;
  return { name: capitalised(words.join(' ')), rest };
}

/** A capital, or small letters in a name that is common. After a first name anything with a capital is a surname. */
function isNameWord(word: string, isSurname = false): boolean {
  if (word.endsWith("'s") || PASSING_ADJECTIVES.has(word.toLowerCase())) return false;
  if (/^\p{Lu}/u.test(word)) return isSurname || canBeName(word);
  return (
    !isSurname &&
    GIVEN_NAMES.has(word) &&
    canBeName(word) &&
    !/^(?:will|mark|hope|joy|faith|grace|jack|bill|don|art|may|dawn|ray|rob|pat|ken|jade|amber|max|dev|frank|grant|rich|sandy|chase|hazel|ivy|iris|rose|ruby|pearl|june|april|summer|nice|min|jun|an|so)$/.test(
      word,
    )
  );
}

function capitalised(name: string): string {
  return name.charAt(0).toUpperCase() + name.slice(1);
}

function withArticle(role: string): string {
  if (/^(?:retired|freelance$|self-employed|head|partner\b)/i.test(role)) return role;
  return `${/^[aeiou]/i.test(role) ? 'an' : 'a'} ${role}`;
}

/** "From Porto" is where somebody was born, "from Acme" for whom they speak: only a known place is a birthplace. */
function origin(from: string): Pick<StatementDraft, 'attribute'> {
  return PLACES.has(from.toLowerCase().split(/,| (?=in\b)/)[0] ?? '') ? {} : { attribute: 'affiliation' };
}

function draft(
  subject: string,
  predicate: string,
  { type, importance }: Pick<StatementDraft, 'type' | 'importance'>,
): StatementDraft {
  return {
    type,
    subject,
    predicate,
    polarity: 'positive',
    importance,
    confidence: 'high',
    ownWords: ['name', 'student', 'studying', 'years', 'old', predicate.startsWith('is ') ? predicate.slice(3) : ''],
  };
}
