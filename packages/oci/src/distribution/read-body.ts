import type { IncomingMessage } from 'node:http';
import { Fault, faultFrom } from '@nodewright/fault';

/** The whole of a small answer. */
export async function readBody(answer: IncomingMessage, limitBytes: number): Promise<Buffer> {
  const pieces: Uint8Array[] = [];
  let sizeBytes = 0;
  for await (const piece of bodyOf(answer)) {
    sizeBytes += piece.length;
    if (sizeBytes > limitBytes)
      throw new Fault('data-loss', `an answer of more than ${limitBytes} bytes where a small one was due`);
    pieces.push(piece);
  }
  return Buffer.concat(pieces);
}

const discardLimitBytes = 64 * 1024;

/** Passes over an answer that nobody reads, so that its connection serves again; one without an end costs its connection. */
export function discardBody(answer: IncomingMessage): void {
  let sizeBytes = 0;
  answer.on('error', () => {});
  answer.on('data', (piece: Uint8Array) => {
    sizeBytes += piece.length;
    if (sizeBytes > discardLimitBytes) answer.destroy();
  });
}

/** An answer in pieces; a connection that breaks is a Fault `aborted`. Leaving the loop ends the connection. */
export async function* bodyOf(answer: IncomingMessage): AsyncGenerator<Uint8Array> {
  try {
    yield* answer;
  } catch (error) {
    const fault = faultFrom(error);
    if (error instanceof Fault || fault.kind === 'cancelled') throw fault;
    throw new Fault('aborted', `the connection to the registry broke: ${fault.message}`, { cause: error });
  }
}
