import { memoryTypes } from './state.ts';

// Which of the twelve colours of the style sheet (`--hue-0` to `--hue-11`) stands for which name.

export const hueColor = (hue: number): string => `var(--hue-${hue})`;

const TYPES = ['fact', 'preference', 'goal', 'decision', 'personal', 'intention', 'context', 'episode', 'feedback'];

/** The common types have their own colour. The others take turns with the rest, in the order of the server's table of types. */
export function typeHue(type: string): number {
  const index = TYPES.indexOf(type);
  if (index >= 0) return index;
  const others = [...memoryTypes.value.keys()].filter((name) => !TYPES.includes(name));
  return TYPES.length + (Math.max(0, others.indexOf(type)) % (12 - TYPES.length));
}

const REASONS = ['superseded', 'merged', 'forgotten', 'pruned', 'contradicted', 'absorbed', 'decayed', 'expired'];

/** The colour of a reason for archiving a memory. */
export function reasonHue(reason: string): number {
  const index = REASONS.indexOf(reason);
  return index >= 0 ? index : 9;
}

const SECTIONS = [
  'facts',
  'profile',
  'workingMemory',
  'memories',
  'scaffold',
  'intentions',
  'recall',
  'history',
  'summaries',
  'message',
  'userReflections',
  'learnings',
];

/** The colour of a section of a context. A section that is not listed has the colour of the message. */
export function sectionHue(section: string): number {
  const index = SECTIONS.indexOf(section);
  return index >= 0 ? index : 9;
}
