import { redactJson, redactSensitive } from '../language/privacy-policy.ts';
import type { JobContext, JobHandler } from '../jobs/running-job.ts';
import type { Job } from '../jobs/job.ts';
import type { NewSchedule } from '../jobs/schedules.ts';
import type { Event } from '../record/event.ts';
import { ownerKey, parseScope, scopeAt, type Scope, type ScopeInput } from '../record/scope.ts';
import type { Writer } from '../store/database.ts';
import { findEvents } from '../store/event-store.ts';
import type { RunCause } from '../store/run-store.ts';
import type { FormOptions } from './form.ts';
import type { FormDeps } from './form-deps.ts';
import type { FormResult } from './formation-result.ts';
import { createInlineQueue } from '../jobs/inline-queue.ts';
import { formColdSessions, readsByModel, triggerFormation } from './triggers.ts';

/** Forming memories, as a process does it: at once, soon by jobs, or when asked. */
export interface Formation {
  /** Forms the session of a scope now. While another formation of it runs in this process, waits for that one first. */
  form(scope: Scope): Promise<FormResult>;
  /** Queues what follows from events, in the transaction that appends them. */
  afterAppend(writer: Writer, scope: Scope, events: readonly Event[]): Promise<void>;
  /** Takes in events that were just committed, to be read by the local reader. Returns at once. */
  noticed(scope: Scope, events: readonly Event[]): void;
  /** A text as the log may hold it. */
  cleaned(text: string): string;
  /** Data that comes with an event, such as the arguments of a tool, as the log may hold it. */
  cleanedData<Data>(data: Data): Data;
  /** By the kind of job. */
  readonly handlers: Readonly<Record<string, JobHandler>>;
  readonly schedules: readonly NewSchedule[];
  /** From now on exchanges are read as they come in. */
  start(): void;
  /** Reads what waits. */
  drain(): Promise<void>;
  stop(): Promise<void>;
}

// A bulk of events is read a piece at a time, so that it never holds the process up.
const EVENTS_AT_ONCE = 20;

const SCHEDULES: readonly NewSchedule[] = [
  { name: 'form-cold-sessions', cron: '30 * * * * *', kind: 'form-cold-sessions' },
];

/**
 * Makes the formation of a process. The pipeline and its readers are large, and imported when they are first needed: a program that
 * only recalls never loads them.
 */
export function createFormation(deps: FormDeps): Formation {
  const { settings } = deps;
  const inline = createInlineQueue(async (scope, events) => {
    const { formExchange } = await import('./form.ts');
    return formExchange(deps, scope, events);
  });
  const running = new Map<string, Promise<unknown>>();

  /** One formation of a session at a time in this process; others are held off by the queue and by the cursor. */
  const oneAtATime = async (scope: Scope, form: () => Promise<FormResult>): Promise<FormResult> => {
    const key = JSON.stringify([ownerKey(scope), scope.session]);
    const before = running.get(key) ?? Promise.resolve();
    const formed = before.then(form);
    const settled = formed
      .catch(() => undefined)
      .finally(() => {
        if (running.get(key) === settled) running.delete(key);
      });
    running.set(key, settled);
    return formed;
  };
  const formNow = (scope: Scope, options: FormOptions): Promise<FormResult> =>
    oneAtATime(scope, async () => {
      const { formSession } = await import('./form.ts');
      return formSession(deps, scope, options);
    });

  return {
    form: (scope) => formNow(scopeAt(scope, 'session'), { cause: 'hand' }),
    afterAppend: (writer, scope, events) => triggerFormation(writer, deps, scope, events),
    noticed(scope, events) {
      if (settings.writes === 'deferred' || !settings.facts || readsByModel(deps)) return;
      const readable = events.filter((event) => event.kind !== 'document_chunk');
      for (let start = 0; start < readable.length; start += EVENTS_AT_ONCE) {
        inline.add(scope, readable.slice(start, start + EVENTS_AT_ONCE));
      }
    },
    cleaned: (text) => (settings.redactEvents ? redactSensitive(text, settings.privacy) : text),
    cleanedData: (data) => (settings.redactEvents ? (redactJson(data, settings.privacy) as typeof data) : data),
    schedules: SCHEDULES,
    handlers: {
      form: async (job, context) => {
        const { cause = 'flush', whole = false } = payloadOf(job) as { cause?: RunCause; whole?: boolean };
        const minimumMessages = whole ? 0 : settings.triggers.minimumMessages;
        await formNow(scopeIn(job), { cause, minimumMessages, ...doneWith(context) });
      },
      summarise: async (job, context) => {
        const { summariseSession } = await import('./summarise-session.ts');
        // With a model this forms the session: at the same time as a formation it would be a second call for the same turns.
        await oneAtATime(scopeIn(job), () => summariseSession(deps, scopeIn(job), doneWith(context)));
      },
      'read-exchange': async (job, context) => {
        const scope = scopeIn(job);
        const ids = payloadOf(job)['events'] as string[];
        const events = await deps.database.read(scope.tenant, (reader) => findEvents(reader, scope, ids));
        const { formExchange } = await import('./form.ts');
        await formExchange(deps, scope, events, { by: 'model', ...doneWith(context) });
      },
      'take-effect': async (job, context) => {
        const { takeEffect } = await import('./take-effect.ts');
        await takeEffect(deps, scopeIn(job), payloadOf(job)['memory'] as string, context.complete);
      },
      'form-cold-sessions': async () => {
        await formColdSessions(deps);
      },
    },
    start: inline.start,
    drain: inline.drain,
    stop: inline.stop,
  };
}

function payloadOf(job: Job): Record<string, unknown> {
  return (job.payload ?? {}) as Record<string, unknown>;
}

function scopeIn(job: Job): Scope {
  return parseScope(payloadOf(job)['scope'] as ScopeInput);
}

function doneWith({ signal, complete }: JobContext): Pick<FormOptions, 'signal' | 'complete'> {
  return { signal, complete };
}
