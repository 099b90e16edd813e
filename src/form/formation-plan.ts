import type { Writer } from '../store/database.ts';
import type { RunCause } from '../store/run-store.ts';
import type { DecidedProposals } from './decide-proposals.ts';
import type { Reflected } from './reflect-on-stretch.ts';

/** Everything that one formation is to write. */
export interface FormationPlan {
  decided: DecidedProposals;
  reflected: Reflected;
  run: string;
  startedAt: Date;
  cause: RunCause;
  complete?(writer: Writer): Promise<void>;
}
