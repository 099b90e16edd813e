import type { Meter } from '../ledger/meter.ts';
import type { RunCause } from '../store/run-store.ts';
import type { Scope } from '../record/scope.ts';
import type { Writer } from '../store/database.ts';
import { applyFormation } from './apply-formation.ts';
import { chooseDistillers } from './choose-distiller.ts';
import { decideProposals } from './decide-proposals.ts';
import { extractProposals } from './extract-proposals.ts';
import type { FormDeps } from './form-deps.ts';
import { reflectOnStretch } from './reflect-on-stretch.ts';
import { NOTHING_FORMED, type Formed } from './formed.ts';
import { takeUnformed, type Stretch } from './take-unformed.ts';

/** How a formation is run. */
export interface FormOptions {
  /** Default `hand`. */
  cause?: RunCause;
  signal?: AbortSignal;
  /** Marks the job of the formation as done, in the transaction of its effects. */
  complete?(writer: Writer): Promise<void>;
  /** Sessions that go on and have fewer new messages than this are left alone. Default 0. */
  minimumMessages?: number;
}

/**
 * Makes memories of what a session has said since the last formation:
 *
 *     take → extract → compare → decide → reflect → apply
 *
 * Models are asked before the one transaction that writes everything: memories, keyed facts, reflections, entities, the
 * events as processed, the cursor, the job as done and what it cost. A failure anywhere changes nothing, and the events
 * wait for the next try. Of two formations at the same time the second finds the cursor moved and does nothing.
 */
export async function formSession(deps: FormDeps, scope: Scope, options: FormOptions = {}): Promise<Formed> {
  const run = deps.ids.next('run');
  const place = { ...scope, connection: null };
  return deps.ledger.metered({ scope: place, operation: 'extraction', run }, async (meter: Meter) => {
    const startedAt = new Date(deps.clock.now());
    const { limits } = deps.settings;
    const stretch = await deps.database.read(place.tenant, (reader) =>
      takeUnformed(reader, place, { now: deps.clock.now(), limits }),
    );
    if (stretch === null || isTooShort(stretch, options)) {
      if (options.complete !== undefined) await deps.database.write(place.tenant, options.complete);
      return NOTHING_FORMED;
    }
    const work = {
      deps,
      scope: place,
      stretch,
      meter,
      signal: options.signal,
      distillers: await chooseDistillers(deps, meter),
    };
    const extracted = await extractProposals(work);
    const decided = await decideProposals(work, extracted);
    const reflected = await reflectOnStretch(work, decided);
    return applyFormation(work, {
      decided,
      reflected,
      run,
      startedAt,
      cause: options.cause ?? 'hand',
      complete: options.complete,
    });
  });
}

/** What has ended is formed however short it is. */
function isTooShort({ session }: Stretch, { minimumMessages = 0 }: FormOptions): boolean {
  return session.status !== 'closed' && session.messagesSinceFormation < minimumMessages;
}
