import { tellApart } from '../../language/quotes.ts';
import { contentStems, coveredBy } from '../../language/words.ts';
import type { Attribute, AttributeTable, ValueShape } from '../../record/attributes.ts';
import {
  belongsToUser,
  isNamedIn,
  isOneOfSeveral,
  isSameSubject,
  isSameSubjectAmong,
  isSameValue,
  isUser,
  mayBeOneMatter,
  normalValue,
  type Tense,
} from '../../record/statement.ts';
import type { MemoryTypeTable } from '../../record/memory-types.ts';
import { hasOutcome, isoDay, mayStillChange, type Memory, plannedFor } from '../../record/memory.ts';
import type { ApplyDeps, ThresholdSettings } from '../formation-settings.ts';
import type { Statement } from '../statement.ts';
import { contentHash } from '../../record/id.ts';
import {
  type Claim,
  claimsOf,
  compareRank,
  type MadeClaim,
  maySupersede,
  strongerClaim,
  timeOf,
  wins,
} from './claim-rank.ts';

export interface Candidate {
  memory: Memory;
  /** On the calibrated scale. */
  similarity: number;
}

export interface Retirement {
  memory: Memory;
  /** `merged`: the new statement repeats it with more fields. `reached`: a goal or an intention came true, and keeps its outcome. */
  how: 'replaced' | 'ended' | 'merged' | 'reached';
}

/** `restores`: retired statements that turn out to be true after all. */
export type Decision = { restores?: Memory[] } &
  /** `retiresLater`: a statement that a plan replaces on the plan's day. */
  (
    | { action: 'add'; retires: Retirement[]; retiresLater?: Memory }
    /** Already known. The known statement gains a source, and may now retire others. */
    | { action: 'confirm'; target: Memory; retires?: Retirement[] }
    /** The known statement takes over the longer words of the new one. */
    | { action: 'revise'; target: Memory; text: string }
    /** Stored as history, because `to` outranks it. `retires`: the statements that it excluded while it was true. */
    | { action: 'yield'; to: Memory; retires?: Retirement[] }
  );

/** A model's decision about two statements whose fields leave their relation open. */
export type Verdict =
  | { action: 'add' }
  | { action: 'confirm' | 'replace'; target: string }
  | { action: 'revise'; target: string; text: string };

export interface DecideContext {
  types: MemoryTypeTable;
  attributes: AttributeTable;
  thresholds: ThresholdSettings;
  /** A plan replaces nothing before its day. */
  now: number;
}

export function decideContext({ memoryTypes, attributes, settings, clock }: ApplyDeps): DecideContext {
  return { types: memoryTypes, attributes, thresholds: settings.thresholds, now: clock.now() };
}

/**
 * Shared words never retire a statement. Only these do: another value of a single-valued attribute, a denial of the same value, a relation
 * that the reader named, a model's verdict, or a merge with a nearly identical statement.
 */
export function decide(
  statement: Statement,
  candidates: readonly Candidate[],
  context: DecideContext,
  verdict: Verdict | null = null,
): Decision {
  const comparable = candidates.filter(({ memory }) => isComparable(memory, context));
  const live = comparable.filter(({ memory }) => memory.archivedAt === null);
  const related = byRelation(statement, context);
  if (related !== null) return withConsequences(related, byFields(statement, comparable, context));
  if (!isComparable(statement, context)) return addUnlessSame(statement, candidates);
  return (
    byFields(statement, comparable, context) ??
    byVerdict(statement, live, context, verdict) ??
    byMeaning(statement, live, context) ?? { action: 'add', retires: [] }
  );
}

/** A statement that is stored because of its relation also retires the statements that its fields exclude. */
function withConsequences(related: Decision, fields: Decision | null): Decision {
  if (related.action !== 'add' || related.retires.length === 0 || fields?.action !== 'add') return related;
  const others = fields.retires.filter(({ memory }) => !related.retires.some((each) => each.memory.id === memory.id));
  return { ...related, retires: [...related.retires, ...others] };
}

function isComparable({ type }: { type: string }, { types }: DecideContext): boolean {
  return types.get(type)?.comparable === true;
}

