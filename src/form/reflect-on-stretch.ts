import type { ReflectInput, Reflections } from '../models/distiller.ts';
import type { Event } from '../record/event.ts';
import type { Scope, ScopeLevel } from '../record/scope.ts';
import { scopeAt } from '../record/scope.ts';
import type { Reader } from '../store/database.ts';
import { findBlock } from '../store/block-store.ts';
import { listMemories } from '../store/read-memories.ts';
import type { DecidedProposals } from './decide-proposals.ts';
import type { FormWork } from './form-work.ts';
import { guardReflections, REFLECTION_LEVELS } from './guards/guard-reflections.ts';
import type { Rejection } from './proposal.ts';
import { toTurn } from './take-unformed.ts';

/** Reflections that may be stored, and the events they rest on. */
export interface Reflected {
  reflections: Reflections;
  events: Event[];
  rejected: Rejection[];
  distiller: string;
}

const WORD_LIMIT = 35;
const MOST_RECENT = 20;

/** Looks back on the stretch: agent, then user, then session, knowing what is in mind and the facts just formed. */
export async function reflectOnStretch(work: FormWork, { settled }: DecidedProposals): Promise<Reflected> {
  const { deps, scope, stretch, signal } = work;
  const distiller = work.distillers.for('reflect');
  // Tools and documents are left out: what they say may be kept as a fact, and never becomes what is always in mind.
  const events = stretch.events.filter(
    (event) => event.kind === 'message' && (event.origin === 'user' || event.origin === 'agent'),
  );
  const nothing: Reflected = {
    reflections: { agent: [], user: [], session: [] },
    events,
    rejected: [],
    distiller: distiller.id,
  };
  if (!deps.settings.reflections || !events.some((event) => event.origin === 'user')) return nothing;
  const facts = settled.flatMap(({ proposal, resolution }) =>
    resolution.action === 'NONE' || resolution.action === 'OUTRANKED' ? [] : proposal.content,
  );
  const characters = distiller.kind === 'model' ? deps.settings.limits.turnCharacters / 4 : Infinity;
  const input: ReflectInput = {
    turns: events.map((event) => toTurn(event, characters)),
    facts,
    current: await deps.database.read(scope.tenant, (reader) => inMind(reader, work, scope)),
    wordLimit: WORD_LIMIT,
  };
  const { output } = await distiller.reflect(input, { signal });
  const guarded = guardReflections(reachable(output, scope), input, {
    events: stretch.events,
    settings: deps.settings,
  });
  return { ...nothing, reflections: guarded.accepted, rejected: guarded.rejected };
}

function isReachable(level: ScopeLevel, scope: Scope): boolean {
  return level === 'agent' ? scope.agent !== null : level === 'user' ? scope.user !== null : scope.session !== null;
}

function reachable(reflections: Reflections, scope: Scope): Reflections {
  return {
    agent: isReachable('agent', scope) ? reflections.agent : [],
    user: isReachable('user', scope) ? reflections.user : [],
    session: reflections.session,
  };
}

/** The merged text and the unmerged reflections of each level. */
async function inMind(reader: Reader, { deps }: FormWork, scope: Scope): Promise<ReflectInput['current']> {
  const { items } = await listMemories(reader, scope, { types: ['reflection'], limit: 200 }, { now: deps.clock.now() });
  const current: ReflectInput['current'] = {
    agent: { merged: null, recent: [] },
    user: { merged: null, recent: [] },
    session: { merged: null, recent: [] },
  };
  for (const level of REFLECTION_LEVELS) {
    if (!isReachable(level, scope)) continue;
    const block = await findBlock(reader, { ...scopeAt(scope, level), connection: null }, 'reflections');
    const recent = items.filter((memory) => levelOf(memory.scope) === level).slice(0, MOST_RECENT);
    current[level] = {
      merged: typeof block?.content === 'string' ? block.content : null,
      recent: recent.map((memory) => memory.content).reverse(),
    };
  }
  return current;
}

function levelOf(scope: Scope): 'agent' | 'user' | 'session' {
  if (scope.session !== null) return 'session';
  return scope.user !== null ? 'user' : 'agent';
}
