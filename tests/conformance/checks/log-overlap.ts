/** How a log went on between two answers that begin with its oldest byte. */
export interface LogOverlap {
  /** Bytes at the head of the first answer that the log has given up since. */
  readonly droppedBytes: number;
  /** Bytes at the end of the second answer that were logged since. */
  readonly addedBytes: number;
}

/** So many bytes from the start of an answer are searched for in the other one. */
const headBytes = 256;

/**
 * What the answers have in common: the end of `earlier` is the beginning of `later`. Undefined when nothing is, as when
 * lines are lost in the middle or stand in another order.
 */
export function overlapOf(earlier: Buffer, later: Buffer): LogOverlap | undefined {
  if (earlier.length === 0 || later.length === 0) return undefined;
  const head = later.subarray(0, Math.min(headBytes, earlier.length));
  for (let at = earlier.indexOf(head); at >= 0; at = earlier.indexOf(head, at + 1)) {
    const common = earlier.subarray(at);
    if (later.subarray(0, common.length).equals(common)) {
      return { droppedBytes: at, addedBytes: later.length - common.length };
    }
  }
  return undefined;
}

/** A log that keeps whole lines, or makes room for a line before it comes, gives up more than it takes, once. */
const slackBytes = 4096;

/** Whether both answers are everything: a log gives up its oldest bytes only for new ones. */
export function isSameLog(earlier: Buffer, later: Buffer): boolean {
  const overlap = overlapOf(earlier, later);
  if (overlap === undefined) return false;
  const { droppedBytes, addedBytes } = overlap;
  return droppedBytes === 0 || (addedBytes > 0 && droppedBytes <= addedBytes + slackBytes);
}
