/** Where a lock is. */
export interface LockPlace {
  /** A folder of this user. */
  readonly folder: string;
  /** Begins the names of its sockets. */
  readonly name: 'change' | 'supervisor';
}

/** Where the process of a lock runs, in 8 hexadecimal digits each. */
export interface LockHost {
  readonly host: string;
  readonly boot: string;
}

const pattern = /^(?<name>[a-z]+)\.(?<host>[0-9a-f]{8})\.(?<boot>[0-9a-f]{8})\.[0-9a-f]{16}\.(sock|draft)$/;

/** The name of a file of the lock. */
export function lockEntryName({ name }: Pick<LockPlace, 'name'>, { host, boot }: LockHost, rest: string) {
  return `${name}.${host}.${boot}.${rest}`;
}

/** Whether a file with this name belongs to the lock. */
export function isLockEntry({ name }: Pick<LockPlace, 'name'>, entry: string): boolean {
  return pattern.exec(entry)?.groups?.name === name;
}

/**
 * Whether the process of a lock may run although nobody listens here: it may do so on another host, but neither in this boot, whose
 * kernel has all its sockets, nor in an earlier one of this host.
 */
export function mayBeAlive(entry: string, here: LockHost): boolean {
  const { host, boot } = pattern.exec(entry)?.groups ?? {};
  return boot !== here.boot && host !== here.host;
}
