import type { Memory } from '../record/memory.ts';
import type { MemoryTypeTable } from '../record/memory-types.ts';
import type { Scope } from '../record/scope.ts';
import { type Database, EVERY_TENANT, type Parts } from '../store/database.ts';
import { tenantsWithMemories } from '../store/own-rows.ts';
import { countFacets, listOwners, readLinks, readMemoryRows } from '../store/doors/inspect-store.ts';
import type { FacetFilter, MemoryFacets, MemoryLinks, MemoryRows } from '../store/doors/inspect-store.ts';
import type { OwnerSummary, RowsRequest } from '../store/doors/inspect-store.ts';
import { listSessionRows, readGraph, readGrowth } from '../store/doors/inspect-scope.ts';
import type { Growth, SessionSummary, SubjectGraph } from '../store/doors/inspect-scope.ts';

export type { FacetFilter, MemoryFacets, MemoryLinks, MemoryRows, OwnerSummary, RowsRequest };
export type { Growth, SessionSummary, SubjectGraph };

export interface Inspector {
  owners(
    tenant: string,
    options: { agents: string[] | null; users: string[] | null; match?: string; limit: number },
  ): Promise<OwnerSummary[]>;
  tenants(): Promise<string[]>;
  rows(scope: Scope, request: RowsRequest): Promise<MemoryRows>;
  facets(scope: Scope, filter?: FacetFilter): Promise<MemoryFacets>;
  links(scope: Scope, memory: Memory): Promise<MemoryLinks>;
  sessions(scope: Scope, page: { offset: number; limit: number }): Promise<{ total: number; items: SessionSummary[] }>;
  graph(scope: Scope): Promise<SubjectGraph>;
  growth(scope: Scope): Promise<Growth>;
  memoryTypes: MemoryTypeTable;
}

export function createInspector({
  database,
  clock,
  memoryTypes,
}: Pick<Parts, 'database' | 'clock' | 'memoryTypes'>): Inspector {
  const read: Database['read'] = (tenant, work) => database.read(tenant, work);
  return {
    owners: (tenant, options) => read(tenant, (reader) => listOwners(reader, tenant, options)),
    tenants: () => read(EVERY_TENANT, tenantsWithMemories),
    rows: (scope, request) => read(scope.tenant, (reader) => readMemoryRows(reader, scope, request, clock.now())),
    facets: (scope, filter = {}) => read(scope.tenant, (reader) => countFacets(reader, scope, filter, clock.now())),
    links: (scope, memory) => read(scope.tenant, (reader) => readLinks(reader, scope, memory)),
    sessions: (scope, page) => read(scope.tenant, (reader) => listSessionRows(reader, scope, page)),
    graph: (scope) => read(scope.tenant, (reader) => readGraph(reader, scope)),
    growth: (scope) => read(scope.tenant, (reader) => readGrowth(reader, scope)),
    memoryTypes,
  };
}
