// The records as the server sends them: the library's own types, with times as text.
import type { AssembledContext } from '../../src/assemble/assemble.ts';
import type { ContextReport, SectionReport } from '../../src/assemble/context-report.ts';
import type { SynthesisToApply } from '../../src/consolidate/documents/synthesise.ts';
import type { StoredDocument } from '../../src/consolidate/documents/document.ts';
import type { Job } from '../../src/store/queue/job.ts';
import type { ReportLine } from '../../src/store/doors/usage-store.ts';
import type { ApiKey } from '../../src/operate/api-keys.ts';
import type { ExtractionReport } from '../../src/operate/extraction-checks.ts';
import type { RecordChange } from '../../src/operate/follow-changes.ts';
import type * as inspect from '../../src/operate/inspect-records.ts';
import type { RecordCounts } from '../../src/store/doors/inspect-scope.ts';
import type { OnlineMetrics } from '../../src/operate/online-metrics.ts';
import type {
  RecallResult as RecallResultRecord,
  Recalled as RecalledRecord,
} from '../../src/recall/recall-options.ts';
import type { Block as BlockRecord, BlockKindName } from '../../src/record/block.ts';
import type { Event as EventRecord } from '../../src/record/event.ts';
import type { Memory as MemoryRecord } from '../../src/record/memory.ts';
import type { MemoryType as MemoryTypePolicy } from '../../src/record/memory-types.ts';
import type { Revision as RevisionRecord } from '../../src/record/revision.ts';
import type { RestingSentence as RestingSentenceRecord } from '../../src/store/block-store.ts';
import type { LoggedContext as LoggedContextRecord } from '../../src/store/context-log-store.ts';
import type { Forgotten as ForgottenRecord } from '../../src/record/forgotten.ts';
import type { HeldChange as HeldChangeRecord } from '../../src/store/held-change-store.ts';
import type { RefusalRecord, Run as RunRecord } from '../../src/store/history-store.ts';

/** A value after `JSON.stringify` and `JSON.parse`. */
export type Json<Value> = Value extends Date
  ? string
  : Value extends readonly (infer Item)[]
    ? Json<Item>[]
    : Value extends object
      ? { [Key in keyof Value]: Json<Value[Key]> }
      : Value;

export type Memory = Json<MemoryRecord>;
export type Fact = Memory & { key: string };
export type Event = Json<EventRecord>;
export type Block = Json<BlockRecord>;
export type { BlockKindName };
export type Revision = Json<RevisionRecord>;
export type Recalled = Json<RecalledRecord>;
export type RecallResult = Json<RecallResultRecord>;
export type Context = Json<AssembledContext>;
export type Report = Json<ContextReport>;
export type Section = Json<SectionReport>;
export type LoggedContext = Json<LoggedContextRecord>;
export type Refusal = Json<RefusalRecord>;
export type Forgotten = Json<ForgottenRecord>;
export type HeldChange = Json<HeldChangeRecord>;
export type ProposedDocument = Json<StoredDocument>;
export type ProposedSynthesis = Json<SynthesisToApply>;
export type RestingSentence = Json<RestingSentenceRecord>;
export type Run = Json<RunRecord>;
export type JobRecord = Json<Job>;
export type CostLine = Json<ReportLine>;
export type Counts = Json<RecordCounts>;
export type Change = Json<Omit<RecordChange, 'cursor'>>;
export type Key = Json<ApiKey>;

export type Owner = Json<inspect.OwnerSummary>;
export type MemoryRows = Json<inspect.MemoryRows>;
export type Facets = Json<inspect.MemoryFacets>;
export type Links = Json<inspect.MemoryLinks>;
export type SessionRow = Json<inspect.SessionSummary>;
export type Graph = Json<inspect.SubjectGraph>;
export type Growth = Json<inspect.Growth>;
export type Metrics = Json<OnlineMetrics>;
export type Extraction = Json<ExtractionReport>;

/** The policies of a memory type. */
export type MemoryType = Json<MemoryTypePolicy>;

/** The key that is signed in, and its tenant. */
export interface Me {
  key: Pick<Key, 'id' | 'name' | 'access' | 'agents' | 'users' | 'expiresAt'>;
  tenant: string;
  /** Whether the key covers only some agents or users of the tenant. */
  isLimited: boolean;
}

/** The owner whose memory is shown. If both parts are null, all owners that the key can reach. */
export interface Scope {
  agent: string | null;
  user: string | null;
  session?: string | null;
}
