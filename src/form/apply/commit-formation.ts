import { enqueue } from '../../store/queue/enqueue.ts';
import { MINUTE } from '../../record/clock.ts';
import { type Event, ORIGIN_WEIGHTS } from '../../record/event.ts';
import { ownerKey, type Scope } from '../../record/scope.ts';
import type { Parts, Writer } from '../../store/database.ts';
import { saysForgotten } from '../../store/forget/forget.ts';
import { insertRefusals, insertRun, type RunCause } from '../../store/history-store.ts';
import { assertNotErased, changeOwner } from '../../store/owner-store.ts';
import { advanceFormation, markProcessed } from '../../store/session-store.ts';
import { plainText } from '../check/check.ts';
import { ownerOf } from '../compare.ts';
import { type FormResult, nothingFormed, type Refusal } from '../formation-result.ts';
import type { Formable, FormWork, Stretch } from '../read-turns.ts';
import { formationJob } from '../triggers.ts';
import { type Applied, applyStatements } from './apply.ts';
import { spokenEvents, writeReflections, writeTopics } from './reflections.ts';
import { applyEnds, applyForgets } from './requests.ts';
import { usesModel } from '../read/reader.ts';
import { estimateTokens } from '../../language/words.ts';

/** Writes all of a formation in one transaction, unless another formation has read the events first: then only the cost is written. */
export async function commitFormation(
  work: FormWork,
  formable: Formable,
  plan: { stretch: Stretch | null; startedAt: Date; cause?: RunCause; complete?(writer: Writer): Promise<void> },
): Promise<FormResult> {
  const { deps, scope, run, meter, reader, events, earlier, why } = work;
  const { stretch } = plan;
  return deps.database.write(scope.tenant, async (writer) => {
    const now = deps.clock.now();
    // The owner's lock before the cursor: two formations are one after the other from here on.
    await changeOwner(writer, scope, now);
    await assertNotErased(writer, work.seen);
    if (stretch !== null && !(await advanceFormation(writer, scope, { ...stretch, ...countsOf(events) }))) {
      await plan.complete?.(writer);
      await meter.settle(writer);
      return nothingFormed();
    }
    const { requests, reading } = formable;
    const applied: Applied = await applyStatements(writer, deps, {
      scope,
      statements: formable.statements,
      vectors: formable.vectors,
      verdicts: formable.verdicts,
      reader: reader.id,
      replacesDrafts: reader.kind === 'model',
      eventIds: events.map(({ id }) => id),
      why,
    });
    applied.retired.push(...(await applyEnds(writer, deps, requests.ends, { scope, why })));
    const source = { scope, events: spokenEvents(events), reader: reader.id, why };
    const reflections = await writeReflections(writer, deps, reading.reflections, source);
    const topics = await writeTopics(writer, deps, reading.topics, { ...source, known: formable.known });
    // Last: what the reading says elsewhere of what is to be forgotten goes with it.
    const forgets = await applyForgets(writer, deps, requests.forgets, { scope, turns: [...earlier, ...events], why });
    // Observations wait for the processor of the tiers, which marks them itself.
    const processed = events.filter(({ kind }) => kind !== 'observation').map(({ id }) => id);
    if (stretch !== null) await markProcessed(writer, scope.tenant, processed, now);
    await plan.complete?.(writer);
    await enqueueNext(writer, work, { stretch, applied });
    const result: FormResult = {
      run,
      events: events.length,
      ...applied,
      forgotten: forgets.forgotten.map(({ id }) => id),
      restored: forgets.restored,
      reflections: reflections.ids,
      topics: topics.ids,
      refused: await withoutForgotten(writer, scope, refusalsOf(formable, applied, reflections, topics, forgets)),
      modelCalls: meter.entries.filter(({ operation }) => operation === 'extraction').length,
      hasMore: stretch?.hasMore ?? false,
    };
    await keepRefusals(writer, deps, { scope, run, refused: result.refused, events });
    if (stretch !== null) await logRun(writer, work, { result, plan, stretch });
    await meter.settle(writer);
    return result;
  });
}

function refusalsOf(...parts: readonly { refused: readonly Refusal[] }[]): Refusal[] {
  return parts.flatMap(({ refused }) => refused);
}

