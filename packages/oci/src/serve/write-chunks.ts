import type { ServerResponse } from 'node:http';
import { Fault } from '@nodewright/fault';
import { largestChunkBytes } from '../cache/read-pieces.ts';
import type { ChunkTurns } from './chunk-turns.ts';
import type { ClientWait } from './client-shares.ts';

export interface WriteChunksInit {
  /** Called once, before the first chunk is sent. If that chunk cannot be read it is not called, so that the caller can answer with an error. */
  readonly sendHeaders: () => void;
  /** For the client to take one chunk. */
  readonly stallMs: number;
  /** Counts how long the client has taken for all chunks. */
  readonly wait: ClientWait;
  /** When to begin each chunk. */
  readonly turns: ChunkTurns;
  /** Of all chunks together; undefined when it is not known. */
  readonly answerBytes: number | undefined;
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
  { sendHeaders, stallMs, wait, turns, answerBytes = Number.POSITIVE_INFINITY }: WriteChunksInit,
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
  const nextTurn = () =>
    turns.next({ sentBytes: sizeBytes, chunkBytes: Math.min(largestChunkBytes, answerBytes - sizeBytes) });
  try {
    await nextTurn();
    for await (const chunk of chunks) {
      if (sizeBytes === 0) sendHeaders();
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
      if (sizeBytes < answerBytes) await nextTurn();
    }
    if (sizeBytes === 0) sendHeaders();
  } finally {
    clearTimeout(timer);
    response.off('close', onClose);
  }
  return sizeBytes;
}
