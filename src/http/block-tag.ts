import { VarveError } from '../errors.ts';
import type { Block } from '../record/block.ts';
import { DoorError } from './problem.ts';

/** The entity tag of a block: another version, another tag. */
export function blockTag(block: Pick<Block, 'id' | 'version'>): string {
  return `"${block.id}.${block.version}"`;
}

/** The version that If-Match or If-None-Match asks for; undefined: whatever is there. */
export async function expectedVersion(
  headers: Headers,
  read: () => Promise<Block | null>,
): Promise<number | undefined> {
  const match = headers.get('if-match');
  const none = headers.get('if-none-match');
  if (match === null && none === null) return undefined;
  const block = await read();
  if (none === '*' && block === null) return 0;
  if (match !== null && block !== null && (match === '*' || match === blockTag(block))) return block.version;
  throw another(block === null ? {} : { etag: blockTag(block) });
}

/** Says that a write came too late: also when another came between the look at the tag and the write. */
export function tooLate(error: unknown, expected: number | undefined): unknown {
  return expected !== undefined && VarveError.isInstance(error, 'conflict') ? another({}) : error;
}

function another(tag: Record<string, string>): DoorError {
  return new DoorError('precondition_failed', 'The block is another by now. Read it again.', tag);
}
