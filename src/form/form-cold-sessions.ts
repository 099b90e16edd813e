import { sql } from 'kysely';
import { enqueueJobs } from '../jobs/enqueue.ts';
import { EVERY_TENANT } from '../store/database.ts';
import type { FormDeps } from './form-deps.ts';
import { formationJob } from './formation-job.ts';

const MOST_SESSIONS = 500;

interface ColdSession {
  tenant_id: string;
  agent_id: string | null;
  user_id: string | null;
  session_id: string;
}

/**
 * Queues a formation for every session that has gone cold with messages in it that no formation has read. One whose
 * formation was given up since its last message is left alone: it would only fail again.
 */
export async function formColdSessions(deps: FormDeps): Promise<number> {
  const { coldAfter, minimumMessages } = deps.settings.triggers;
  const before = deps.clock.now() - coldAfter;
  const { rows } = await deps.database.read(EVERY_TENANT, (reader) =>
    sql<ColdSession>`select s.tenant_id, s.agent_id, s.user_id, s.session_id from sessions s
      where s.event_count > s.formed_position and s.messages_since >= ${minimumMessages} and s.last_event_at <= ${before}
        and not exists (select 1 from jobs j where j.tenant_id = s.tenant_id and j.kind = 'form'
          and j.unique_key = s.owner_key || ':' || s.session_id
          and (j.state in ('waiting', 'running') or (j.state = 'dead' and j.finished_at >= s.last_event_at)))
      order by s.last_event_at limit ${MOST_SESSIONS}`.execute(reader),
  );
  if (rows.length === 0) return 0;
  const jobs = rows.map((row) =>
    formationJob(
      { tenant: row.tenant_id, agent: row.agent_id, user: row.user_id, session: row.session_id, connection: null },
      'schedule',
    ),
  );
  await deps.database.write(EVERY_TENANT, (writer) => enqueueJobs(writer, jobs, deps));
  return rows.length;
}
