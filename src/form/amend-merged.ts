import { sql } from 'kysely';
import { splitSentences } from '../language/split-sentences.ts';
import { indexWords } from '../language/words.ts';
import type { Memory } from '../record/memory.ts';
import { visibleOwners, type Scope } from '../record/scope.ts';
import type { Writer } from '../store/database.ts';
import { loadMemories } from '../store/load-records.ts';
import type { Parts } from '../store/parts.ts';
import { archiveMemory, reviseMemory } from '../store/write-memory.ts';
import type { Applied, ApplyContext } from './applied.ts';
import { IS_MERGED, UNCOMPARED_TYPES } from './known-memories.ts';
import { relateStatements, withSlot, type Relation, type SlottedStatement } from './local/tasks/relate-statements.ts';
import type { Proposal } from './proposal.ts';
import { concernsSame } from './slot.ts';

const HITS = 10;

/** Whether a merged memory says already what is proposed. */
export async function isInMerged(writer: Writer, parts: Parts, scope: Scope, proposal: Proposal): Promise<boolean> {
  const merged = await findMerged(writer, parts, scope, proposal);
  return merged.some((memory) =>
    sentencesOf(memory).some((sentence) => relate(proposal, withSlot(sentence)) === 'repeats'),
  );
}

/**
 * Takes out of merged memories the sentences that a new statement contradicts; what else they say stays. One of which
 * nothing is left goes into the archive.
 */
export async function amendMerged(
  writer: Writer,
  parts: Parts,
  proposal: Proposal,
  { context, applied, by }: { context: ApplyContext; applied: Applied; by: string | null },
): Promise<void> {
  for (const memory of await findMerged(writer, parts, context.scope, proposal)) {
    const sentences = sentencesOf(memory);
    const kept = sentences.filter((sentence) => !contradicts(proposal, sentence));
    if (kept.length === sentences.length) continue;
    const why = { ...context.why, reason: `no longer so: ${context.why.reason}` };
    if (kept.length === 0) {
      await archiveMemory(writer, parts, memory, { reason: 'contradicted', by, why });
      applied.retired.push(memory.id);
    } else {
      await reviseMemory(writer, parts, memory, { change: { content: kept.join(' ') }, why });
      applied.updated.push(memory.id);
    }
  }
}

async function findMerged(writer: Writer, parts: Parts, scope: Scope, proposal: Proposal): Promise<Memory[]> {
  const hits = await parts.database.text.search(writer, {
    tenant: scope.tenant,
    kind: 'memory',
    owners: visibleOwners(scope),
    words: [...new Set(indexWords(proposal.content))],
    limit: HITS,
    condition: sql<boolean>`${IS_MERGED} and record.type not in (${sql.join(UNCOMPARED_TYPES)})
      and record.connection_id in ('', ${scope.connection ?? ''})`,
  });
  const found = await loadMemories(writer, parts.database, { scope, rowIds: hits.map(({ rowId }) => rowId) });
  return [...found.values()];
}

function sentencesOf({ content }: Memory): string[] {
  return splitSentences(content).map(({ text }) => text);
}

function relate({ content, type, slot }: Proposal, known: SlottedStatement): Relation {
  return relateStatements(withSlot(content, type, slot), known);
}

/** "Hates ramen" takes back "loves ramen from Tokyo". */
function contradicts(proposal: Proposal, sentence: string): boolean {
  const known = withSlot(sentence);
  const isDenied =
    known.slot.attribute !== null &&
    proposal.slot.attribute !== null &&
    known.slot.polarity !== proposal.slot.polarity &&
    concernsSame(proposal, known);
  return isDenied || relate(proposal, known) === 'contradicts';
}
