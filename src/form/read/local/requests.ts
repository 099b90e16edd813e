import { asksAboutText, namesText } from '../../../language/foreign-text.ts';
import { findDates } from '../../../language/pack-dates.ts';
import type { Pack } from '../../../language/packs/pack.ts';
import { packPattern, packRegExp, perPack, plainMarks, wordsPattern } from '../../../language/packs/packs.ts';
import { isMoreThanGreeting, tellingStems } from '../../meant-by-request.ts';
import { announces, asksForAll, changesPlan } from '../../forget-phrases.ts';
import type { ReadUnit } from './units.ts';

/** What a sentence asks of the memory; null if it asks nothing. */
export type Request = 'remember' | 'forget' | 'forget-all' | 'take-back' | 'plan' | 'wish' | 'reminder';

/** The request that a sentence makes, by the phrases of its language. */
export function requestOf(unit: ReadUnit): Request | null {
  const { pack } = unit;
  if (asksForAll(unit.text) && !unit.isForeign && !isAnothers(unit) && !asksAboutText(unit.turn)) return 'forget-all';
  if (pack === null || (unit.isForeign && !hasOwnLead(unit))) return null;
  const text = plainMarks(unit.text.slice(0, 600));
  const says = (name: keyof Pack['requests']): boolean => packPattern(pack, `request:${name}`).test(text);
  const asked = forgetting(unit, pack, text);
  if (asked !== undefined) return asked;
  if (says('reminder')) return 'reminder';
  if (/[?？]\s*$/.test(text)) return null;
  if (says('remember') && !says('delayed') && !says('recalls')) return 'remember';
  return says('wish') ? 'wish' : null;
}

/** What a sentence with the words of forgetting asks; undefined where it has none, null where it asks nothing. */
function forgetting(unit: ReadUnit, pack: Pack, text: string): Request | null | undefined {
  const says = (name: keyof Pack['requests']): boolean => packPattern(pack, `request:${name}`).test(text);
  const phrase = forgetPhrase(unit, pack);
  const back = packPattern(pack, 'request:takeBack').exec(text);
  // "Delete my number, no wait, keep it" asks nothing.
  if (back !== null) return phrase !== null && phrase.start < back.index && !phrase.isDenial ? null : 'take-back';
  if (phrase === null || says('notForget') || says('delayed') || keepsAfter(unit, phrase, pack)) return undefined;
  // "Don't keep this: …" changes no plan.
  const isLead = phrase.isDenial === true || /^\s*[:：]/u.test(text.slice(phrase.end));
  const isPlan = !isLead && changesPlan(unit.turn.slice(unit.start + phrase.start), pack);
  return isPlan ? 'plan' : 'forget';
}

/** "Wipe it. Or no, hold on to it.": whether the rest of the turn withdraws the request. */
function keepsAfter(unit: ReadUnit, { end, isDenial }: ForgetPhrase, pack: Pack): boolean {
  if (isDenial === true) return false;
  const rest = plainMarks(unit.turn.slice(unit.start + end));
  return [...rest.matchAll(patternsOf(pack).kept)].some(({ index, 0: words }) => {
    const around = rest.slice(Math.max(0, index - 40), index + words.length + 12);
    // "Forget the cruise. The laptop you can keep.": something else is kept.
    const clause =
      rest
        .slice(0, index)
        .split(/[.,;!?…]/u)
        .at(-1) ?? '';
    if (pack.script !== 'han' && tellingStems(clause, pack).size > 0) return false;
    return /[.,;!?…。、，]/u.test(rest.slice(0, index)) && !packPattern(pack, 'request:not').test(around);
  });
}

/** The place of the phrase by which a sentence asks to forget. */
interface ForgetPhrase {
  start: number;
  end: number;
  /** "Forget the cheese shop": an idiom as often as a request. */
  isIdiom: boolean;
  /** "Don't keep": a verb of keeping that is denied. */
  isDenial?: boolean;
  /** Nothing in it refers to what was said before, so the request has to name its object. */
  needsObject?: boolean;
  /** "Bórralo": a pronoun is a part of the verb. */
  isClitic?: boolean;
}

/**
 * The phrase by which a sentence asks to forget. It must be in the user's own words, and an order: only words of courtesy may precede it in
 * its clause. "I always forget my keys" and "she said: forget it" ask nothing.
 */
