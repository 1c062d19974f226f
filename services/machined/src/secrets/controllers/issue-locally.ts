import { issueCertificate } from '@nodewright/pki';
import type { CertificateSpec } from '../domain/certificate-specs.ts';

interface PemPair {
  readonly crt: string;
  readonly key: string;
}

/** Creates a key and a certificate for it, signed by a CA of the node itself. */
export async function issueLocally(
  issuer: PemPair,
  { commonName, organizations, ...spec }: CertificateSpec,
  nowMs: number,
): Promise<PemPair> {
  const { certificate, key } = await issueCertificate({
    ...spec,
    issuer: { certificate: issuer.crt, key: issuer.key },
    subject: { commonName, organizations },
    notBefore: new Date(nowMs),
  });
  return { crt: certificate, key };
}
