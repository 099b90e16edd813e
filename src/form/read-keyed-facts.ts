import { localDate } from '../language/local-date.ts';
import type { Event } from '../record/event.ts';
import type { Scope } from '../record/scope.ts';
import type { Writer } from '../store/database.ts';
import { findEvents } from '../store/event-store.ts';
import { applyProposals } from './apply-proposals.ts';
import type { FormDeps } from './form-deps.ts';
import { userNamesOf } from './form-work.ts';
import { guardProposals } from './guards/guard-proposals.ts';
import { createModelDistiller } from './model-distiller.ts';
import { factLabel } from '../record/fact-label.ts';
import type { ProposedMemory } from '../models/distiller.ts';
import { changeOwner } from '../store/owner-store.ts';

const LONGEST_SIDE = 1000;
const MOST_FACTS = 12;

/** Reads the facts that the user states in the last exchange, each side cut to 1,000 characters, with the model (K8). */
export async function readKeyedFacts(
  deps: FormDeps,
  scope: Scope,
  eventIds: readonly string[],
  { signal, complete }: { signal?: AbortSignal; complete?(writer: Writer): Promise<void> } = {},
): Promise<string[]> {
  const { languageModel, database } = deps;
  const events = await database.read(scope.tenant, (reader) => findEvents(reader, scope, eventIds));
  const said = events.filter((event) => event.origin === 'user');
  if (languageModel === null || said.length === 0) {
    if (complete !== undefined) await database.write(scope.tenant, complete);
    return [];
  }
  const run = deps.ids.next('run');
  return deps.ledger.metered({ scope, operation: 'extraction', run }, async (meter) => {
    const distiller = createModelDistiller(meter.languageModel(languageModel));
    const { output } = await distiller.keyedFacts(
      {
        userMessage: side(said),
        agentResponse: side(events.filter((event) => event.origin === 'agent')),
        today: localDate(deps.clock.now(), deps.settings.timeZone),
      },
      { signal },
    );
    const proposals = output.slice(0, MOST_FACTS).map((fact): ProposedMemory => ({
      ...STATED,
      content: `User's ${factLabel(fact.key).toLowerCase()} is ${fact.value}`,
      keyed: fact,
      attribute: fact.key,
      turns: said.map((_, index) => index + 1),
    }));
    const { accepted } = guardProposals(proposals, {
      events: said,
      settings: deps.settings,
      types: deps.memoryTypes,
      userNames: userNamesOf(scope),
    });
    return database.write(scope.tenant, async (writer) => {
      await changeOwner(writer, { ...scope, session: null }, deps.clock.now());
      const why = { reason: 'stated in the last exchange', actor: 'form', run };
      // Keyed facts alone: the sentence they come from is for the formation to word.
      const applied = await applyProposals(
        writer,
        deps,
        accepted.map((proposal) => ({ proposal, resolution: { action: 'KEYED' } })),
        { scope, distiller: distiller.id, why },
      );
      await complete?.(writer);
      await meter.settle(writer);
      return applied.keyedFacts;
    });
  });
}

const STATED: Omit<ProposedMemory, 'content' | 'keyed' | 'turns'> = {
  type: 'fact',
  levels: ['user'],
  importance: 0.8,
  confidence: 'high',
  tags: [],
  entities: [],
  validFrom: null,
  validTo: null,
  explicit: true,
  subject: 'User',
  polarity: 'positive',
};

function side(events: readonly Event[]): string {
  return events
    .map((event) => event.content)
    .join('\n')
    .slice(-LONGEST_SIDE)
    .toWellFormed();
}
