import { randomBytes } from 'node:crypto';
import { sameText } from '../../operate/api-key.ts';

/** A code that signs in to the inspector once, for whoever started the server and reads its terminal. */
export interface SignInLink {
  /** The code, to be put behind the `#` of the address: browsers do not send that part to servers or logs. */
  readonly code: string;
  /** The tenant that it opens. */
  readonly tenant: string;
  /** Whether the code is right, unused and not too old. A right code is used up by asking. */
  redeem(code: string): boolean;
}

const CODE_BYTES = 24;

/** Makes a code that works once within `lifetime` milliseconds. A wrong guess does not use it up: 192 bits are not guessed. */
export function createSignInLink({
  now,
  lifetime,
  tenant,
}: {
  now(): number;
  lifetime: number;
  tenant: string;
}): SignInLink {
  const code = randomBytes(CODE_BYTES).toString('base64url');
  const until = now() + lifetime;
  let isUsed = false;
  return {
    code,
    tenant,
    redeem(given) {
      if (isUsed || now() > until || !sameText(given, code)) return false;
      isUsed = true;
      return true;
    },
  };
}
