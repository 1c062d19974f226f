import { createHash, type X509Certificate } from 'node:crypto';

const identityShape = /^[0-9a-f]{64}$/;

/** Who a client is for the limits: the SHA-256 of its public key, in hexadecimal. A renewed certificate keeps it. */
export function identityOf(certificate: X509Certificate): string {
  const key = certificate.publicKey.export({ type: 'spki', format: 'der' });
  return createHash('sha256').update(key).digest('hex');
}

/**
 * The caller that another apid names in metadata. Undefined when it names none, as upstream's does not, or something
 * else: then all of its calls count as one caller's.
 */
export function namedCaller(values: readonly string[]): string | undefined {
  const [only] = values;
  return values.length === 1 && only !== undefined && identityShape.test(only) ? only : undefined;
}
