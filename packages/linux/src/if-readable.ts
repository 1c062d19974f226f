/**
 * The result of `read`; undefined when it fails. For files that may disappear at any moment, or belong to
 * another user, where a failure is not an error.
 */
export function ifReadable<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch {
    return undefined;
  }
}
