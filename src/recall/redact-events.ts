import { redactSensitive, type PrivacyPolicy } from '../language/privacy-policy.ts';
import type { Event } from '../record/event.ts';
import type { RecallResult } from './recall-options.ts';

/**
 * Takes out of what was recalled what the policy keeps out of memories, such as passwords: a log that is kept raw has them word for
 * word, an older store may have them in memories, and a prompt must not.
 */
export function redactEvents(results: readonly RecallResult[], policy: PrivacyPolicy): void {
  const redacted = (event: Event): Event => ({ ...event, content: redactSensitive(event.content, policy) });
  for (const result of results) {
    result.before = result.before.map(redacted);
    result.after = result.after.map(redacted);
    result.sources = result.sources.map(redacted);
    if (result.memory !== null) {
      result.memory = { ...result.memory, content: redactSensitive(result.memory.content, policy) };
      result.text = redactSensitive(result.text, policy);
    }
    if (result.event === null) continue;
    result.event = redacted(result.event);
    result.text = result.event.content;
  }
}
