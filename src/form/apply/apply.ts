import { entitiesOf } from '../../language/entities.ts';
import { contentStems, coveredBy } from '../../language/words.ts';
import { dot } from '../../models/embedder.ts';
import { isMoreTrusted, isSameSubject, isSameValue, isUser } from '../../record/statement.ts';
import { DAY } from '../../record/clock.ts';
import { contentHash } from '../../record/id.ts';
import { FOLLOW_UP, type InternalMemory, isDaySaid, isPlanOver, type Memory, plannedFor } from '../../record/memory.ts';
import { ownerKey, ownerOf, sharedOwner } from '../../record/scope.ts';
import { restateInBlocks } from '../../store/block-store.ts';
import { findEntitiesByName, writeEntity } from '../../store/entity-store.ts';
import { forgottenAmong, listForgotten, quotesMeet } from '../../store/forget/forgotten-store.ts';
import { joinQuotes } from '../../store/record-rows.ts';
import { changeOwner } from '../../store/owner-store.ts';
import { enqueue, ownerJob } from '../../store/queue/enqueue.ts';
import { findMemory, memoriesFrom, memoriesReplacedBy } from '../../store/read-memories.ts';
import {
  archiveMemory,
  findInItsPlace,
  restoreMemory,
  reviseMemory,
  writeMemory,
  type WrittenMemory,
} from '../../store/write-memory.ts';
import { changeableOwners, findCandidates, isDraftOf, similarityOf, type Vectors } from '../compare.ts';
import {
  type Candidate,
  decide,
  decideContext,
  type Decision,
  type Retirement,
  type Verdict,
} from '../decide/decide.ts';
import { compareRank, strongerClaim } from '../decide/claim-rank.ts';
import { refusal } from '../read/reader.ts';
import type { ApplyDeps, Writing } from '../formation-settings.ts';
import type { Statement } from '../statement.ts';

interface Decidable {
  statements: readonly Statement[];
  vectors: Vectors | null;
  verdicts: ReadonlyMap<Statement, Verdict>;
  /** Whether this reading replaces the local reader's drafts of the same events. */
  replacesDrafts: boolean;
  /** Keeps drafts of permanent facts and health values all the same. Set if the reading has no items at all. */
  keepsFacts: boolean;
}

interface Deciding extends Writing {
  statement: Statement;
}

type Succeeding = Writing & { statement: Pick<Statement, 'validFrom' | 'statedAt'> };

type DecisionTo<Action> = Extract<Decision, { action: Action }>;

/** Each statement is compared with those before it. The caller's transaction must hold the owner's lock. */
export async function applyStatements(writing: Writing, given: Decidable): Promise<void> {
  const { writer, deps, scope, events, result } = writing;
  const { statements, vectors } = given;
  // The shared owner is locked as well, so that no other agent changes the shared facts before this transaction ends.
  if (deps.sharesFacts === true && scope.user !== null && statements.length > 0)
    await changeOwner(writer, sharedOwner(scope), deps.clock.now());
  const eventIds = events.map(({ id }) => id);
  const formed = await memoriesFrom(writer, scope.tenant, eventIds);
  const forgotten = await listForgotten(writer, ownerOf(scope), { as: 'forgotten' });
  if (given.replacesDrafts) {
    // If a draft's words were forgotten together with another statement, the model cannot read them again. The draft stays.
    const drafts = formed.filter(
      (memory) =>
        memory.archivedAt === null &&
        isDraftOf(events, memory) &&
        !forgotten.some(({ spans }) => quotesMeet(spans, memory.quotes)),
    );
    const kept = given.keepsFacts ? drafts.filter((draft) => isFact(draft, deps)) : [];
    for (const draft of drafts.filter((each) => !kept.includes(each))) await dropDraft(writing, draft);
    for (const { content, sourceEvents } of kept) {
      const sources = events.filter(({ id }) => sourceEvents.includes(id));
      result.refused.push(refusal('end', 'empty_reading', content, { events: sources }));
    }
  }
  const isIntended = statements.some(({ type }) => type === 'intention');
  const records = isIntended ? await listForgotten(writer, ownerOf(scope)) : forgotten;
  const outOfSight = await forgottenAmong(writer, scope.tenant, { claims: statements, records });
  const candidates = await findCandidates(writer, writing, given);
  const state = createOwnerState(await targetsNow(writing, statements), vectors);
  const context = decideContext(deps);
  for (const [index, statement] of statements.entries()) {
    if (outOfSight.has(statement)) {
      result.refused.push(refusal('statement', 'forgotten', null, statement));
      continue;
    }
    if (wasReadBefore(statement, formed, writing)) continue;
    const known = state.candidates(candidates[index] ?? [], statement, index);
    const decision = decide(state.current(statement), known, context, given.verdicts.get(statement) ?? null);
    for (const memory of await applyDecision({ ...writing, statement }, decision)) state.note(memory, index);
  }
}

