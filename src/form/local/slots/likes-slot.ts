import type { KeyedFact } from '../extracted-statement.ts';
import type { StatementDraft } from '../statement-draft.ts';
import { factKey } from './fact-key.ts';
import { stemEnglish } from '../../../language/stem.ts';
import { isContentWord } from '../../../language/stop-words.ts';

const LIKING_VERB =
  /^(?:(?:really|truly|absolutely|totally|also|now|does not|did not|no longer|has always|has never|always|never|especially|mostly|still|used to) )*(?:likes?|loves?|enjoys?|adores?|prefers?|hates?|dislikes?|loathes?|despises?|detests?|loved|liked|enjoyed|hated|cannot stand|cannot bear|wants?|is (?:not )?(?:an? )?(?:really )?(?:(?:big|huge|massive|avid|real|great) )?(?:fan|lover) of|is (?:not )?(?:interested in|into|keen on))\s+(.+)$/;

/** The slot of a preference: its object in base forms, so that "loves pizza" meets "hates pizza". */
export function likesSlot(draft: StatementDraft): { attribute?: string; keyedFacts?: KeyedFact[] } {
  const instruction = /^(?:wants|does not want) the agent to (?:(?:always|never) )?(.+)$/.exec(draft.predicate)?.[1];
  if (instruction !== undefined) return { attribute: `instruction:${slugOf(instruction)}` };
  const object = LIKING_VERB.exec(draft.predicate)?.[1];
  if (object === undefined) return {};
  const words =
    object
      .split(/\b(?:because|when|but|since|so)\b/)[0]
      ?.toLowerCase()
      .match(/[\p{L}\p{N}]+/gu) ?? [];
  const slug = slugOf(words.join(' '));
  if (slug === '') return {};
  const attribute = `likes:${slug}`;
  const preferred = /^prefers (.{1,60})$/.exec(draft.predicate)?.[1];
  // "tea over coffee" names two things: no single key would hold it.
  if (
    preferred === undefined ||
    preferred.split(' ').length > 8 ||
    /\b(?:over|to|than|instead|rather|because)\b/.test(preferred)
  )
    return { attribute };
  const topic =
    words
      .filter((word) => isContentWord(word) && !/^\d/.test(word))
      .at(/\bunder\b|\bleast\b/.test(preferred) ? 0 : -1) ?? slug;
  const key = factKey(`preferred ${topic.replace(/(?<=[^s])s$/, '')}`);
  if (key === null) return { attribute };
  return { attribute, keyedFacts: [{ key, value: preferred, category: 'preference' }] };
}

/** The stems of a text's content words, five at most. */
export function slugOf(text: string): string {
  const words = text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
  return [...new Set(words.filter(isContentWord).map(stemEnglish))].slice(0, 5).join('-');
}
