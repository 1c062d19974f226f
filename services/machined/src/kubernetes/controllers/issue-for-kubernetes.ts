import { issueLocally } from '../../secrets/controllers/issue-locally.ts';
import { IssuedCertificates } from '../../secrets/controllers/issued-certificates.ts';
import type { CertificateSpec } from '../../secrets/domain/certificate-specs.ts';
import { backdatingMs, certificateLifetimeMs } from '../domain/kubernetes-certificates.ts';

interface PemPair {
  readonly crt: string;
  readonly key: string;
}

/** Creates a key and a certificate for it, valid a little earlier than now. */
export function issueForKubernetes(ca: PemPair, spec: CertificateSpec, nowMs: number): Promise<PemPair> {
  return issueLocally(ca, spec, nowMs - backdatingMs);
}

/** Remembers certificates of Kubernetes, which are renewed after half a year. */
export const openIssuedForKubernetes = () => new IssuedCertificates(certificateLifetimeMs / 2);
