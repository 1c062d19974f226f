import { encodeYaml, type JsonObject } from '@nodewright/state';
import type { KubernetesRootSecretSpec } from '@nodewright/state/kinds';

/**
 * The EncryptionConfiguration of resources in etcd, as YAML. The first provider writes, all of them read. It holds keys.
 * Source: Talos v1.14: encryption of secrets. Source: Kubernetes: EncryptionConfiguration (v1).
 */
export function etcdEncryptionText(
  root: Pick<
    KubernetesRootSecretSpec,
    'etcdEncryptionConfig' | 'secretboxEncryptionSecret' | 'aesCBCEncryptionSecret'
  >,
): string {
  const body =
    Object.keys(root.etcdEncryptionConfig).length > 0 ? root.etcdEncryptionConfig : fromSecrets(root);
  return encodeYaml({ apiVersion: 'apiserver.config.k8s.io/v1', kind: 'EncryptionConfiguration', ...body });
}

function fromSecrets({
  secretboxEncryptionSecret: secretbox,
  aesCBCEncryptionSecret: aescbc,
}: Pick<KubernetesRootSecretSpec, 'secretboxEncryptionSecret' | 'aesCBCEncryptionSecret'>): JsonObject {
  const keyed = (provider: string, name: string, secret: string) =>
    secret === '' ? [] : [{ [provider]: { keys: [{ name, secret }] } }];
  const providers = [
    ...keyed('secretbox', 'key2', secretbox),
    ...keyed('aescbc', 'key1', aescbc),
    { identity: {} },
  ];
  return { resources: [{ resources: ['secrets'], providers }] };
}
