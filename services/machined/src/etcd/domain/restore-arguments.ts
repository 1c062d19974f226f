import type { SnapshotRestore } from './etcd-runtime.ts';

/** The arguments of etcdutl to create a data directory from a snapshot. */
export function restoreArguments(
  { name, peerUrls, initialCluster, initialClusterToken, skipHashCheck }: SnapshotRestore,
  paths: { readonly snapshot: string; readonly data: string },
): string[] {
  return [
    ...['snapshot', 'restore', paths.snapshot],
    ...[`--name=${name}`, `--data-dir=${paths.data}`],
    `--initial-cluster=${initialCluster}`,
    `--initial-cluster-token=${initialClusterToken}`,
    `--initial-advertise-peer-urls=${peerUrls.join(',')}`,
    ...(skipHashCheck ? ['--skip-hash-check'] : []),
  ];
}
