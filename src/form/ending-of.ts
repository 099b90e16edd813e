import { isOccupation } from '../language/occupations.ts';
import type { Memory } from '../record/memory.ts';
import { contentStems } from './guards/text-overlap.ts';
import { withoutReason } from './local/clauses/part-reason.ts';
import type { Proposal } from './proposal.ts';
import { isUser, normaliseAttribute, slotOf } from './slot.ts';

/** Whether a statement ends a memory. */
export type Ends = (memory: Memory) => boolean;

const LEFT =
  /^User (?:just |recently |has |finally )*(left|gave up|given up|quit|handed in (?:their )?notice(?: at)?|resigned(?: from)?|got (?:fired|laid off|let go|sacked|made redundant)(?: from)?|(?:was|has been) (?:fired|laid off|let go|sacked|made redundant)(?: from| by)?|retired(?: from)?|stopped (?=working|teaching|freelancing)|no longer (?=works?|teach|runs))\b ?(.*?)\.?$/;
const WHOLE_JOB = /^(?:as |from )?(?:their|the|a) (?:old |day )?(?:job|position|work|role)\b/;
// "Quit last week" says of what; "left at five" and "gave up after an hour" do not.
const NOTHING_NAMED = /^(?:$|(?:in|on|at|since|early|last|this|today|yesterday|recently|after|because|from work)\b)/;
const LEAVES_ANYTHING = /^(?:left|gave up|given up)$/;
const STARTED =
  /^User (?:just |recently |has |now |finally )*(?:starts|is starting|started|joined|got (?:an? (?:(?:new|summer|weekend|saturday|part[- ]time|full[- ]time) )*(?:job|role|position|gig)|hired)|(?:was|has been) hired|took a (?:new )?(?:job|role|position)|switched to an? (?:new )?(?:job|role|position)|began)\b/;
const FREELANCE =
  /^User is (?:now )?(?:freelance|freelancing|self-employed|unemployed|retired|between jobs|a (?:freelance\w*|stay-at-home \p{L}+|full-time \p{L}+))\b/u;
const SECOND_JOB = /\b(?:second|side|another|additional|also|as well|besides|too|part-time|part time)\b/;
const SWITCHED = /^User (?:has |just |recently )*(?:switched|changed|moved|went|migrated) from (.{2,40}?) to /;

