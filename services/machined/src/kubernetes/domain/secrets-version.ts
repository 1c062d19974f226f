// The version of the secret files: it decides which pods are replaced when a file changes.
import { createHash } from 'node:crypto';
import { type ComponentName, components } from '@nodewright/node-files';
import type { ComponentFiles } from './component-files.ts';

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

/** Half of the digits of a SHA-256 identify the files, and do not give away what is in them. */
const digits = 32;

/** One part for each component, which changes with the files that it reads when it starts. */
export function secretsVersion(files: ComponentFiles): string {
  return components.map((component) => digestOf(files[component] ?? {}, reloadedFiles[component])).join('.');
}

/** The part of a version that concerns a component. */
export function secretsVersionOf(version: string, component: ComponentName): string {
  return version.split('.')[components.indexOf(component)] ?? version;
}

function digestOf(files: Readonly<Record<string, string>>, reloaded: readonly string[]): string {
  const read = Object.entries(files)
    .filter(([name]) => !reloaded.includes(name))
    .sort(([a], [b]) => (a < b ? -1 : 1));
  return createHash('sha256').update(JSON.stringify(read)).digest('hex').slice(0, digits);
}
