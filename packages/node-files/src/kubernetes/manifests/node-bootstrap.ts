// What lets kubelets join the cluster, and what the pods of the node use. Source: Talos v1.14: bootstrap manifests.
import type { JsonObject } from '@nodewright/state';
import type { ManifestSecrets } from './bootstrap-manifests.ts';
import { clusterRole, groupBinding, readRule } from './rbac.ts';

/**
 * The token with which a new kubelet requests its first certificate. It does not expire. It holds a secret.
 * Source: Kubernetes: bootstrap tokens.
 */
export function bootstrapToken({ bootstrapTokenID, bootstrapTokenSecret }: ManifestSecrets): JsonObject {
  return {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { name: `bootstrap-token-${bootstrapTokenID}`, namespace: 'kube-system' },
    type: 'bootstrap.kubernetes.io/token',
    data: {
      'token-id': base64(bootstrapTokenID),
      'token-secret': base64(bootstrapTokenSecret),
      'usage-bootstrap-authentication': base64('true'),
      'auth-extra-groups': base64('system:bootstrappers:nodes'),
    },
  };
}

const base64 = (text: string) => Buffer.from(text).toString('base64');

export interface SigningRequestBinding {
  readonly name: string;
  readonly role: string;
  readonly groups: readonly string[];
}

/** Who may request certificates of kubelets, or gets them without the approval of a person. */
export function signingRequestBinding({ name, role, groups }: SigningRequestBinding): JsonObject {
  return groupBinding(name, role, groups);
}

const tokenFolder = '/var/run/secrets/kubernetes.io/serviceaccount';

/**
 * The kubeconfig of pods that reach the API server without the service network, such as kube-proxy. It names the token of
 * the pod instead of holding one.
 *
 * @param server URL of the API server as the pods of a node see it
 */
export function kubeconfigInCluster(server: string): JsonObject {
  const config = {
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [{ name: 'local', cluster: { server, 'certificate-authority': `${tokenFolder}/ca.crt` } }],
    users: [{ name: 'service-account', user: { tokenFile: `${tokenFolder}/token` } }],
    contexts: [{ name: 'service-account@local', context: { cluster: 'local', user: 'service-account' } }],
    'current-context': 'service-account@local',
  };
  return {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name: 'kubeconfig-in-cluster', namespace: 'kube-system' },
    // JSON is YAML, too.
    data: { kubeconfig: JSON.stringify(config, null, 2) },
  };
}

/** Lets nodes find the API servers of the cluster. */
export function nodeRbac(): JsonObject[] {
  const name = 'system:talos-nodes';
  return [
    clusterRole(name, [readRule('discovery.k8s.io', 'endpointslices')]),
    groupBinding(name, name, ['system:nodes']),
  ];
}
