// A client and a backend without sockets, for `data-path.ts`.
import { EventEmitter } from 'node:events';
import type { Socket } from 'node:net';
import {
  data,
  endHeaders,
  endStream,
  frame,
  headers,
  number,
  preface,
  settings,
  settingsAnswer,
} from '../../../packages/h2/src/frame-engine/testing/frames.ts';

const clientPrefaceBytes = 24;
const frameHeadBytes = 9;
const headersType = 1;
const windowUpdateType = 8;
const message = (bytes: number) => Buffer.concat([Buffer.from([0]), number(bytes), Buffer.alloc(bytes, 7)]);

/** A socket whose other end is a function. */
class MemorySocket extends EventEmitter {
  readonly writableLength = 0;
  readonly #onWrite: (chunk: Buffer) => void;

  constructor(onWrite: (chunk: Buffer) => void) {
    super();
    this.#onWrite = onWrite;
  }

  write(chunk: Buffer): boolean {
    this.#onWrite(chunk);
    return true;
  }

  cork(): void {}
  uncork(): void {}
  setNoDelay(): void {}
  end(): void {}
  destroy(): void {}
}

/** Frames that are sent again and again on other streams. */
class FrameTemplate {
  readonly #bytes: Buffer;
  readonly #heads: number[] = [];

  constructor(...frames: readonly Buffer[]) {
    this.#bytes = Buffer.concat(frames);
    for (let at = 0; at < this.#bytes.length; at += frameHeadBytes + this.#bytes.readUIntBE(at, 3)) {
      this.#heads.push(at);
    }
  }

  /** The frames for each stream, and a window for the body that these streams have received. */
  fill(streams: readonly number[], windowBytes: number): Buffer {
    const template = this.#bytes;
    const bytes = Buffer.allocUnsafe(template.length * streams.length);
    streams.forEach((stream, index) => {
      const start = index * template.length;
      bytes.set(template, start);
      for (const head of this.#heads) bytes.writeUInt32BE(stream, start + head + 5);
    });
    return Buffer.concat([bytes, frame(windowUpdateType, 0, 0, number(windowBytes * streams.length))]);
  }
}

const requestBody = message(0);
const answerBody = message(59);
const request = new FrameTemplate(
  headers(1, [
    ...[':method', 'POST', ':scheme', 'https', ':path', '/machine.MachineService/Version'],
    ...[':authority', '127.0.0.1:50000', 'content-type', 'application/grpc', 'te', 'trailers'],
    ...['user-agent', 'grpc-go/1.85.0'],
  ]),
  data(1, requestBody, endStream),
);
const answer = new FrameTemplate(
  headers(1, [':status', '200', 'content-type', 'application/grpc']),
  data(1, answerBody),
  headers(1, ['grpc-status', '0', 'grpc-message', ''], endHeaders | endStream),
);

/** Calls `onHeaders` for each HEADERS frame in a chunk of whole frames, or of parts that begin with a frame. */
function eachHeaders(chunk: Buffer, start: number, onHeaders: (stream: number, flags: number) => void): void {
  let at = start;
  while (at + frameHeadBytes <= chunk.length) {
    if (chunk[at + 3] === headersType) onHeaders(chunk.readUInt32BE(at + 5), chunk[at + 4] as number);
    at += frameHeadBytes + chunk.readUIntBE(at, 3);
  }
}

/** A backend that answers the calls of a turn together, with a constant. */
export function createMemoryBackend(): Socket {
  let hasPreface = false;
  let calls: number[] = [];
  const answerAll = () => {
    const answered = calls;
    calls = [];
    socket.emit('data', answer.fill(answered, requestBody.length));
  };
  const socket = new MemorySocket((chunk) => {
    if (!hasPreface) setImmediate(() => socket.emit('data', Buffer.concat([settings(), settingsAnswer])));
    const before = calls.length;
    eachHeaders(chunk, hasPreface ? 0 : clientPrefaceBytes, (stream) => calls.push(stream));
    hasPreface = true;
    if (before === 0 && calls.length > 0) setImmediate(answerAll);
  });
  return socket as unknown as Socket;
}

/** A client that makes many calls with one packet. */
export class MemoryClient {
  readonly socket: Socket;
  readonly #socket: MemorySocket;
  #nextStream = 1;
  #open = 0;
  #done: (() => void) | undefined;

  constructor() {
    this.#socket = new MemorySocket((chunk) => {
      eachHeaders(chunk, 0, (_stream, flags) => {
        if ((flags & endStream) !== 0) this.#open -= 1;
      });
      if (this.#open === 0) this.#done?.();
    });
    this.socket = this.#socket as unknown as Socket;
  }

  start(): void {
    this.#socket.emit('data', preface);
  }

  /** Makes calls; resolves when all are answered. */
  async call(count: number): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#done = resolve;
    this.#open = count;
    const streams = Array.from({ length: count }, (_, index) => this.#nextStream + 2 * index);
    this.#nextStream += 2 * count;
    this.#socket.emit('data', request.fill(streams, answerBody.length));
    await promise;
  }
}
