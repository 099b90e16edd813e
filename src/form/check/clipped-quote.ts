import type { ReadStatement } from '../read/reader.ts';
import type { Evidence } from './origin.ts';

const NEGATION =
  /(?:(?<![\p{L}])(?:not|never|no longer|nicht|nie|niet|nooit|nunca|jamais|mai|não|kein\p{L}*|geen)|n['’]?t)\s+$/iu;
const DENIES =
  /(?<![\p{L}])(?:not|no|never|none|without|nicht|kein\p{L}*|nie|ohne|nunca|sin|pas|jamais|sans|não|sem|non|mai|senza|niet|geen|nooit|zonder)(?![\p{L}])|n['’]t/iu;
const HYPOTHESIS =
  /(?:^|[^\p{L}\s]\s*|(?<![\p{L}])(?:and|but|so|well|i|ok|okay)\s+)(?:say|suppose|supposing|imagine|pretend|assuming|if|what if|wish|angenommen|falls|imagina que|supongamos que|imaginons que|imagina|supponiamo che)\s+(?:that\s+)?$/iu;
const SOMEBODY = /(?<![\p{L}])(?:my|our|his|her|their)\s+(\p{Ll}[\p{L}-]*)\s+(?:(\p{Lu}[\p{L}'’-]*)\s+)?$/u;
const FIRST_PERSON = /(?<![\p{L}])(?:i|i['’]\p{L}+|im|we|we['’]\p{L}+|me|my|us|our)(?![\p{L}])/iu;

// The words before a quote that are looked at: further away stands another thought.
const BEFORE = 60;

/**
 * What a quote leaves out right before its first word and that would turn its meaning round: a negation ("do not | have asthma"), a
 * supposition ("say | I sold the house"), or somebody else as the one who does it ("my flatmate Ines | got a job"). Null where the
 * quote stands for itself. A name that the statement itself gives is not left out.
 */
export function clippedWords(
  { event, start, end }: Evidence,
  { subject, text, polarity }: Pick<ReadStatement, 'subject' | 'text' | 'polarity'>,
): string | null {
  const before = event.content.slice(Math.max(0, start - BEFORE), start).replace(/^[^\n]*[.!?…\n]\s*/u, '');
  const negation = NEGATION.exec(before);
  if (negation !== null && polarity === 'affirmed' && !DENIES.test(text)) return negation[0].trim();
  const hypothesis = HYPOTHESIS.exec(before);
  if (hypothesis !== null) return hypothesis[0].trim();
  const somebody = SOMEBODY.exec(before);
  const quoted = event.content.slice(start, end);
  if (somebody === null || subject !== 'User' || FIRST_PERSON.test(quoted) || !/^\p{Ll}/u.test(quoted)) return null;
  const [words, relation = '', name] = somebody;
  // "my commute | takes an hour" is about the user: only a name tells that it is a person.
  if (name === undefined) return null;
  const said = text.toLowerCase();
  return said.includes(relation.toLowerCase()) || said.includes(name.toLowerCase()) ? null : words.trim();
}
