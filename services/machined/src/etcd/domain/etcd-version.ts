/** The release numbers of etcd on which its flags depend. */
export interface EtcdVersion {
  readonly major: number;
  readonly minor: number;
}

/** Parses `etcd Version: 3.7.3` in the output of `etcd --version`; `undefined` for any other text. */
export function etcdVersionFrom(text: string): EtcdVersion | undefined {
  const [, major, minor] = /^etcd Version: (\d+)\.(\d+)\./m.exec(text) ?? [];
  return major === undefined || minor === undefined
    ? undefined
    : { major: Number(major), minor: Number(minor) };
}

/** `3.7`. */
export function etcdVersionText({ major, minor }: EtcdVersion): string {
  return `${major}.${minor}`;
}

/** Parses what `etcdVersionText()` returns; `undefined` for any other text. White space around it is ignored. */
export function parseEtcdVersion(text: string): EtcdVersion | undefined {
  const [, major, minor] = /^(\d+)\.(\d+)$/.exec(text.trim()) ?? [];
  return major === undefined || minor === undefined
    ? undefined
    : { major: Number(major), minor: Number(minor) };
}

/**
 * Parses the tag of an image. An unknown tag counts as the newest version. Source: Talos v1.14: versions for
 * features.
 */
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
