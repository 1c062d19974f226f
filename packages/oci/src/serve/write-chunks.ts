import type { ServerResponse } from 'node:http';
import { Fault } from '@nodewright/fault';
import type { ChunkTurns } from './chunk-turns.ts';
import type { ClientWait } from './client-shares.ts';

export interface WriteChunksInit {
  /** For the client to take one chunk. */
  readonly stallMs: number;
  /** Counts how long the client has taken for all chunks. */
  readonly wait: ClientWait;
  /** When to begin each chunk. */
  readonly turns: ChunkTurns;
}

/**
 * Writes chunks one after the other, each once the kernel has taken the last one: the source may reuse its buffers, and a slow
 * client holds no more than one chunk. It makes no timer and no listener for each chunk, because a blob has thousands.
 *
 * @returns the number of bytes
 * @throws Fault `aborted` when the client takes a chunk too slowly, or is gone
 */
export async function writeChunks(
  response: ServerResponse,
  chunks: AsyncIterable<Uint8Array>,
  { stallMs, wait, turns }: WriteChunksInit,
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
    await turns.next(sizeBytes);
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
      await turns.next(sizeBytes);
    }
  } finally {
    clearTimeout(timer);
    response.off('close', onClose);
  }
  return sizeBytes;
}
