import type { Reader, Writer } from './database.ts';
import { insertNew, rowsBy } from './rows.ts';

export async function recordDerivation(
  writer: Writer,
  tenant: string,
  memoryId: string,
  fromIds: readonly string[],
): Promise<void> {
  const from = [...new Set(fromIds)].filter((id) => id !== memoryId);
  const rows = from.map((from_id) => ({ tenant_id: tenant, memory_id: memoryId, from_id }));
  await insertNew(writer, 'memory_derivations', rows);
}

export async function derivedFrom(reader: Reader, tenant: string, memoryId: string): Promise<string[]> {
  const rows = await rowsBy(reader, tenant, 'memory_derivations', { memory_id: [memoryId] }, ['from_id']);
  return rows.map((row) => row.from_id).sort();
}

/** Maps each derived memory to the ids of all its sources, not only the given ones. */
export async function derivedOf(
  reader: Reader,
  tenant: string,
  fromIds: readonly string[],
): Promise<Map<string, string[]>> {
  const rows = await rowsBy(reader, tenant, 'memory_derivations', { from_id: fromIds }, ['memory_id']);
  const ids = rows.map(({ memory_id }) => memory_id);
  const links = await rowsBy(reader, tenant, 'memory_derivations', { memory_id: ids }, ['memory_id', 'from_id']);
  const byMemory = Map.groupBy(links, ({ memory_id }) => memory_id);
  return new Map([...byMemory].map(([id, from]) => [id, from.map(({ from_id }) => from_id)]));
}
