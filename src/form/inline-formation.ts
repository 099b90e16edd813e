import { localDate } from '../language/local-date.ts';
import type { ProposedMemory } from '../models/distiller.ts';
import type { Event } from '../record/event.ts';
import type { Change } from '../record/revision.ts';
import type { Scope } from '../record/scope.ts';
import { changeOwner } from '../store/owner-store.ts';
import { listSessionEvents } from '../store/session-store.ts';
import { nothingApplied, type Applied } from './applied.ts';
import { applyProposals } from './apply-proposals.ts';
import { decideByRules } from './decide-by-rules.ts';
import { findCandidates } from './find-candidates.ts';
import type { FormDeps } from './form-deps.ts';
import { userNamesOf } from './form-work.ts';
import { archiveEnded, findEnded, untouched } from './find-ended.ts';
import { asksToForget, forgetAsked } from './forget-asked.ts';
import { findReachedGoals, markReached } from './goals-reached.ts';
import { guardDecisions } from './guards/guard-decisions.ts';
import { guardProposals } from './guards/guard-proposals.ts';
import { withoutTwins } from './keyed-alone.ts';
import { knownAround } from './known-memories.ts';
import { decisionsBehind, isStated, observedProposals } from './observed-proposals.ts';
import { seenBefore } from './seen-before.ts';
import { toTurn } from './take-unformed.ts';
import { toolProposals } from './tool-proposals.ts';

const EARLIER = 12;
const BY_RULES: Change = { reason: 'read from the exchange by rules', actor: 'form' };

/**
 * Reads an exchange by rules alone, right after it was logged: preferences, facts, goals, decisions, intentions,
 * corrections, episodes and keyed facts. No model, no vectors, and no write when it says nothing. The events stay
 * unprocessed: the next formation reads them again with more around them, and finds what is already there.
 */
export async function formInline(deps: FormDeps, scope: Scope, events: readonly Event[]): Promise<Applied> {
  const place = { ...scope, connection: null };
  if (!deps.settings.facts) return nothingApplied();
  const applied = await formStatements(deps, place, events);
  if (events.some(asksToForget)) applied.retired.push(...(await forget(deps, place, events)));
  return applied;
}

async function forget(deps: FormDeps, scope: Scope, events: readonly Event[]): Promise<string[]> {
  const { timeZone } = deps.settings;
  return deps.database.write(scope.tenant, async (writer) => {
    await changeOwner(writer, scope, deps.clock.now());
    return forgetAsked(writer, deps, events, { scope, timeZone, why: BY_RULES });
  });
}

async function formStatements(deps: FormDeps, place: Scope, events: readonly Event[]): Promise<Applied> {
  const { database, settings } = deps;
  const stated = events.filter(isStated);
  const said = events.filter((event) => !isStated(event) && event.kind !== 'document_chunk');
  const { proposed, around } = await extractInline(deps, place, said);
  const decisions = await database.read(place.tenant, (reader) => decisionsBehind(reader, place, stated));
  const observed = observedProposals(stated, decisions);
  if (proposed.length + observed.length === 0) return nothingApplied();
  const recalled = (await deps.recalledTexts?.(place)) ?? [];
  const guards = { settings, types: deps.memoryTypes, recalled, userNames: userNamesOf(place), around };
  const guarded = [
    ...guardProposals(proposed, { ...guards, events: said }).accepted,
    ...guardProposals(observed, { ...guards, events: stated, around: decisions.map(({ content }) => content) })
      .accepted,
  ];
  const isSeen = await database.read(place.tenant, (reader) => seenBefore(reader, place, events));
  const proposals = guarded.filter((proposal) => !isSeen(proposal));
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
  const ended = await database.read(place.tenant, (reader) => findEnded(reader, deps, place, proposals));
  const why = BY_RULES;
  return database.write(place.tenant, async (writer) => {
    await changeOwner(writer, place, deps.clock.now());
    const context = { scope: place, distiller: 'local', why };
    const applied = await applyProposals(writer, deps, withoutTwins(settled), context);
    applied.retired.push(...(await archiveEnded(writer, deps, untouched(ended, settled), { scope: place, why })));
    const goals = await findReachedGoals(writer, deps, place, proposals);
    await markReached(writer, deps, goals, { scope: place, factor: settings.achievedGoalFactor, why });
    return applied;
  });
}

/** What the events say by rules, and the texts around them where names come from. */
async function extractInline(
  deps: FormDeps,
  scope: Scope,
  said: readonly Event[],
): Promise<{ proposed: ProposedMemory[]; around: string[] }> {
  const first = said[0];
  const isWorthReading = said.some((event) => event.origin === 'user' || event.metadata['toolsUsed'] !== undefined);
  if (first === undefined || !isWorthReading) return { proposed: [], around: [] };
  const earlier = await earlierEvents(deps, scope, first);
  const around = await deps.database.read(scope.tenant, (reader) => knownAround(reader, deps, scope, said));
  const local = await deps.local();
  const { output } = await local.extract({
    turns: said.map((event) => toTurn(event)),
    earlier: earlier.map((event) => toTurn(event)),
    existing: [],
    around,
    types: [],
    today: localDate(deps.clock.now(), deps.settings.timeZone),
    timeZone: deps.settings.timeZone,
  });
  const spoken = earlier.filter((event) => event.origin === 'user').map((event) => event.content);
  return { proposed: [...output.new, ...toolProposals(said)], around: [...around, ...spoken] };
}

async function earlierEvents(deps: FormDeps, scope: Scope, { position }: Event): Promise<Event[]> {
  if (scope.session === null || position === null || position === 0) return [];
  const events = await deps.database.read(scope.tenant, (reader) =>
    listSessionEvents(reader, scope, Math.max(0, position - EARLIER), position),
  );
  return events.filter((event) => event.kind === 'message');
}
