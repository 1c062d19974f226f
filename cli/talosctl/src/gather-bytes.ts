/** As much as is worth a call of the kernel. */
const gatheredBytes = 64 * 1024;

/**
 * The same bytes in pieces of 64 KiB and a bit, and a rest: nodes send 1 KiB at a time, and passing a piece on costs
 * more than its bytes. What came before a failure is passed on before it.
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
