/**
 * What `read` gives; undefined when it fails. For files that may go away at every step, or be another user's: that is
 * an answer, not a failure.
 */
export function ifReadable<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch {
    return undefined;
  }
}