// A customer who has gone pays no more.
const CHURNED =
  /^(?!User\b)(\p{Lu}[\p{L}\p{N}&' -]{1,60}?) (?:cancelled|canceled|churned|pulled out|withdrew)(?=$|\.| (?:on|in|their|today)\b)/u;
const TURNED = /^User (?:just |recently |finally )*turned \d{1,3}\b/;

const HEALED =
  /^User's ((?:left |right |lower |upper )?\p{Ll}+) (?:(?:is|are) (?:(?:now|all|completely|fully|finally|totally|much|back to) )*(?:fine|ok|okay|alright|right|better|healed|healthy|recovered|good|normal|well) (?:again|now)|(?:has |have )?(?:fully |completely |finally )*healed)\b/u;
const INJURY =
  /\b(?:broken|broke|sprain\p{L}*|injur\p{L}*|hurts?|hurting|pain\p{L}*|fractur\p{L}*|twisted|tore|torn|sore|swollen|strain\p{L}*|aches?|aching|infect\p{L}*|dislocated|inflamed)\b/u;

/** Which memories a statement ends; null when it ends none. */
export function endingOf(by: Proposal): Ends | null {
  const said = withoutReason(by.content);
  const healed = HEALED.exec(said)?.[1];
  if (healed !== undefined) {
    const part = contentStems(healed.split(' ').at(-1) ?? healed);
    return ({ content, key }) =>
      key === null &&
      content.startsWith('User') &&
      INJURY.test(content) &&
      [...contentStems(content)].some((stem) => part.has(stem));
  }
  const lost = CHURNED.exec(said)?.[1];
  if (lost !== undefined) return ({ content }) => content.startsWith(`${lost} pays `);
  const moved = MOVED.exec(said)?.[1];
  if (moved !== undefined) return (memory) => isAppointment(memory, moved);
  if (!isUser(by.slot.subject) || by.type === 'goal' || by.type === 'intention') return null;
  if (TURNED.test(said)) return isAge;
  const [, how, left] = LEFT.exec(said) ?? [];
  if (how !== undefined && left !== undefined) {
    if (WHOLE_JOB.test(left) || (NOTHING_NAMED.test(left) && !LEAVES_ANYTHING.test(how))) return isJob;
    const stems = contentStems(left.replace(/\b(?:job|work|working|works)\b/g, ' '));
    return (memory) =>
      (isJob(memory) && [...contentStems(`${memory.content} ${memory.value ?? ''}`)].some((stem) => stems.has(stem))) ||
      (how !== 'left' && isDoing(memory, left.replace(/,.*$| (?:in|on|last|since|because|for|after|at) .*$/, '')));
  }
  const isNewJob =
    FREELANCE.test(said) ||
    (STARTED.test(said) && (isJobSlot(by.slot.attribute) || /\b(?:job|role|position)\b/.test(said)));
  if (isNewJob && !SECOND_JOB.test(said)) return (memory) => isJob(memory) && !isOwnKey(memory, by);
  const from = SWITCHED.exec(said)?.[1] ?? INSTEAD_OF.exec(said)?.[1];
  if (from !== undefined && by.slot.attribute !== 'home_city')
    return (memory) => isAbout(memory, from) || memory.key === `medication_${from.toLowerCase()}`;
  const sold = SOLD.exec(said)?.[1];
  if (sold !== undefined) return (memory) => isOwning(memory, sold);
  if (EATS_ALL.test(said)) return isMeatless;
  const stopped = STOPPED.exec(said)?.[1] ?? NOT_ANY_MORE.exec(said)?.[1];
  if (stopped !== undefined && by.slot.attribute === null) return (memory) => isDoing(memory, stopped);
  const { attribute, polarity } = by.slot;
  return polarity === 'negative' && attribute !== null && !/^(?:likes|instruction|ability)/.test(attribute)
    ? (memory) => memory.key !== null && isDenied(memory, attribute, said)
    : null;
}

const INSTEAD_OF =
  /^User (?:now |has |just )*\p{Ll}+(?:s|ed)? .{2,60}? instead of (?:the |their |an? )?(\p{Lu}[\p{L}\p{N}+#-]*|\p{L}{3,})(?=$|[,.]| now\b)/u;
const SOLD =
  /^User (?:just |recently |finally |has )*(?:sold|scrapped|returned|gave away|got rid of) (?:their |the |an? )?(?:old )?([\p{L}\p{N}][\p{L}\p{N}' -]{1,30}?)(?=$|[,.]| (?:for|to|on|in|last|and|yesterday)\b)/u;
const STOPPED =
  /^User (?:just |recently |finally |has )*(?:stopped|gave up|given up|no longer|is no longer) (\p{L}[^,.]{2,50}?)(?=$|[,.]| (?:in|on|last|since|because|for|after|at)\b)/u;
const NOT_ANY_MORE = /^User (?:does not|is not) (\p{L}[^,.]{2,50}?) any ?more\b/u;
const MOVED = /^The (.{3,50}?) (?:is|are)(?= (?:now )?(?:on|at|in) ).*\b(?:now|instead)\b/;
const EATS_ALL =
  /^User (?:is eating|eats|started eating|has started eating|went back to eating|can eat) (?:meat|chicken|beef|pork|fish|bacon|steak|everything)\b.*\b(?:again|now)\b/;

/** "Is vegetarian", or the key that says so. */
function isMeatless({ key, value, content }: Memory): boolean {
  return key === 'diet'
    ? /^(?:vegetarian|vegan|pescatarian|plant-based)\b/i.test(value ?? '')
    : /^User (?:is|has been) (?:an? |now )?(?:vegetarian|vegan|pescatarian)\b|^User does not eat meat\b/.test(content);
}

/** What somebody does, or did when it was said: "smokes", "is learning Spanish", "goes to the gym". */
function isDoing({ content, key, type }: Memory, what: string): boolean {
  const stems = contentStems(what);
  if (key !== null || type === 'preference' || stems.size === 0) return false;
  if (!/^User (?:is \p{L}+ing\b|(?!has\b|was\b|does not\b|quits\b|stops\b|is\b)\p{Ll}+s\b)/u.test(content))
    return false;
  return covers(content, stems);
}

function isOwning({ content, key }: Memory, what: string): boolean {
  const isHad = /^User(?:'s (?:\p{Ll}+ )?\p{Ll}+ is|(?: \p{Ll}+)? (?:has|owns|drives|rides|uses|is selling)) /u.test(
    content,
  );
  // "Owns two restaurants, Cedar and Zaatar" holds of Cedar still.
  return key === null && isHad && !/,| and /.test(content) && covers(content, contentStems(what));
}

/** "User has an interview at Google on Friday", when the interview is on Monday now. */
function isAppointment({ content, key }: Memory, what: string): boolean {
  return key === null && /^User has an? /.test(content) && covers(content, contentStems(what));
}

function covers(content: string, stems: ReadonlySet<string>): boolean {
  const known = contentStems(content);
  return stems.size > 0 && [...stems].every((stem) => known.has(stem));
}

function isAge(memory: Memory): boolean {
  const { subject, attribute } = slotOf(memory);
  return isUser(subject) && (attribute === 'age' || TURNED.test(memory.content));
}

function isJobSlot(attribute: string | null): boolean {
  return attribute === 'employer' || attribute === 'job_title' || attribute === 'industry';
}

// Who teaches themselves, or their own children, is not paid for it.
const WORKS =
  /^User (?:currently |now |also |still )*(?!.*\bteach(?:es|ing) (?:themsel|himsel|hersel|their\b))(?:works|teaches|is working|is teaching|is employed|freelances|has (?:worked|been working|been teaching|been an? )|is [^.]{3,60} at (?:an?|the|\p{Lu}))/u;

const A_JOB = /\bgot an? (?:\p{Ll}[\p{Ll}-]* ){0,3}(?:job|role|position|gig)\b/u;

/** Whether a memory says what the user does for a living now. */
function isJob(memory: Memory): boolean {
  if (memory.key !== null) return isJobSlot(memory.key);
  const slot = slotOf(memory);
  if (!isUser(slot.subject) || slot.polarity === 'negative' || memory.validTo !== null || memory.type === 'preference')
    return false;
  if (STARTED.test(memory.content) && (isJobSlot(slot.attribute) || A_JOB.test(memory.content))) return true;
  return isJobSlot(slot.attribute)
    ? !/^User (?:was|worked|used to)\b/.test(memory.content)
    : WORKS.test(memory.content) || isOccupation(/^User is (an? .+)$/.exec(memory.content)?.[1] ?? '');
}

/** The new job writes its keys itself, and they take the place of the old. */
function isOwnKey(memory: Memory, by: Proposal): boolean {
  return memory.key !== null && [by.keyed, ...(by.moreKeyed ?? [])].some((fact) => fact?.key === memory.key);
}

function isAbout({ content, key, type }: Memory, name: string): boolean {
  const words = content.toLowerCase().split(/[^\p{L}\p{N}.+#-]+/u);
  return (
    key === null &&
    (type !== 'context' || /^User is taking\b/.test(content)) &&
    name
      .toLowerCase()
      .split(' ')
      .every((word) => words.includes(word)) &&
    /^User(?:'s \p{Ll}+)* (?:is|uses|prefers|drives|has|runs|works with|takes|plays|drinks|banks with|shops at|reads|writes|has been taking)\b/u.test(
      content,
    )
  );
}

/** "is not vegetarian any more" denies diet = vegetarian; "was taken off bisoprolol" ends that medicine. */
function isDenied({ key, value }: Memory, attribute: string, content: string): boolean {
  const head = attribute.split(':')[0] ?? attribute;
  const isKey =
    normaliseAttribute(key) === attribute || (attribute.includes(':') && key?.startsWith(`${head}_`) === true);
  const text = content.toLowerCase();
  const named =
    head === 'medication' ? (key ?? '').slice(head.length + 1).replaceAll('_', ' ') : (value ?? '').toLowerCase();
  return isKey && named !== '' && text.includes(named);
}
