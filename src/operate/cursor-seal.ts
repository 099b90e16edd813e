import { createCipheriv, createDecipheriv, hash, randomBytes } from 'node:crypto';
import { invalidInput } from '../errors.ts';
import { EVERY_TENANT, type Parts } from '../store/database.ts';
import { findMeta, setMeta } from '../store/meta-store.ts';

/** Cursors contain row numbers that all tenants share. Two plain cursors would show how much the other tenants have written. */
export interface CursorSeal {
  seal(tenant: string, cursor: string): Promise<string>;
  /** Throws `invalid_input` for anything but a cursor that was sealed for this tenant. */
  open(tenant: string, sealed: string): Promise<string>;
  /** Identifies the store. It is derived from the key and does not reveal it. */
  storeId(): Promise<string>;
}

const KEY = 'cursor_key';
const CIPHER = 'aes-256-gcm';
const NONCE = 12;
const TAG = 16;
const NOT_VALID =
  'The cursor is not valid. Give the cursor that the previous page returned, unchanged and with a key of the same tenant.';

/** The key is kept in the store, so that any process can open the cursors of another. */
export function createCursorSeal({ database }: Pick<Parts, 'database'>): CursorSeal {
  let known: Promise<Buffer> | undefined;
  const load = async (): Promise<Buffer> => {
    const stored = await database.read(EVERY_TENANT, (reader) => findMeta(reader, KEY));
    if (stored !== null) return Buffer.from(stored, 'base64url');
    const made = await database.write(EVERY_TENANT, async (writer) => {
      const before = await findMeta(writer, KEY);
      if (before !== null) return before;
      const key = randomBytes(32).toString('base64url');
      await setMeta(writer, KEY, key);
      return key;
    });
    return Buffer.from(made, 'base64url');
  };
  const keyOf = async (): Promise<Buffer> => {
    known ??= load();
    try {
      return await known;
    } catch (error) {
      known = undefined;
      throw error;
    }
  };
  return {
    storeId: async () => hash('sha256', `store ${(await keyOf()).toString('base64url')}`).slice(0, 16),
    async seal(tenant, cursor) {
      const nonce = randomBytes(NONCE);
      const cipher = createCipheriv(CIPHER, await keyOf(), nonce).setAAD(digest(tenant));
      const parts = [nonce, cipher.update(cursor, 'utf8'), cipher.final(), cipher.getAuthTag()];
      return Buffer.concat(parts).toString('base64url');
    },
    async open(tenant, sealed) {
      const bytes = Buffer.from(sealed, 'base64url');
      const key = await keyOf();
      try {
        const decipher = createDecipheriv(CIPHER, key, bytes.subarray(0, NONCE), { authTagLength: TAG });
        decipher.setAAD(digest(tenant)).setAuthTag(bytes.subarray(-TAG));
        return decipher.update(bytes.subarray(NONCE, -TAG), undefined, 'utf8') + decipher.final('utf8');
      } catch (error) {
        throw invalidInput(NOT_VALID, { cause: (error as Error).name });
      }
    },
  };
}

function digest(tenant: string): Buffer {
  return hash('sha256', tenant, 'buffer');
}