function forgetPhrase(unit: ReadUnit, pack: Pack): ForgetPhrase | null {
  if (isAnnounced(unit) || SUBTITLES.test(unit.turn)) return null;
  const text = plainMarks(unit.text.slice(0, 600));
  for (const name of ['forget', 'forgetNamed'] as const) {
    const isIdiom = name === 'forgetNamed';
    for (const { start, end, match, before, own } of phrasesOf(unit, text, patternsOf(pack)[name])) {
      // "Delete the second paragraph" is work on a text.
      if (isIdiom && namesWork(text.slice(start), pack)) continue;
      if (isOrder(before, pack) && !isPersons(own, match[0], pack))
        return { start, end, isIdiom, needsObject: isIdiom };
    }
  }
  return loosePhrase(unit, pack);
}

/** The places of a pattern in the user's own words, with the words before each: all of them, and those of its clause. */
function* phrasesOf(unit: ReadUnit, text: string, pattern: RegExp): Generator<FoundPhrase> {
  for (const match of text.matchAll(pattern)) {
    const [start, end] = [match.index, match.index + match[0].length];
    if (unit.foreign.some((span) => start < span.end && end > span.start)) continue;
    const before = text.slice(0, start);
    yield { start, end, match, before, own: lastClause(before, unit.pack as Pack) };
  }
}

interface FoundPhrase {
  start: number;
  end: number;
  match: RegExpExecArray;
  before: string;
  own: string;
}

const SUBTITLES = /\d\d:\d\d:\d\d(?:[.,]\d{3})? --> /;

/** Whether the words name a text that is being worked on: "the second paragraph", but not "that whole story". */
function namesWork(words: string, pack: Pack): boolean {
  return namesText(words.replace(packPattern(pack, 'request:all'), ' '));
}

/** "Translate to French: please forget my address": the request is part of a text that the user asks about. */
function isAnnounced({ turn, start, text }: ReadUnit): boolean {
  const announcing = /^([^\n]{0,200}[\p{L}\p{N}?)])[:：]\s/u.exec(turn.slice(0, start) + text)?.[1];
  return announcing !== undefined && asksAboutText(announcing);
}

/** A short head at the start of a turn: "Fwd: …", "Ana's mail: …". */
const HEADED = /^[^\n:：]{1,60}[:：]\s/u;

/** Whether the words around a sentence say that it is somebody else's: "Ana's mail: …", "she begged me to …". */
function isAnothers(unit: ReadUnit): boolean {
  return isHeaded(unit) || (unit.pack !== null && saysOther(plainMarks(unit.text), unit.pack));
}

/** "Ana's mail: …": whether a sentence follows words that announce a text. */
export function isHeaded(unit: ReadUnit): boolean {
  return isAnnounced(unit) || HEADED.test(unit.turn.slice(0, unit.start) + unit.text);
}

/** The most words between a verb of keeping and its negation: "merk dir das bitte nicht". */
const MOST_BETWEEN = 5;

/**
 * The words of a request in any order: a verb of removing or a negated verb of keeping, in a sentence that is addressed to the assistant.
 * Such words are common in ordinary talk, so the request counts only if what it names was said before, or if it refers to what was said
 * just before.
 */
function loosePhrase(unit: ReadUnit, pack: Pack): ForgetPhrase | null {
  if (unit.text.length > LONGEST_LOOSE) return null;
  const text = plainMarks(unit.text);
  if (hasOwnLead(unit)) {
    const lead = LEAD.exec(text)?.[1] ?? '';
    if (!announces(lead, pack)) return denyingPhrase(unit, lead, pack) ?? droppingPhrase(unit, lead, pack, false);
  } else if (LIKE_CODE.test(unit.turn)) return null;
  if (unit.isForeign || unit.hasForeign) return null;
  const polite = packPattern(pack, 'request:polite').exec(text);
  if (/[?？]\s*$/u.test(text) && polite?.index !== 0 && (polite === null || isQuestion(text, pack))) return null;
  const unsaid = packPattern(pack, 'request:unsaid').exec(text);
  if (unsaid !== null && !saysOther(text.slice(0, unsaid.index), pack))
    return { start: unsaid.index, end: unsaid.index + unsaid[0].length, isIdiom: true };
  return droppingPhrase(unit, text, pack, polite !== null) ?? denyingPhrase(unit, text, pack);
}

/** Whether a sentence begins as a question. "Est-ce que tu pourrais ne pas garder …" is a question in form alone. */
function isQuestion(text: string, pack: Pack): boolean {
  const begin = patternsOf(pack).begin.exec(text)?.[0] ?? '';
  const asking = packPattern(pack, 'question').exec(text.replace(/^[\s¿]+/u, ''));
  return asking?.index === 0 && !packPattern(pack, 'request:polite').test(begin);
}