function addUnlessSame(statement: Statement, candidates: readonly Candidate[]): Decision {
  const same = candidates.find(
    ({ memory }) =>
      memory.type === statement.type &&
      contentHash(memory.content) === contentHash(statement.text) &&
      statement.events.some(({ id }) => memory.sourceEvents.includes(id)),
  );
  return same === undefined ? { action: 'add', retires: [] } : { action: 'confirm', target: same.memory };
}

/** Null if the named relation does not apply, so that the fields decide. */
function byRelation(statement: Statement, context: DecideContext): Decision | null {
  if (statement.relation === null) return null;
  const { kind, target } = statement.relation;
  if (!mayStillChange(target) || !mayTouch(statement, target, context)) return null;
  const isExpired = target.archivedAt !== null;
  // Repeating an expired statement stores a new one with the current date. The old one would expire again immediately.
  if (isExpired && (kind === 'repeats' || kind === 'extends'))
    return { action: 'add', retires: [{ memory: target, how: 'merged' }] };
  if (kind === 'repeats')
    return conflicts(statement, target, context) ? null : (moveDay(statement, target) ?? { action: 'confirm', target });
  if (!mayChange(statement, target)) return kind === 'reaches' ? null : { action: 'yield', to: target };
  if (kind === 'reaches') return reach(statement, target, context);
  if (kind === 'extends') return extend(statement, target, context);
  return retire(statement, { memory: target, how: kind === 'ends' ? 'ended' : 'replaced' }, context);
}

/** A plan does not replace a state before its day. A job replaces it on that day. */
function retire(statement: Statement, retirement: Retirement, { attributes, now }: DecideContext): Decision {
  const { memory } = retirement;
  const isState = attributes.policyOf(memory.attribute ?? '').values === 'one';
  return isState && isAhead(statement, now) && !isAhead(memory, now)
    ? { action: 'add', retires: [], retiresLater: memory }
    : { action: 'add', retires: [retirement] };
}

/** People who speak about themselves may change what the user said about them. */
function mayChange(statement: Statement, target: Memory): boolean {
  const isOwnMatter = statement.relation?.isOwnMatter === true;
  return maySupersede(isOwnMatter ? { ...statement, trust: target.trust } : statement, target);
}

function mayTouch(statement: Statement, target: Memory, context: DecideContext): boolean {
  if (!mayBeOneMatter(statement.subject, target.subject) && !mayConcernAnother(statement, target, context))
    return false;
  return statement.relation?.kind !== 'replaces' || mayReplaceNamed(statement, target, context);
}

/**
 * A statement about who somebody is ("colleague = Noor") is replaced only under the same attribute or by one that names the person.
 * Otherwise a wrong number in a reader's answer could retire the only statement about who a person is.
 */
