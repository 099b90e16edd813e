import type { Memory } from '../record/memory.ts';
import { decideByRules } from './decide-by-rules.ts';
import type { ExtractedProposals } from './extract-proposals.ts';
import { findCandidates, type Candidate } from './find-candidates.ts';
import { findEnded, untouched, type Ended } from './find-ended.ts';
import { userNamesOf, type FormWork } from './form-work.ts';
import { guardDecisions, readDecisions, type Decided, type Settled } from './guards/guard-decisions.ts';
import { contentStems, coveredBy } from './guards/text-overlap.ts';
import { withoutTwins } from './keyed-alone.ts';
import type { Proposal, Rejection } from './proposal.ts';
import { slotOf } from './slot.ts';

/** What is to be done with everything that was extracted. */
export interface DecidedProposals {
  settled: Settled[];
  outdated: Memory[];
  ended: Ended[];
  rejected: Rejection[];
  distiller: string;
}

/** Compares what is new with what is known, and decides: one call for all that has candidates, none when nothing has. */
export async function decideProposals(work: FormWork, extracted: ExtractedProposals): Promise<DecidedProposals> {
  const { deps, scope, meter, signal } = work;
  const candidates = await findCandidates(deps, scope, extracted.open, { meter, signal });
  const open = extracted.open.map((proposal, index) => ({ proposal, candidates: candidates[index] ?? [] }));
  const { decided, rejected } = await decide(work, open);
  const aimed = extracted.aimed.map(({ proposal, target, kind }): Decided => ({
    proposal,
    candidates: [{ memory: target, similarity: deps.settings.thresholds.related }],
    resolution:
      kind === 'updates'
        ? { action: 'UPDATE', target, content: proposal.content }
        : {
            action: 'DELETE',
            target,
            as: slotOf(target).polarity === proposal.slot.polarity ? 'superseded' : 'contradicted',
          },
  }));
  const guarded = guardDecisions([...aimed, ...decided], {
    scope,
    settings: deps.settings,
    userNames: userNamesOf(scope),
    attributesAreRead: work.distillers.for('extract').kind === 'local',
  });
  const proposals = [...extracted.open, ...extracted.aimed.map(({ proposal }) => proposal)];
  const outdated = checkOutdated(work, extracted.outdated, guarded.settled);
  const ended = await deps.database.read(scope.tenant, (reader) => findEnded(reader, deps, scope, proposals));
  return {
    settled: withoutTwins(guarded.settled),
    outdated: outdated.accepted,
    ended: untouched(ended, guarded.settled),
    rejected: [...extracted.rejected, ...rejected, ...guarded.rejected, ...outdated.rejected],
    distiller: extracted.distiller,
  };
}

type Open = { proposal: Proposal; candidates: readonly Candidate[] };

async function decide(
  { deps, scope, signal, distillers }: FormWork,
  open: readonly Open[],
): Promise<{ decided: Decided[]; rejected: Rejection[] }> {
  const distiller = distillers.for('decide');
  const { thresholds } = deps.settings;
  const byRules = (each: Open): Decided => ({
    ...each,
    resolution: decideByRules(each.proposal, each.candidates, { scope, thresholds }),
  });
  // Rules see the slots of both sides, which the interface of distillers does not carry.
  if (distiller.kind === 'local') return { decided: open.map(byRules), rejected: [] };
  const asked = open.filter(({ candidates }) => candidates.length > 0);
  const rest = open.filter(({ candidates }) => candidates.length === 0);
  if (asked.length === 0) return { decided: rest.map(byRules), rejected: [] };
  const { output } = await distiller.decide(
    {
      facts: asked.map(({ proposal, candidates }) => ({
        content: proposal.content,
        candidates: candidates.map(({ memory, similarity }) => ({
          content: memory.content,
          similarity,
          updatedAt: memory.updatedAt,
        })),
      })),
    },
    { signal },
  );
  const read = readDecisions(output, asked);
  return { decided: [...read.decided, ...rest.map(byRules)], rejected: read.rejected };
}

// What the user takes back must be about the memory, at least a third of its words, and be taken back in some way.
const ABOUT = 0.34;
const TAKING_BACK =
  /\b(?:no|not|never|nor|cannot|\w+n['’]t|no longer|any ?more|stopp?ed|stop|quit|left|sold|lost|gave up|broke up|used to|forget|wrong|died|passed away|ended|cancel\w*|divorced|nicht|kein\w*|plus|ya no)\b/i;

/** What no longer holds is archived only when the user takes it back, and never many at once. */
function checkOutdated(
  { deps, stretch }: FormWork,
  outdated: readonly Memory[],
  settled: readonly Settled[],
): { accepted: Memory[]; rejected: Rejection[] } {
  const takenBack = stretch.events
    .filter((event) => event.origin === 'user')
    .flatMap((event) => event.content.split(/(?<=[.!?\n])\s+/))
    .filter((sentence) => TAKING_BACK.test(sentence))
    .map(contentStems);
  const isTakenBack = (memory: Memory): boolean =>
    takenBack.some((said) => coveredBy(contentStems(memory.content), said) >= ABOUT);
  const touched = new Set(settled.flatMap(({ resolution }) => ('target' in resolution ? resolution.target.id : [])));
  const accepted: Memory[] = [];
  const rejected: Rejection[] = [];
  for (const memory of new Set(outdated)) {
    const isAllowed = accepted.length < deps.settings.limits.retired && !touched.has(memory.id);
    if (isAllowed && isTakenBack(memory)) accepted.push(memory);
    else rejected.push({ what: 'decision', reason: 'unrelated_target', content: memory.content, detail: 'outdated' });
  }
  return { accepted, rejected };
}
