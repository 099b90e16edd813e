import type { NewJob } from '../jobs/job.ts';
import { ownerKey, type Scope } from '../record/scope.ts';
import type { RunCause } from '../store/run-store.ts';

/** The job that forms a session: one waits and one runs at a time for each. */
export function formationJob(scope: Scope, cause: RunCause): NewJob {
  return { kind: 'form', ...sessionJob(scope, { cause }) };
}

/** What the jobs of a session have in common: its owner, its key and its scope. */
export function sessionJob(
  scope: Scope,
  payload: Record<string, string> = {},
): Pick<NewJob, 'tenant' | 'ownerKey' | 'uniqueKey' | 'payload'> {
  const owner = ownerKey(scope);
  return {
    tenant: scope.tenant,
    ownerKey: owner,
    uniqueKey: `${owner}:${scope.session}`,
    payload: { scope: { ...scope, connection: null }, ...payload },
  };
}
