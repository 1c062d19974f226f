import type { Socket } from 'node:net';
import { addressBlock } from './address-block.ts';

/** How many TLS handshakes may run at the same time, and how long each may take. */
export interface HandshakeLimits {
  readonly inFlight: number;
  readonly timeoutMs: number;
}

interface Handshaking {
  readonly socket: Socket;
  readonly block: string;
}

/**
 * Limits the connections that have not completed their handshake. When there are too many, the address with
 * the most loses its oldest one, so that many silent connections do not block other clients.
 */
export class HandshakeGate {
  readonly #inFlight: number;
  /** Handshakes by peer, the oldest first. */
  readonly #handshakes = new Map<string, Handshaking>();
  readonly #perBlock = new Map<string, number>();

  constructor({ inFlight }: Pick<HandshakeLimits, 'inFlight'>) {
    this.#inFlight = inFlight;
  }

  get size(): number {
    return this.#handshakes.size;
  }

  /**
   * Counts an accepted connection until `done` or until it closes. Returns the socket that was destroyed to
   * make room, if any.
   */
  begin(socket: Socket): Socket | undefined {
    const evicted = this.#handshakes.size >= this.#inFlight ? this.#evict() : undefined;
    const key = peerKey(socket);
    const block = addressBlock(socket.remoteAddress ?? '');
    this.#handshakes.set(key, { socket, block });
    this.#perBlock.set(block, (this.#perBlock.get(block) ?? 0) + 1);
    socket.once('close', () => this.#forget(key, socket));
    return evicted;
  }

  /** The handshake of this peer is complete. `socket` may be the TLS socket, because it has the same peer. */
  done(socket: Socket): void {
    const key = peerKey(socket);
    this.#forget(key, this.#handshakes.get(key)?.socket);
  }

  /** Destroys all connections that have not completed their handshake. */
  destroyAll(): void {
    for (const { socket } of this.#handshakes.values()) socket.destroy();
  }

  #evict(): Socket | undefined {
    let most: string | undefined;
    for (const [block, count] of this.#perBlock) {
      if (most === undefined || count > (this.#perBlock.get(most) ?? 0)) most = block;
    }
    for (const [key, { socket, block }] of this.#handshakes) {
      if (block !== most) continue;
      this.#forget(key, socket);
      socket.destroy();
      return socket;
    }
    return undefined;
  }

  #forget(key: string, socket: Socket | undefined): void {
    const known = this.#handshakes.get(key);
    if (known === undefined || known.socket !== socket) return;
    this.#handshakes.delete(key);
    const left = (this.#perBlock.get(known.block) ?? 1) - 1;
    if (left === 0) this.#perBlock.delete(known.block);
    else this.#perBlock.set(known.block, left);
  }
}

/** The TLS socket hides the accepted socket, but both report the same peer. */
function peerKey(socket: Socket): string {
  return `${socket.remoteAddress} ${socket.remotePort}`;
}
