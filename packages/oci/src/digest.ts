import { createHash, type Hash } from 'node:crypto';
import { Fault } from '@nodewright/fault';

const lengths: Readonly<Record<string, number>> = { sha256: 64, sha512: 128 };

/** Whether the text is a digest of a supported algorithm. Source: OCI image specification, descriptors. */
export function isDigest(text: string): boolean {
  const [algorithm = '', hex = '', ...more] = text.split(':');
  return more.length === 0 && hex.length === lengths[algorithm] && /^[0-9a-f]+$/.test(hex);
}

/** The digest of the bytes, as `sha256:…`. */
export function digestOf(bytes: Uint8Array): string {
  return `sha256:${createHash('sha256').update(bytes).digest('hex')}`;
}

/** @throws Fault `data-loss` when the digest of the bytes differs */
export function verifyDigest(bytes: Uint8Array, digest: string, what: string): void {
  const found = `${digest.split(':')[0]}:${hashOf(digest).update(bytes).digest('hex')}`;
  if (found !== digest)
    throw new Fault(
      'data-loss',
      `${what} is not what was asked for: its digest is ${found} and not ${digest}`,
    );
}

/** A hash with the algorithm of a digest. @throws Fault `invalid-argument` for an unsupported algorithm */
export function hashOf(digest: string): Hash {
  const algorithm = digest.split(':')[0] ?? '';
  if (lengths[algorithm] === undefined)
    throw new Fault('invalid-argument', `digests with "${algorithm}" are not supported`);
  return createHash(algorithm);
}