function mayReplaceNamed(statement: Statement, target: Memory, { attributes }: DecideContext): boolean {
  const { attribute, subject, text } = statement;
  if (target.attribute === null || target.attribute === attribute || target.value === null) return true;
  if (!attributes.policyOf(target.attribute).namesSomebody) return true;
  const said = `${subject} ${text}`.toLowerCase();
  return target.value.split(/[\s,(]+/u).some((name) => name.length > 1 && said.includes(name.toLowerCase()));
}

/** Null if the known statement cannot come true: it has no outcomes and no due day, does not expire, and is no plan. */
function reach(statement: Statement, target: Memory, { types }: DecideContext): Decision | null {
  const type = types.get(target.type);
  const hasOutcomes = type?.initialState !== null;
  const isPassing = target.tense === 'planned' || target.dueAt !== null || (type?.expiresAfterDays ?? null) !== null;
  if (!hasOutcomes && target.archivedAt === null && !isPassing)
    // A plan that took effect on its day is now a state, but its words still refer to the future: "starts as an assistant on 6 July".
    return isSameMatter(statement, target) && isSameValue(statement.value, target.value)
      ? { action: 'revise', target, text: statement.text }
      : null;
  return { action: 'add', retires: [{ memory: target, how: hasOutcomes ? 'reached' : 'replaced' }] };
}

function extend(statement: Statement, target: Memory, context: DecideContext): Decision | null {
  if (target.polarity !== statement.polarity || conflicts(statement, target, context)) return null;
  if (statement.attribute === null || target.attribute === statement.attribute)
    return { action: 'revise', target, text: statement.text };
  // A longer statement under another attribute is stored as a new one. It must not replace a statement whose attribute is in the table.
  return context.attributes.isKnown(target.attribute ?? '')
    ? null
    : { action: 'add', retires: [{ memory: target, how: 'merged' }] };
}

/**
 * Whether a relation may connect statements with different subjects. "Malika would not take the jacket off" ends the user's plan to buy the
 * jacket, and "Oisin stays on" replaces the user's waiting for his answer. It never replaces a permanent statement about the user, or one
 * with the same attribute.
 */
function mayConcernAnother(statement: Statement, target: Memory, { types, attributes }: DecideContext): boolean {
  const { relation, attribute, subject } = statement;
  if (relation?.kind === 'ends' || relation?.kind === 'reaches') return true;
  if (relation?.kind === 'extends') return isToldAgain(statement, target);
  if (relation?.kind !== 'replaces') return false;
  if (!isUser(target.subject) || target.tense === 'planned') return true;
  const type = types.get(target.type);
  const isPassing = type !== undefined && (type.expiresAfterDays !== null || type.initialState !== null);
  const isOwnWord = target.attribute !== null && !attributes.isKnown(target.attribute);
  // "User · colleague = Uwe Prell" is also a statement about Uwe Prell.
  const namesSubject =
    isNamedIn(subject, target.content) ||
    (target.value !== null && subject.toLowerCase().includes(target.value.toLowerCase()));
  return !target.permanent && target.attribute !== attribute && (isPassing || isOwnWord || namesSubject);
}

/** Fraction of a known statement's words that its longer form must contain if the subjects differ. */
const TOLD_AGAIN = 0.5;

/** "User has a granddaughter, Eve, who set up the tablet" is the longer form of what was known about "User's granddaughter". */
function isToldAgain({ subject, text }: Statement, target: Memory): boolean {
  const isOwn = [subject, target.subject].every((each) => isUser(each) || belongsToUser(each));
  const isNamed = isNamedIn(subject, `${target.content} ${target.value ?? ''}`) || isNamedIn(target.subject, text);
  return (isOwn || isNamed) && coveredBy(contentStems(target.content), contentStems(text)) >= TOLD_AGAIN;
}

type Fields = Pick<
  Memory,
  'subject' | 'attribute' | 'value' | 'polarity' | 'tense' | 'validFrom' | 'validTo' | 'dueAt'
>;
type Told = Fields & Pick<Memory, 'content'>;

/**
 * Compares a statement with all known ones of the same subject and attribute, including archived ones. If the value differs, all claims are
 * replayed in the order in which they were made. The result does not depend on the order of arrival, so an old conversation that is
 * imported late takes its place in history.
 */
function byFields(statement: Statement, known: readonly Candidate[], context: DecideContext): Decision | null {
  const memories = known.map(({ memory }) => memory);
  const same = ofSameMatter(statement, memories);
  const said = { ...statement, content: statement.text };
  const double = same.find((memory) => memory.archivedAt === null && isDouble(said, memory, context));
  const isNow = !isAhead(statement, context.now) && !isPast(statement);
  if (double !== undefined) {
    const decision = confirmOrRevise(statement, double);
    if (decision.action !== 'confirm' || !isNow) return decision;
    const again = { ...double, ...strongerClaim(statement, double) };
    const claimed = same.map((memory) => (memory === double ? again : memory));
    const { retires, restores } = consequences(again, claimed, context);
    return retires.length + restores.length === 0 ? decision : { ...decision, retires, restores };
  }
  if (same.length === 0 || !isNow) return null;
  const { beater, restores, ...excluded } = consequences(said, same, context);
  if (beater !== null) return { action: 'yield', to: beater, retires: excluded.retires, restores };
  const retires = [...excluded.retires, ...reachedPlans(said, same, context)];
  return retires.length + restores.length === 0 ? null : { action: 'add', retires, restores };
}

/** Plans that a statement about the present shows to have come true: "I live in Bristol" after "I'm moving to Bristol in May". */
function reachedPlans(said: Told, same: readonly Memory[], { attributes, now }: DecideContext): Retirement[] {
  const { shape, values } = attributes.policyOf(said.attribute ?? '');
  if (values === 'many' || said.value === null) return [];
  return same
    .filter((memory) => memory.archivedAt === null && isAhead(memory, now) && memory.polarity === said.polarity)
    .flatMap((memory) => (isSameValueOf(said, memory, shape) ? [{ memory, how: 'merged' as const }] : []));
}

/** What a claim changes among the statements with the same subject and attribute. `beater`: the statement that outranks it. */
function consequences(claimed: Told & Claim, same: readonly Memory[], context: DecideContext) {
  const beatenBy = beaters<Told & Claim>([...new Set([...same, claimed])], context);
  const how = claimed.polarity === 'denied' ? ('ended' as const) : ('replaced' as const);
  // If a repeated claim is beaten, the statement that beats it retires it, so it is not listed here.
  const retires = same.flatMap((memory) =>
    memory !== claimed && memory.archivedAt === null && beatenBy.has(memory) ? [{ memory, how }] : [],
  );
  const beater = same.find((memory) => memory === beatenBy.get(claimed)) ?? null;
  const holding: Told[] = [
    ...(beater === null ? [claimed] : []),
    ...same.filter((memory) => memory.archivedAt === null && !beatenBy.has(memory)),
  ];
  const restores: Memory[] = [];
  for (const memory of same.toSorted((one, other) => compareRank(other, one) || timeOf(other) - timeOf(one))) {
    if (memory.archivedAt === null || beatenBy.has(memory) || !wasBeatenByFields(memory, same, context)) continue;
    if ([...holding, ...restores].some((each) => isDouble(each, memory, context))) continue;
    restores.push(memory);
  }
  return { beater, retires, restores };
}

/** False for statements that a reader's relation or a request retired. */
function wasBeatenByFields(memory: Memory, same: readonly Memory[], context: DecideContext): boolean {
  const by = same.find(({ id }) => id === memory.contradictedBy);
  return by !== undefined && conflicts(memory, by, context);
}

/** Maps each statement that is not true now to the one that beats it, by replaying the claims in the order in which they were made. */
function beaters<Each extends Fields & Claim>(statements: readonly Each[], context: DecideContext): Map<Each, Each> {
  const beatenBy = new Map<Each, Each>();
  const holding = new Map<Each, MadeClaim>();
  const made = statements.flatMap((each) => claimsOf(each).map((claim) => ({ each, claim })));
  for (const { each, claim } of made.toSorted((one, other) => one.claim.at - other.claim.at)) {
    const held = holding.get(each);
    // A repetition by a weaker claim changes nothing.
    if (held !== undefined && compareRank(claim, held) < 0) continue;
    const excluded = [...holding].filter(([other]) => conflicts(each, other, context));
    const [stronger] = excluded.find(([, other]) => compareRank(claim, other) < 0) ?? [];
    if (stronger !== undefined) {
      beatenBy.set(each, stronger);
      continue;
    }
    for (const [other] of excluded) {
      beatenBy.set(other, each);
      holding.delete(other);
    }
    beatenBy.delete(each);
    holding.set(each, claim);
  }
  return beatenBy;
}

/** One matter is one subject and one attribute. */
export function ofSameMatter<Each extends Fields>(one: Fields, others: readonly Each[]): Each[] {
  const same = others.filter(({ attribute }) => attribute !== null && attribute === one.attribute);
  const labels = [...new Set([one, ...same].map(({ subject }) => subject))];
  return same.filter(({ subject }) => isSameSubjectAmong(one.subject, subject, labels));
}

function isSameMatter(one: Fields, other: Fields): boolean {
  return one.attribute !== null && one.attribute === other.attribute && isSameSubject(one.subject, other.subject);
}

/** Whether two statements with the same subject and attribute cannot both be true now. */
export function conflicts(one: Fields, other: Fields, { attributes, now }: DecideContext): boolean {
  const policy = attributes.policyOf(one.attribute ?? '');
  // The cheapest test comes first: a user may have a thousand likes, which are all compared with each other.
  if (one.polarity === other.polarity && policy.values === 'many') return false;
  if (!isSameMatter(one, other) || isPast(one) || isPast(other) || isAhead(one, now) || isAhead(other, now))
    return false;
  if (isOneOfSeveral(one.subject) || isOneOfSeveral(other.subject)) return false;
  const isSame = isSameValueOf(one, other, policy.shape);
  if (one.polarity !== other.polarity) {
    const [denied, affirmed] = one.polarity === 'denied' ? [one, other] : [other, one];
    if (denied.value === null) return deniesAll(policy);
    return (isSame && !isNarrower(denied.value, affirmed.value, policy)) || isNamedBy(denied.value, affirmed, policy);
  }
  return one.polarity === 'affirmed' && !isSame && one.value !== null && other.value !== null;
}

/** "Has no children" denies every value. "Does not like it when people call" denies no other taste. */
function deniesAll({ permanent, category }: Attribute): boolean {
  return permanent && category !== 'preference';
}

/**
 * Whether a denied value is narrower than the affirmed one: "not allergic to fish oil" leaves the allergy to fish. A full name ("Linz,
 * Austria"), a value of a single-valued attribute ("Golf VII") and a value with a dose are not narrower.
 */
function isNarrower(denied: string, affirmed: string | null, { shape, values }: Attribute): boolean {
  if (shape === 'name' || values === 'one') return false;
  const [left, right] = [denied, affirmed ?? ''].map((value) => normalValue(value, shape).replace(DOSE_OR_END, ''));
  return (left ?? '').length > (right ?? '').length;
}

/** "I sold the Octavia" ends "Skoda Octavia". Not for places and health, because York is not New York. */
function isNamedBy(denied: string, { value }: Fields, { shape, values, category }: Attribute): boolean {
  if ((shape !== 'name' && values !== 'one') || category === 'location' || category === 'health') return false;
  const names = [denied, value ?? ''].map((each) => normalValue(each, shape));
  const [short = '', long = ''] = names.toSorted((one, other) => one.length - other.length);
  return short.length > 2 && ` ${long} `.includes(` ${short} `);
}

// Left out of the comparison: a dose with the words after it ("50 mg a day"), or the closing words of a denial ("any more").
const DOSE_OR_END =
  /(?: [\d.]{1,9}){1,2} ?(?:mg|mcg|[μu]g|g|ml|iu|ie|units?|tablets?|pills?|drops?|puffs?)(?![\p{L}\p{N}]).*$| any ?(?:more|longer)$/u;

function isPast({ tense }: { tense: Tense }): boolean {
  return tense === 'happened';
}

/** A plan whose day has not come yet. */
function isAhead({ tense, validFrom }: Pick<Fields, 'tense' | 'validFrom'>, now: number): boolean {
  return tense === 'planned' && (validFrom === null || validFrom.getTime() > now);
}

function isDouble(statement: Told, memory: Memory, { attributes }: DecideContext): boolean {
  const { shape, values } = attributes.policyOf(statement.attribute ?? '');
  if (values === 'many' && isForAnotherDay(statement, memory)) return false;
  if (statement.polarity !== memory.polarity || isPast(statement) !== isPast(memory)) return false;
  if (isPast(statement) && isOfAnotherTime(statement, memory)) return false;
  if ((statement.tense === 'planned') !== (memory.tense === 'planned')) return false;
  // "Swims on Tuesdays after work" and "swims on Saturdays at seven" are two habits.
  if (values === 'many' && statement.tense === 'habit' && tellApart(statement.content, memory.content)) return false;
  if (statement.value === null || memory.value === null)
    return contentHash(statement.content) === contentHash(memory.content);
  return isSameValueOf(statement, memory, shape);
}

/** Different days of two plans. With a single-valued attribute ("employer"), this means that the day was moved. */
function isForAnotherDay(one: Fields, other: Fields): boolean {
  const [day, otherDay] = [plannedFor(one), plannedFor(other)];
  return day !== null && otherDay !== null && one.validFrom !== null && isoDay(day) !== isoDay(otherDay);
}

/** Different days of two past events. "In May 2024" is stored as the first of the month, but agrees with any day of it. */
function isOfAnotherTime(one: Fields, other: Fields): boolean {
  if (one.validFrom === null || other.validFrom === null) return false;
  const [time, otherTime] = [one.validFrom, other.validFrom].map((day) => isoDay(day).replace(/(?:-01){1,2}$/, ''));
  return !time?.startsWith(otherTime ?? '') && !otherTime?.startsWith(time ?? '');
}

/** "Linz" equals "Linz, Austria", because the longer value begins with the shorter one. */
function isSameValueOf(one: { value: string | null }, other: { value: string | null }, shape: ValueShape): boolean {
  if (one.value === null || other.value === null) return one.value === other.value;
  const [left, right] = [normalValue(one.value, shape), normalValue(other.value, shape)];
  if (left === right) return true;
  if (shape === 'number' || shape === 'date' || shape === 'phone' || shape === 'email') return false;
  const [short, long] = left.length < right.length ? [left, right] : [right, left];
  return short.length > 2 && long.startsWith(`${short} `);
}

function byVerdict(
  statement: Statement,
  candidates: readonly Candidate[],
  context: DecideContext,
  verdict: Verdict | null,
): Decision | null {
  if (verdict === null) return null;
  if (verdict.action === 'add') return { action: 'add', retires: [] };
  const target = candidates.find(({ memory }) => memory.id === verdict.target)?.memory;
  if (target === undefined) return null;
  if (verdict.action === 'confirm') return { action: 'confirm', target };
  if (!wins(statement, target)) return { action: 'yield', to: target };
  if (verdict.action === 'revise') return { action: 'revise', target, text: verdict.text };
  return retire(statement, { memory: target, how: 'replaced' }, context);
}

function byMeaning(statement: Statement, candidates: readonly Candidate[], context: DecideContext): Decision | null {
  const { thresholds } = context;
  const nearest = candidates
    .filter(({ memory, similarity }) => {
      const needed = memory.type === statement.type ? thresholds.nearlySame : thresholds.same;
      return similarity > needed && !differs(statement, memory);
    })
    .sort((one, other) => other.similarity - one.similarity)[0];
  if (nearest === undefined) return null;
  // A statement with an attribute replaces one without, because it can be compared by its fields.
  if (nearest.memory.attribute === null && statement.attribute !== null && wins(statement, nearest.memory))
    return { action: 'add', retires: [{ memory: nearest.memory, how: 'merged' }] };
  return confirmOrRevise(statement, nearest.memory);
}

export function differs(one: Fields & { text: string }, other: Told): boolean {
  if (!isSameSubject(one.subject, other.subject) || one.polarity !== other.polarity) return true;
  if (one.attribute !== null && other.attribute !== null && one.attribute !== other.attribute) return true;
  if (isPast(one) !== isPast(other) || (one.tense === 'planned') !== (other.tense === 'planned')) return true;
  const hasValues = one.attribute !== null && one.value !== null && other.value !== null;
  if (hasValues && !isSameValue(one.value, other.value)) {
    const [left, right] = [contentStems(one.value ?? ''), contentStems(other.value ?? '')];
    return coveredBy(left, right) < 1 && coveredBy(right, left) < 1;
  }
  return tellApart(one.text, other.content);
}

/** A plan that is repeated with another day takes over the new words and the new day. */
function moveDay(statement: Statement, target: Memory): Decision | null {
  const isMoved = isForAnotherDay(statement, target) && maySupersede(statement, target);
  return isMoved ? { action: 'revise', target, text: statement.text } : null;
}

function confirmOrRevise(statement: Statement, target: Memory): Decision {
  const [said, known] = [contentStems(statement.text), contentStems(target.content)];
  const saysMore = said.size > known.size && coveredBy(known, said) >= 0.75;
  return saysMore && wins(statement, target)
    ? { action: 'revise', target, text: statement.text }
    : (moveDay(statement, target) ?? { action: 'confirm', target });
}

/**
 * The similar known statements about which a model is asked, because neither fields nor a relation settle how they relate. If the reader
 * was shown a statement and named no relation to it, the model is asked only about plans for different days.
 */
export function openCandidates(
  statement: Statement,
  candidates: readonly Candidate[],
  context: DecideContext & { shown: ReadonlySet<string> },
): Memory[] {
  const comparable = candidates.filter(({ memory }) => isComparable(memory, context));
  if (!isComparable(statement, context) || byRelation(statement, context) !== null) return [];
  if (byFields(statement, comparable, context) !== null) return [];
  const isOpen = ({ memory, similarity }: Candidate): boolean =>
    memory.archivedAt === null &&
    similarity >= context.thresholds.related &&
    (!context.shown.has(memory.id) || isForAnotherDay(statement, memory)) &&
    !hasOutcome(memory, context.types.get(memory.type)) &&
    isSameSubject(statement.subject, memory.subject) &&
    (statement.attribute === null || memory.attribute === null || statement.attribute === memory.attribute);
  return comparable.filter(isOpen).map(({ memory }) => memory);
}
