import { type RawBuilder, sql, type SqlBool } from 'kysely';
import { conflict } from '../../errors.ts';
import { DAY, MINUTE } from '../../record/clock.ts';
import type { Scope } from '../../record/scope.ts';
import { EVERY_TENANT, type Parts, type Writer } from '../database.ts';
import { rowsWhere } from '../rows.ts';

export interface KeyedRequest {
  scope: Scope;
  /** Part of the key, because two callers may choose the same idempotency key. */
  caller: string;
  key: string;
  /** A digest of the request, which detects the same key on a different request. */
  fingerprint: string;
}

export interface Answer {
  status: number;
  body: string;
}

/** Answers are kept for a day. Erasing a scope erases its answers. */
export interface RequestAnswers {
  /**
   * Runs `work` for the first request, and returns the stored answer for repetitions. A failed request stores nothing, so it may be
   * retried.
   */
  once(request: KeyedRequest, work: () => Promise<Answer>): Promise<Answer & { repeated: boolean }>;
  clear(): Promise<void>;
}

// After this time, an unanswered request may be repeated: its process has probably died.
const GIVEN_UP_AFTER = MINUTE;

export function createRequestAnswers({ database, clock }: Parts): RequestAnswers {
  return {
    async once(request, work) {
      const { tenant } = request.scope;
      const before = await database.write(tenant, (writer) => begin(writer, request, clock.now()));
      if (before !== null) return { ...before, repeated: true };
      try {
        const answer = await work();
        const { status, body } = answer;
        await database.write(tenant, (writer) =>
          sql`update request_answers set status = ${status}, answer = ${body} where ${isOf(request)}`.execute(writer),
        );
        return { ...answer, repeated: false };
      } catch (error) {
        await database.write(tenant, (writer) =>
          sql`delete from request_answers where ${isOf(request)}`.execute(writer),
        );
        throw error;
      }
    },
    async clear() {
      const before = clock.now() - DAY;
      await database.write(EVERY_TENANT, (writer) =>
        sql`delete from request_answers where at < ${before}`.execute(writer),
      );
    },
  };
}

function isOf({ scope, caller, key }: KeyedRequest): RawBuilder<SqlBool> {
  return sql`tenant_id = ${scope.tenant} and caller = ${caller} and request_key = ${key}`;
}

async function begin(writer: Writer, request: KeyedRequest, now: number): Promise<Answer | null> {
  const { scope, caller, key, fingerprint } = request;
  const row = { status: null, answer: null, fingerprint, at: now };
  const owner = { tenant_id: scope.tenant, agent_id: scope.agent, user_id: scope.user, session_id: scope.session };
  const added = await writer
    .insertInto('request_answers')
    .values({ ...owner, caller, request_key: key, ...row })
    .onConflict((conflict) =>
      conflict
        .columns(['tenant_id', 'caller', 'request_key'])
        .doUpdateSet(row)
        .where('request_answers.status', 'is', null)
        .where('request_answers.at', '<', now - GIVEN_UP_AFTER),
    )
    .returning('request_key')
    .executeTakeFirst();
  if (added !== undefined) return null;
  const [known] = await rowsWhere(writer, 'request_answers', isOf(request));
  if (known?.fingerprint !== fingerprint)
    throw conflict('This idempotency key was used for another request. Use a new key for a new request.');
  if (known.status === null)
    throw conflict('A request with this idempotency key is in progress. Wait for its answer, then try again.', {
      retryable: true,
    });
  return { status: known.status, body: known.answer ?? '' };
}
