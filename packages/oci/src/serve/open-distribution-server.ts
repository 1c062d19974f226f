import {
  createServer,
  type IncomingMessage,
  type RequestListener,
  type Server,
  type ServerResponse,
} from 'node:http';
import type { AddressInfo } from 'node:net';
import { Deadline, unlessAborted } from '@nodewright/async';
import { tlsKeyExchanges } from '@nodewright/contract/tls-groups';
import { type AnswerInit, answerRequest, sendTooMany } from './answer-request.ts';
import { ChunkTurns } from './chunk-turns.ts';
import { AnswerPlaces, ClientWait, ConnectionPlaces } from './client-shares.ts';
import { type DistributionLimits, distributionLimits } from './limits.ts';
import { keepNoRefusedBytes } from './refused-bytes.ts';

export interface DistributionServerInit extends Omit<AnswerInit, 'limits' | 'wait' | 'turns' | 'enterLong'> {
  /** Default: `distributionLimits`. */
  readonly limits?: DistributionLimits;
  /** PEM; with it the server speaks TLS only. The key is a secret. */
  readonly tls?: { readonly certificate: string; readonly key: string };
}

/** How often answers that wait for a place look for one of a slow client, in ms. */
const lookMs = 50;

/** A registry that can be read, by the distribution protocol of OCI. Disposing it ends the answers in flight. */
export interface DistributionServer extends AsyncDisposable {
  /** Listens and resolves with the port, also for port 0. Rejects with the system's error. */
  listen(address: { readonly host: string; readonly port: number }): Promise<number>;
}

/** Source: OCI distribution specification, pull. */
export async function openDistributionServer(init: DistributionServerInit): Promise<DistributionServer> {
  const { limits = distributionLimits, tls } = init;
  const { patienceMs, requestLine, requestLineMs, longLine, longLineMs } = limits;
  const requests = new AnswerPlaces({
    ...{ places: limits.requests, line: requestLine, lineMs: requestLineMs, patienceMs },
  });
  const long = new AnswerPlaces({
    ...{ places: limits.longAnswers, line: longLine, lineMs: longLineMs, patienceMs },
  });
  const turns = new ChunkTurns();
  const connections = new ConnectionPlaces(limits.connections);
  let looking: NodeJS.Timeout | undefined;
  const lookAtLine = () => {
    if (looking !== undefined || (long.waiting === 0 && requests.waiting === 0)) return;
    looking = setTimeout(() => {
      looking = undefined;
      requests.look(performance.now());
      long.look(performance.now());
      lookAtLine();
    }, lookMs);
  };
  const listener: RequestListener = (request, response) => {
    const wait = new ClientWait(performance.now(), () => response.destroy());
    const { socket } = request;
    connections.begin(socket);
    response.once('close', () => {
      connections.over(socket);
      long.leave(wait, performance.now());
    });
    if (requests.waiting === 0 && requests.take(wait, performance.now())) {
      serve(request, response, wait);
      return;
    }
    // A request that is worked on keeps its place when its client leaves, until the work has ended.
    const leaveLine = () => requests.leave(wait, performance.now());
    response.once('close', leaveLine);
    void requests.enter(wait, performance.now()).then((entered) => {
      response.off('close', leaveLine);
      if (response.destroyed) leaveLine();
      else if (entered) serve(request, response, wait);
      else sendTooMany(response);
    });
    lookAtLine();
  };
  const serve = (request: IncomingMessage, response: ServerResponse, wait: ClientWait) => {
    const enterLong = () => {
      // Its client has left: in the line it would keep out others.
      if (response.destroyed) return Promise.resolve(false);
      const entered = long.enter(wait, performance.now());
      requests.leave(wait, performance.now());
      lookAtLine();
      return entered;
    };
    void answerRequest(request, response, { ...init, limits, wait, turns, enterLong }).finally(() => {
      requests.leave(wait, performance.now());
      long.leave(wait, performance.now());
    });
  };
  const options = {
    maxHeaderSize: limits.headerBytes,
    headersTimeout: limits.headersMs,
    requestTimeout: limits.headersMs,
    keepAliveTimeout: limits.idleMs,
    connectionsCheckingInterval: 1000,
  };
  const server: Server =
    tls === undefined
      ? createServer(options, listener)
      : (await import('node:https')).createServer(
          { ...options, cert: tls.certificate, key: tls.key, ecdhCurve: tlsKeyExchanges },
          listener,
        );
  server.on('connection', (socket) => {
    keepNoRefusedBytes(socket);
    connections.enter(socket);
  });
  return {
    listen({ host, port }) {
      const { promise, resolve, reject } = Promise.withResolvers<number>();
      server.once('error', reject);
      server.listen({ host, port }, () => {
        server.off('error', reject);
        resolve((server.address() as AddressInfo).port);
      });
      return promise;
    },
    async [Symbol.asyncDispose]() {
      if (!server.listening) return;
      const { promise: closed, resolve } = Promise.withResolvers<void>();
      server.close(() => resolve());
      server.closeIdleConnections();
      using deadline = new Deadline(limits.drainMs);
      await unlessAborted(closed, deadline.signal).catch(() => server.closeAllConnections());
      await closed;
    },
  };
}
