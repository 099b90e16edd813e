import { factLabel } from '../record/fact-label.ts';
import type { Memory } from '../record/memory.ts';
import { ownerKey, ownerLevel, scopeAt, type Scope } from '../record/scope.ts';
import type { Writer } from '../store/database.ts';
import { toMemory as fromRow } from '../store/memory-rows.ts';
import type { Parts } from '../store/parts.ts';
import { writeMemory } from '../store/write-memory.ts';
import type { Applied, ApplyContext } from './applied.ts';
import { claimOf, wins } from './guards/precedence.ts';
import type { Proposal } from './proposal.ts';
import { contentStems } from './guards/text-overlap.ts';
import { isUser } from './slot.ts';
import { metadataOf } from './to-memory.ts';

/** One live value for each key. The same value is left alone, another takes its place unless the known one outranks it. */
export async function writeKeyedFacts(
  writer: Writer,
  parts: Parts,
  proposal: Proposal,
  context: ApplyContext,
  applied: Applied,
): Promise<void> {
  const facts = [proposal.keyed, ...(proposal.moreKeyed ?? [])].filter((fact) => fact !== null);
  if (facts.length === 0 || !isUser(proposal.slot.subject)) return;
  const { scope, distiller, why } = context;
  const owner = { ...scopeAt(scope, ownerLevel(scope)), connection: null };
  for (const { key, value, category } of facts) {
    const known = await findFact(writer, owner, key);
    if (known !== null && sameValue(known.value, value)) continue;
    if (known !== null && !wins({ ...proposal, correction: proposal.correction === true }, claimOf(known))) {
      applied.rejected.push({ what: 'keyed_fact', reason: 'outranked', content: `${key}: ${value}` });
      continue;
    }
    const { memory } = await writeMemory(
      writer,
      parts,
      owner,
      {
        type: 'keyed_fact',
        key,
        value,
        category,
        content: `${factLabel(key)}: ${value}`,
        confidence: proposal.confidence,
        trust: proposal.trust,
        sourceType: proposal.sourceType,
        sourceSession: scope.session,
        sourceEvents: proposal.events.map((event) => event.id),
        tags: [...proposal.marks.map((mark) => `sensitive:${mark}`), ...wordsBeside(proposal.content, key, value)],
        metadata: metadataOf(proposal, distiller),
      },
      why,
    );
    applied.keyedFacts.push(memory.id);
  }
}

const MOST_WORDS = 4;

/** Words of the statement that label and value lack: "Employer: Globex" is asked for as "where do I work". */
function wordsBeside(content: string, key: string, value: string): string[] {
  const known = contentStems(`${factLabel(key)} ${value}`);
  const words = content.replace(/^User(?:'s)?\b/, '').match(/(?<![\p{L}\p{N}-])[\p{Ll}-]{3,}(?![\p{L}\p{N}])/gu) ?? [];
  return [...new Set(words)]
    .filter(
      (word) =>
        [...contentStems(word)].some((stem) => !known.has(stem)) && !/^(?:named|called|new|current|now)$/.test(word),
    )
    .slice(0, MOST_WORDS);
}

function sameValue(one: string | null, other: string): boolean {
  return one?.trim().toLowerCase() === other.trim().toLowerCase();
}

/** The live fact of a key. */
export async function findFact(writer: Writer, owner: Scope, key: string): Promise<Memory | null> {
  const row = await writer
    .selectFrom('memories')
    .selectAll()
    .where('tenant_id', '=', owner.tenant)
    .where('owner_key', '=', ownerKey(owner))
    .where('connection_id', '=', '')
    .where('type', '=', 'keyed_fact')
    .where('key', '=', key)
    .where('archived_at', 'is', null)
    .executeTakeFirst();
  return row === undefined ? null : fromRow(row);
}