/** A permanent fact or a health value. The local reader reads 97 of 100 such values correctly. */
function isFact({ permanent, attribute, value }: Memory, { attributes }: ApplyDeps): boolean {
  return permanent || (attribute !== null && value !== null && attributes.policyOf(attribute).category === 'health');
}

function createOwnerState(targets: readonly Memory[], vectors: Vectors | null) {
  const now = new Map(targets.map((target) => [target.id, target]));
  /** `index`: the number of the new statement that changed the memory. */
  const changed: { id: string; index: number }[] = [];
  return {
    note(memory: Memory, index: number): void {
      now.set(memory.id, memory);
      changed.push({ id: memory.id, index });
    },
    /** The found candidates in their current state, and all statements that this formation has changed. */
    candidates(found: readonly Candidate[], { text }: Statement, index: number): Candidate[] {
      const all = new Map(
        found.map((each) => [each.memory.id, { ...each, memory: now.get(each.memory.id) ?? each.memory }]),
      );
      for (const { id, index: other } of changed) {
        const memory = now.get(id) as Memory;
        const [one, two] = [vectors?.of[index], vectors?.of[other]];
        const cosine = one === undefined || two === undefined ? undefined : dot(one, two);
        all.set(id, { memory, similarity: similarityOf(text, memory, vectors, cosine) });
      }
      return [...all.values()];
    },
    /** Points the relation to the current state of its target, or removes it if the target is gone. */
    current(statement: Statement): Statement {
      const { relation } = statement;
      const target = now.get(relation?.target.id ?? '');
      return { ...statement, relation: relation === null || target === undefined ? null : { ...relation, target } };
    },
  };
}

/** Reloads the targets of relations, which may have changed since the model was called. */
async function targetsNow({ writer, deps, scope }: Writing, statements: readonly Statement[]): Promise<Memory[]> {
  const owners = changeableOwners(deps, scope);
  const found: Memory[] = [];
  for (const id of new Set(statements.flatMap(({ relation }) => relation?.target.id ?? []))) {
    const memory = await findMemory(writer, scope, id);
    if (memory !== null && owners.includes(ownerKey(memory.scope))) found.push(memory);
  }
  return found;
}

function hasSameFields(memory: Memory, statement: Statement): boolean {
  const { attribute, value, polarity, tense, subject } = memory;
  const isSame = attribute === statement.attribute && polarity === statement.polarity && tense === statement.tense;
  if (attribute === null || value === null || !isSame) return false;
  return isSameSubject(subject, statement.subject) && isSameValue(value, statement.value);
}

/**
 * Keeps formation idempotent: the same reader may have read the statement from the same events before a crash, and words of a later turn
 * may have been added since. A memory that the statement is about to change does not count.
 */
function wasReadBefore(statement: Statement, formed: readonly Memory[], { readBy }: Writing): boolean {
  const { relation } = statement;
  const changes = relation === null || relation.kind === 'repeats' ? null : relation.target.id;
  const events = new Set(statement.events.map(({ id }) => id));
  return formed.some(
    (memory) =>
      memory.reader === readBy &&
      memory.id !== changes &&
      memory.sourceEvents.some((id) => events.has(id)) &&
      (contentHash(memory.content) === contentHash(statement.text) ||
        (memory.attribute === statement.attribute && memory.content.startsWith(`${statement.text} `)) ||
        (hasSameFields(memory, statement) && quotesMeet(memory.quotes, statement.quotes))),
  );
}

async function applyDecision(deciding: Deciding, decision: Decision): Promise<Memory[]> {
  const { result, statement } = deciding;
  const changed: Memory[] = [];
  if (decision.action === 'confirm') {
    const memory = await confirm(deciding, decision.target);
    result.confirmed.push(memory.id);
    changed.push(memory, ...(await retireAll(deciding, memory.id, decision.retires)));
  } else if (decision.action === 'revise') {
    const memory = await revise(deciding, decision);
    result.updated.push(memory.id);
    changed.push(memory);
  } else if (decision.action === 'yield') {
    const detail = decision.to.content;
    result.refused.push(refusal('statement', 'outranked', statement.text, { ...statement, detail }));
    changed.push(...(await storeAsHistory(deciding, decision)));
  } else changed.push(...(await add(deciding, decision)));
  for (const memory of decision.restores ?? []) changed.push(await restore(deciding, memory));
  return changed;
}

