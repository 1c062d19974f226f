import { issueCertificate, validityFrom } from '@nodewright/pki';
import type { CertificateSpec } from '../domain/certificate-specs.ts';

interface PemPair {
  readonly crt: string;
  readonly key: string;
}

/** Creates a key and a certificate for it, signed by a CA of the node itself. It begins some time before `nowMs`. */
export async function issueLocally(
  issuer: PemPair,
  { commonName, organizations, lifetimeHours, ...spec }: CertificateSpec,
  nowMs: number,
): Promise<PemPair> {
  const { certificate, key } = await issueCertificate({
    ...spec,
    issuer: { certificate: issuer.crt, key: issuer.key },
    subject: { commonName, organizations },
    ...validityFrom(nowMs, lifetimeHours),
  });
  return { crt: certificate, key };
}
