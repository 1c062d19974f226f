// Source: Talos v1.14: COSI resources, secrets.
import type { ResourceKind } from '../../meta/define-kind.ts';
import {
  apiCertificates,
  certSans,
  encryptionSalts,
  etcdSecrets,
  kubeletSecrets,
  kubernetesDynamicCerts,
  kubernetesSecrets,
  trustdCertificates,
} from './certificates.ts';
import { maintenanceRootSecrets, osRootSecrets } from './os-roots.ts';
import { etcdRootSecrets, kubernetesRootSecrets } from './roots.ts';

export * from './certificates.ts';
export * from './os-roots.ts';
export * from './roots.ts';

export const secretsKinds: readonly ResourceKind[] = [
  apiCertificates,
  certSans,
  encryptionSalts,
  etcdSecrets,
  etcdRootSecrets,
  kubeletSecrets,
  kubernetesSecrets,
  kubernetesDynamicCerts,
  kubernetesRootSecrets,
  maintenanceRootSecrets,
  osRootSecrets,
  trustdCertificates,
];
