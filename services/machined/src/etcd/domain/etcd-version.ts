/** A release of etcd, as far as flags depend on it. */
export interface EtcdVersion {
  readonly major: number;
  readonly minor: number;
}

/** `etcd Version: 3.5.16` of what the program says of itself; undefined for any other text. */
export function etcdVersionFrom(text: string): EtcdVersion | undefined {
  const [, major, minor] = /^etcd Version: (\d+)\.(\d+)\./m.exec(text) ?? [];
  return major === undefined || minor === undefined
    ? undefined
    : { major: Number(major), minor: Number(minor) };
}

/** Of an image: its tag. One that cannot be read counts as the newest. Source: Talos v1.14: versions for features. */
export function etcdVersionOfImage(image: string): EtcdVersion {
  const [, major, minor] = /:v?(\d+)\.(\d+)(?:[.-][^:/]*)?(?:@[^/]*)?$/.exec(image) ?? [];
  return major === undefined || minor === undefined
    ? newestEtcd
    : { major: Number(major), minor: Number(minor) };
}

export const newestEtcd: EtcdVersion = { major: Number.MAX_SAFE_INTEGER, minor: 0 };

export function isAtLeast(version: EtcdVersion, major: number, minor: number): boolean {
  return version.major > major || (version.major === major && version.minor >= minor);
}
