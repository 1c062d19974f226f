import { defineKind, type SpecOf } from '../../meta/define-kind.ts';
import { field, text } from '../../spec/field-types.ts';

/** Encryption of Kubernetes resources in etcd. It contains keys. */
export const etcdEncryptionConfigs = defineKind({
  type: 'EtcdEncryptionConfigs.kubernetes.talos.dev',
  defaultNamespace: 'k8s',
  singleton: 'k8s',
  isSensitive: true,
  spec: {
    /** An EncryptionConfiguration as YAML. */
    configuration: field(1, text),
  },
});
export type EtcdEncryptionConfigSpec = SpecOf<typeof etcdEncryptionConfigs>;