function countsOf(events: readonly Event[]): { messages: number; weightedTokens: number } {
  return {
    messages: events.filter((event) => event.kind === 'message').length,
    weightedTokens: events.reduce(
      (sum, event) => sum + estimateTokens(event.content) * ORIGIN_WEIGHTS[event.origin],
      0,
    ),
  };
}

/** Near doubles are merged some minutes after they were written, when they have vectors. */
const MERGE_AFTER = 5 * MINUTE;

/** What is left of the session is formed next; near doubles are merged a little later. */
async function enqueueNext(
  writer: Writer,
  { deps, scope }: FormWork,
  { stretch, applied }: { stretch: Stretch | null; applied: Applied },
): Promise<void> {
  if (stretch?.hasMore === true) await enqueue(writer, formationJob(scope, 'schedule'), deps);
  if (applied.added.length + applied.updated.length === 0) return;
  // Drafts that a model reads again are not worth merging, and a draft must not swallow a statement that stays.
  if (stretch === null && usesModel(deps, 'read')) return;
  const owner = { ...scope, session: null, connection: null };
  await enqueue(
    writer,
    {
      kind: 'merge-doubles',
      tenant: scope.tenant,
      ownerKey: ownerKey(owner),
      uniqueKey: ownerKey(owner),
      payload: { scope: owner },
      delay: MERGE_AFTER,
    },
    deps,
  );
}

/** Refusals without the words of those that say something forgotten. */
async function withoutForgotten(writer: Writer, scope: Scope, refused: readonly Refusal[]): Promise<Refusal[]> {
  if (refused.length === 0) return [];
  const says = await saysForgotten(writer, ownerOf(scope));
  return refused.map((refusal) =>
    says(`${refusal.text ?? ''} ${refusal.detail ?? ''}`) ? { ...refusal, text: null, detail: null } : refusal,
  );
}

/** Refusals are kept with their text and reason, so that they can be listed and learned from. */
export async function keepRefusals(
  writer: Writer,
  deps: Parts,
  {
    scope,
    run,
    refused,
    events,
  }: { scope: Scope; run: string | null; refused: readonly Refusal[]; events: readonly Event[] },
): Promise<void> {
  const at = new Date(deps.clock.now());
  // What cites no event was read from any of them: it goes when one of them is erased.
  const all = events.map(({ id }) => id);
  await insertRefusals(
    writer,
    refused.map((refusal) => ({
      ...refusal,
      text: refusal.text === null ? null : plainText(refusal.text),
      detail: refusal.detail === null ? null : plainText(refusal.detail),
      events: refusal.events.length === 0 ? all : refusal.events,
      id: deps.ids.next('ref'),
      scope,
      run,
      at,
      proposal: null,
    })),
  );
}

/** A formation as the audit log keeps it: what it read, what it changed, who did it and what that cost. */
async function logRun(
  writer: Writer,
  { deps, scope, meter, reader, events }: FormWork,
  { result, plan, stretch }: { result: FormResult; plan: { startedAt: Date; cause?: RunCause }; stretch: Stretch },
): Promise<void> {
  const costs = meter.entries.map(({ model, usage }) => deps.ledger.prices.cost(model, usage));
  const { added, updated, retired, confirmed, forgotten, restored, reflections, topics, goalsReached, modelCalls } =
    result;
  const reasons: Record<string, number> = {};
  for (const { reason } of result.refused) reasons[`refused:${reason}`] = (reasons[`refused:${reason}`] ?? 0) + 1;
  await insertRun(writer, {
    id: result.run ?? '',
    scope,
    kind: 'form',
    cause: plan.cause ?? 'hand',
    status: 'done',
    startedAt: plan.startedAt,
    finishedAt: new Date(deps.clock.now()),
    read: { events: events.length, from: stretch.from, to: stretch.to },
    changed: {
      added,
      updated,
      retired,
      confirmed,
      forgotten,
      restored,
      reflections,
      topics,
      goalsReached,
      modelCalls,
      ...reasons,
    },
    model: reader.id,
    cost: costs.includes(null) ? null : costs.reduce<number>((sum, cost) => sum + (cost ?? 0), 0),
    error: null,
  });
}
