export { createVarve, type FactOptions, type Varve, type VarveOptions } from './varve.ts';
export { VarveError, type ErrorCode, type ErrorOptions } from './errors.ts';
export type { BackgroundOptions } from './background.ts';
export type { Handle, Logged, PastHandle } from './handle/handle.ts';
export type { BlockHandle, BlockPlace, BlockReader, ReplaceOptions } from './handle/blocks.ts';
export type { ConnectionHandle } from './handle/connections.ts';
export type { EntityHandle } from './handle/entities.ts';
export type { DecisionHandle, EventListFilter, EventReader } from './handle/events.ts';
export type { Fact, FactHandle, FactInput, FactReader } from './handle/facts.ts';
export type { RunOptions } from './handle/change.ts';
export type { ForgottenHandle, MemoryHandle, MemoryReader, SupersedeOptions } from './handle/memories.ts';
export type { NewNote, NewSavedItem, NoteHandle, SavedItemHandle, ListOptions } from './handle/notes.ts';
export type { SessionHandle } from './handle/session.ts';
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
export type { Appended } from './observe/observe.ts';
export type {
  ChatCategory,
  ObservationCategory,
  ObservationSource,
  UserContextUpdate,
} from './observe/record-observation.ts';
export type { DecisionWithOutcomes, NewDecision, NewOutcome } from './observe/decisions.ts';
export type { IndexedDocument, NewDocument } from './observe/index-document.ts';
export type { Interaction, NewInteraction, ToolUse } from './observe/log-interaction.ts';
export type { Basis, Block, BlockKindName, SentenceBasis } from './record/block.ts';
export { manualClock, systemClock, type Clock, type ManualClock } from './record/clock.ts';
export { createIdSource, type IdSource, type IdPrefix } from './record/id.ts';
export type { ContextOrigin, ContextSource, ContextType } from './record/context-source.ts';
export type { Entity, EntityType, NewEntity } from './record/entity.ts';
export type { Event, EventKind, NewEvent } from './record/event.ts';
export type { ArchiveReason, Memory, MemoryChange, NewMemory, SourceType } from './record/memory.ts';
export {
  ATTRIBUTES,
  type Attribute,
  type AttributeInput,
  type ValueShape,
  type ByLanguage,
  type FactCategory,
} from './record/attributes.ts';
export type { Confidence, Origin, Polarity, Quote, Tense, Trust } from './record/statement.ts';
export {
  MEMORY_TYPES,
  type Lifespan,
  type MemoryType,
  type MemoryTypeInput,
  type FieldRule,
  type PromptSection,
} from './record/memory-types.ts';
export type { TimeInput } from './record/parse.ts';
export type { Change, Revision } from './record/revision.ts';
export type { HandleScope, Scope, ScopeInput, ScopeLevel } from './record/scope.ts';
export type { PendingConfirmation, Session, SessionState, ToolResult, ToolSchema } from './record/session.ts';
export type { Erased, Remaining } from './store/erase.ts';
export type { StoreOptions } from './store/open-store.ts';
export type { MemoryFilter } from './store/read-memories.ts';
export type { Page } from './store/rows.ts';
export type { StoreProblem } from './store/database.ts';
export type { RefusalFilter, RefusalRecord, Refused, RunNotes } from './store/history-store.ts';
export type { WrittenMemory } from './store/write-memory.ts';
export type { CreditMode, Ledger, SpendingBudget } from './ledger/ledger.ts';
export type {
  Embedded,
  Embedder,
  CacheOptions,
  EmbedOptions,
  PartReading,
  ReadPartsOptions,
  SlotValue,
  FunctionEmbedderOptions,
  Calibration,
  CalibrationKnot,
} from './models/embedder.ts';
export {
  aiSdkEmbedder,
  type AiSdkEmbedderOptions,
  type AiSdkEmbeddingModel,
  type AiSdkLanguageModel,
  type AiSdkRerankingModel,
  type AiSdkAnswer,
  type AiSdkCall,
  type AiSdkMessage,
  type AiSdkUsage,
} from './models/ai-sdk.ts';
export { functionEmbedder } from './models/embedder.ts';
export { cachedEmbedder } from './models/embedder.ts';
export { createLocalEmbedder, type LocalEmbedderOptions } from './models/local-embedder/local-embedder.ts';
export { createLanguageModel, type LanguageModelOptions } from './models/create-language-model.ts';
export { openAiCompatible, type OpenAiCompatibleOptions } from './models/open-ai-compatible.ts';
export type { LanguageModel, DataRequest, Generated, TextRequest, ModelUsage } from './models/language-model.ts';
export type { AssembledContext } from './assemble/assemble.ts';
export type { AssembleOptions } from './assemble/assemble-deps.ts';
export type {
  Asked,
  ContextHooks,
  ContextOptions,
  ContextSettings,
  HistoryOptions,
  LookupMode,
  SectionSwitches,
  Service,
  Intent,
} from './assemble/context-options.ts';
export { budgetTable, type ContextReport, type SectionReport, type Lookup } from './assemble/context-report.ts';
export type { Writing } from './language/inert-text.ts';
export type { HistoryMessage, LayoutRecall } from './assemble/layout.ts';
export { defineLayout, type Budget, type Frame, type Layout, type SectionFormat } from './assemble/layout.ts';
export { LAYOUTS, type LayoutName } from './assemble/layouts.ts';
export type { Item, OverflowRule, SectionName, Statement } from './assemble/section.ts';
export type { TracingOptions } from './assemble/assemble-deps.ts';
export { converse, type ConversationAnswer, type ConversationPrompt } from './integrations/converse.ts';
export type { LoggedContext, LoggedPart } from './store/context-log-store.ts';
export { agentInstructions, type InstructionOptions } from './tools/agent-instructions.ts';
export type { AgentTool, ToolHandle, ToolHints, ToolTurn } from './tools/agent-tool.ts';
export { AGENT_TOOLS, agentTool, type ToolSetName } from './tools/agent-tools.ts';
export { runTool, toolDefinitions, type ToolChoice, type ToolDefinition } from './tools/agent-tools.ts';
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
export type { ReflectionCounts } from './consolidate/nightly/reflect.ts';
export type { ToolSuggestion } from './consolidate/patterns/find-patterns.ts';
export type { ConsolidationHandle, ReflectionSettings, RefusalHandle } from './handle/consolidation.ts';
export type { SetAside } from './store/event-store.ts';
export type { IntentionHandle, LearningHandle, NewIntention, NewLearning } from './handle/intentions.ts';
export type { ConsolidationReport } from './consolidate/consolidate.ts';
export type { EraseOptions, ErasedWithCertificate } from './maintain/erase.ts';
export type { MaintenanceReport } from './maintain/maintain.ts';
export type { ErasureCertificate } from './store/erase.ts';
export type { HeldChange, HeldKind } from './store/held-change-store.ts';
export type { Run, RunCause, RunFilter, RunStatus } from './store/history-store.ts';
export type { MemoryUse } from './store/context-log-store.ts';
export type { Operator, StoreStatus } from './operate/operator.ts';
export type { ApiKey, KeyAccess, NewApiKey } from './operate/api-keys.ts';
export type { MadeApiKey, Keys } from './operate/api-keys.ts';
export type { Act, Acts, NewAct } from './store/doors/admin-acts.ts';
export type { RecordCounts } from './store/doors/inspect-scope.ts';
export type { CheckResult, ExtractionReport } from './operate/extraction-checks.ts';
export type { CheckName } from './operate/metric-definitions.ts';
export type { OnlineMetrics, Rate, ScaffoldGrowth } from './operate/online-metrics.ts';
export type { RecordChange, FollowOptions } from './operate/follow-changes.ts';
export type { ImportReport, ImportOptions } from './operate/import-records.ts';
export type {
  RecordLine,
  ForgottenLine,
  BlockLine,
  EntityLine,
  EventLine,
  HeaderLine,
  MemoryLine,
  RefusalLine,
  RevisionLine,
} from './operate/record-line.ts';
export type { Job, JobState, Json } from './store/queue/job.ts';
export type { RecallFilter } from './store/record-filter.ts';
export type {
  Arm,
  Recalled,
  RecallOptions,
  RecallResult,
  RecallSource,
  SignalShare,
  SignalWeights,
  RecalledEvent,
  RecalledMemory,
} from './recall/recall-options.ts';
export { aiSdkReranker, type Reranker, type RerankOptions, type Reranked } from './models/reranker.ts';
export type { SynthesisCounts } from './consolidate/documents/synthesise.ts';
export type { MergedTag } from './consolidate/merge-tags.ts';
export type { BackfillOptions, EmbedCounts } from './embed/embed.ts';
export type { JobCount, JobFilter } from './store/queue/list-jobs.ts';
export type { Schedule } from './jobs/schedules.ts';
export type { RunCounts } from './jobs/worker.ts';
export type { Credit, CreditMove } from './ledger/credit.ts';
export type { CreditEntry, CreditOwner } from './store/doors/credit-store.ts';
export type { PriceTable, Price, PricedTokens } from './ledger/price-table.ts';
export type { ReportLine, ReportQuery, UsageScope, ReportBy } from './store/doors/usage-store.ts';
export type { Calibrated, CalibrationReport, CalibrationBoundary, CosineSummary } from './models/calibrate.ts';
export type { BreakerSettings, CallSettings, Delay } from './models/caller.ts';
export type { Observable, ChatMessage, Conversation } from './record/chat-message.ts';
export type { RestingSentence } from './store/block-store.ts';
export type { PostgresOptions } from './store/postgres/open-postgres.ts';
export type { SqliteOptions } from './store/sqlite/open-sqlite.ts';
export type { Outcome } from './store/queue/settle-jobs.ts';
export type { TextSpan } from './language/sentences.ts';
export type { Prompt } from './models/prompt.ts';
export type { Forgotten } from './record/forgotten.ts';
export type { PairClass } from './models/calibration-pairs.ts';
export type { Webhooks, MadeWebhook, NewWebhook, Webhook, WebhookChange, WebhookDelivery } from './operate/webhooks.ts';
export type { WebhookOptions } from './operate/webhook-request.ts';
export { estimateTokens, type TokenCounter, tokenizerCounter } from './language/words.ts';
