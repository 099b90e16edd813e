import { costOf } from '../../ledger/ledger.ts';
import { estimateTokens, plainText } from '../../language/words.ts';
import { MINUTE } from '../../record/clock.ts';
import { type Event, ORIGIN_WEIGHTS } from '../../record/event.ts';
import { ownerKey, ownerOf } from '../../record/scope.ts';
import type { Writer } from '../../store/database.ts';
import { saysForgotten } from '../../store/forget/forget.ts';
import { insertRefusals, insertRun, type RunCause } from '../../store/history-store.ts';
import { assertNotErased, changeOwner } from '../../store/owner-store.ts';
import { enqueue, ownerJob } from '../../store/queue/enqueue.ts';
import { advanceFormation, markProcessed } from '../../store/session-store.ts';
import type { CheckedReading } from '../check/check-reading.ts';
import type { Vectors } from '../compare.ts';
import type { Verdict } from '../decide/decide.ts';
import { formationJob } from '../formation-jobs.ts';
import type { FormOptions, FormWork, Writing } from '../formation-settings.ts';
import type { ReadTurns } from '../read/read-turns.ts';
import { type FormResult, nothingFormed, type Refusal, usesModel } from '../read/reader.ts';
import type { Statement } from '../statement.ts';
import { applyStatements } from './apply.ts';
import { writeReflections } from './reflections.ts';
import { applyRequests } from './requests.ts';

/** What the stages before `apply` found. */
export interface Formed extends ReadTurns, CheckedReading {
  vectors: Vectors | null;
  verdicts: ReadonlyMap<Statement, Verdict>;
}

/** A reading of which all statements were refused misunderstood the turns, so the local reader's drafts are kept. */
function isRefused({ statements, refused }: Formed): boolean {
  return statements.length === 0 && refused.some(({ what }) => what === 'statement');
}

/** Writes one transaction. If another formation has already read the events, it contains only the cost and the job's completion. */
export async function commitFormation(work: FormWork, formed: Formed, options: FormOptions): Promise<FormResult> {
  const { deps, scope, run, meter, reader, events, stretch } = work;
  return deps.database.write(scope.tenant, async (writer) => {
    const now = deps.clock.now();
    // The owner is locked before the cursor moves. From here on, two formations cannot run at the same time.
    await changeOwner(writer, scope, now);
    await assertNotErased(writer, work.seen);
    if (stretch !== null && !(await advanceFormation(writer, scope, { ...stretch, ...countsOf(events) }))) {
      await options.complete?.(writer);
      await meter.settle(writer);
      return nothingFormed();
    }
    const { requests, reading } = formed;
    const result: FormResult = {
      ...nothingFormed(),
      run,
      events: events.length,
      refused: [...formed.refused],
      modelCalls: meter.entries.filter(({ operation }) => operation === 'extraction').length,
      hasMore: stretch?.hasMore ?? false,
    };
    const writing = { ...work, writer, readBy: reader.id, result };
    await applyStatements(writing, {
      ...formed,
      // If the model's answer was cut off, the turns after the cut may be recorded only in the local reader's drafts.
      replacesDrafts: reader.kind === 'model' && reading.isCut !== true && !isRefused(formed),
      keepsFacts: [reading.statements, reading.ends, reading.forgets].every(({ length }) => length === 0),
    });
    if (reading.reflections.length + reading.topics.length > 0)
      await writeReflections(writing, { ...reading, known: shownTexts(formed) });
    // Requests to forget come last, so that they also remove statements that this reading has just written.
    if (requests.ends.length + requests.forgets.length > 0) await applyRequests(writing, requests);
    // Observations are marked later, when the consolidation of tiers reads them.
    const processed = events.filter(({ kind }) => kind !== 'observation').map(({ id }) => id);
    if (stretch !== null) await markProcessed(writer, scope.tenant, processed, now);
    await options.complete?.(writer);
    await enqueueNext(writer, work, result);
    result.refused = await withoutForgotten(writing);
    await keepRefusals(writing);
    await logRun(writer, work, result, options.cause ?? 'hand');
    await meter.settle(writer);
    return result;
  });
}

/** Texts from which reflections and topics may take names and numbers: those that the reader was shown, and its checked statements. */
function shownTexts({ input, statements }: Formed): string[] {
  return [
    ...input.known.map(({ content }) => content),
    ...input.topics.map(({ topic, summary }) => `${topic} ${summary}`),
    ...input.userNames,
    ...statements.map(({ subject, text }) => `${subject} ${text}`),
  ];
}

function countsOf(events: readonly Event[]): { messages: number; weightedTokens: number } {
  const tokens = events.map(({ content, origin }) => estimateTokens(content) * ORIGIN_WEIGHTS[origin]);
  return {
    messages: events.filter(({ kind }) => kind === 'message').length,
    weightedTokens: tokens.reduce((sum, count) => sum + count, 0),
  };
}

/** Time after writing, by which the new memories have vectors. */
const MERGE_AFTER = 5 * MINUTE;

async function enqueueNext(writer: Writer, { deps, scope, stretch }: FormWork, result: FormResult): Promise<void> {
  if (stretch?.hasMore === true) await enqueue(writer, formationJob(scope), deps);
  if (result.added.length + result.updated.length === 0) return;
  // Drafts are not merged, because a model will replace them, and a draft must not absorb a statement that stays.
  if (stretch === null && usesModel(deps, 'read')) return;
  const merge = ownerJob('merge-doubles', { ...scope, session: null });
  await enqueue(writer, { ...merge, uniqueKey: ownerKey(scope), delay: MERGE_AFTER }, deps);
}

/** A refusal that repeats forgotten words loses its text and detail. */
async function withoutForgotten({ writer, scope, result: { refused } }: Writing): Promise<Refusal[]> {
  if (refused.length === 0) return [];
  const says = await saysForgotten(writer, ownerOf(scope));
  return refused.map((refusal) =>
    says(`${refusal.text ?? ''} ${refusal.detail ?? ''}`) ? { ...refusal, text: null, detail: null } : refusal,
  );
}

export async function keepRefusals({ writer, deps, scope, events, result, why }: Writing): Promise<void> {
  const at = new Date(deps.clock.now());
  // A refusal that cites no event may come from any event of the formation, so erasing any of them erases the refusal.
  const all = events.map(({ id }) => id);
  await insertRefusals(
    writer,
    result.refused.map((refusal) => ({
      ...refusal,
      // No record has an empty text, so an unreadable item is stored as null.
      text: plainText(refusal.text ?? '') || null,
      detail: plainText(refusal.detail ?? '') || null,
      events: refusal.events.length === 0 ? all : refusal.events,
      id: deps.ids.next('ref'),
      scope,
      run: why.run ?? null,
      at,
      proposal: null,
    })),
  );
}

async function logRun(
  writer: Writer,
  { deps, scope, run, meter, reader, startedAt, stretch }: FormWork,
  { run: _run, hasMore: _hasMore, events, refused, ...changed }: FormResult,
  cause: RunCause,
): Promise<void> {
  if (stretch === null) return;
  const reasons: Record<string, number> = {};
  for (const { reason } of refused) reasons[`refused:${reason}`] = (reasons[`refused:${reason}`] ?? 0) + 1;
  await insertRun(writer, {
    id: run,
    scope,
    kind: 'form',
    cause,
    status: 'done',
    startedAt,
    finishedAt: new Date(deps.clock.now()),
    read: { events, from: stretch.from, to: stretch.to },
    changed: { ...changed, ...reasons },
    model: reader.id,
    cost: costOf(deps.ledger, meter),
    error: null,
  });
}
