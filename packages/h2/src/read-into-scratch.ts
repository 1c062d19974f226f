import { Socket } from 'node:net';
import { TLSSocket } from 'node:tls';
import { type KeptWrite, keepWrite } from './kept-write.ts';
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

/** Set by the first connection, and kept for the life of the process so that V8 keeps the code for writes. */
let keptWrite: Promise<KeptWrite> | undefined;

/** Resolves when the object of a write is kept; `undefined` before the first connection. */
export const writeIsKept = () => keptWrite;

/**
 * Has a TLS connection read into `scratch`, and passes its reads to `read` instead of emitting them. Bytes that had been read before are
 * still emitted. Call it before anything listens for data.
 *
 * By default each read gets new memory and an object that owns it, and passes through the buffer of a stream, which schedules one more
 * callback. For small requests this takes up to a twentieth of a gateway's processor time. The option `onread` avoids it, but Node.js accepts
 * that for clients only. So this sets for any TLS connection what the option sets. Returns false where Node.js has no such properties
 * any more; then reads are emitted as before.
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
  keptWrite ??= keepWrite();
  return true;
}

let isReading = false;

/**
 * A read within another one would have replaced its bytes. Node.js makes none, because it decrypts only what a socket brings; if that
 * changes, it is better to end the process than to mix up calls.
 */
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
