import { once } from 'node:events';
import type { Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import type { InboundCall } from '../../call.ts';
import { type OpenSockets, openSocketPair } from '../../conformance/index.ts';
import { gatewayLimits, type H2Engine, type H2Limits, type ServerConnection } from '../../engine.ts';
import { frameEngine } from '../frame-engine.ts';
import { frameTypes } from '../frame-types.ts';
import { preface } from './frames.ts';

export interface ReceivedFrame {
  readonly type: number;
  readonly flags: number;
  readonly stream: number;
  readonly payload: Buffer;
}

/** A client that sends exactly the bytes of a test, and records the frames that it gets. */
export class RawPeer implements AsyncDisposable {
  readonly socket: Socket;
  readonly server: ServerConnection;
  readonly errors: string[];
  readonly frames: ReceivedFrame[] = [];
  readonly closed: Promise<unknown>;
  #rest: Buffer = Buffer.alloc(0);

  private constructor(socket: Socket, server: ServerConnection, errors: string[]) {
    this.socket = socket;
    this.server = server;
    this.errors = errors;
    socket.on('error', () => {});
    socket.on('data', (chunk: Buffer) => this.#read(chunk));
    this.closed = once(socket, 'close');
  }

  /** Connects to a server. `start` is sent first. */
  static async open(
    onCall: (call: InboundCall) => void,
    limits: Partial<H2Limits> = {},
    start: Uint8Array = preface,
    engine: H2Engine = frameEngine,
    openSockets: OpenSockets = openSocketPair,
  ): Promise<RawPeer> {
    const { near, far } = await openSockets();
    const errors: string[] = [];
    const server = engine.accept(
      far,
      { ...gatewayLimits, ...limits },
      { onCall, onError: (reason) => errors.push(reason) },
    );
    const peer = new RawPeer(near, server, errors);
    near.write(start);
    return peer;
  }

  send(...frames: readonly Uint8Array[]): void {
    this.socket.write(Buffer.concat(frames));
  }

  of(type: number, stream?: number): ReceivedFrame[] {
    return this.frames.filter((one) => one.type === type && (stream === undefined || one.stream === stream));
  }

  /** Waits for a frame that fulfils a condition. */
  async find(isWanted: (frame: ReceivedFrame) => boolean, what: string): Promise<ReceivedFrame> {
    for (const endMs = performance.now() + 60_000; performance.now() < endMs; ) {
      const found = this.frames.find(isWanted);
      if (found !== undefined) return found;
      await delay(2);
    }
    const seen = this.frames.map(({ type, flags, stream }) => `${type}/${flags}/${stream}`).join(' ');
    throw new Error(`${what} did not come; frames: ${seen}; errors: ${this.errors.join(', ')}`);
  }

  /** The error code of the GOAWAY that ends the connection. */
  async goawayCode(): Promise<number> {
    const { payload } = await this.find(({ type }) => type === frameTypes.goaway, 'GOAWAY');
    return payload.readUInt32BE(4);
  }

  /** The error code of the RST_STREAM for a stream. */
  async resetCode(stream: number): Promise<number> {
    const found = await this.find(
      (one) => one.type === frameTypes.resetStream && one.stream === stream,
      `RST_STREAM of ${stream}`,
    );
    return found.payload.readUInt32BE();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.socket.destroy();
    this.server.destroy();
    await Promise.all([this.closed, this.server.closed]);
  }

  #read(chunk: Buffer): void {
    this.#rest = Buffer.concat([this.#rest, chunk]);
    while (this.#rest.length >= 9) {
      const length = this.#rest.readUIntBE(0, 3);
      if (this.#rest.length < 9 + length) return;
      this.frames.push({
        type: this.#rest.readUInt8(3),
        flags: this.#rest.readUInt8(4),
        stream: this.#rest.readUInt32BE(5),
        payload: this.#rest.subarray(9, 9 + length),
      });
      this.#rest = this.#rest.subarray(9 + length);
    }
  }
}
