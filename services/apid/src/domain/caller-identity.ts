import { createHash, type X509Certificate } from 'node:crypto';

const identityShape = /^[0-9a-f]{64}$/;

/**
 * The identity of a client for the limits: the SHA-256 of its public key, in hexadecimal. A renewed
 * certificate with the same key has the same identity.
 */
export function identityOf(certificate: X509Certificate): string {
  const key = certificate.publicKey.export({ type: 'spki', format: 'der' });
  return createHash('sha256').update(key).digest('hex');
}

/**
 * The caller that another apid names in metadata. `undefined` when it names none, as an upstream apid does,
 * or when the value is malformed: then all calls from that apid count as one caller's.
 */
export function namedCaller(values: readonly string[]): string | undefined {
  const [only] = values;
  return values.length === 1 && only !== undefined && identityShape.test(only) ? only : undefined;
}