export async function retireAll(
  succeeding: Succeeding,
  by: string,
  retires: readonly Retirement[] = [],
): Promise<Memory[]> {
  const { writer, deps, result, statement, why } = succeeding;
  const until = statement.validFrom ?? statement.statedAt;
  const retired: Memory[] = [];
  for (const { memory, how } of retires) {
    if (how === 'reached') {
      retired.push(await reachGoal(succeeding, memory, statement.statedAt));
      continue;
    }
    const reason = how === 'ended' ? 'contradicted' : how === 'merged' ? 'merged' : 'superseded';
    retired.push(await archiveMemory(writer, deps, memory, { reason, by, until, why }));
    result.retired.push(memory.id);
  }
  return retired;
}

async function add(deciding: Deciding, { retires, retiresLater }: DecisionTo<'add'>): Promise<Memory[]> {
  const { statement } = deciding;
  const merged = { ...deciding, statement: mergedWith(statement, retires) };
  const carried = withCarriedOver(await toMemory(merged), statement, retires);
  const input =
    retiresLater === undefined ? carried : { ...carried, internal: { ...carried.internal, replaces: retiresLater.id } };
  const { memory, changed } = await writeInPlace(deciding, input, retires);
  await scheduleEffect(deciding, memory);
  return changed;
}

/** `changed` includes the retired memories. */
export async function writeInPlace(
  succeeding: Succeeding,
  input: InternalMemory,
  retires: readonly Retirement[],
): Promise<WrittenMemory & { changed: Memory[] }> {
  const { writer, deps, scope, result, why } = succeeding;
  // The replaced memories refer to this id, so it is needed before the memory is written.
  const id = deps.ids.next('mem');
  // The old value is archived first, so that one attribute never has two live values, not even within the transaction.
  const changed = await retireAll(succeeding, id, retires);
  const contradicts = retires.find(({ how }) => how !== 'reached')?.memory.id ?? null;
  const written = await writeMemory(writer, deps, scope, { ...input, id, contradicts }, why);
  const { memory, outcome } = written;
  result[outcome === 'unchanged' ? 'confirmed' : 'added'].push(memory.id);
  for (const { memory: before } of retires.filter(({ how }) => how === 'replaced'))
    await restateInBlocks(writer, deps, { before, after: memory, change: why });
  return { ...written, changed: [...changed, memory] };
}

/** Carries over the times, importance and tags. An expired statement is skipped, because the new one would expire immediately. */
function mergedWith(statement: Statement, retires: readonly Retirement[]): Statement {
  const old = retires.find(
    ({ memory, how }) => how === 'merged' && memory.id === statement.relation?.target.id && memory.archivedAt === null,
  )?.memory;
  if (old === undefined) return statement;
  const isOutcome = old.tense === 'planned' && statement.tense === 'happened';
  // A provisional follow-up date is not copied, because it is computed again for the new statement.
  const dated = old.internal['due'] === FOLLOW_UP ? { ...old, dueAt: null } : old;
  return {
    ...statement,
    ...(isOutcome ? {} : timesOf(statement, dated)),
    importance: Math.max(old.importance, statement.importance),
    tags: [...new Set([...statement.tags, ...old.tags])],
  };
}

/** Fraction of a replaced statement's words whose repetition inherits its sources. `WHOLLY_…` applies if the tenses differ. */
const SAID_AGAIN = 0.5;
const WHOLLY_SAID_AGAIN = 0.8;

/**
 * Adds the sources of a replaced statement to a successor that repeats parts of it ("Oisin, 34, from Strabane, is permanent now"), so that
 * forgetting or erasing them reaches the successor. The outcome of a plan cites only its own turns.
 */
function withCarriedOver(input: InternalMemory, statement: Statement, retires: readonly Retirement[]): InternalMemory {
  const old = retires.find(({ memory }) => memory.id === statement.relation?.target.id)?.memory;
  // If a more trusted speaker repeats words, they count as that speaker's words.
  if (old === undefined || isMoreTrusted(statement.trust, old.trust)) return input;
  if (old.internal['planned'] === true || (old.tense === 'planned' && statement.tense !== 'planned')) return input;
  const needed = old.tense === statement.tense ? SAID_AGAIN : WHOLLY_SAID_AGAIN;
  if (coveredBy(contentStems(old.content), contentStems(statement.text)) < needed) return input;
  return {
    ...input,
    quotes: joinQuotes(old.quotes, input.quotes),
    sourceEvents: [...new Set([...old.sourceEvents, ...(input.sourceEvents ?? [])])],
  };
}

