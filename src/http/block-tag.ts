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
  const tag: Record<string, string> = block === null ? {} : { etag: blockTag(block) };
  throw new DoorError('precondition_failed', 'The block is another by now. Read it again.', tag);
}
