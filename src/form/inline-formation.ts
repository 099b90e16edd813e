import type { ProposedMemory } from '../models/distiller.ts';
import type { Event } from '../record/event.ts';
import { contentHash } from '../record/memory.ts';
import type { Change } from '../record/revision.ts';
import type { Scope } from '../record/scope.ts';
import { changeOwner } from '../store/owner-store.ts';
import { listSessionEvents } from '../store/session-store.ts';
import { nothingApplied, type Applied } from './applied.ts';
import { applyProposals } from './apply-proposals.ts';
import { decideByRules } from './decide-by-rules.ts';
import { localDate } from './extract-proposals.ts';
import { findCandidates } from './find-candidates.ts';
import type { FormDeps } from './form-deps.ts';
import { userNamesOf } from './form-work.ts';
import { findReachedGoals, markReached } from './goals-reached.ts';
import { guardDecisions } from './guards/guard-decisions.ts';
import { guardProposals } from './guards/guard-proposals.ts';
import { formedBefore } from './known-memories.ts';
import { isStated, observedProposals } from './observed-proposals.ts';
import { toTurn } from './take-unformed.ts';
import { toolProposals } from './tool-proposals.ts';

const EARLIER = 6;

/**
 * Reads an exchange by rules alone, right after it was logged: preferences, facts, goals, decisions, intentions,
 * corrections, episodes and keyed facts. No model, no vectors, and no write when it says nothing. The events stay
 * unprocessed: the next formation reads them again with more around them, and finds what is already there.
 */
export async function formInline(deps: FormDeps, scope: Scope, events: readonly Event[]): Promise<Applied> {
  const place = { ...scope, connection: null };
  const { database, settings } = deps;
  if (!settings.facts) return nothingApplied();
  const stated = events.filter(isStated);
  const said = events.filter((event) => !isStated(event) && event.kind !== 'document_chunk');
  const proposed = await extractInline(deps, place, said);
  const observed = observedProposals(stated);
  if (proposed.length + observed.length === 0) return nothingApplied();
  const recalled = (await deps.recalledTexts?.(place)) ?? [];
  const context = { settings, types: deps.memoryTypes, recalled, userNames: userNamesOf(place) };
  const guarded = [
    ...guardProposals(proposed, { ...context, events: said }).accepted,
    ...guardProposals(observed, { ...context, events: stated }).accepted,
  ];
  const before = await database.read(place.tenant, (reader) => formedBefore(reader, place, events));
  const seen = new Set(before.map((memory) => contentHash(memory.content)));
  const proposals = guarded.filter((proposal) => !seen.has(contentHash(proposal.content)));
  if (proposals.length === 0) return nothingApplied();
  const candidates = await findCandidates(deps, place, proposals, { meter: null });
  const decided = proposals.map((proposal, index) => ({
    proposal,
    candidates: candidates[index] ?? [],
    resolution: decideByRules(proposal, candidates[index] ?? [], { scope: place, thresholds: settings.thresholds }),
  }));
  const { settled } = guardDecisions(decided, {
    scope: place,
    settings,
    userNames: userNamesOf(place),
    attributesAreRead: true,
  });
  const goals = await database.read(place.tenant, (reader) => findReachedGoals(reader, deps, place, proposals));
  const why: Change = { reason: 'read from the exchange by rules', actor: 'form' };
  return database.write(place.tenant, async (writer) => {
    await changeOwner(writer, place, deps.clock.now());
    const applied = await applyProposals(writer, deps, settled, { scope: place, distiller: 'local', why });
    await markReached(writer, deps, goals, { scope: place, factor: settings.achievedGoalFactor, why });
    return applied;
  });
}

async function extractInline(deps: FormDeps, scope: Scope, said: readonly Event[]): Promise<ProposedMemory[]> {
  const first = said[0];
  const isWorthReading = said.some((event) => event.origin === 'user' || event.metadata['toolsUsed'] !== undefined);
  if (first === undefined || !isWorthReading) return [];
  const earlier = await earlierEvents(deps, scope, first);
  const local = await deps.local();
  const { output } = await local.extract({
    turns: said.map((event) => toTurn(event)),
    earlier: earlier.map((event) => toTurn(event)),
    existing: [],
    types: [],
    today: localDate(deps.clock.now(), deps.settings.timeZone),
    timeZone: deps.settings.timeZone,
  });
  return [...output.new, ...toolProposals(said)];
}

async function earlierEvents(deps: FormDeps, scope: Scope, { position }: Event): Promise<Event[]> {
  if (scope.session === null || position === null || position === 0) return [];
  const events = await deps.database.read(scope.tenant, (reader) =>
    listSessionEvents(reader, scope, Math.max(0, position - EARLIER), position),
  );
  return events.filter((event) => event.kind === 'message');
}
