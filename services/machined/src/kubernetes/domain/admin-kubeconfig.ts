import { Fault } from '@nodewright/fault';
import type { EffectiveConfig, KubernetesIdentity } from '@nodewright/machine-config';
import { runsApiServer } from '@nodewright/node-files';
import type { KubeconfigInit } from './kubeconfig.ts';
import { bundleOf } from './secret-files.ts';

/** What an administrator's kubeconfig is made from. */
export interface AdminKubeconfigPlan {
  readonly issuer: { readonly crt: string; readonly key: string };
  /** 0 means the default. */
  readonly lifetimeMs: number;
  readonly kubeconfig: Omit<KubeconfigInit, 'certificate' | 'key'>;
}

/**
 * Plans the kubeconfig of an administrator. Source: Talos v1.14: Kubeconfig.
 *
 * @throws Fault `failed-precondition` on a node without the CA of Kubernetes
 */
export function planAdminKubeconfig(
  config: Pick<EffectiveConfig, 'machineType' | 'cluster'> | undefined,
  identity: KubernetesIdentity | undefined,
): AdminKubeconfigPlan {
  const issuing = identity?.ca.issuing;
  if (config === undefined || issuing === undefined || !runsApiServer(config))
    throw new Fault('failed-precondition', 'k8s API server CA config is not set');
  const { name, endpoint } = config.cluster;
  const user = `admin@${name}`;
  return {
    issuer: { crt: issuing.certificate, key: issuing.key },
    lifetimeMs: identity?.adminLifetimeMs ?? 0,
    kubeconfig: {
      cluster: name,
      server: endpoint,
      user,
      context: user,
      namespace: 'default',
      ca: bundleOf([issuing.certificate, ...(identity?.ca.accepted ?? [])].map((crt) => ({ crt }))),
    },
  };
}
