import type { Scope } from '../record/scope.ts';
import { changeOwner } from '../store/owner-store.ts';
import { findSession, listSessionEvents } from '../store/session-store.ts';
import { spokenEvents, writeTopics } from './apply/reflections.ts';
import { formSession, type FormOptions } from './form.ts';
import { usesModel, type FormDeps } from './form-deps.ts';
import { nothingFormed, type FormResult } from './formation-result.ts';
import { turnsAlone } from './read/reader.ts';

/**
 * Sums up what a session was about once it is quiet, one memory for each topic (K9). A model gives the topics with its reading, so
 * that the session is formed now; without a model the topics are dated quotations of the last messages.
 */
export async function summariseSession(deps: FormDeps, scope: Scope, options: FormOptions = {}): Promise<FormResult> {
  if (usesModel(deps, 'read')) return formSession(deps, scope, { cause: 'schedule', ...options });
  // Topics live with the owner, and talk without a user stays in its session.
  if (scope.user === null) {
    if (options.complete !== undefined) await deps.database.write(scope.tenant, options.complete);
    return nothingFormed();
  }
  const { lookBack, mostTurns } = deps.settings.summary;
  const run = deps.ids.next('run');
  const events = await deps.database.read(scope.tenant, async (reader) => {
    const session = await findSession(reader, scope, deps.clock.now());
    if (session === null) return [];
    const since = session.lastEventAt.getTime() - lookBack;
    const last = await listSessionEvents(
      reader,
      scope,
      Math.max(0, session.eventCount - mostTurns * 4),
      session.eventCount,
    );
    return spokenEvents(last)
      .filter((event) => event.recordedAt.getTime() >= since)
      .slice(-mostTurns);
  });
  const reader = await deps.localReader();
  const wants = { reflections: false, topics: true };
  const { topics } = await reader.read({ ...turnsAlone(events, deps), wants }, { signal: options.signal });
  return deps.database.write(scope.tenant, async (writer) => {
    const why = { reason: 'summed up the session', actor: 'form', run };
    await changeOwner(writer, scope, deps.clock.now());
    const written = await writeTopics(writer, deps, topics, { scope, events, reader: reader.id, why });
    await options.complete?.(writer);
    return { ...nothingFormed(), run, events: events.length, topics: written.ids, refused: written.refused };
  });
}
