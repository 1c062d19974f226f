import { createHash, timingSafeEqual } from 'node:crypto';
import type { Secret } from '@nodewright/fault';

/** The result of comparing a call's token with the node's token. */
export type TokenCheck = 'missing' | 'invalid' | 'valid';

const digest = (text: string) => createHash('sha256').update(text).digest();

/**
 * Compares in constant time. Both sides are hashed first, so that the time does not reveal the length of the
 * secret. A node without a token accepts none. Source: Talos v1.14: trustd authentication.
 */
export function checkToken(given: string | undefined, expected: Secret): TokenCheck {
  if (given === undefined) return 'missing';
  const isEqual = timingSafeEqual(digest(given), digest(expected.reveal()));
  return isEqual && expected.reveal() !== '' ? 'valid' : 'invalid';
}
