import { redactSensitive, type PrivacyPolicy } from '../language/privacy-policy.ts';
import type { Event } from '../record/event.ts';
import type { RecallResult } from './recall-options.ts';

/**
 * Takes out of recalled events what the policy keeps out of memories, such as passwords: the log has them word for word,
 * a prompt must not.
 */
export function redactEvents(results: readonly RecallResult[], policy: PrivacyPolicy): void {
  const redacted = (event: Event): Event => ({ ...event, content: redactSensitive(event.content, policy) });
  for (const result of results) {
    result.before = result.before.map(redacted);
    result.after = result.after.map(redacted);
    result.sources = result.sources.map(redacted);
    if (result.event === null) continue;
    result.event = redacted(result.event);
    result.text = result.event.content;
  }
}
