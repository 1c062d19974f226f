import { defineKind, type SpecOf } from '../../meta/define-kind.ts';
import { field, text } from '../../spec/field-types.ts';

/** How Kubernetes encrypts in etcd. It holds keys. */
export const etcdEncryptionConfigs = defineKind({
  type: 'EtcdEncryptionConfigs.kubernetes.talos.dev',
  defaultNamespace: 'k8s',
  singleton: 'k8s',
  isSensitive: true,
  spec: {
    /** A document of YAML. */
    configuration: field(1, text),
  },
});
export type EtcdEncryptionConfigSpec = SpecOf<typeof etcdEncryptionConfigs>;
