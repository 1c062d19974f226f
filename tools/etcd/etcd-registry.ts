// A registry on loopback with the image of etcd, for machines that can reach no other one.
import { dirname, join } from 'node:path';
import { makeTestImage, openTestRegistry, type TestRegistry } from '@nodewright/containers/testing';
import { ensureBusybox } from '../engine/ensure-busybox.ts';
import { ensureEtcd } from './ensure-etcd.ts';
import { etcdPrograms, etcdVersion } from './etcd-release.ts';

const host = 'registry.k8s.io';
/** The reference under which machines pull it, when the registry is a mirror of its host. */
export const mirroredEtcdImage = `${host}/etcd:v${etcdVersion}`;

/** Opens a registry that has etcd, built or fetched for this checkout. Disposing of it stops it. */
export async function openEtcdRegistry(checkout: string): Promise<TestRegistry> {
  const { etcd } = await ensureEtcd(checkout);
  const programs = Object.fromEntries(
    etcdPrograms.map((name) => [`usr/local/bin/${name}`, join(dirname(etcd), name)]),
  );
  const image = await makeTestImage({ busybox: ensureBusybox(checkout), programs });
  const registry = await openTestRegistry();
  registry.put('etcd', `v${etcdVersion}`, image.manifest, [image]);
  return registry;
}

/**
 * Configuration documents that make the registry a mirror of hosts of images.
 *
 * @param address of the registry's host, as machines reach it
 */
export function mirrorDocuments(
  registry: TestRegistry,
  address: string,
  hosts: readonly string[] = [],
): string {
  const port = registry.host.split(':').at(-1);
  const document = (name: string) => [
    ...['---', 'apiVersion: v1alpha1', 'kind: RegistryMirrorConfig', `name: ${name}`],
    ...['skipFallback: true', 'endpoints:', `  - url: http://${address}:${port}`],
  ];
  return `${[host, ...hosts].flatMap(document).join('\n')}\n`;
}
