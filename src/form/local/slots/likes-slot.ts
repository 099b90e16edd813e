import type { KeyedFact } from '../extracted-statement.ts';
import type { StatementDraft } from '../statement-draft.ts';
import { instructionTopic, hasOneWish } from './instruction-topic.ts';
import { factKey } from './fact-key.ts';
import { slugOf } from './slug-of.ts';
import { isContentWord } from '../../../language/stop-words.ts';

const LIKING_VERB =
  /^(?:(?:really|truly|absolutely|totally|also|now|does not|did not|no longer|has always|has never|always|never|especially|mostly|still|used to) )*(?:likes?|loves?|enjoys?|adores?|prefers?|hates?|dislikes?|loathes?|despises?|detests?|loved|liked|enjoyed|hated|cannot stand|cannot bear|wants?|is (?:not )?(?:an? )?(?:really )?(?:(?:big|huge|massive|avid|real|great) )?(?:fan|lover) of|is (?:not )?(?:interested in|into|keen on))\s+(.+)$/;

const WISH = /^(?:wants|does not want|is fine with) (?:the agent\b|no \p{L}|.+ kept \p{L})/u;

const WISHED =
  /^(?:prefers|wants|does not want|no longer wants|does not need|no longer needs) (?:any )?(.{1,60}?)(?: any ?more)?$/;

/** The slot of a preference: its object in base forms, so that "loves pizza" meets "hates pizza". */
export function likesSlot(draft: StatementDraft): { attribute?: string; keyedFacts?: KeyedFact[] } {
  if (WISH.test(draft.predicate)) return { attribute: `instruction:${instructionTopic(draft.predicate)}` };
  const object = LIKING_VERB.exec(draft.predicate)?.[1];
  if (object === undefined) return {};
  const words =
    object
      .split(/\b(?:because|when|but|since|so)\b/)[0]
      ?.toLowerCase()
      .match(/[\p{L}\p{N}]+/gu) ?? [];
  const slug = slugOf(words.join(' '));
  if (slug === '') return {};
  // "Prefers short answers", "no longer wants emojis": how the agent should work.
  const wished = WISHED.exec(draft.predicate)?.[1];
  const topic = wished === undefined || wished.split(' ').length > 3 ? '' : instructionTopic(wished);
  if (hasOneWish(topic)) return { attribute: `instruction:${topic}` };
  const attribute = `likes:${slug}`;
  const preferred = /^prefers (.{1,60})$/.exec(draft.predicate)?.[1];
  // "tea over coffee" names two things, "short answers without emojis" says more than a key would: better none.
  if (
    preferred === undefined ||
    preferred.split(' ').length > 8 ||
    /\b(?:over|to|than|instead|rather|because|without|with|in|for|and|or|that|when|not|no|on|if|from|by|as)\b|,/.test(
      preferred,
    ) ||
    /^(?:it|my|their|the|\p{L}+ing)\b/u.test(preferred)
  )
    return { attribute };
  const noun =
    words
      .filter((word) => isContentWord(word) && !/^\d/.test(word))
      .at(/\bunder\b|\bleast\b/.test(preferred) ? 0 : -1) ?? slug;
  // "Preferred tea: tea" says nothing.
  if (preferred.toLowerCase() === noun) return { attribute };
  const key = factKey(`preferred ${noun.replace(/(?<=[^s])s$/, '')}`);
  if (key === null) return { attribute };
  return { attribute, keyedFacts: [{ key, value: preferred, category: 'preference' }] };
}
