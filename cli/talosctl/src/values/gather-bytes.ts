/** The minimum size of a joined piece, which makes a system call worthwhile. */
const gatheredBytes = 64 * 1024;

/**
 * Joins the pieces of a stream to pieces of at least 64 KiB, except for the last one. Nodes send pieces of 1 KiB, and
 * the cost of handling a piece exceeds that of its bytes. The bytes before a failure are yielded before it is thrown.
 */
export async function* gatherBytes(
  pieces: AsyncIterable<{ readonly bytes: Uint8Array }>,
): AsyncGenerator<{ readonly bytes: Uint8Array }, void, undefined> {
  let parts: Uint8Array[] = [];
  let length = 0;
  const take = () => {
    const bytes = Buffer.concat(parts, length);
    parts = [];
    length = 0;
    return { bytes };
  };
  try {
    for await (const { bytes } of pieces) {
      parts.push(bytes);
      length += bytes.length;
      if (length >= gatheredBytes) yield take();
    }
  } catch (error) {
    if (length > 0) yield take();
    throw error;
  }
  if (length > 0) yield take();
}
