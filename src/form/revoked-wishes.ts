import type { Memory } from '../record/memory.ts';
import { withoutReason } from './local/clauses/part-reason.ts';
import { instructionTopic } from './local/slots/instruction-topic.ts';
import { asInstruction } from './local/tasks/reflect-on-turns.ts';
import type { Proposal } from './proposal.ts';
import { isRevoked, normaliseAttribute, USER, type Slot } from './slot.ts';

const GUIDANCE = /^(With \S+:) (.+?)\.$/;

/** Whether a statement is a standing wish, of which there is one for each topic. */
export function isWish({ slot }: Proposal): boolean {
  return slot.attribute?.startsWith('instruction:') === true;
}

/**
 * What a reflection of an earlier session ("With User: answer in Dutch; never use emojis.") still says after a new wish
 * of the same topic: the text without it, null when nothing is left. Undefined when the wish does not concern it.
 */
export function withoutRevoked({ type, content }: Memory, by: Proposal): string | null | undefined {
  const [, lead, items] = type === 'reflection' ? (GUIDANCE.exec(content) ?? []) : [];
  if (lead === undefined || items === undefined) return undefined;
  const wish = asInstruction(by.content).toLowerCase();
  const topic = normaliseAttribute(by.slot.attribute);
  const all = items.split('; ');
  const kept = all.filter((item) => {
    const slot = slotOfItem(item);
    return (
      item.toLowerCase() === wish || (slot.attribute !== topic && !isRevoked(slot, { ...by.slot, attribute: topic }))
    );
  });
  if (kept.length === all.length) return undefined;
  return kept.length === 0 ? null : `${lead} ${kept.join('; ')}.`;
}

function slotOfItem(item: string): Slot {
  const polarity = /^(?:no |do not |never |they (?:do not|no longer) )/.test(item) ? 'negative' : 'positive';
  return { subject: USER, attribute: topicOf(item), polarity };
}

function topicOf(item: string): string | null {
  const asked = withoutReason(item)
    .replace(/\.$/, '')
    .replace(/^keep (.+) (\S+)$/, '$1 kept $2')
    .replace(/^they (?:prefer|do not want|no longer want|hate) /, '')
    .replace(/^(?:do not|no) /, '')
    .replace(/^(?:never|always) /, '');
  return normaliseAttribute(`instruction:${instructionTopic(asked)}`);
}
