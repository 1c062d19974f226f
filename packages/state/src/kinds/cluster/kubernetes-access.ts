import { defineKind, type SpecOf } from '../../meta/define-kind.ts';
import { bool, field, list, text } from '../../spec/field-types.ts';

/** Access from Kubernetes pods to the OS API. */
export const kubernetesAccessConfigs = defineKind({
  type: 'KubernetesAccessConfigs.cluster.talos.dev',
  defaultNamespace: 'config',
  singleton: 'config',
  spec: {
    enabled: field(1, bool),
    allowedAPIRoles: field(2, list(text)),
    allowedKubernetesNamespaces: field(3, list(text)),
  },
});
export type KubernetesAccessConfigSpec = SpecOf<typeof kubernetesAccessConfigs>;
