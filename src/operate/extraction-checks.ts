import { locateQuote } from '../language/quotes.ts';
import { contentStems, coveredBy } from '../language/words.ts';
import { cachedFor } from '../record/cache.ts';
import type { Database, Parts, Reader } from '../store/database.ts';
import { firstConversations, formedSignature } from '../store/doors/quality-store.ts';
import type { FormedConversation, FormedStatement } from '../store/doors/quality-store.ts';
import { detailsOfLastAct, recordAct } from '../store/doors/admin-acts.ts';
import { type CheckName, EXTRACTION_CHECKS } from './metric-definitions.ts';

// A tenant usually tunes its prompts during its first conversations.
const CHECKED_CONVERSATIONS = 100;

/** The result of one check. `share` is the fraction of the `of` items that failed it. */
export interface CheckResult {
  check: CheckName;
  share: number | null;
  of: number;
  threshold: number;
  isAlert: boolean;
}

/** The results of all checks of a tenant's first conversations. */
export interface ExtractionReport {
  /** The number of conversations that were checked, at most 100. */
  conversations: number;
  checks: CheckResult[];
  /** Ids of statements that failed a check, as examples for each alert. */
  examples: { check: CheckName; memory: string }[];
}

// A check of fewer items raises no alert.
const ENOUGH = 20;
const STRETCH = 25;

export async function checkExtraction(database: Database, tenant: string): Promise<ExtractionReport> {
  const sums: Sums = { statements: 0, hallucinated: [], duplicate: [], refused: 0, long: 0, empty: 0 };
  const seen = new Map<string, StemmedStatement[]>();
  let conversations = 0;
  for (let first = 0; first < CHECKED_CONVERSATIONS; first += STRETCH) {
    const some = await database.read(tenant, (reader) => firstConversations(reader, tenant, { first, limit: STRETCH }));
    for (const conversation of some) add(sums, conversation, seen);
    conversations += some.length;
    if (some.length < STRETCH) break;
  }
  const given = sums.statements + sums.refused;
  return {
    conversations,
    checks: [
      result('hallucinated', sums.hallucinated.length, sums.statements),
      result('duplicate', sums.duplicate.length, sums.statements),
      result('refused', sums.refused, given),
      result('empty', sums.empty, sums.long),
    ],
    examples: (['hallucinated', 'duplicate'] as const).flatMap((check) =>
      sums[check].slice(0, 5).map((memory) => ({ check, memory })),
    ),
  };
}

interface Sums {
  statements: number;
  hallucinated: string[];
  duplicate: string[];
  refused: number;
  long: number;
  empty: number;
}

interface StemmedStatement extends FormedStatement {
  stems: ReadonlySet<string>;
}

const LONG = 5;

function add(sums: Sums, conversation: FormedConversation, seen: Map<string, StemmedStatement[]>): void {
  const { turns, statements, refused, ownerKey } = conversation;
  sums.statements += statements.length;
  sums.refused += refused;
  if (turns.filter(({ origin }) => origin === 'user').length >= LONG) {
    sums.long += 1;
    if (statements.length === 0) sums.empty += 1;
  }
  const earlier = seen.get(ownerKey) ?? [];
  seen.set(ownerKey, earlier);
  const said = contentStems(turns.map((turn) => turn.content).join('\n'));
  for (const statement of statements) {
    const one = { ...statement, stems: contentStems(statement.content) };
    if (!isSupported(one, turns, said)) sums.hallucinated.push(one.id);
    if (earlier.some((other) => isRepeated(other, one))) sums.duplicate.push(one.id);
    earlier.push(one);
  }
}

/** The conversation must contain the statement as a quotation, or half of the words of its value or, without a value, of its content. */
function isSupported(
  { content, value, stems }: StemmedStatement,
  turns: FormedConversation['turns'],
  said: ReadonlySet<string>,
): boolean {
  const known = value === null ? stems : contentStems(value);
  if (known.size === 0 || coveredBy(known, said) >= 0.5) return true;
  return turns.some((turn) => locateQuote(turn.content, content) !== null);
}

function isRepeated(one: StemmedStatement, other: StemmedStatement): boolean {
  if (one.subject !== other.subject || one.polarity !== other.polarity) return false;
  if (one.attribute !== null && one.attribute === other.attribute)
    return one.value?.toLowerCase() === other.value?.toLowerCase();
  return Math.min(coveredBy(one.stems, other.stems), coveredBy(other.stems, one.stems)) >= 0.9;
}

function result(check: CheckName, part: number, of: number): CheckResult {
  const { threshold } = EXTRACTION_CHECKS[check];
  const share = of === 0 ? null : part / of;
  return { check, share, of, threshold, isAlert: share !== null && of >= ENOUGH && share > threshold };
}

// The last checked signature by store and tenant. An unchanged tenant is not checked again.
const checkedBefore = cachedFor((_store: Database) => new Map<string, string>());

/** If other checks fail than the last time, writes `extraction.alert` to the audit trail. */
export async function watchExtraction(parts: Parts, tenant: string): Promise<void> {
  const before = checkedBefore(parts.database);
  const sign = (reader: Reader): Promise<string> => formedSignature(reader, tenant, CHECKED_CONVERSATIONS);
  const signature = await parts.database.read(tenant, sign);
  if (before.get(tenant) === signature) return;
  before.set(tenant, signature);
  const report = await checkExtraction(parts.database, tenant);
  const failing = report.checks.filter(({ isAlert }) => isAlert).map(({ check }) => check);
  await parts.database.write(tenant, async (writer) => {
    const last = await detailsOfLastAct(writer, tenant, ALERT);
    const known = (last?.['failing'] ?? []) as string[];
    if (failing.join() === known.join()) return;
    const details = { failing, conversations: report.conversations, checks: report.checks };
    await recordAct(writer, parts, { tenant, actor: 'varve', act: ALERT, subject: null, details });
  });
}

const ALERT = 'extraction.alert';
