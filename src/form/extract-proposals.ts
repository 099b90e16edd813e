import { localDate } from '../language/local-date.ts';
import type { Extracted, ProposedMemory } from '../models/distiller.ts';
import type { Event } from '../record/event.ts';
import type { Memory } from '../record/memory.ts';
import type { FormWork } from './form-work.ts';
import { userNamesOf } from './form-work.ts';
import { guardProposals, type GuardContext } from './guards/guard-proposals.ts';
import { refuseExcess } from './guards/refuse-excess.ts';
import { isFromRecall } from './guards/recalled-text.ts';
import { knownMemories } from './known-memories.ts';
import { decisionsBehind, isStated, observedProposals } from './observed-proposals.ts';
import type { Proposal, Rejection } from './proposal.ts';
import { seenBefore } from './seen-before.ts';
import { toTurn } from './take-unformed.ts';
import { toolProposals } from './tool-proposals.ts';

/** What a stretch of conversation says, checked against it. */
export interface ExtractedProposals {
  /** To be compared with what is known. */
  open: Proposal[];
  /** Already known to concern a certain memory. */
  aimed: { proposal: Proposal; target: Memory; kind: 'updates' | 'replaces' }[];
  /** Known memories that no longer hold, with nothing in their place. */
  outdated: Memory[];
  rejected: Rejection[];
  distiller: string;
}

// Types that a distiller may propose: not the texts that other verbs make.
const UNPROPOSED = new Set([
  'keyed_fact',
  'note',
  'saved_item',
  'summary',
  'reflection',
  'pattern',
  'entity',
  'learning',
  'episode',
]);

/** Reads the events: one call of the distiller for what was said, rules for what was stated. */
export async function extractProposals(work: FormWork): Promise<ExtractedProposals> {
  const { deps, scope, stretch } = work;
  const distiller = work.distillers.for('extract');
  const nothing: ExtractedProposals = { open: [], aimed: [], outdated: [], rejected: [], distiller: distiller.id };
  if (!deps.settings.facts) return nothing;
  const said = stretch.events.filter((event) => !isStated(event) && !isFromRecall(event));
  const stated = stretch.events.filter(isStated);
  const recalled = (await deps.recalledTexts?.(scope)) ?? [];
  const { known, isSeen, decisions } = await deps.database.read(scope.tenant, async (reader) => ({
    decisions: await decisionsBehind(reader, scope, stated),
    known: await knownMemories(reader, deps, scope, stretch.events),
    isSeen: await seenBefore(reader, scope, stretch.events),
  }));
  const output = said.some((event) => event.origin === 'user') ? await ask(work, said, known) : EMPTY;
  const context = (events: readonly Event[]): GuardContext => ({
    events,
    settings: deps.settings,
    types: deps.memoryTypes,
    recalled,
    userNames: userNamesOf(scope),
    ...(distiller.kind === 'local' ? { around: textsAround(stretch.earlier, known) } : {}),
  });
  if (distiller.kind === 'model') refuseExcess([...output.new, ...output.updated], context(said));

  const fresh = guardProposals([...output.new, ...toolProposals(said)], context(said));
  const updates = output.updated.map((proposal) => ({
    ...guardProposals([proposal], context(said)),
    existing: proposal.existing,
  }));
  const observed = guardProposals(observedProposals(stated, decisions), {
    ...context(stated),
    around: decisions.map(({ content }) => content),
  });
  const aimed = [
    ...updates.flatMap(({ accepted, existing }) => aimAt(accepted[0], known[existing - 1], 'updates')),
    ...output.contradicted.flatMap(({ existing, by }) =>
      by === null ? [] : aimAt(acceptedFrom(output.new[by - 1], fresh.accepted), known[existing - 1], 'replaces'),
    ),
  ];
  const taken = new Set(aimed.map(({ proposal }) => proposal));
  return {
    open: [...fresh.accepted.filter((proposal) => !taken.has(proposal)), ...observed.accepted].filter(
      (each) => !isSeen(each),
    ),
    aimed: aimed.filter(({ proposal }) => !isSeen(proposal)),
    outdated: output.contradicted.flatMap(({ existing, by }) => (by === null ? (known[existing - 1] ?? []) : [])),
    rejected: [...fresh.rejected, ...updates.flatMap((update) => update.rejected), ...observed.rejected],
    distiller: distiller.id,
  };
}

/** Where rules take the name of "she" and "Inés" from: what the user said before, and what is known. */
function textsAround(earlier: readonly Event[], known: readonly Memory[]): string[] {
  return [
    ...earlier.filter((event) => event.origin === 'user').map((event) => event.content),
    ...known.map(({ content }) => content),
  ];
}

const EMPTY: Extracted = { new: [], updated: [], contradicted: [] };

async function ask(
  { deps, stretch, signal, distillers }: FormWork,
  said: readonly Event[],
  known: readonly Memory[],
): Promise<Extracted> {
  const distiller = distillers.for('extract');
  const isModel = distiller.kind === 'model';
  const characters = (event: Event): number => {
    if (!isModel) return Infinity;
    // What the agent and its tools say counts less, and is long.
    return event.origin === 'user' ? deps.settings.limits.turnCharacters : deps.settings.limits.turnCharacters / 4;
  };
  // Rules know their own types; a model is told which there are.
  const types = isModel ? [...deps.memoryTypes].filter(([name]) => !UNPROPOSED.has(name)) : [];
  const { output } = await distiller.extract(
    {
      turns: said.map((event) => toTurn(event, characters(event))),
      earlier: stretch.earlier
        .filter((event) => event.kind === 'message')
        .slice(isModel ? -2 : -12)
        .map((event) => toTurn(event, isModel ? 300 : Infinity)),
      existing: known.map(({ type, content }) => ({ type, content })),
      types: types.map(([name, { description }]) => ({ name, description })),
      today: localDate(deps.clock.now(), deps.settings.timeZone),
      timeZone: deps.settings.timeZone,
    },
    { signal },
  );
  return output;
}

function aimAt(
  proposal: Proposal | undefined,
  target: Memory | undefined,
  kind: 'updates' | 'replaces',
): { proposal: Proposal; target: Memory; kind: 'updates' | 'replaces' }[] {
  return proposal === undefined || target === undefined ? [] : [{ proposal, target, kind }];
}

function acceptedFrom(proposed: ProposedMemory | undefined, accepted: readonly Proposal[]): Proposal | undefined {
  if (proposed === undefined) return undefined;
  return accepted.find((proposal) => proposal.content === proposed.content.replace(/\s+/gu, ' ').trim());
}
