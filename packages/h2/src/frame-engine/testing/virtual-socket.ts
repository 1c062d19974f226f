import type { Socket } from 'node:net';
import { Duplex } from 'node:stream';

/** A socket without a network. */
export class VirtualSocket extends Duplex {
  #incoming: (Buffer | null)[] = [];
  /** Gets the bytes that were written; they may change once it has returned. `null` is the end. */
  send: (bytes: Buffer | null) => void = () => {};

  get asSocket(): Socket {
    return this as unknown as Socket;
  }

  /** Brings bytes of the peer, in a later turn of the event loop: no socket reads while it writes. */
  bring(bytes: Buffer | null): void {
    if (this.#incoming.push(bytes) === 1) setImmediate(() => this.#readAll());
  }

  setNoDelay(): this {
    return this;
  }

  override _write(bytes: Buffer, _encoding: BufferEncoding, written: () => void): void {
    this.send(bytes);
    written();
  }

  override _destroy(error: Error | null, closed: (error: Error | null) => void): void {
    this.send(null);
    closed(error);
  }

  override _read(): void {}

  #readAll(): void {
    const incoming = this.#incoming;
    this.#incoming = [];
    for (const bytes of incoming) this.push(bytes);
  }
}

/** Larger pieces are bodies, which the tests do not change; smaller ones are in memory that the engine uses again. */
const copiedBytes = 8192;
const kept = (bytes: Buffer | null) =>
  bytes === null || bytes.length > copiedBytes ? bytes : Buffer.from(bytes);

/** Connects two sockets without a network. */
export function openVirtualPair(): { near: VirtualSocket; far: VirtualSocket } {
  const [near, far] = [new VirtualSocket(), new VirtualSocket()];
  near.send = (bytes) => far.bring(kept(bytes));
  far.send = (bytes) => near.bring(kept(bytes));
  return { near, far };
}
