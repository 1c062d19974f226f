// An HTTP/2 client that ignores the rules: it sends the given frames whatever limits the server has
// announced. A library would queue the excess calls on the client's side, and the server would not be
// attacked.
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { connect, type TLSSocket } from 'node:tls';
import { cancelFrame, flags, frame, frameHeadBytes, frameTypes, preface, settingFrame } from './frame.ts';

export interface ServerAddress {
  readonly host: string;
  readonly port: number;
}

/** In PEM. The key is a secret of the run. */
export interface Credentials {
  readonly certificate: string;
  readonly key: string;
}

const maxConcurrentStreamsSetting = 0x3;
const initialWindowSetting = 0x4;
/** How long to wait for a server that accepts no more calls, in milliseconds. */
const roomMs = 200;
const emptySettings = frame(frameTypes.settings, 0, 0, new Uint8Array());
const settingsAcknowledged = frame(frameTypes.settings, flags.acknowledge, 0, new Uint8Array());

export interface RawConnectionInit {
  readonly credentials: Credentials | undefined;
  /** Aborts at the end of the attack, which ends all waits. */
  readonly signal: AbortSignal;
  /** The window that the server may send on each stream, in bytes; the default of HTTP/2 when `undefined`. */
  readonly window?: number | undefined;
}

export class RawConnection implements Disposable {
  readonly socket: TLSSocket;
  /** Number of received frames, by type. */
  readonly received = new Map<number, number>();
  #rest: Buffer = Buffer.alloc(0);
  #nextStream = 1;
  /** How many concurrent calls the server allows; 0 until it has announced a limit. */
  #granted = 0;
  /** Calls that neither side has ended. */
  readonly #calls = new Set<number>();

  readonly #signal: AbortSignal;

  private constructor(socket: TLSSocket, { signal, window }: RawConnectionInit) {
    this.socket = socket;
    this.#signal = signal;
    socket.on('error', () => {});
    socket.on('data', (chunk: Buffer) => this.#take(chunk));
    const settings = window === undefined ? emptySettings : settingFrame(initialWindowSetting, window);
    socket.write(Buffer.concat([preface, settings]));
  }

  /** Rejects when the handshake fails, or when the attack ends first. */
  static async open(server: ServerAddress, init: RawConnectionInit): Promise<RawConnection> {
    const { credentials, signal } = init;
    const socket = connect({
      ...server,
      rejectUnauthorized: false,
      ...(credentials && { cert: credentials.certificate, key: credentials.key }),
      minVersion: 'TLSv1.3',
      ALPNProtocols: ['h2'],
    });
    try {
      await once(socket, 'secureConnect', { signal });
    } catch (error) {
      socket.destroy();
      throw error;
    }
    return new RawConnection(socket, init);
  }

  get isOpen(): boolean {
    return !this.socket.destroyed && this.socket.writable;
  }

  count(type: number): number {
    return this.received.get(type) ?? 0;
  }

  /** Calls without a complete answer. */
  get openCalls(): number {
    return this.#calls.size;
  }

  /** The id of a new stream. */
  stream(): number {
    const id = this.#nextStream;
    this.#nextStream += 2;
    this.#calls.add(id);
    return id;
  }

  /**
   * How many calls may start by the server's limit, at most `most`; 0 when the server accepts none for a
   * while, or has disconnected.
   */
  async room(most: number): Promise<number> {
    const endMs = performance.now() + roomMs;
    while (this.isOpen && !this.#signal.aborted && performance.now() < endMs) {
      const room = Math.min(most, this.#granted - this.#calls.size);
      if (room > 0) return room;
      await sleep(1);
    }
    return 0;
  }

  /** Cancels calls. */
  async cancel(streams: readonly number[]): Promise<void> {
    for (const stream of streams) this.#calls.delete(stream);
    await this.send(...streams.map(cancelFrame));
  }

  /** Sends frames. Resolves when there is room for more, or when the connection or the attack has ended. */
  async send(...frames: readonly Uint8Array[]): Promise<void> {
    if (!this.isOpen || this.#signal.aborted) return;
    if (this.socket.write(Buffer.concat(frames))) return;
    const waiting = new AbortController();
    const signal = AbortSignal.any([waiting.signal, this.#signal]);
    const ended = [once(this.socket, 'drain', { signal }), once(this.socket, 'close', { signal })];
    await Promise.race(ended.map((event) => event.catch(() => {})));
    waiting.abort();
  }

  [Symbol.dispose](): void {
    this.socket.destroy();
  }

  #take(chunk: Buffer): void {
    this.#rest = this.#rest.length === 0 ? chunk : Buffer.concat([this.#rest, chunk]);
    while (this.#rest.length >= frameHeadBytes) {
      const size = frameHeadBytes + this.#rest.readUIntBE(0, 3);
      if (this.#rest.length < size) return;
      const type = this.#rest.readUInt8(3);
      const bits = this.#rest.readUInt8(4);
      const isAnswer = (bits & flags.acknowledge) !== 0;
      this.received.set(type, this.count(type) + 1);
      if (type === frameTypes.resetStream || (isMessage(type) && (bits & flags.endStream) !== 0)) {
        this.#calls.delete(this.#rest.readUInt32BE(5));
      }
      if (type === frameTypes.settings && !isAnswer) this.#note(this.#rest.subarray(frameHeadBytes, size));
      if (type === frameTypes.settings && !isAnswer) this.socket.write(settingsAcknowledged);
      if (type === frameTypes.ping && !isAnswer) {
        const payload = this.#rest.subarray(frameHeadBytes, size);
        this.socket.write(frame(frameTypes.ping, flags.acknowledge, 0, payload));
      }
      this.#rest = this.#rest.subarray(size);
    }
  }

  #note(settings: Buffer): void {
    for (let at = 0; at + 6 <= settings.length; at += 6) {
      if (settings.readUInt16BE(at) === maxConcurrentStreamsSetting)
        this.#granted = settings.readUInt32BE(at + 2);
    }
  }
}

const isMessage = (type: number) => type === frameTypes.headers || type === frameTypes.data;
