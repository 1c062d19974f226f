import { Socket } from 'node:net';
import { TLSSocket } from 'node:tls';
import { scratch } from './read-blocks.ts';

/** Gets the number of bytes that are at the front of `scratch` until it returns. */
export type ScratchReader = (length: number) => void;

/** The properties in which a socket of Node.js has the buffer of its option `onread`, and the function that is called after each read. */
interface Keys {
  readonly buffer: symbol;
  readonly callback: symbol;
}

type SocketWithKeys = Socket & Record<symbol, unknown>;

let foundKeys: Keys | 'none' | undefined;

/**
 * Has a TLS connection read into `scratch`, and passes its reads to `read` instead of emitting them. Bytes that had been read before are
 * still emitted. Call it before anything listens for data.
 *
 * By default each read gets new memory, an object that owns it, and a way through the stream, with a further turn of the queue of
 * microtasks after it. For small requests this takes about a tenth of a gateway's processor time. The option `onread` saves it, but Node.js
 * takes this option for clients only. So this sets for any TLS connection what the option sets. Returns false where Node.js has no such
 * properties any more; then reads are emitted as before.
 */
export function readIntoScratch(socket: Socket, read: ScratchReader): boolean {
  if (!(socket instanceof TLSSocket)) return false;
  foundKeys ??= findKeys() ?? 'none';
  const handle = (socket as { _handle?: { useUserBuffer?: (buffer: Uint8Array) => void } | null })._handle;
  if (foundKeys === 'none' || typeof handle?.useUserBuffer !== 'function') return false;
  const target = socket as unknown as SocketWithKeys;
  target[foundKeys.buffer] = scratch;
  target[foundKeys.callback] = (length: number) => {
    // What was read before comes first.
    if (socket.readableLength > 0) return socket.push(Buffer.from(scratch.subarray(0, length)));
    enterRead();
    try {
      read(length);
    } finally {
      isReading = false;
    }
    return true;
  };
  handle.useUserBuffer(scratch);
  return true;
}

let isReading = false;

/** A read within another one would have replaced its bytes: better no process than one that mixes up calls. */
function enterRead(): void {
  if (isReading) throw new Error('two TLS connections read into the same memory at once');
  isReading = true;
}

function findKeys(): Keys | undefined {
  const onread = { buffer: Buffer.alloc(1), callback: () => true };
  const probe = new Socket({ onread }) as unknown as SocketWithKeys;
  const keyOf = (value: unknown) =>
    Object.getOwnPropertySymbols(probe).find((symbol) => probe[symbol] === value);
  const [buffer, callback] = [keyOf(onread.buffer), keyOf(onread.callback)];
  probe.destroy();
  return buffer === undefined || callback === undefined ? undefined : { buffer, callback };
}
