import type { EncodedSpec, KindRef } from '@nodewright/state';

/** The only resource type that clients can change. Its resource `v1alpha1` is the active configuration. */
export const configurationKind: KindRef<EncodedSpec> = {
  namespace: 'config',
  type: 'MachineConfigs.config.talos.dev',
};
export const activeId = 'v1alpha1';
