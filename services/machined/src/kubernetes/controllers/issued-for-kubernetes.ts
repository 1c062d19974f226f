import { IssuedCertificates } from '../../secrets/controllers/issued-certificates.ts';
import { certificateLifetimeMs } from '../domain/kubernetes-certificates.ts';

/** Remembers certificates of Kubernetes, which are renewed after half a year. */
export const openIssuedForKubernetes = () => new IssuedCertificates(certificateLifetimeMs / 2);
