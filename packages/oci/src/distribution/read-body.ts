import type { IncomingMessage } from 'node:http';
import { Fault, faultFrom } from '@nodewright/fault';

/** How long a small response may take, however it is sent: 4 MiB at 35 KB per second. */
export const smallBodyMs = 120_000;

/**
 * Reads a small response completely.
 *
 * @throws Fault `aborted` for a response that ends early, or is not complete within the time; `data-loss` for a longer one
 */
export async function readBody(
  answer: IncomingMessage,
  limitBytes: number,
  timeoutMs = smallBodyMs,
): Promise<Buffer> {
  const pieces: Uint8Array[] = [];
  let sizeBytes = 0;
  const timer = setTimeout(
    () => answer.destroy(new Fault('aborted', `a small answer was not complete within ${timeoutMs / 1000}s`)),
    timeoutMs,
  );
  try {
    for await (const piece of bodyOf(answer)) {
      sizeBytes += piece.length;
      if (sizeBytes > limitBytes)
        throw new Fault('data-loss', `an answer of more than ${limitBytes} bytes where a small one was due`);
      pieces.push(piece);
    }
  } finally {
    clearTimeout(timer);
  }
  return Buffer.concat(pieces);
}

const discardLimitBytes = 64 * 1024;

/**
 * Discards an unused response, so that its connection can be reused. An endless response loses its
 * connection.
 */
export function discardBody(answer: IncomingMessage): void {
  let sizeBytes = 0;
  answer.on('error', () => {});
  answer.on('data', (piece: Uint8Array) => {
    sizeBytes += piece.length;
    if (sizeBytes > discardLimitBytes) answer.destroy();
  });
}

/**
 * Streams a response in pieces; a broken connection is a Fault `aborted`. Leaving the loop closes the
 * connection.
 */
export async function* bodyOf(answer: IncomingMessage): AsyncGenerator<Uint8Array> {
  try {
    yield* answer;
  } catch (error) {
    const fault = faultFrom(error);
    if (error instanceof Fault || fault.kind === 'cancelled') throw fault;
    throw new Fault('aborted', `the connection to the registry broke: ${fault.message}`, { cause: error });
  }
}
