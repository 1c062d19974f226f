import type { EncodedSpec, KindRef } from '@nodewright/state';

/** The one kind whose resources can be changed through the API, and the one that is in force. */
export const configurationKind: KindRef<EncodedSpec> = {
  namespace: 'config',
  type: 'MachineConfigs.config.talos.dev',
};
export const activeId = 'v1alpha1';