/** "Not for your notes: I take sertraline.": whether a colon follows the user's own words, and so is not a sign of code or pasted text. */
function hasOwnLead({ text, turn, foreign }: ReadUnit): boolean {
  const lead = LEAD.exec(plainMarks(text))?.[1];
  if (lead === undefined || foreign.some(({ start }) => start < lead.length)) return false;
  return !LIKE_CODE.test(turn.replace(/: /, ', '));
}

function droppingPhrase(unit: ReadUnit, text: string, pack: Pack, isAsked: boolean): ForgetPhrase | null {
  for (const phrase of phrasesOf(unit, text, patternsOf(pack).drop)) {
    const { start, end, match, before, own } = phrase;
    // "You don't need the number any more, it can go": a negation before the comma does not belong to the request. "You can forget that, my
    // brother always says": somebody else asks.
    if (!isAddressed(phrase, pack) || isDenied(own, pack) || patternsOf(pack).saidAfter.test(text.slice(end))) continue;
    if (namesWork(`${match.slice(1).join(' ')} ${text.slice(end)}`, pack)) continue;
    const isOwnOrder = isAsked || beginsClause(before, pack) || isOrder(before, pack);
    if (isOwnOrder || isLast(text.slice(end), pack) || CLITIC.test(match[0]))
      return {
        start,
        end,
        isIdiom: true,
        isClitic: CLITIC.test(match[0]),
        needsObject: !points(clauseAt(text, start, end, pack), pack),
      };
  }
  return null;
}

function denyingPhrase(unit: ReadUnit, text: string, pack: Pack): ForgetPhrase | null {
  for (const phrase of phrasesOf(unit, text, patternsOf(pack).notKept)) {
    const { start, end, match } = phrase;
    if (isAddressed(phrase, pack))
      return { start, end, isIdiom: true, isDenial: true, isClitic: CLITIC.test(match[0]) };
  }
  return null;
}

/**
 * Whether a verb of forgetting is addressed to the assistant. It is not if the user or another person is its subject ("I forget", "he won't
 * keep it"), if somebody else says it ("she said: forget it"), or if it is only supposed ("if I asked you to forget my surgery").
 */
function isAddressed({ match: [verb], before, own }: FoundPhrase, pack: Pack): boolean {
  if (isUsersOwn(own, verb, pack) || isPersons(own, verb, pack) || saysOther(before, pack)) return false;
  return !packPattern(pack, 'request:supposing').test(own);
}

/** "Don't write this down, but my sister is pregnant": whether a sentence asks not to keep what it says after the request. */
export function deniesItself({ text, pack }: ReadUnit): boolean {
  if (pack === null) return false;
  const { notKept, conjunction } = patternsOf(pack);
  const plain = plainMarks(text);
  return [...plain.matchAll(notKept)].some(({ index, 0: phrase }) => {
    const after = plain.slice(index + phrase.length);
    const at = after.search(conjunction);
    return at >= 0 && isMoreThanGreeting(after.slice(at));
  });
}

const LONGEST_LOOSE = 220;
/** "Not for your notes: I take sertraline.": the words before the colon; null where there is none. */
export function leadOf({ text }: ReadUnit): string | null {
  return LEAD.exec(plainMarks(text))?.[1] ?? null;
}

