import type { Reflections, ReflectionLevel, ReflectInput } from '../../models/distiller.ts';
import type { Event } from '../../record/event.ts';
import type { FormationSettings } from '../formation-settings.ts';
import type { Rejection } from '../proposal.ts';
import { findUnsupported } from './check-support.ts';
import { isInstruction } from './own-words.ts';
import { applyPrivacy } from '../../language/privacy-policy.ts';
import { contentStems, coveredBy } from './text-overlap.ts';
import { withinWords } from './within-words.ts';

/** From the widest to the narrowest: a lower one holds only what a higher one does not. */
export const REFLECTION_LEVELS: readonly ReflectionLevel[] = ['agent', 'user', 'session'];

// Four words of five are a repetition.
const REPEATS = 0.8;

/**
 * Lets through reflections that are short, supported, not repeated from a wider level, from what is in mind already or
 * from the facts just formed, and that do not come from a tool or a document.
 */
export function guardReflections(
  reflections: Reflections,
  input: ReflectInput,
  { events, settings }: { events: readonly Event[]; settings: FormationSettings },
): { accepted: Reflections; rejected: Rejection[] } {
  const accepted: Reflections = { agent: [], user: [], session: [] };
  const rejected: Rejection[] = [];
  const inMind = REFLECTION_LEVELS.flatMap((level) => [
    input.current[level].merged ?? '',
    ...input.current[level].recent,
  ]);
  const known = [...inMind, ...input.facts].map(contentStems).filter((stems) => stems.size > 0);
  const outside = events.filter((event) => event.origin === 'tool' || event.origin === 'document');
  const inside = events.filter((event) => !outside.includes(event));
  const sources = inside.map((event) => ({ text: event.content, at: event.occurredAt }));
  const last = sources.at(-1)?.at ?? new Date(0);
  for (const text of [...input.facts, ...inMind]) sources.unshift({ text, at: last });
  for (const level of REFLECTION_LEVELS) {
    for (const reflection of reflections[level].slice(0, settings.limits.reflectionsPerLevel)) {
      const refuse = (reason: Rejection['reason'], detail?: string): void =>
        void rejected.push({ what: 'reflection', reason, content: reason === 'private' ? null : reflection, detail });
      const text = withinWords(reflection, input.wordLimit);
      if (text === null) {
        refuse('too_long');
        continue;
      }
      const cleaned = applyPrivacy(text, settings.privacy);
      if (cleaned.dropped !== null) {
        refuse('private', cleaned.dropped);
        continue;
      }
      const stems = contentStems(text);
      const unsupported = findUnsupported(text, sources, { names: ['User', 'Agent'], timeZone: settings.timeZone });
      if (isFromOutside(text, outside, inside)) refuse('instruction_from_outside');
      else if (known.some((other) => coveredBy(stems, other) >= REPEATS)) refuse('repeats_higher_level');
      else if (unsupported !== null && unsupported !== text) refuse('unsupported', unsupported);
      else {
        accepted[level].push(cleaned.text);
        known.push(stems);
      }
    }
  }
  return { accepted, rejected };
}

/** Whether a text has its words from a tool or a document that gives instructions, and not from the people who talk. */
function isFromOutside(text: string, outside: readonly Event[], inside: readonly Event[]): boolean {
  const stems = contentStems(text);
  const said = new Set(inside.flatMap((event) => [...contentStems(event.content)]));
  const share = coveredBy(stems, said);
  return outside.some((event) => isInstruction(event.content) && coveredBy(stems, contentStems(event.content)) > share);
}
