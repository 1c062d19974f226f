/** The version of the storage format when etcd itself does not report it. Source: Talos v1.14: EtcdStatus. */
export function storageVersionOf(status: {
  readonly storageVersion: string;
  readonly version: string;
}): string {
  if (status.storageVersion !== '') return status.storageVersion;
  const [, major, minor] = /^(\d+)\.(\d+)/.exec(status.version) ?? [];
  return major === undefined ? 'unknown' : `${major}.${minor}.0`;
}
