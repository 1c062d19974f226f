/** Where a lock is. */
export interface LockPlace {
  /** A folder of this user. */
  readonly folder: string;
  /** Begins the names of its sockets. */
  readonly name: 'change' | 'supervisor';
}

/** Whether a file with this name belongs to the lock. */
export function isLockEntry({ name }: Pick<LockPlace, 'name'>, entry: string): boolean {
  return /^[a-z]+\.[0-9a-f]{16}\.(sock|draft)$/.test(entry) && entry.startsWith(`${name}.`);
}
