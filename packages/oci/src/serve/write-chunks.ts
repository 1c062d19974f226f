import type { ServerResponse } from 'node:http';
import { Deadline, unlessAborted } from '@nodewright/async';
import { Fault } from '@nodewright/fault';

/**
 * Writes chunks one after the other, each once the kernel has taken the last one: the source may reuse its buffers, and a slow
 * client holds no more than one chunk.
 *
 * @returns the number of bytes
 * @throws Fault `aborted` when the client takes a chunk too slowly, or is gone
 */
export async function writeChunks(
  response: ServerResponse,
  chunks: AsyncIterable<Uint8Array>,
  { stallMs, signal }: { readonly stallMs: number; readonly signal: AbortSignal },
): Promise<number> {
  let sizeBytes = 0;
  for await (const chunk of chunks) {
    using deadline = new Deadline(stallMs, signal);
    await unlessAborted(write(response, chunk), deadline.signal).catch(() => {
      throw new Fault('aborted', deadline.isOver ? 'the client reads too slowly' : 'the client is gone');
    });
    sizeBytes += chunk.length;
  }
  return sizeBytes;
}

function write(response: ServerResponse, chunk: Uint8Array): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  response.write(chunk, (error) => (error ? reject(error) : resolve()));
  return promise;
}
