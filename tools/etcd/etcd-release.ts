import type { Architecture } from '../images/architecture.ts';

/** The release that is fetched from etcd's own project, when that can be reached. */
export const etcdRelease = {
  version: '3.5.27',
  /** SHA-256 of the archives, by architecture. */
  sha256: {
    amd64: '0aad9a9e4e0817a021e933f9806a2b2960a62f949ad5a3d6436d8886945cb1bc',
    arm64: '1277309f540c5a0329c428f95455c9f76d24f768c8d28fd2753e891c379053fa',
  },
} as const satisfies { version: string; sha256: Record<Architecture, string> };

/** The programs that are taken from an archive or from packages. */
export const etcdPrograms = ['etcd', 'etcdutl', 'etcdctl'] as const;

/** Name of the folder inside an archive, which is also the archive's name without its suffix. */
export function archiveName(architecture: Architecture): string {
  return `etcd-v${etcdRelease.version}-linux-${architecture}`;
}

/** Where etcd's own project publishes its archives. */
export function releaseUrl(architecture: Architecture): string {
  const project = 'https://github.com/etcd-io/etcd/releases/download';
  return `${project}/v${etcdRelease.version}/${archiveName(architecture)}.tar.gz`;
}
