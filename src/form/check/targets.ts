import { isAbout, isCourtesy } from '../../language/claims.ts';
import type { AttributeTable } from '../../record/attributes.ts';
import type { Memory } from '../../record/memory.ts';
import { LONGEST_COMPARED, nearnessTo } from '../compare.ts';
import { type Refusal, refusal } from '../formation-result.ts';
import type { FormWork } from '../formation-settings.ts';

/** The calibrated similarity of related texts. */
const RELATED = 0.6;

/**
 * The changes of known statements that rest on words which have nothing to do with them: nothing ends with a word of thanks, and what may be
 * lost least must have a word, a number, a topic or the meaning in common with the words. What the user has said otherwise may end with any
 * words: "got it got it got it" ends a search for work. What ends several statements may name some that have only to do with the others.
 */
export async function unrelatedChanges<Each extends { target: Memory; said: readonly string[] }>(
  work: FormWork,
  changes: readonly Each[],
): Promise<Each[]> {
  const { attributes } = work.deps;
  const far: Each[] = [];
  for (const change of changes) {
    const { said, target } = change;
    if (said.some((text) => concerns(text, target, attributes))) continue;
    if (!isVital(target) && !isSet(target) && !said.every(isCourtesy)) continue;
    const nearness = (await nearnessTo(work, target.content.slice(0, LONGEST_COMPARED), said)) ?? [];
    if (!nearness.some(({ similarity }) => similarity >= RELATED)) far.push(change);
  }
  return far.filter(({ said, target }) => {
    const others = changes.filter((other) => !far.includes(other) && other.said[0] === said[0]);
    return isVital(target) || !others.some((other) => concerns(other.target.content, target, attributes));
  });
}

function concerns(said: string, { subject, content, value, attribute }: Memory, attributes: AttributeTable): boolean {
  const names = [attribute ?? '', ...attributes.policyOf(attribute ?? '').synonyms].join(' ').replaceAll('_', ' ');
  return isAbout(said, `${subject} ${content} ${value ?? ''} ${names}`, attribute);
}

const VITAL = /^(?:name|preferred_name|pronouns|birthday|allergy|medical_condition|medication|blood_type)$/;

// The importance of health, safety and identity, and of what the user asks to remember (read-prompt.ts).
const MOST_IMPORTANT = 0.9;

function isVital({ importance, attribute }: Memory): boolean {
  return importance >= MOST_IMPORTANT || VITAL.test(attribute ?? '');
}

/** Whether the application has set a statement, rather than learned it from talk. */
function isSet({ sourceEvents, sourceType }: Memory): boolean {
  return sourceEvents.length === 0 && sourceType === 'explicit';
}

/** The refusal of a change that has nothing to do with its target. */
export function unrelatedTarget({ content }: Memory, events: readonly { id: string }[]): Refusal {
  return refusal('end', 'unknown_target', content, { detail: 'the quoted turn is not about it', events });
}
