import type { DocumentRules } from './checked-document.ts';
import { blockRules } from './documents/block-rules.ts';
import { containerRules } from './documents/container-rules.ts';
import { criRules } from './documents/cri-rules.ts';
import { kubernetesRules } from './documents/kubernetes-rules.ts';
import { linkRules } from './documents/link-rules.ts';
import { networkRules } from './documents/network-rules.ts';
import { runtimeRules } from './documents/runtime-rules.ts';
import { securityRules } from './documents/security-rules.ts';
import { storageRules } from './documents/storage-rules.ts';

/**
 * The rules of each kind of document. The values of kinds without an entry are checked only by the decoder.
 */
export const documentRules: DocumentRules = {
  ...blockRules,
  ...containerRules,
  ...criRules,
  ...kubernetesRules,
  ...linkRules,
  ...networkRules,
  ...runtimeRules,
  ...securityRules,
  ...storageRules,
};
