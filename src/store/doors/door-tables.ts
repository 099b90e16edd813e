// The tables of the server and the ledger: usage, credit, API keys, administrative acts, repeated requests and webhooks. `schema.ts` has
// the other tables, and describes how times, JSON and scopes are stored.

export interface UsageTable {
  tenant_id: string;
  id: string;
  at: number;
  /** The UTC day of `at`, in the form 2026-11-15. */
  day: string;
  agent_id: string | null;
  user_id: string | null;
  run: string | null;
  operation: string;
  task: string;
  model: string;
  tokens_in: number;
  tokens_out: number;
  tokens_cached: number;
  calls: number;
  milliseconds: number;
  /** 1 if the provider did not report the tokens and Varve estimated them. */
  estimated: number;
  /** 1 if the call cost money but failed. */
  failed: number;
  /** The cost in micro-dollars; NULL if the model has no price. */
  cost: number | null;
  /** The amount that an account was charged for the usage, in micro-dollars. */
  charged: number;
}

export interface CreditAccountTable {
  tenant_id: string;
  user_id: string;
  balance: number;
  updated_at: number;
}

export interface CreditEntryTable {
  tenant_id: string;
  /** For an entry of the kind `usage`, this is the id of the row in the table `usage`. */
  id: string;
  user_id: string;
  kind: string;
  amount: number;
  reason: string;
  at: number;
}

export interface ApiKeyTable {
  id: string;
  tenant_id: string;
  name: string;
  hash: string;
  access: string;
  agents: string | null;
  users: string | null;
  rate: number | null;
  created_at: number;
  created_by: string;
  expires_at: number | null;
  revoked_at: number | null;
}

export interface AdminActTable {
  tenant_id: string;
  id: string;
  at: number;
  actor: string;
  act: string;
  subject: string | null;
  details: string;
}

export interface RequestAnswerTable {
  tenant_id: string;
  caller: string;
  request_key: string;
  fingerprint: string;
  agent_id: string | null;
  user_id: string | null;
  session_id: string | null;
  /** NULL while the request is in progress. */
  status: number | null;
  answer: string | null;
  at: number;
}

export interface WebhookTable {
  tenant_id: string;
  id: string;
  url: string;
  events: string;
  description: string | null;
  secret: string;
  previous_secret: string | null;
  previous_until: number | null;
  enabled: number;
  disabled_reason: string | null;
  /** Events before this time are not sent. */
  active_from: number;
  /** Events up to this time have been queued. */
  read_until: number;
  created_at: number;
  created_by: string;
}

export interface WebhookDeliveryTable {
  tenant_id: string;
  id: string;
  webhook_id: string;
  type: string;
  body: string;
  agent_id: string | null;
  user_id: string | null;
  session_id: string | null;
  state: string;
  attempts: number;
  status: number | null;
  error: string | null;
  created_at: number;
  ended_at: number | null;
}
