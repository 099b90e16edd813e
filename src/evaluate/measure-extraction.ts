import { overlap } from '../language/words.ts';
import { TASK_TIERS } from '../models/prompt.ts';
import type { Conversation, ExpectedMemory } from './conversation.ts';
import { liveStatements, turnTexts, type LiveStatement, type Replay } from './replay.ts';
import type { Found } from './row.ts';
import { flat, isAboutUser, isSameFilling, says, sayTogether, shareOf, tellingWords } from './says.ts';

export async function measureExtraction(replay: Replay): Promise<Found[]> {
  const { conversation } = replay;
  if (conversation.memories.length === 0) return [];
  const statements = await liveStatements(replay);
  const texts = turnTexts(conversation);
  const isSaid = (expected: ExpectedMemory, statement: LiveStatement): boolean =>
    expected.contains.length > 0
      ? phrasesIn(expected, statement.text).length > 0
      : says(expected, statement, (turn) => texts.get(turn));
  const compared = { conversation, statements, isSaid };
  return [...conversation.memories.map((expected) => memoryRow(expected, compared)), ...statementRows(compared)];
}

interface Compared {
  conversation: Conversation;
  statements: readonly LiveStatement[];
  isSaid(expected: ExpectedMemory, statement: LiveStatement): boolean;
}

function memoryRow(expected: ExpectedMemory, compared: Compared): Found {
  const base = { measure: 'extraction' as const, item: expected.id, kind: expected.type ?? 'memory' };
  const detail = { expected: expected.text };
  if (expected.contains.length > 0) return { ...base, ...expectationValues(expected, compared) };
  if (expected.until !== null) return { ...base, values: { stale: isStale(expected, compared) ? 1 : 0 }, detail };
  const { statements, isSaid } = compared;
  const isKept = statements.some((statement) => isSaid(expected, statement)) || sayTogether(expected, statements);
  return { ...base, values: { kept: isKept ? 1 : 0 }, detail };
}

/** Whether an ended memory is still stated. A live statement that also contains the replacement does not count. */
function isStale(expected: ExpectedMemory, { conversation, statements, isSaid }: Compared): boolean {
  const next = conversation.memories.find(({ id }) => id === expected.replacedBy);
  const saying = statements.filter((statement) => isSaid(expected, statement));
  return saying.length > 0 && !saying.some((statement) => next !== undefined && isSaid(next, statement));
}

function expectationValues(
  expected: ExpectedMemory,
  { statements, isSaid }: Compared,
): Pick<Found, 'values' | 'detail'> {
  const near = statements.filter((statement) => isSaid(expected, statement));
  const isType = ({ memory }: LiveStatement): boolean => expected.type === null || memory.type === expected.type;
  const isImportant = ({ memory }: LiveStatement): boolean => memory.importance >= (expected.minimumImportance ?? 0);
  const all = phrasesIn(expected, statements.map(({ text }) => text).join('\n'));
  return {
    values: {
      kept: near.some((statement) => isType(statement) && isImportant(statement)) ? 1 : 0,
      complete: all.length / expected.contains.length,
    },
    detail: {
      expected: { type: expected.type, contains: expected.contains, importance: expected.minimumImportance },
      found: near.map(({ text, memory }) => `[${memory.type} ${memory.importance.toFixed(2)}] ${text}`),
    },
  };
}

function phrasesIn({ contains }: ExpectedMemory, text: string): string[] {
  const [plain, words] = [flat(text), tellingWords(text)];
  return contains.filter((phrase) => plain.includes(flat(phrase)) || shareOf(tellingWords(phrase), words) === 1);
}

function statementRows({ conversation, statements, isSaid }: Compared): Found[] {
  const stating = new Set(conversation.memories.flatMap(({ stated, contains }) => (contains.length > 0 ? [] : stated)));
  const said = tellingWords(
    conversation.sessions.flatMap(({ turns }) => turns.map(({ speaker, text }) => `${speaker} ${text}`)).join('\n'),
  );
  const wasSaid = (text: string): boolean => tellingWords(text).size === 0 || shareOf(tellingWords(text), said) >= 0.5;
  return statements.map((statement, index) => {
    const { memory, text, turns } = statement;
    const isUseful =
      turns.some((turn) => stating.has(turn)) ||
      conversation.memories.some((expected) => expected.contains.length > 0 && isSaid(expected, statement));
    const isDuplicate = statements.slice(0, index).some((earlier) => isRepeated(earlier, statement));
    return {
      measure: 'extraction' as const,
      item: `statement ${index + 1}`,
      kind: memory.type,
      values: {
        useful: isUseful ? 1 : 0,
        hallucinated: wasSaid(text) && wasSaid(memory.value ?? '') ? 0 : 1,
        duplicate: isDuplicate ? 1 : 0,
      },
      detail: { text, turns: [...turns] },
    };
  });
}

function isRepeated({ memory: one }: LiveStatement, { memory: other }: LiveStatement): boolean {
  if (one.polarity !== other.polarity || one.subject !== other.subject) return false;
  if (one.attribute !== null && one.attribute === other.attribute)
    return one.value?.toLowerCase() === other.value?.toLowerCase();
  return overlap(tellingWords(one.content), tellingWords(other.content)) >= 0.8;
}

export async function measureScaffold(replay: Replay): Promise<Found[]> {
  const slots = replay.conversation.memories.filter(
    (memory) => memory.slot !== null && memory.until === null && isAboutUser(memory),
  );
  if (slots.length === 0) return [];
  const handle = replay.handle();
  const facts = await handle.facts.list();
  const scaffold = JSON.stringify((await handle.blocks.read('scaffold'))?.content ?? {}).toLowerCase();
  return slots.map(({ id, slot, value }) => {
    const known = facts.filter(({ key }) => key === slot).map((fact) => fact.value);
    const isRight =
      facts.some((fact) => isSameFilling(fact.value, value)) ||
      (value !== null && scaffold.includes(JSON.stringify(value).slice(1, -1).toLowerCase()));
    return {
      measure: 'scaffold' as const,
      item: id,
      kind: slot ?? '',
      values: { right: isRight ? 1 : 0, contradicted: !isRight && known.length > 0 ? 1 : 0 },
      detail: { expected: `${slot} = ${value}`, known },
    };
  });
}

export async function measureCost({ conversation, varve }: Replay): Promise<Found[]> {
  const lines = await varve.ledger.report({ tenant: 'default', by: ['task', 'model'] });
  // The ledger also contains embeddings, which are not language model calls.
  const used = lines.filter(({ keys }) => Object.hasOwn(TASK_TIERS, keys.task ?? ''));
  if (used.length === 0) return [];
  const sessions = Math.max(1, conversation.sessions.length);
  const sum = (of: (line: (typeof used)[number]) => number): number =>
    used.reduce((total, line) => total + of(line), 0) / sessions;
  return [
    {
      measure: 'extraction',
      item: 'cost',
      kind: 'cost',
      values: {
        calls: sum(({ calls }) => calls),
        sentTokens: sum(({ tokensIn }) => tokensIn),
        models: new Set(used.map(({ keys }) => keys.model)).size,
        ...(used.some(({ unpriced }) => unpriced > 0) ? {} : { cost: sum(({ cost }) => cost) }),
      },
      detail: { used: used.map(({ keys, calls, tokensIn, tokensOut }) => ({ ...keys, calls, tokensIn, tokensOut })) },
    },
  ];
}
