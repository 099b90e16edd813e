// Open a store.
export { createVarve, type FactOptions, type Varve, type VarveOptions } from './varve.ts';
export type { BackgroundOptions } from './background.ts';
export { VarveError, type ErrorCode, type ErrorOptions } from './errors.ts';
export { manualClock, systemClock, type Clock, type ManualClock } from './record/clock.ts';
export { createIdSource, type IdPrefix, type IdSource } from './record/id.ts';
export type { StoreProblem } from './store/database.ts';
export type { StoreOptions } from './store/open-store.ts';
export type { PostgresOptions } from './store/postgres/open-postgres.ts';
export type { SqliteOptions } from './store/sqlite/open-sqlite.ts';

// The handle of a scope.
export type { BlockHandle, BlockPlace, BlockReader, ReplaceOptions } from './handle/blocks.ts';
export type { RunOptions } from './handle/change.ts';
export type { ConnectionHandle } from './handle/connections.ts';
export type { ConsolidationHandle, ReflectionSettings, RefusalHandle } from './handle/consolidation.ts';
export type { EntityHandle } from './handle/entities.ts';
export type { DecisionHandle, EventListFilter, EventReader } from './handle/events.ts';
export type { Fact, FactHandle, FactInput, FactReader } from './handle/facts.ts';
export type { Handle, Logged, PastHandle } from './handle/handle.ts';
export type { IntentionHandle, LearningHandle, NewIntention, NewLearning } from './handle/intentions.ts';
export type { ForgottenHandle, MemoryHandle, MemoryReader, SupersedeOptions } from './handle/memories.ts';
export type { ListOptions, NewNote, NewSavedItem, NoteHandle, SavedItemHandle } from './handle/notes.ts';
export type { SessionHandle } from './handle/session.ts';
export type { HandleScope, Scope, ScopeInput, ScopeLevel } from './record/scope.ts';

// Records.
export type { TextSpan } from './language/sentences.ts';
export {
  ATTRIBUTES,
  type Attribute,
  type AttributeInput,
  type ByLanguage,
  type FactCategory,
  type ValueShape,
} from './record/attributes.ts';
export type { Basis, Block, BlockKindName, SentenceBasis } from './record/block.ts';
export type { ChatMessage, Conversation, Observable } from './record/chat-message.ts';
export type { ContextOrigin, ContextSource, ContextType } from './record/context-source.ts';
export type { Entity, EntityType, NewEntity } from './record/entity.ts';
export type { Event, EventKind, NewEvent } from './record/event.ts';
export type { Forgotten } from './record/forgotten.ts';
export {
  MEMORY_TYPES,
  type FieldRule,
  type Lifespan,
  type MemoryType,
  type MemoryTypeInput,
  type PromptSection,
} from './record/memory-types.ts';
export type { ArchiveReason, Memory, MemoryChange, NewMemory, SourceType } from './record/memory.ts';
export type { TimeInput } from './record/parse.ts';
export type { Change, Revision } from './record/revision.ts';
export type { PendingConfirmation, Session, SessionState, ToolResult, ToolSchema } from './record/session.ts';
export type { Confidence, Origin, Polarity, Quote, Tense, Trust } from './record/statement.ts';
export type { RestingSentence } from './store/block-store.ts';
export type { LoggedContext, LoggedPart, MemoryUse } from './store/context-log-store.ts';
export type { Erased, ErasureCertificate, Remaining } from './store/erase.ts';
export type { SetAside } from './store/event-store.ts';
export type { HeldChange, HeldKind } from './store/held-change-store.ts';
export type {
  RefusalFilter,
  RefusalRecord,
  Refused,
  Run,
  RunCause,
  RunFilter,
  RunNotes,
  RunStatus,
} from './store/history-store.ts';
export type { MemoryFilter } from './store/read-memories.ts';
export type { RecallFilter } from './store/record-filter.ts';
export type { Page } from './store/rows.ts';
export type { WrittenMemory } from './store/write-memory.ts';

// Observe and form.
export type {
  FormationOptions,
  FormationSettings,
  FormTask,
  LimitSettings,
  SummarySettings,
  ThresholdSettings,
  TriggerSettings,
} from './form/formation-settings.ts';
export type { FormedSession, FormResult, Refusal, RefusalReason } from './form/read/reader.ts';
export type { PrivacyAction, PrivacyCategory, PrivacyPolicy } from './language/privacy-policy.ts';
export type { DecisionWithOutcomes, NewDecision, NewOutcome } from './observe/decisions.ts';
export type { IndexedDocument, NewDocument } from './observe/index-document.ts';
export type { Interaction, NewInteraction, ToolUse } from './observe/log-interaction.ts';
export type { Appended } from './observe/observe.ts';
export type {
  ChatCategory,
  ObservationCategory,
  ObservationSource,
  UserContextUpdate,
} from './observe/record-observation.ts';

// Recall and assemble.
export type { AssembleOptions, TracingOptions } from './assemble/assemble-deps.ts';
export type { AssembledContext } from './assemble/assemble.ts';
export type {
  Asked,
  ContextHooks,
  ContextOptions,
  ContextSettings,
  HistoryOptions,
  Intent,
  LookupMode,
  SectionSwitches,
  Service,
} from './assemble/context-options.ts';
export { budgetTable, type ContextReport, type Lookup, type SectionReport } from './assemble/context-report.ts';
export {
  defineLayout,
  type Budget,
  type Frame,
  type HistoryMessage,
  type Layout,
  type LayoutRecall,
  type SectionFormat,
} from './assemble/layout.ts';
export { LAYOUTS, type LayoutName } from './assemble/layouts.ts';
export type { Item, OverflowRule, SectionName, Statement } from './assemble/section.ts';
export type { Writing } from './language/inert-text.ts';
export { estimateTokens, tokenizerCounter, type TokenCounter } from './language/words.ts';
export type {
  Arm,
  Recalled,
  RecalledEvent,
  RecalledMemory,
  RecallOptions,
  RecallResult,
  RecallSource,
  SignalShare,
  SignalWeights,
} from './recall/recall-options.ts';

