import type { Socket } from 'node:net';
import { addressBlock } from './address-block.ts';

/** How many TLS handshakes may run at the same time, and how long each may take. */
export interface HandshakeLimits {
  readonly inFlight: number;
  readonly timeoutMs: number;
}

interface Handshaking {
  readonly block: string;
  readonly ends: string;
}

/**
 * Limits the connections that have not completed their handshake. When there are too many, the address with
 * the most loses its oldest one, so that many silent connections do not block other clients.
 */
export class HandshakeGate {
  readonly #inFlight: number;
  /**
   * By accepted socket, the oldest first. The addresses are no key: two connections may have the same ones, when the system has accepted
   * the second before the first is closed.
   */
  readonly #handshakes = new Map<Socket, Handshaking>();
  readonly #perBlock = new Map<string, number>();

  constructor({ inFlight }: Pick<HandshakeLimits, 'inFlight'>) {
    this.#inFlight = inFlight;
  }

  get size(): number {
    return this.#handshakes.size;
  }

  /**
   * Counts an accepted TCP connection until `done` or until it closes. Returns the socket that was destroyed to
   * make room, if any. A connection that its client had reset before it was accepted has no address: it is
   * destroyed, too, and not counted.
   */
  begin(socket: Socket): Socket | undefined {
    const { remoteAddress } = socket;
    if (remoteAddress === undefined) {
      socket.destroy();
      return undefined;
    }
    const evicted = this.#handshakes.size >= this.#inFlight ? this.#evict() : undefined;
    const block = addressBlock(remoteAddress);
    this.#handshakes.set(socket, { block, ends: endsOf(socket) });
    this.#perBlock.set(block, (this.#perBlock.get(block) ?? 0) + 1);
    socket.once('close', () => this.#forget(socket));
    return evicted;
  }

  /** The handshake is complete. `socket` is the accepted socket, or the TLS socket over it. */
  done(socket: Socket): void {
    this.#forget(this.#handshakes.has(socket) ? socket : this.#under(socket));
  }

  /** Destroys all connections that have not completed their handshake. */
  destroyAll(): void {
    for (const socket of this.#handshakes.keys()) socket.destroy();
  }

  #evict(): Socket | undefined {
    let most: string | undefined;
    for (const [block, count] of this.#perBlock) {
      if (most === undefined || count > (this.#perBlock.get(most) ?? 0)) most = block;
    }
    for (const [socket, { block }] of this.#handshakes) {
      if (block !== most) continue;
      this.#forget(socket);
      socket.destroy();
      return socket;
    }
    return undefined;
  }

  /** The accepted socket under a TLS socket, which hides it: the newest one between the same ends. */
  #under(tlsSocket: Socket): Socket | undefined {
    const wanted = endsOf(tlsSocket);
    let found: Socket | undefined;
    for (const [socket, { ends }] of this.#handshakes) if (ends === wanted) found = socket;
    return found;
  }

  #forget(socket: Socket | undefined): void {
    const known = socket === undefined ? undefined : this.#handshakes.get(socket);
    if (socket === undefined || known === undefined) return;
    this.#handshakes.delete(socket);
    const left = (this.#perBlock.get(known.block) ?? 1) - 1;
    if (left === 0) this.#perBlock.delete(known.block);
    else this.#perBlock.set(known.block, left);
  }
}

/** The addresses of both ends. A client may use one port for connections to several addresses of this host. */
function endsOf({ remoteAddress, remotePort, localAddress, localPort }: Socket): string {
  return `${remoteAddress} ${remotePort} ${localAddress} ${localPort}`;
}
