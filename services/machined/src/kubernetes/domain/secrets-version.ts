// The version of the secret files: it decides which pods are replaced when a file changes.
import type { ComponentName } from '@nodewright/node-files';
import type { ComponentFiles } from './component-files.ts';
import { componentVersions } from './component-versions.ts';

/**
 * Files that a program reads again by itself when they change. All others, also those of a later release, it reads when it starts.
 * The controller manager publishes its `ca.crt` to all namespaces as it was at its start.
 */
export const reloadedFiles: Readonly<Record<ComponentName, readonly string[]>> = {
  'kube-apiserver': [
    ...[
      'ca.crt',
      'aggregator-ca.crt',
      'apiserver.crt',
      'apiserver.key',
      'etcd-client.crt',
      'etcd-client.key',
    ],
    ...['apiserver-kubelet-client.crt', 'apiserver-kubelet-client.key'],
    ...['front-proxy-client.crt', 'front-proxy-client.key'],
  ],
  'kube-controller-manager': [],
  'kube-scheduler': [],
};

/** One part for each component, which changes with the files that it reads when it starts. */
export function secretsVersion(files: ComponentFiles): string {
  return componentVersions(files, reloadedFiles);
}
