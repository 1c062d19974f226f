import type { CheckedDocument } from './checked-document.ts';

/**
 * Fields of the kubelet configuration that the system sets. Source: Talos v1.14: protected kubelet fields.
 */
const protectedFields = [
  'apiVersion',
  'authentication',
  'authorization',
  'cgroupRoot',
  'kind',
  'kubeletCgroups',
  'port',
  'protectKernelDefaults',
  'resolvConf',
  'rotateCertificates',
  'systemCgroups',
  'staticPodPath',
  'seccompDefault',
];

/** Rejects protected fields in the free-form object at the path. */
export function checkProtectedFields(document: CheckedDocument, ...path: string[]): void {
  for (const key of Object.keys(document.map(...path)))
    if (protectedFields.includes(key)) document.refuse('cannot be overridden', ...path, key);
}