/** Stores an outranked statement as history, which recall does not find. */
async function storeAsHistory(deciding: Deciding, { to, retires }: DecisionTo<'yield'>): Promise<Memory[]> {
  const { writer, deps, scope, statement, why } = deciding;
  const input = await toMemory(deciding);
  const { memory, outcome } = await writeMemory(writer, deps, scope, { ...input, permanent: false }, why);
  if (outcome !== 'created') return [memory];
  const changed = await retireAll(deciding, memory.id, retires);
  const archived = await archiveMemory(writer, deps, memory, {
    reason: compareRank(statement, to) === 0 ? 'superseded' : 'contradicted',
    by: to.id,
    // The new statement ends when the outranking one begins, but not before it was made.
    until: new Date(Math.max((to.validFrom ?? to.statedAt).getTime(), statement.statedAt.getTime())),
    why: { ...why, reason: `outranked: ${why.reason}` },
  });
  return [...changed, archived];
}

/** Restores a wrongly replaced statement, unless it was forgotten or another memory has taken its place. */
async function restore({ writer, deps, why }: Writing, memory: Memory): Promise<Memory> {
  if (memory.archiveReason === 'forgotten' || (await findInItsPlace(writer, deps, memory)) !== null) return memory;
  const reason = `holds after all: ${why.reason}`;
  return restoreMemory(writer, deps, { ...memory, validTo: null }, { ...why, reason });
}

async function confirm({ writer, deps, statement, why }: Deciding, target: Memory): Promise<Memory> {
  const events = statement.events.map(({ id }) => id).filter((id) => !target.sourceEvents.includes(id));
  const claim = strongerClaim(statement, target);
  if (events.length === 0 && claim.sourceType === target.sourceType && claim.trust === target.trust) return target;
  return reviseMemory(writer, deps, target, {
    change: { sourceEvents: events, quotes: statement.quotes, ...claim },
    why: { ...why, reason: `said again: ${why.reason}` },
  });
}

async function revise(deciding: Deciding, { target, text }: DecisionTo<'revise'>): Promise<Memory> {
  if (contentHash(text) === contentHash(target.content)) return confirm(deciding, target);
  const { writer, deps, statement, why } = deciding;
  const entities = await linkEntities(deciding);
  const claim = strongerClaim(statement, target);
  const value = statement.value ?? target.value;
  const revised = await reviseMemory(writer, deps, target, {
    change: {
      content: text,
      value,
      permanent: target.permanent || isPermanent({ ...target, ...claim, value }, deps),
      importance: Math.max(target.importance, statement.importance),
      confidence: statement.confidence,
      sourceEvents: statement.events.map(({ id }) => id),
      quotes: statement.quotes,
      ...claim,
      tags: [...new Set([...target.tags, ...statement.tags])].slice(0, 50),
      entities: [...new Set([...target.entities, ...entities])],
      ...timesOf(statement, target),
      internal: {
        ...(claim.internal ?? target.internal),
        ...zoneOfDays(statement),
        // The statement names the day, so the provisional follow-up date is removed.
        ...(statement.dueAt === null ? {} : { due: null }),
      },
    },
    why,
  });
  await scheduleEffect(deciding, revised);
  return revised;
}

/** If a plan's beginning moves, its due date moves as well. */
function timesOf(statement: Statement, target: Memory): Pick<Memory, 'validFrom' | 'validTo' | 'dueAt'> {
  const validFrom = statement.validFrom ?? target.validFrom;
  const validTo = statement.validTo ?? target.validTo;
  const movedDue = target.tense === 'planned' && target.dueAt !== null ? statement.validFrom : null;
  return {
    validFrom,
    // An end before the new beginning belonged to the old times, and is removed.
    validTo: validFrom !== null && validTo !== null && validTo < validFrom ? null : validTo,
    dueAt: statement.dueAt ?? movedDue ?? target.dueAt,
  };
}

/** The model's reading must be compared with the state before the draft. Follows chains of drafts. */
async function dropDraft(writing: Writing, draft: Memory): Promise<void> {
  const { writer, deps, events, result } = writing;
  const why = { ...writing.why, reason: 'a draft of the local reader, read again by the model' };
  await archiveMemory(writer, deps, draft, { reason: 'superseded', why });
  if (draft.archivedAt === null) result.retired.push(draft.id);
  for (const memory of await memoriesReplacedBy(writer, draft.scope.tenant, draft.id)) {
    if (memory.id === draft.id) continue;
    await (isDraftOf(events, memory) ? dropDraft(writing, memory) : restore({ ...writing, why }, memory));
  }
}

