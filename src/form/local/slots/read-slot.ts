import { withoutEnd } from '../../../language/without-end.ts';
import { findSlot } from './find-slot.ts';

/** What a statement in the third person is about, read from its words. */
export interface ReadSlot {
  subject: string;
  /** Null when the rules know no slot for it. */
  attribute: string | null;
  polarity: 'positive' | 'negative';
}

const NAME = String.raw`\p{Lu}[\p{L}'’-]*(?: \p{Lu}[\p{L}'’-]*)?`;
const OWNED = new RegExp(
  String.raw`^(?:[Tt]he )?([Uu]ser|${NAME})['’]s ((?:\p{L}[\p{L}'’-]* ){0,4}?\p{L}[\p{L}'’-]*) ((?:is|are|was|were|has|have|had|works|lives|moved|got|plays|studies|teaches|owns|loves?|likes?|hates?|does not|no longer)\b.*)$`,
  'u',
);
const PLAIN = new RegExp(String.raw`^(?:[Tt]he )?([Uu]ser|${NAME}) (\p{Ll}.*)$`, 'u');
const ADVERBS = /^(?:(?:now|currently|still|really|truly|also|always|absolutely) )+/;
const DENIED =
  /^(?:(?:is|are|was|were|has|have|had|does|do|did|can|will|would) (?:not|no|never)\b|(?:is|are|was|were|has|have|does|do|did|can|would)n['’]t\b|no longer\b|never\b|cannot\b|stopped\b|quit\b|wants (?:no|the agent to never)\b)/;
const DISLIKING = /\b(?:dislikes?|hates?|loathes?|detests?|despises?)\b/;
const WISH =
  /^(?:likes?|loves?|enjoys?|adores?|prefers?|favou?rs?|hates?|dislikes?|loathes?|despises?|detests?|cannot (?:stand|bear)|wants the agent|(?:does not|doesn['’]t|no longer) (?:like|love|enjoy|want|hate|prefer)s?|is (?:not )?(?:an? )?(?:(?:big|huge) )?(?:fan|lover) of|is (?:not )?(?:interested in|into|keen on))\b/;
const PAST = /^(?:used to|was|were|lived|worked|served)\b/;

/**
 * Reads subject, attribute and polarity of a statement: "John no longer works at Acme" denies John's `employer`. Null
 * when it does not begin with a name or "User".
 */
export function readSlot(content: string, type = 'fact'): ReadSlot | null {
  const text = withoutEnd(content.trim(), '.!');
  const [, owner, thing, ownedPredicate] = OWNED.exec(text) ?? [];
  const [, plain, plainPredicate] = PLAIN.exec(text) ?? [];
  const speaker = (owner ?? plain)?.replace(/^user$/, 'User');
  const said = ownedPredicate ?? plainPredicate;
  if (speaker === undefined || said === undefined) return null;
  const subject = owner === undefined ? speaker : `${speaker}'s ${thing ?? ''}`;
  const predicate = said.replace(ADVERBS, '').replace(/^(\p{L}+)n['’]t\b/u, '$1 not');
  const polarity = DENIED.test(predicate) === DISLIKING.test(predicate) ? 'positive' : 'negative';
  const isWish = WISH.test(predicate);
  const kept = type === 'goal' || type === 'intention' ? type : 'fact';
  const found = findSlot(
    {
      type: isWish ? 'preference' : kept,
      subject,
      predicate,
      polarity,
      importance: 0.5,
      confidence: 'medium',
      ...(PAST.test(predicate) ? { past: true as const } : {}),
    },
    speaker,
  );
  return { subject: found.subject ?? subject, attribute: found.attribute ?? null, polarity };
}
