import { MONTH, WEEKDAY } from '../../../language/calendar-pattern.ts';
import { contentStems } from '../../guards/text-overlap.ts';
import type { People } from '../find-people.ts';
import { draftClauses } from './draft-clauses.ts';
import { findSlot } from '../slots/find-slot.ts';
import type { StatementDraft } from '../statement-draft.ts';
import { splitSentences } from '../../../language/split-sentences.ts';

const TAKES_BACK =
  /^(?:(?:oh|well|sorry|um|hey|hmm|wait),? )*(?:(?:no|nope|sorry),(?=\s)|(?:no wait|wait,? no|scratch that|my bad|my mistake|oops|whoops|i (?:told you|said|got (?:that|it)|had (?:that|it)) wrong|i (?:typed|wrote) (?:that|it) wrong|actually|correction|that's (?:wrong|not right|incorrect|not correct)|that is (?:wrong|incorrect|not right)|you(?:'re| are) wrong|wrong|i meant|i mean|let me correct|to correct|not quite|you got (?:that|it) wrong|i misspoke|i made a mistake)\b)/i;
const REPLACED = [
  /\b(?:it's|it is|i meant|i mean|that's|should be|make that)?,? ?(?:actually )?((?!it's\b|it\b)[\p{L}\p{N}][\p{L}\p{N} .'&-]{0,40}?),? (?:and )?not ((?!a |the |so )[\p{L}\p{N}][\p{L}\p{N} .'&-]{0,40}?)[.!]*$/iu,
  /^(?:(?:actually|no|sorry|wait),? )*(?:it's|it is|that's|i(?:'m| am)) not (?:in |at )?([\p{L}\p{N}][\p{L}\p{N} .'&-]{0,40}?)(?:,| -|;|\.) ?(?:but |it's |it is |i(?:'m| am) |that's )*(?:in |at )?([\p{L}\p{N}][\p{L}\p{N} .'&-]{0,40}?)[.!]*$/iu,
  /^(?:(?:actually|no|sorry|wait),? )*not ([\p{L}\p{N}][\p{L}\p{N} .'&-]{0,40}?)[,;] ?(?:but |it's )?([\p{L}\p{N}][\p{L}\p{N} .'&-]{0,40}?)[.!]*$/iu,
] as const;
const MEANT =
  /^(?:(?:no|sorry|oh|wait|actually|oops)[,.!]? )*(?:i meant|i mean|make that|it's actually|actually,? it's|it should be) ([\p{L}\p{N}][\p{L}\p{N} .'&-]{0,40}?)[.!]*$/iu;

/** A turn before the one that is read; `own` when the same person spoke. */
export interface EarlierTurn {
  text: string;
  own: boolean;
}

interface CorrectionSetting {
  speaker: string;
  before: readonly EarlierTurn[];
  /** What is known already, in the third person. */
  known?: readonly string[];
  people?: People;
}

/** True when a sentence announces that something said before was wrong. */
export function isCorrecting(text: string): boolean {
  return TAKES_BACK.test(text);
}

/** "Actually, it's Munich, not Berlin": finds what was said of Berlin and says it of Munich. */
export function correctionRule(text: string, reading: CorrectionSetting): StatementDraft | null {
  const clean = text.trim();
  if (clean.length > 140) return null;
  const values = replacedValues(clean);
  const meant = values === null ? MEANT.exec(clean)?.[1] : undefined;
  if (values === null && meant === undefined) return null;
  const known = [...knownDrafts(reading), ...knownStatements(reading)];
  const right = values?.right ?? meant ?? '';
  // "The launch is on 8 October, not 1 October": the sentence says what it is about, the value is in it.
  const value = right.split(' ').length > 3 ? valueLike(values?.wrong ?? '', right) : right;
  const rejected = values?.wrong ?? replaceable(known, right);
  if (value === null || rejected === undefined || rejected.toLowerCase() === value.toLowerCase()) return null;
  const about = contentStems(right.replace(value, ' '));
  const source = known.find(
    ({ subject, predicate }) =>
      predicate.toLowerCase().includes(rejected.toLowerCase()) &&
      (about.size === 0 || [...contentStems(`${subject} ${predicate}`)].some((stem) => about.has(stem))),
  );
  if (source === undefined) return null;
  const at = source.predicate.toLowerCase().indexOf(rejected.toLowerCase());
  const predicate = source.predicate.slice(0, at) + value + source.predicate.slice(at + rejected.length);
  // The slot is read again from the corrected words.
  const { attribute: _attribute, keyedFacts: _keyedFacts, ...rest } = source;
  return {
    ...rest,
    predicate,
    confidence: 'high',
    importance: Math.max(0.7, source.importance),
    correction: { rejected },
  };
}

const DATE = `(?:\\d{1,2}(?:st|nd|rd|th)?(?: of)? )?${MONTH}\\b(?: \\d{1,2}\\b)?|${WEEKDAY}|the \\d{1,2}(?:st|nd|rd|th)`;
const SHAPES: readonly RegExp[] = [
  new RegExp(`\\b(?:${DATE})`, 'gi'),
  /\d[\d.,:]*(?: ?(?:k|m|%|am|pm|euros?|dollars?|pounds?|years?|people))?/gi,
  /\p{Lu}[\p{L}'-]+(?: \p{Lu}[\p{L}'-]+)*/gu,
];

/** The part of a text that is of the same kind as another value: a date for a date, a number for a number, a name for a name. */
function valueLike(wrong: string, text: string): string | null {
  for (const shape of SHAPES) {
    if (wrong.match(shape)?.[0] === wrong) return text.match(shape)?.at(-1) ?? null;
  }
  return null;
}

const SAID_OF =
  /^(User(?:'s .+?)?) ((?:is|are|was|were|has|have|had|will|lives|works|starts|launches|turned|wants|needs|plans|got|moved)\b.*?)\.?$/;

/** What is known already, as if it had just been said. */
function knownStatements({ known = [], speaker }: CorrectionSetting): StatementDraft[] {
  return known.flatMap((content) => {
    const [, subject, predicate] = SAID_OF.exec(content) ?? [];
    if (subject === undefined || predicate === undefined) return [];
    return [
      {
        type: 'fact',
        subject: subject.replace(/^User/, speaker),
        predicate,
        polarity: 'positive',
        importance: 0.7,
        confidence: 'high',
        looksAhead: true,
        ownWords: [content],
      },
    ];
  });
}

function replacedValues(text: string): { right: string; wrong: string } | null {
  if (!isCorrecting(text) && !/^(?:it's|it is|that's|not)\b/i.test(text)) return null;
  const stripped = text
    .replace(/^(?:(?:actually|no|sorry|wait|oh|well|correction|that's wrong|that's not right)[,.!:]? )+/i, '')
    .replace(/^(?:it's|it is|i meant|i mean|that's) (?!not\b)/i, '');
  for (const [index, pattern] of REPLACED.entries()) {
    const match = pattern.exec(index === 0 ? stripped : text);
    if (match?.[1] === undefined || match[2] === undefined) continue;
    const [first, second] = [match[1].trim(), match[2].trim()];
    return index === 0 ? { right: first, wrong: second } : { right: second, wrong: first };
  }
  return null;
}

/** What earlier turns said of the speaker: their own words, and what others told them ("you live in Berlin, right?"). */
function knownDrafts({ speaker, before, people }: CorrectionSetting): StatementDraft[] {
  return [...before].reverse().flatMap(({ text, own }) =>
    splitSentences(text).flatMap((sentence) => {
      const said = own ? sentence.text : asOwnWords(sentence.text);
      if (said === null) return [];
      return draftClauses(
        said,
        { subject: speaker, question: '', ...(people === undefined ? {} : { people }) },
        '',
      ).map((draft) => ({
        ...draft,
        ...findSlot(draft, speaker),
        subject: draft.subject,
      }));
    }),
  );
}

/** "So you work at Acme, right?" → "I work at Acme"; null when the other speaks of themself. */
function asOwnWords(text: string): string | null {
  if (!/\byou(?:r|'re)?\b/i.test(text) || /\b(?:I|my|I'm)\b/.test(text)) return null;
  return text
    .replace(/^(?:so|noted|got it|okay|ok|great)[,:!.]? /i, '')
    .replace(/\byou(?:'re| are)\b/gi, 'I am')
    .replace(/\byour\b/gi, 'my')
    .replace(/\byou\b/gi, 'I')
    .replace(/,? (?:right|correct)\?/i, '')
    .replace(/\?$/, '.');
}

const ON_DAY = new RegExp(`\\b${WEEKDAY}\\b`, 'i');

/** What "I meant …" most likely replaces: the latest keyed value, or weekday, of the same shape. */
function replaceable(known: readonly StatementDraft[], value: string): string | undefined {
  if (ON_DAY.test(value))
    return known.map(({ predicate }) => ON_DAY.exec(predicate)?.[0]).find((day) => day !== undefined);
  return known.find(({ keyedFacts }) => keyedFacts !== undefined && sameShape(keyedFacts[0]?.value ?? '', value))
    ?.keyedFacts?.[0]?.value;
}

/** A name replaces a name, a number a number. */
function sameShape(left: string, right: string): boolean {
  return /^\p{Lu}/u.test(left) === /^\p{Lu}/u.test(right) && /^\d/.test(left) === /^\d/.test(right);
}
