import { extractEntities } from '../../../language/extract-entities.ts';
import type { Extracted, ExtractInput, ProposedMemory, Turn } from '../../../models/distiller.ts';
import { normaliseAttribute, USER } from '../../slot.ts';
import { extractStatements } from '../extract-statements.ts';
import type { ExtractedStatement } from '../extracted-statement.ts';
import { isWrittenObservation, readObservation } from './read-observation.ts';
import { relateStatements, withSlot, type SlottedStatement } from './relate-statements.ts';

const MOST_MEMORIES = 200;
const DAY = 86_400_000;
// When somebody means to do a thing and does not say when.
const USUAL_DAYS = 7;

/**
 * Reads turns by rules alone: what the user says of themself and theirs, and what was written down as an observation.
 * All of it is the user's: rules cannot tell what would be true of an agent's other users as well.
 */
export function extractMemories(input: ExtractInput, timeZone: string): Extracted {
  const known = [...input.existing.map(({ content }) => content), ...(input.around ?? [])];
  const proposed = proposeMemories(input.turns, { timeZone, earlier: input.earlier, known })
    .filter(({ type }) => input.types.length === 0 || input.types.some(({ name }) => name === type))
    .slice(0, MOST_MEMORIES);
  const existing = input.existing.map(({ content, type }) => withSlot(content, type));
  const extracted: Extracted = { new: [], updated: [], contradicted: [] };
  for (const memory of proposed) place(memory, existing, extracted);
  return extracted;
}

/** Everything that turns say, in their order, with nothing compared. */
export function proposeMemories(
  turns: readonly Turn[],
  {
    timeZone,
    earlier,
    known = [],
  }: { timeZone: string; earlier?: readonly Turn[] | undefined; known?: readonly string[] },
): ProposedMemory[] {
  const spoken = turns.map((turn): Turn =>
    turn.kind === 'observation' && !isWrittenObservation(turn) ? { ...turn, kind: 'message' } : turn,
  );
  const statements = extractStatements(
    { turns: spoken },
    { timeZone, userName: USER, earlierTurns: earlier ?? [], known, maximumStatements: MOST_MEMORIES },
  );
  const written = turns.flatMap((turn, index) => (isWrittenObservation(turn) ? readObservation(turn, index + 1) : []));
  return [...statements.map((statement) => propose(statement, turns)), ...written].sort(
    (left, right) => (left.turns[0] ?? 0) - (right.turns[0] ?? 0),
  );
}

function propose(statement: ExtractedStatement, turns: readonly Turn[]): ProposedMemory {
  const turn = turns[statement.turn - 1];
  // Keys are the user's own: in a dialogue of people every speaker has a name and a home.
  const [keyed = null, ...moreKeyed] = turn?.speaker == null ? (statement.keyedFacts ?? []) : [];
  const names = extractEntities(statement.content).map(({ name }) => name);
  return {
    type: statement.type,
    content: statement.content,
    levels: ['user'],
    importance: statement.importance,
    confidence: statement.confidence,
    tags: statement.tags,
    entities: names.filter((name) => name !== USER),
    turns: [statement.turn],
    validFrom: statement.validFrom ?? null,
    validTo: statement.validTo ?? null,
    explicit: statement.confidence === 'high',
    keyed,
    moreKeyed,
    subject: statement.subject,
    attribute: statement.attribute ?? null,
    polarity: statement.polarity,
    correction: statement.correction !== undefined,
    achievesGoal: statement.achievesGoal === true,
    dueAt: statement.type === 'intention' ? dueAt(statement, turn) : null,
  };
}

function dueAt({ dueDate, followUpDays }: ExtractedStatement, turn: Turn | undefined): string | null {
  if (dueDate !== undefined || turn === undefined) return dueDate ?? null;
  return new Date(turn.occurredAt.getTime() + (followUpDays ?? USUAL_DAYS) * DAY).toISOString();
}

/** A new memory, more of a known one, or one that takes the place of known ones. What is known already is left out. */
function place(memory: ProposedMemory, existing: readonly SlottedStatement[], extracted: Extracted): void {
  const next = slotted(memory);
  const relations = existing.map((known) => relateStatements(next, known));
  if (relations.includes('repeats')) return;
  const extended = relations.indexOf('extends');
  if (extended >= 0) {
    extracted.updated.push({ ...memory, existing: extended + 1 });
    return;
  }
  extracted.new.push(memory);
  for (const [index, relation] of relations.entries()) {
    if (relation !== 'contradicts' || extracted.contradicted.some((other) => other.existing === index + 1)) continue;
    const reason = `another value of ${next.slot.attribute ?? 'the same'}: ${memory.content}`;
    extracted.contradicted.push({ existing: index + 1, by: extracted.new.length, reason });
  }
}

function slotted({ content, type, subject, attribute, polarity }: ProposedMemory): SlottedStatement {
  const slot = { subject: subject ?? USER, attribute: normaliseAttribute(attribute), polarity: polarity ?? 'positive' };
  return withSlot(content, type, slot);
}