/** The next maintenance archives a reached goal. An intention is archived now, and ended on its day if that has passed. */
export async function reachGoal(
  { writer, deps, result, ...writing }: Writing,
  goal: Memory,
  at: Date,
): Promise<Memory> {
  const importance = Math.round(goal.importance * deps.settings.achievedGoalFactor * 100) / 100;
  const state = goal.type === 'intention' ? 'done' : 'achieved';
  const day = state === 'done' && isDaySaid(goal) && isPlanOver(goal, at.getTime()) ? plannedFor(goal) : null;
  const until = day ?? at;
  const validFrom = goal.validFrom !== null && goal.validFrom > until ? until : goal.validFrom;
  const why = { ...writing.why, reason: 'the user says that it is reached' };
  const change = { state, importance, validFrom, validTo: until };
  const reached = await reviseMemory(writer, deps, goal, { change, why });
  result.goalsReached.push(goal.id);
  if (state !== 'done' || reached.archivedAt !== null) return reached;
  return archiveMemory(writer, deps, reached, { reason: 'expired', why });
}

/** Schedules the job that puts a plan into effect on its day. Only a plan that replaces something needs the job. */
async function scheduleEffect({ writer, deps }: Writing, memory: Memory): Promise<void> {
  const { attribute, tense, validFrom, scope, internal } = memory;
  if (tense !== 'planned' || validFrom === null) return;
  if (internal['replaces'] === undefined && deps.attributes.policyOf(attribute ?? '').values !== 'one') return;
  const job = ownerJob('take-effect', scope, { memory: memory.id });
  const runAt = new Date(Math.max(validFrom.getTime(), deps.clock.now()));
  await enqueue(writer, { ...job, uniqueKey: memory.id, runAt, whenWaiting: 'move' }, deps);
}

async function toMemory(deciding: Deciding): Promise<InternalMemory> {
  const { deps, scope, statement, readBy } = deciding;
  const { text, events, dueAt, names: _names, relation: _relation, timeZone: _timeZone, ...fields } = statement;
  const type = deps.memoryTypes.get(statement.type);
  return {
    ...fields,
    content: text,
    // Readers give no titles.
    title: type?.title === 'required' ? text.slice(0, 200).toWellFormed() : null,
    permanent: isPermanent(statement, deps),
    reader: readBy,
    sourceSession: scope.session,
    sourceEvents: events.map(({ id }) => id),
    tags: [...new Set([...fields.tags, ...(fields.attribute === null ? [] : [fields.attribute])])].slice(0, 20),
    entities: await linkEntities(deciding),
    ...(dueAt === null && type?.due === 'required' ? followUp(statement) : { dueAt, internal: zoneOfDays(statement) }),
  };
}

/** Nothing is stored for UTC and for statements without days. */
function zoneOfDays({ timeZone, validFrom, validTo, dueAt }: Statement): Record<string, unknown> {
  if (validFrom === null && validTo === null && dueAt === null) return {};
  return { timeZone: timeZone === 'UTC' ? undefined : timeZone };
}

/** Permanent statements are part of every prompt: true of the user now, under a permanent attribute, and not of low trust. */
export function isPermanent(
  claim: Pick<Memory, 'attribute' | 'subject' | 'value' | 'polarity' | 'trust' | 'tense'>,
  { attributes }: ApplyDeps,
): boolean {
  const { attribute, subject, value, polarity, trust, tense } = claim;
  const holds = polarity === 'affirmed' && (tense === 'holds' || tense === 'habit');
  if (attribute === null || value === null || !holds || !isUser(subject) || trust === 'low') return false;
  return attributes.policyOf(attribute).permanent;
}

const FOLLOW_UP_DAYS = 7;

/** A provisional due date for an intention without a day: its beginning or, without one, a week after it was stated. */
function followUp(statement: Statement): Pick<InternalMemory, 'dueAt' | 'internal'> {
  const { statedAt, validFrom } = statement;
  const dueAt = validFrom ?? new Date(statedAt.getTime() + FOLLOW_UP_DAYS * DAY);
  return { dueAt, internal: { ...zoneOfDays(statement), due: FOLLOW_UP } };
}

async function linkEntities({ writer, deps, scope, statement }: Deciding): Promise<string[]> {
  const { text, subject, names } = statement;
  const owner = ownerOf(scope);
  const ids: string[] = [];
  for (const entity of entitiesOf(text, subject, names)) {
    // A name of unknown type belongs to the entity that is already stored under it.
    const [known] = entity.type === 'other' ? await findEntitiesByName(writer, owner, [entity.name]) : [];
    ids.push((known ?? (await writeEntity(writer, deps, owner, entity))).id);
  }
  return [...new Set(ids)];
}
