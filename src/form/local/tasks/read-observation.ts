import { extractEntities } from '../../../language/extract-entities.ts';
import { extractTopics } from '../../../language/extract-topics.ts';
import { splitSentences } from '../../../language/split-sentences.ts';
import { analyseVerb } from '../../../language/verb-forms.ts';
import type { ProposedMemory, Turn } from '../../../models/distiller.ts';
import { USER } from '../../slot.ts';
import { writeSentence } from '../write-sentence.ts';
import { withSlot } from './relate-statements.ts';

const TYPE_OF_CATEGORY: Readonly<Record<string, string>> = {
  fact: 'fact',
  preference: 'preference',
  project_details: 'fact',
  correction: 'fact',
  learned_fact: 'fact',
};
const MOST_SENTENCES = 8;
const MOST_TAGS = 5;

/** Whether a turn was written down as something known, in the third person; the user's own words are read by rules. */
export function isWrittenObservation(turn: Turn): boolean {
  return (
    turn.kind === 'observation' &&
    turn.origin !== 'tool' &&
    turn.origin !== 'document' &&
    !/^\s*(?:i|i['’]m|i['’]ve|my|we|our)\b/i.test(turn.content)
  );
}

/**
 * The statements of an observation, as they were written, one for each sentence. An update of the scaffold gives none,
 * nor does a sentence that asks.
 */
export function readObservation(turn: Turn, number: number): ProposedMemory[] {
  const type = TYPE_OF_CATEGORY[turn.category ?? 'fact'];
  if (type === undefined) return [];
  const correction = turn.category === 'correction';
  return splitSentences(turn.content)
    .filter(({ text }) => isSaying(text) && !/\?\W*$/.test(text))
    .slice(0, MOST_SENTENCES)
    .map(({ text }) => {
      const content = writeSentence(withSubject(text));
      const { slot } = withSlot(content, type);
      return {
        type,
        content,
        levels: ['user'],
        importance: correction ? 0.8 : type === 'preference' ? 0.7 : 0.6,
        confidence: turn.origin === 'agent' && !correction ? 'medium' : 'high',
        tags: extractTopics(content, MOST_TAGS),
        entities: extractEntities(content).map(({ name }) => name),
        turns: [number],
        validFrom: null,
        validTo: null,
        explicit: turn.origin === 'user' || correction,
        keyed: null,
        ...slot,
        ...(correction ? { correction } : {}),
      };
    });
}

/** Two words at least. */
function isSaying(text: string): boolean {
  return text.split(/\s+/u).filter((word) => /\p{L}/u.test(word)).length > 1;
}

/** "prefers short answers" is said of the user. */
function withSubject(text: string): string {
  const first = /^\p{L}+/u.exec(text)?.[0] ?? '';
  const isPredicate =
    first === first.toLowerCase() && (/^(?:is|was)$/.test(first) || analyseVerb(first).form === 'third');
  return isPredicate ? `${USER} ${text}` : text;
}
