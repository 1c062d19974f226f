/** How a log changed between two answers that begin with its oldest byte. */
export interface LogOverlap {
  /** Bytes at the start of the first answer that the log has dropped since. */
  readonly droppedBytes: number;
  /** Bytes at the end of the second answer that were logged since. */
  readonly addedBytes: number;
}

/** The number of bytes from the start of an answer that are searched for in the other one. */
const headBytes = 256;

/**
 * The overlap of the answers: the end of `earlier` is the start of `later`. `undefined` when there is none,
 * as when lines are lost in the middle or reordered.
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

/** A log that keeps whole lines, or frees space before a new line, may drop more than it adds once. */
const slackBytes = 4096;

/** Whether both answers are complete: a log drops its oldest bytes only for new ones. */
export function isSameLog(earlier: Buffer, later: Buffer): boolean {
  const overlap = overlapOf(earlier, later);
  if (overlap === undefined) return false;
  const { droppedBytes, addedBytes } = overlap;
  return droppedBytes === 0 || (addedBytes > 0 && droppedBytes <= addedBytes + slackBytes);
}
