import { issueCertificate, validityFrom } from '@nodewright/pki';
import type { CertificateSpec } from '../domain/certificate-specs.ts';

interface PemPair {
  readonly crt: string;
  readonly key: string;
}

/**
 * Creates a certificate, signed by a CA of the node itself. It begins some time before `nowMs`.
 *
 * @param key the key to certify, PEM; a new one by default
 */
export async function issueLocally(
  issuer: PemPair,
  { commonName, organizations, lifetimeHours, ...spec }: CertificateSpec,
  nowMs: number,
  key?: string,
): Promise<PemPair> {
  const issued = await issueCertificate({
    ...spec,
    issuer: { certificate: issuer.crt, key: issuer.key },
    subject: { commonName, organizations },
    ...validityFrom(nowMs, lifetimeHours),
    key,
  });
  return { crt: issued.certificate, key: issued.key };
}
