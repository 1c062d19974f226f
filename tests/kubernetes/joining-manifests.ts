import { ConfigReader, kubernetesIdentity, loadConfiguration } from '@nodewright/machine-config';

const group = 'rbac.authorization.k8s.io';
const bootstrappers = 'system:bootstrappers:nodes';

/**
 * What a cluster needs so that kubelets can join it with the token of a configuration, as documents for kubectl. Source: Kubernetes:
 * bootstrap tokens.
 */
export function joiningManifests(configuration: string): string {
  const { bootstrapToken } = kubernetesIdentity(new ConfigReader(loadConfiguration(configuration)));
  const [id = '', secret = ''] = bootstrapToken.split('.');
  const requests = 'system:certificates.k8s.io:certificatesigningrequests';
  const objects = [
    {
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { name: `bootstrap-token-${id}`, namespace: 'kube-system' },
      type: 'bootstrap.kubernetes.io/token',
      stringData: {
        ...{ 'token-id': id, 'token-secret': secret, 'usage-bootstrap-authentication': 'true' },
        'auth-extra-groups': bootstrappers,
      },
    },
    binding('system-bootstrap-node-bootstrapper', 'system:node-bootstrapper', [
      bootstrappers,
      'system:nodes',
    ]),
    binding('system-bootstrap-approve-node-client-csr', `${requests}:nodeclient`, [bootstrappers]),
    binding('system-bootstrap-node-renewal', `${requests}:selfnodeclient`, ['system:nodes']),
  ];
  return objects.map((object) => JSON.stringify(object)).join('\n---\n');
}

function binding(name: string, role: string, groups: readonly string[]) {
  return {
    apiVersion: `${group}/v1`,
    kind: 'ClusterRoleBinding',
    metadata: { name },
    subjects: groups.map((each) => ({ kind: 'Group', name: each, apiGroup: group })),
    roleRef: { kind: 'ClusterRole', name: role, apiGroup: group },
  };
}
