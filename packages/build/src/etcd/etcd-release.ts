import { etcdVersion } from '@nodewright/provision/stack-document';
import type { Architecture } from '../architecture.ts';

export { etcdVersion };

/** The programs that are taken from an archive or built. */
export const etcdPrograms = ['etcd', 'etcdutl', 'etcdctl'] as const;

/** Name of the folder inside an archive, which is also the archive's name without its suffix. */
export function archiveName(architecture: Architecture): string {
  return `etcd-v${etcdVersion}-linux-${architecture}`;
}

/** Where etcd's own project publishes this release: archives and the list of their sums. */
export const releaseUrl = `https://github.com/etcd-io/etcd/releases/download/v${etcdVersion}`;
