import { createHash, timingSafeEqual } from 'node:crypto';
import type { Secret } from '@nodewright/fault';

/** How the token of a call compares with the node's. */
export type TokenCheck = 'missing' | 'invalid' | 'valid';

const digest = (text: string) => createHash('sha256').update(text).digest();

/**
 * Compares in constant time: both sides are hashed first, so that not even the length of the secret can be measured.
 * A node without a token accepts none. Source: Talos v1.14: trustd authentication.
 */
export function checkToken(given: string | undefined, expected: Secret): TokenCheck {
  if (given === undefined) return 'missing';
  const isEqual = timingSafeEqual(digest(given), digest(expected.reveal()));
  return isEqual && expected.reveal() !== '' ? 'valid' : 'invalid';
}
