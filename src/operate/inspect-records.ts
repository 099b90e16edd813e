import type { Clock } from '../record/clock.ts';
import type { Memory } from '../record/memory.ts';
import type { Scope } from '../record/scope.ts';
import { type Database, EVERY_TENANT } from '../store/database.ts';
import { tenantsWithMemories } from '../store/own-rows.ts';
import {
  countFacets,
  type FacetFilter,
  listOwners,
  type MemoryFacets,
  type MemoryLinks,
  type MemoryRows,
  type OwnerSummary,
  readLinks,
  readMemoryRows,
  type RowsRequest,
} from '../store/doors/inspect-store.ts';
import {
  type Growth,
  listSessionRows,
  readGraph,
  readGrowth,
  type SessionSummary,
  type SubjectGraph,
} from '../store/doors/inspect-scope.ts';

export type {
  FacetFilter,
  Growth,
  MemoryFacets,
  MemoryLinks,
  MemoryRows,
  OwnerSummary,
  RowsRequest,
  SessionSummary,
  SubjectGraph,
};

/** What the inspector shows: all records within a scope, of all its agents, users and sessions. */
export interface Inspector {
  owners(
    tenant: string,
    options: { agents: string[] | null; users: string[] | null; match?: string; limit: number },
  ): Promise<OwnerSummary[]>;
  /** The tenants of the store. */
  tenants(): Promise<string[]>;
  rows(scope: Scope, request: RowsRequest): Promise<MemoryRows>;
  facets(scope: Scope, filter?: FacetFilter): Promise<MemoryFacets>;
  links(scope: Scope, memory: Memory): Promise<MemoryLinks>;
  sessions(scope: Scope, page: { offset: number; limit: number }): Promise<{ total: number; items: SessionSummary[] }>;
  graph(scope: Scope): Promise<SubjectGraph>;
  growth(scope: Scope): Promise<Growth>;
}

export function createInspector({ database, clock }: { database: Database; clock: Clock }): Inspector {
  return {
    owners: (tenant, options) => database.read(tenant, (reader) => listOwners(reader, tenant, options)),
    tenants: () => database.read(EVERY_TENANT, (reader) => tenantsWithMemories(reader)),
    rows: (scope, request) =>
      database.read(scope.tenant, (reader) => readMemoryRows(reader, scope, request, clock.now())),
    facets: (scope, filter = {}) =>
      database.read(scope.tenant, (reader) => countFacets(reader, scope, filter, clock.now())),
    links: (scope, memory) => database.read(scope.tenant, (reader) => readLinks(reader, scope, memory)),
    sessions: (scope, page) => database.read(scope.tenant, (reader) => listSessionRows(reader, scope, page)),
    graph: (scope) => database.read(scope.tenant, (reader) => readGraph(reader, scope)),
    growth: (scope) => database.read(scope.tenant, (reader) => readGrowth(reader, scope)),
  };
}
