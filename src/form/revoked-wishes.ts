import type { Memory } from '../record/memory.ts';
import { instructionTopic } from './local/slots/instruction-topic.ts';
import { asInstruction } from './local/tasks/reflect-on-turns.ts';
import type { Proposal } from './proposal.ts';
import { normaliseAttribute } from './slot.ts';

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
  const kept = all.filter((item) => item.toLowerCase() === wish || topicOf(item) !== topic);
  if (kept.length === all.length) return undefined;
  return kept.length === 0 ? null : `${lead} ${kept.join('; ')}.`;
}

function topicOf(item: string): string | null {
  const asked = item
    .replace(/^keep (.+) (\S+)$/, '$1 kept $2')
    .replace(/^they (?:prefer|do not want|no longer want|hate) /, '')
    .replace(/^do not /, '')
    .replace(/^(?:never|always) /, '');
  return normaliseAttribute(`instruction:${instructionTopic(asked)}`);
}
