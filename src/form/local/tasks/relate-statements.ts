import { differInValues, saysMore } from '../../decide-by-rules.ts';
import { contentStems, coveredBy, overlap } from '../../guards/text-overlap.ts';
import { isSingleValued, slotOfText, type Slot } from '../../slot.ts';
import { hasOneWish } from '../slots/instruction-topic.ts';

/** A statement in the third person with the slot that it fills, and what comparing it takes. */
export interface SlottedStatement {
  content: string;
  slot: Slot;
  /** Its words, without the subject and without verbs that only say that a slot is filled. */
  stems: ReadonlySet<string>;
  /** The first name or number after the subject: the value of most slots. */
  value: string | null;
}

/** What a new statement is to a known one. Unless they are about the same thing it is nothing. */
export type Relation = 'repeats' | 'extends' | 'contradicts' | 'unrelated';

// Two statements with so many words in common differ in wording only.
const NEARLY_ALL = 0.8;

// Verbs that say that a slot is filled or that something is liked, not with what.
const LIGHT = contentStems(
  'works lives moved is has named called joined loves enjoys adores prefers fan hates dislikes',
);

/** Reads the slot of a statement from its words, unless it is known. */
export function withSlot(content: string, type = 'fact', known?: Slot): SlottedStatement {
  const slot = known ?? slotOfText(content, type);
  const subject = contentStems(slot.subject);
  const said = content.startsWith(slot.subject) ? content.slice(slot.subject.length) : content.replace(/^\S+/, '');
  return {
    content,
    slot,
    stems: new Set([...contentStems(content)].filter((stem) => !subject.has(stem) && !LIGHT.has(stem))),
    value: /(?<=\s)(?:\p{Lu}[\p{L}\p{N}'’-]*|\d[\d.,]*)/u.exec(said)?.[0].toLowerCase() ?? null,
  };
}

/** Compares by subject, attribute, polarity and words. */
export function relateStatements(next: SlottedStatement, known: SlottedStatement): Relation {
  if (next.slot.subject.toLowerCase() !== known.slot.subject.toLowerCase()) return 'unrelated';
  const { attribute } = next.slot;
  const sameSlot = attribute !== null && attribute === known.slot.attribute;
  if (next.slot.polarity !== known.slot.polarity) {
    // "No longer works at Acme" ends the job at Acme, not the one at TechCorp.
    return sameSlot && (isWish(attribute) || attribute.startsWith('instruction:') || sharesValue(next, known))
      ? 'contradicts'
      : 'unrelated';
  }
  const alike = sharesTopic(next, known);
  if (!sameSlot && (!alike || differInValues(next.content, known.content))) return 'unrelated';
  if (alike) {
    if (coveredBy(next.stems, known.stems) === 1) return 'repeats';
    if (coveredBy(known.stems, next.stems) === 1) return 'extends';
    if (overlap(next.stems, known.stems) >= NEARLY_ALL) return moreOrSame(next, known);
  }
  if (!sameSlot) return 'unrelated';
  if (isWish(attribute)) return 'repeats';
  if (next.value !== null && sharesValue(next, known)) return moreOrSame(next, known);
  return isSingleValued(attribute) ? 'contradicts' : 'unrelated';
}

function moreOrSame(next: SlottedStatement, known: SlottedStatement): Relation {
  return saysMore(next.content, known.content) ? 'extends' : 'repeats';
}

/** One word in common is no more than that: "likes music" is not what "works for a music company" says. */
function sharesTopic(next: SlottedStatement, known: SlottedStatement): boolean {
  const [head, otherHead] = [next, known].map(({ slot }) => slot.attribute?.split(':')[0] ?? null);
  if (head !== null && head === otherHead) return true;
  return Math.min(next.stems.size, known.stems.size) >= 2 && overlap(next.stems, known.stems) >= 0.5;
}

/** Likes and most instructions have their object in the slot: nothing is left that could be another value. */
function isWish(attribute: string): boolean {
  const [head, object = ''] = attribute.split(':');
  return head === 'likes' || (head === 'instruction' && !hasOneWish(object));
}

/** Whether both name the same thing: "No longer works at Acme" and "works at Acme as a designer". */
function sharesValue(one: SlottedStatement, other: SlottedStatement): boolean {
  if (one.value !== null && other.value !== null) return one.value === other.value;
  return overlap(one.stems, other.stems) > 0;
}