/** The words before a colon. */
const LEAD = /^([^:\n]{4,140}?) ?: +\p{L}/u;
/** Marks of code, markup and quotation. A line that contains one is not speech. */
const LIKE_CODE = /[<>{}=`|\\_«»"“”„「」]|\/\/|\w\(|: +\p{L}/u;

/** A verb of keeping with a word that denies it, before or after it. */
function deniedKeeping({ language, script, requests: { keep, not } }: Pack): string {
  if (language === 'ja') return `(?:${keep})[ぁ-ゖ一-鿿]{0,8}?(?:${not})`;
  if (script === 'han') return `(?:${not})[一-鿿]{0,4}?(?:${keep})`;
  const between = `(?: [\\p{L}\\p{N}'-]+){0,${MOST_BETWEEN}}? `;
  return `(?:${not})${between}(?:${keep})|(?:${keep})${between}(?:${not})`;
}

const patternsOf = perPack((pack) => {
  const { script, words, requests } = pack;
  const isHan = script === 'han';
  const among = (list: string): string => `(?:${list})(?![\\p{L}])`;
  const me = `${words.me}|${words.we}`;
  const anywhere = (source: string): RegExp => packRegExp(source, 'giu');
  const phrases = (list: string): RegExp => wordsPattern(list, script, 'giu');
  return {
    forget: phrases(requests.forget),
    forgetNamed: phrases(requests.forgetNamed),
    drop: phrases(requests.drop),
    notKept: phrases(deniedKeeping(pack)),
    kept: anywhere(
      isHan
        ? `(?:${requests.keep})`
        : `(?<![\\p{L}])(?:${requests.keep})(?:[ -](?:${requests.it}))?(?= *[.,;!?…]|$| after all| please)`,
    ),
    begin: packRegExp(`^(?:(?:[\\s¿¡,]|${among(requests.lead)}))+`),
    lead: packRegExp(`^(?:[\\s¿¡]|${among(requests.lead)})*$`),
    // "What I just told you about him" is the user's own.
    ownSaying: anywhere(`(?<![\\p{L}])(?:${me})(?: (?!(?:${words.they}) )[^\\s,;.]+){0,6}? ${among(words.said)}`),
    saidAfter: packRegExp(`^[\\s\\p{L}]{0,20}[,–—] *${among(words.said)}`),
    person: packRegExp(
      `^\\s*(?:(?:[\\p{L}]{1,2} )?(?:${words.my}) ([\\p{L}-]+)|(?:${requests.person})|(?:${requests.people ?? '(?!)'}))(?![\\p{L}])`,
    ),
    clause: anywhere(isHan ? '[。，、！？]' : `[,;.:!?–—()…]| (?=${among(requests.so)})`),
    conjunction: anywhere(`[,;.:!?–—…、，。]|${isHan ? requests.but || '(?!)' : ` (?=(?:${requests.but}) )`}`),
    me: packRegExp(`(?:^|[^\\p{L}])${among(me)}`),
    own: anywhere(`(?<![\\p{L}])(?:${requests.own})`),
    notBefore: packRegExp(`(?:${requests.not})[一-鿿]{0,2}$`),
    // A comma ends the object, unless the next thing of the user's follows it.
    objectEnd: packRegExp(`[.;:!?。！？：]|,(?! (?:(?:${requests.joins}) )?(?:[\\p{L}]{1,2} )?${among(words.my)})`),
  };
});

/** "Forget it, she said": somebody else asked. */
function saysOther(text: string, pack: Pack): boolean {
  return packPattern(pack, 'said').test(text.replace(patternsOf(pack).ownSaying, ' '));
}

/** "My grandmother forgets my sister's name", "he won't keep it": the verb is said of somebody else, and nothing is said to the assistant. */
function isPersons(clause: string, verb: string, pack: Pack): boolean {
  if (pack.script === 'han' || packPattern(pack, 'you').test(`${clause} ${verb}`)) return false;
  const match = patternsOf(pack).person.exec(clause);
  if (match === null || packPattern(pack, 'request:polite').test(clause)) return false;
  return match[1] === undefined || match[1].toLowerCase() in pack.relations;
}

/** What a clause has before the verb of a request. It begins at a mark, or at a word for a consequence: "I sold it, so delete". */
function lastClause(before: string, pack: Pack): string {
  return before.split(patternsOf(pack).clause).at(-1) ?? '';
}

/** "I dropped", "I don't keep": the user speaks of themselves. */
function isUsersOwn(before: string, verb: string, pack: Pack): boolean {
  if (pack.script === 'han') return pack.language === 'zh' && /我(?:会|要|得|想|已经|都|也|就)?$/u.test(before);
  const last = before.trim().split(/\s+/).slice(-2).join(' ');
  const { me, own } = patternsOf(pack);
  const start = before.trim().length + 1;
  return (
    me.test(last) ||
    [...`${before.trim()} ${verb}`.matchAll(own)].some(({ index, 0: words }) => index + words.length === start)
  );
}

function isDenied(before: string, pack: Pack): boolean {
  if (pack.script === 'han') return patternsOf(pack).notBefore.test(before);
  const last = before.trim().split(/\s+/).slice(-3).join(' ');
  return packPattern(pack, 'request:not').test(last);
}

/** An order with its object: "cancellala", "bórralo". */
const CLITIC = /\p{L}{4}(?:l[oaei]|l[oa]s)$/iu;

/** "…, delete please.": an order, after what it is about. */
function isLast(after: string, pack: Pack): boolean {
  return /^[\s.!,…)]*$/u.test(after.replace(packPattern(pack, 'request:polite'), ''));
}

/** The clause that contains a phrase. */
function clauseAt(text: string, start: number, end: number, pack: Pack): string {
  const from = clauseStart(text.slice(0, start), pack);
  const after = text.slice(end).search(/[,;.:!?–—…、，。]/u);
  return text.slice(from, after < 0 ? text.length : end + after);
}

/** At the beginning of a clause, but for a word such as "oops". */
function beginsClause(before: string, pack: Pack): boolean {
  const [, word] = /^\s*(\p{L}+\s+)?$/u.exec(lastClause(before, pack)) ?? [null, null];
  if (word === null) return false;
  return word === undefined || !packPattern(pack, 'they').test(word);
}

/** Whether a verb is an order of the user's, by the words before it: nobody else says it, and only words of courtesy begin its clause. */
function isOrder(before: string, pack: Pack): boolean {
  if (saysOther(before, pack)) return false;
  if (pack.script === 'han') return true;
  // "One more thing: forget my number." After "mail from Olga:" or "is this polite:" the words are a text and not an order.
  const announcing = before.slice(0, Math.max(0, before.lastIndexOf(':'))).trim();
  if (announcing !== '' && !announces(announcing, pack)) return false;
  return patternsOf(pack).lead.test(lastClause(before, pack));
}

/** What a request to forget may be about, in its own words, the nearest to its verb first: "my phone number". */
export interface ForgetObject {
  candidates: string[];
  needsObject: boolean;
  /** Where the clause of the request begins in the sentence; `near`: its words up to the end of the phrase, if they refer back. */
  clause: number;
  near: string | null;
  /** "Don't keep this: …": the position of a colon, after which the sentence may say what is meant. */
  following: number | null;
  /** Whether it asks not to keep, rather than to forget. */
  isDenied: boolean;
  /** The words before the phrase, in the sentence and in the turn: what follows it may be a reason. */
  ahead: string[];
  /** Whether the request can mean only something that was said. */
  isIdiom: boolean;
}

/** The clause of the request, else the clauses before it, else what the turn says before it: "the medication I told you about, wipe that". */
export function forgetObject(unit: ReadUnit, before: string): ForgetObject | null {
  const { pack } = unit;
  const phrase = pack === null ? null : forgetPhrase(unit, pack);
  if (pack === null || phrase === null) return null;
  const text = plainMarks(unit.text);
  const rest = text.slice(phrase.start);
  const length = phrase.end - phrase.start;
  const after = patternsOf(pack).objectEnd.exec(rest.slice(length));
  const own = after === null ? rest : rest.slice(0, length + after.index);
  const isNamed = phrase.isIdiom && packPattern(pack, 'request:forgetNamed').test(rest.slice(0, length + 1));
  const clause = clauseStart(text.slice(0, phrase.start), pack);
  const candidates = isNamed
    ? [own]
    : [
        own,
        `${text.slice(clause, phrase.start)} ${own}`,
        `${text.slice(0, phrase.start)} ${own}`,
        ...(phrase.isIdiom ? [text] : []),
        before,
      ];
  const near = text.slice(clause, phrase.end);
  const lead = LEAD.exec(text)?.[1] ?? '';
  return {
    candidates: candidates.map((words) => words.trim()).filter(Boolean),
    needsObject: phrase.needsObject === true,
    isIdiom: phrase.isIdiom,
    clause,
    near:
      phrase.isClitic === true ||
      (phrase.isIdiom && (phrase.isDenial !== true || clause > 0)) ||
      pack.script === 'han' ||
      points(near, pack)
        ? near
        : null,
    ahead: [text.slice(0, phrase.end), before],
    following: lead !== '' && phrase.end <= lead.length ? lead.length : null,
    isDenied: phrase.isDenial === true || lead.search(patternsOf(pack).notKept) >= 0,
  };
}

/** The start of the last clause of a text: a punctuation mark or a conjunction. */
function clauseStart(text: string, pack: Pack): number {
  return [...text.matchAll(patternsOf(pack).conjunction)].at(-1)?.index ?? 0;
}

/** Whether words refer to what was just said. A verb of removing that has neither such a word nor an object asks nothing. */
function points(words: string, pack: Pack): boolean {
  return packPattern(pack, 'request:points').test(words);
}

/** When a reminder is due; null where the sentence does not say. */
export function dueOf(unit: ReadUnit, now: Date, timeZone: string): Date | null {
  if (unit.pack === null) return null;
  const dates = findDates(unit.text, unit.pack, { now, timeZone, prefer: 'future' });
  return dates.find(({ to }) => to === null || to.getTime() > now.getTime())?.from ?? null;
}