// Consolidate and maintain.
export type { ConsolidationReport } from './consolidate/consolidate.ts';
export type {
  ConsolidationOptions,
  ConsolidationSettings,
  DecaySettings,
  IntervalSettings,
  MergeSettings,
  NightlySettings,
  PatternSettings,
  TagSettings,
  TierSettings,
  UsefulnessSettings,
} from './consolidate/consolidation-settings.ts';
export type { SynthesisCounts } from './consolidate/documents/synthesise.ts';
export type { MergedTag } from './consolidate/merge-tags.ts';
export type { ReflectionCounts } from './consolidate/nightly/reflect.ts';
export type { ToolSuggestion } from './consolidate/patterns/find-patterns.ts';
export type { BackfillOptions, EmbedCounts } from './embed/embed.ts';
export type { ErasedWithCertificate, EraseOptions } from './maintain/erase.ts';
export type { MaintenanceReport } from './maintain/maintain.ts';

// Models.
export {
  aiSdkEmbedder,
  type AiSdkAnswer,
  type AiSdkCall,
  type AiSdkEmbedderOptions,
  type AiSdkEmbeddingModel,
  type AiSdkLanguageModel,
  type AiSdkMessage,
  type AiSdkRerankingModel,
  type AiSdkUsage,
} from './models/ai-sdk.ts';
export type { Calibrated, CalibrationBoundary, CalibrationReport, CosineSummary } from './models/calibrate.ts';
export type { PairClass } from './models/calibration-pairs.ts';
export type { BreakerSettings, CallSettings, Delay } from './models/caller.ts';
export { createLanguageModel, type LanguageModelOptions } from './models/create-language-model.ts';
export {
  cachedEmbedder,
  functionEmbedder,
  type CacheOptions,
  type Calibration,
  type CalibrationKnot,
  type Embedded,
  type Embedder,
  type EmbedOptions,
  type FunctionEmbedderOptions,
  type PartReading,
  type ReadPartsOptions,
  type SlotValue,
} from './models/embedder.ts';
export type { DataRequest, Generated, LanguageModel, ModelUsage, TextRequest } from './models/language-model.ts';
export { createLocalEmbedder, type LocalEmbedderOptions } from './models/local-embedder/local-embedder.ts';
export { openAiCompatible, type OpenAiCompatibleOptions } from './models/open-ai-compatible.ts';
export type { Prompt } from './models/prompt.ts';
export { aiSdkReranker, type Reranked, type Reranker, type RerankOptions } from './models/reranker.ts';

// Tools for agents.
export { converse, type ConversationAnswer, type ConversationPrompt } from './integrations/converse.ts';
export { agentInstructions, type InstructionOptions } from './tools/agent-instructions.ts';
export type { AgentTool, ToolHandle, ToolHints, ToolTurn } from './tools/agent-tool.ts';
export {
  AGENT_TOOLS,
  agentTool,
  runTool,
  toolDefinitions,
  type ToolChoice,
  type ToolDefinition,
  type ToolSetName,
} from './tools/agent-tools.ts';

// Costs, jobs and operations.
export type { Schedule } from './jobs/schedules.ts';
export type { RunCounts } from './jobs/worker.ts';
export type { Credit, CreditMove } from './ledger/credit.ts';
export type { CreditMode, Ledger, SpendingBudget } from './ledger/ledger.ts';
export type { Price, PricedTokens, PriceTable } from './ledger/price-table.ts';
export type { ApiKey, KeyAccess, Keys, MadeApiKey, NewApiKey } from './operate/api-keys.ts';
export type { CheckResult, ExtractionReport } from './operate/extraction-checks.ts';
export type { FollowOptions, RecordChange } from './operate/follow-changes.ts';
export type { ImportOptions, ImportReport } from './operate/import-records.ts';
export type { CheckName } from './operate/metric-definitions.ts';
export type { OnlineMetrics, Rate, ScaffoldGrowth } from './operate/online-metrics.ts';
export type { Operator, StoreStatus } from './operate/operator.ts';
export type {
  BlockLine,
  EntityLine,
  EventLine,
  ForgottenLine,
  HeaderLine,
  MemoryLine,
  RecordLine,
  RefusalLine,
  RevisionLine,
} from './operate/record-line.ts';
export type { WebhookOptions } from './operate/webhook-request.ts';
export type { MadeWebhook, NewWebhook, Webhook, WebhookChange, WebhookDelivery, Webhooks } from './operate/webhooks.ts';
export type { Act, Acts, NewAct } from './store/doors/admin-acts.ts';
export type { CreditEntry, CreditOwner } from './store/doors/credit-store.ts';
export type { RecordCounts } from './store/doors/inspect-scope.ts';
export type { ReportBy, ReportLine, ReportQuery, UsageScope } from './store/doors/usage-store.ts';
export type { Job, JobState, Json } from './store/queue/job.ts';
export type { JobCount, JobFilter } from './store/queue/list-jobs.ts';
export type { Outcome } from './store/queue/settle-jobs.ts';
