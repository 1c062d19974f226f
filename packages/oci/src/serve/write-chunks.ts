import type { ServerResponse } from 'node:http';
import { Fault } from '@nodewright/fault';
import type { ClientWait } from './client-shares.ts';

/**
 * Writes chunks one after the other, each once the kernel has taken the last one: the source may reuse its buffers, and a slow
 * client holds no more than one chunk. It makes no timer and no listener for each chunk, because a blob has thousands.
 *
 * @param limits `stallMs` for the client to take one chunk; `wait` counts how long it has taken for all
 * @returns the number of bytes
 * @throws Fault `aborted` when the client takes a chunk too slowly, or is gone
 */
export async function writeChunks(
  response: ServerResponse,
  chunks: AsyncIterable<Uint8Array>,
  { stallMs, wait }: { readonly stallMs: number; readonly wait: ClientWait },
): Promise<number> {
  let sizeBytes = 0;
  let leave = () => {};
  let reason = 'the client is gone';
  const onClose = () => leave();
  response.on('close', onClose);
  const timer = setTimeout(() => {
    reason = 'the client reads too slowly';
    leave();
  }, stallMs);
  try {
    for await (const chunk of chunks) {
      timer.refresh();
      const { promise, resolve, reject } = Promise.withResolvers<void>();
      leave = () => reject(new Fault('aborted', reason));
      if (response.destroyed) leave();
      wait.begin(performance.now());
      response.write(chunk, (error) => (error ? leave() : resolve()));
      await promise;
      wait.over(performance.now());
      leave = () => {};
      sizeBytes += chunk.length;
    }
  } finally {
    clearTimeout(timer);
    response.off('close', onClose);
  }
  return sizeBytes;
}
