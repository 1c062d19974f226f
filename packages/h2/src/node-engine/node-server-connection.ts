import type { ServerHttp2Session } from 'node:http2';
import type { Socket } from 'node:net';
import type { H2Limits, ServerConnection, ServerHandlers } from '../engine.ts';
import { h2ErrorCodes } from '../error-codes.ts';
import { TokenBucket } from '../token-bucket.ts';
import { nodeHttp2 } from './node-http2.ts';
import { NodeInboundCall } from './node-inbound-call.ts';
import { sessionOptions } from './session-options.ts';

const endStreamFlag = 1;

/** A client's connection, served by node:http2. */
export class NodeServerConnection implements ServerConnection {
  readonly closed: Promise<void>;
  readonly #session: ServerHttp2Session;
  #callCount = 0;

  constructor(socket: Socket, limits: H2Limits, handlers: ServerHandlers) {
    // A server of node:http2 would refuse a socket without ALPN; performServerHandshake accepts it.
    const session = nodeHttp2().performServerHandshake(socket, sessionOptions(limits));
    this.#session = session;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.closed = promise;

    const preface = setTimeout(() => {
      handlers.onError(`the client sent no HTTP/2 preface within ${limits.prefaceTimeoutMs} ms`);
      session.destroy();
    }, limits.prefaceTimeoutMs);
    session.once('remoteSettings', () => clearTimeout(preface));
    session.on('error', (error) => handlers.onError(error.message));
    session.on('close', () => {
      clearTimeout(preface);
      resolve();
    });
    const cancels = limits.cancels === undefined ? undefined : new TokenBucket(limits.cancels);
    session.on('stream', (stream, fields, flags, raw) => {
      this.#callCount += 1;
      const hasEnded = (flags & endStreamFlag) !== 0;
      const call = new NodeInboundCall(stream, fields, raw as unknown as string[], hasEnded);
      stream.once('close', () => {
        this.#callCount -= 1;
        if (call.answered || session.destroyed || cancels?.take(performance.now()) !== false) return;
        this.end(h2ErrorCodes.enhanceYourCalm, 'too many cancelled calls');
      });
      handlers.onCall(call);
    });
    session.setLocalWindowSize(limits.connectionWindowBytes);
  }

  get callCount(): number {
    return this.#callCount;
  }

  allowCalls(count: number, onAcknowledged: () => void): void {
    if (this.#session.closed || this.#session.destroyed) return;
    this.#session.settings({ maxConcurrentStreams: count }, (error) => {
      if (error === null) onAcknowledged();
    });
  }

  drain(): void {
    // The GOAWAY names the last accepted stream. node:http2 cannot serve streams that arrive later, so the
    // client must know which were accepted.
    this.#session.close();
  }

  end(code: number, reason: string): void {
    this.#session.destroy(new Error(reason), code);
  }

  destroy(): void {
    this.#session.destroy();
  }
}
