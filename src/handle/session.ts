import { z } from 'zod';
import { notFound } from '../errors.ts';
import { flushSession } from '../observe/observe.ts';
import type { Event } from '../record/event.ts';
import { parse } from '../record/parse.ts';
import { type Scope, scopeAt } from '../record/scope.ts';
import { type Session, type SessionState, sessionStateSchema } from '../record/session.ts';
import type { Parts } from '../store/database.ts';
import { changeOwner } from '../store/owner-store.ts';
import { findSession, growSession, sessionWindow, updateSession } from '../store/session-store.ts';

/** The conversation of a handle. Needs a handle from `varve.for({ …, session })`. */
export interface SessionHandle {
  /** Returns the state of the conversation, or null before its first event. */
  get(): Promise<Session | null>;
  /** Returns the last turns, oldest first. The first turn of the session is always included. Default: 20. */
  window(size?: number): Promise<Event[]>;
  /** Sets parts of the conversation's state. */
  setState(state: Partial<SessionState>): Promise<SessionState>;
  /** Ends the conversation: enqueues the formation of its memories and clears its state. Throws `not_found` if it has no events. */
  close(): Promise<Session>;
}

export function sessionHandle(parts: Parts, scope: Scope): SessionHandle {
  const { database, clock } = parts;
  const here = (): Scope => ({ ...scopeAt(scope, 'session'), connection: null });
  const find = (): Promise<Session | null> =>
    database.read(scope.tenant, (reader) => findSession(reader, here(), clock.now()));
  return {
    get: find,
    async window(size = 20) {
      parse(z.int().min(1).max(1000), size, 'The size of the window');
      return database.read(scope.tenant, async (reader) => {
        const session = await findSession(reader, here(), clock.now());
        return session === null ? [] : sessionWindow(reader, here(), session, size);
      });
    },
    async setState(state) {
      const checked = parse(sessionStateSchema, state, 'The session state');
      return database.write(scope.tenant, async (writer) => {
        const now = clock.now();
        await changeOwner(writer, here(), now);
        await growSession(writer, here(), { events: 0, messages: 0, weightedTokens: 0 }, now);
        const session = (await findSession(writer, here(), now)) as Session;
        const next = { ...session.state, ...checked };
        await updateSession(writer, here(), { state: next });
        return next;
      });
    },
    async close() {
      const closed = await database.write(scope.tenant, (writer) => flushSession(writer, parts, here(), 'closed'));
      if (closed !== null) return closed;
      throw notFound(`The session ${scope.session} has no events yet.`);
    },
  };
}
