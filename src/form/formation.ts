import type { JobContext, JobHandler } from '../jobs/running-job.ts';
import type { Job } from '../jobs/job.ts';
import type { NewSchedule } from '../jobs/schedules.ts';
import type { Event } from '../record/event.ts';
import { ownerKey, parseScope, scopeAt, type Scope, type ScopeInput } from '../record/scope.ts';
import type { Writer } from '../store/database.ts';
import type { RunCause } from '../store/run-store.ts';
import type { FormDeps } from './form-deps.ts';
import type { FormOptions } from './form-session.ts';
import type { Formed } from './formed.ts';
import { redactSensitive } from '../language/privacy-policy.ts';
import { createInlineQueue } from './inline-queue.ts';
import { triggerFormation } from './trigger-formation.ts';

/** Forming memories, as a process does it: at once by rules, soon by jobs, or when asked. */
export interface Formation {
  /** Forms the session of a scope now. While another formation of it runs in this process, waits for that one first. */
  form(scope: Scope): Promise<Formed>;
  /** Queues what follows from events, in the transaction that appends them. */
  afterAppend(writer: Writer, scope: Scope, events: readonly Event[]): Promise<void>;
  /** Takes in events that were just committed, to be read by rules. Returns at once. */
  noticed(scope: Scope, events: readonly Event[]): void;
  /** A text as the log may hold it. */
  cleaned(text: string): string;
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
 * Makes the formation of a process. The rules and all that goes with them are large, and imported when they are first
 * needed: a program that only reads never loads them.
 */
export function createFormation(deps: FormDeps): Formation {
  const { settings } = deps;
  const inline = createInlineQueue(async (scope, events) => {
    const { formInline } = await import('./inline-formation.ts');
    return formInline(deps, scope, events);
  });
  const running = new Map<string, Promise<unknown>>();

  /** One formation of a session at a time in this process; others are held off by the queue and by the cursor. */
  const oneAtATime = async (scope: Scope, options: FormOptions): Promise<Formed> => {
    const key = JSON.stringify([ownerKey(scope), scope.session]);
    const before = running.get(key) ?? Promise.resolve();
    const formed = before.then(async () => {
      const { formSession } = await import('./form-session.ts');
      return formSession(deps, scope, options);
    });
    const settled = formed
      .catch(() => undefined)
      .finally(() => {
        if (running.get(key) === settled) running.delete(key);
      });
    running.set(key, settled);
    return formed;
  };

  return {
    form: (scope) => oneAtATime(scopeAt(scope, 'session'), { cause: 'hand' }),
    afterAppend: (writer, scope, events) => triggerFormation(writer, deps, scope, events),
    noticed(scope, events) {
      if (settings.writes === 'deferred' || !settings.facts) return;
      const readable = events.filter((event) => event.kind !== 'document_chunk');
      for (let start = 0; start < readable.length; start += EVENTS_AT_ONCE) {
        inline.add(scope, readable.slice(start, start + EVENTS_AT_ONCE));
      }
    },
    cleaned: (text) => (settings.redactEvents ? redactSensitive(text, settings.privacy) : text),
    schedules: SCHEDULES,
    handlers: {
      form: async (job, context) => {
        const cause = (payloadOf(job)['cause'] ?? 'flush') as RunCause;
        const { minimumMessages } = settings.triggers;
        await oneAtATime(scopeIn(job), { cause, minimumMessages, ...doneWith(context) });
      },
      summarise: async (job, context) => {
        const { summariseSession } = await import('./summarise-session.ts');
        await summariseSession(deps, scopeIn(job), doneWith(context));
      },
      'keyed-facts': async (job, context) => {
        const { readKeyedFacts } = await import('./read-keyed-facts.ts');
        await readKeyedFacts(deps, scopeIn(job), payloadOf(job)['events'] as string[], doneWith(context));
      },
      'form-cold-sessions': async () => {
        const { formColdSessions } = await import('./form-cold-sessions.ts');
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
