/** The size of one message in a stream of bytes. Source: Talos v1.14: Copy, Read. */
const chunkBytes = 1024;

/** Splits `bytes` into messages, which share its memory. Use it in a loop: `yield*` takes twice the time. */
export function* fileChunks(bytes: Buffer): Generator<{ bytes: Buffer }> {
  for (let at = 0; at < bytes.length; at += chunkBytes) yield { bytes: bytes.subarray(at, at + chunkBytes) };
}
