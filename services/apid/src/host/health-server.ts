import { chmodSync } from 'node:fs';
import {
  HealthCheckRequest,
  HealthCheckResponse,
  HealthCheckResponse_ServingStatus as ServingStatus,
} from '@nodewright/contract/gen/grpc/health/v1/health.ts';
import { type FaultKind, grpcCodeFromKind } from '@nodewright/fault';
import { prepareSocket } from '@nodewright/files';
import {
  GatewayServer,
  type GrpcMessage,
  gatewayLimits,
  type H2Engine,
  type H2Limits,
  headerValue,
  type InboundCall,
  isGrpcContentType,
  MessageCollector,
  messagePrefix,
  sendStatus,
} from '@nodewright/h2';

const checkMethod = '/grpc.health.v1.Health/Check';
const watchMethod = '/grpc.health.v1.Health/Watch';
const answerHead = [':status', '200', 'content-type', 'application/grpc'] as const;

/** For each client of the socket: a question and its answer are a few bytes. */
const limits: H2Limits = {
  ...gatewayLimits,
  streamWindowBytes: 65_535,
  connectionWindowBytes: 65_535,
  maxHeaderListBytes: 16 * 1024,
  maxConcurrentCalls: 16,
  prefaceTimeoutMs: 5000,
};
const maxConnections = 64;
const maxRequestBytes = 1024;
const longestQuote = 200;
const notOneMessage = 'the request is not one message of Health';
const closeTimeoutMs = 1000;

/**
 * The standard health service of gRPC, for a daemon that serves nothing else on this socket. It runs on the HTTP/2 engine of
 * the gateway: the gRPC library of the other daemons was almost half of apid's bundle.
 */
export class HealthServer implements AsyncDisposable {
  readonly #server: GatewayServer<undefined>;
  readonly #watches = new Set<Watch>();
  #isServing = false;

  constructor(engine: H2Engine) {
    this.#server = new GatewayServer({
      ...{ engine, limits, credentials: undefined },
      admit: () =>
        this.#server.connectionCount < maxConnections
          ? { admitted: true, peer: undefined }
          : { admitted: false, reason: `more than ${maxConnections} connections` },
      onCall: (call) => this.#take(call),
      onRefused() {},
      onBroken() {},
    });
  }

  /**
   * Listens on a unix socket that only this user may use, in a folder that only this user may enter, whatever the umask. A socket
   * that was left there is replaced.
   *
   * @throws Error of the system
   */
  async listen(path: string): Promise<void> {
    await prepareSocket(path);
    await this.#server.listen({ path });
    chmodSync(path, 0o600);
  }

  /** Number of open watches. */
  get watchCount(): number {
    return this.#watches.size;
  }

  setServing(isServing: boolean): void {
    this.#isServing = isServing;
    for (const watch of this.#watches) watch.tell(this.#status());
  }

  /** Ends all watches, waits at most a second for other calls, and closes. */
  async [Symbol.asyncDispose](): Promise<void> {
    for (const watch of this.#watches) watch.end('the daemon is shutting down');
    this.#watches.clear();
    await this.#server.close(closeTimeoutMs);
  }

  #status(): ServingStatus {
    return this.#isServing ? ServingStatus.SERVING : ServingStatus.NOT_SERVING;
  }

  #take(call: InboundCall): void {
    if (!isGrpcContentType(headerValue(call.headers, 'content-type'))) {
      call.respond([':status', '415', 'content-type', 'text/plain'], true);
      return;
    }
    let isRefused = false;
    const refuse = (kind: FaultKind, message: string) => {
      isRefused = true;
      sendStatus(call, { code: grpcCodeFromKind(kind), message }, false);
    };
    if (call.path !== checkMethod && call.path !== watchMethod) {
      refuse('unimplemented', `unknown method ${call.path.slice(0, longestQuote)}`);
      return;
    }
    const collector = new MessageCollector(maxRequestBytes);
    let request: GrpcMessage | undefined;
    let watch: Watch | undefined;
    call.receive({
      requestData(chunk) {
        if (isRefused) return;
        try {
          for (const message of collector.push(chunk)) {
            // A client that never ends its request must not fill the memory.
            if (request !== undefined) return refuse('internal', notOneMessage);
            request = message;
          }
        } catch (error) {
          refuse('resource-exhausted', String(error));
        }
      },
      requestEnded: () => {
        if (isRefused) return;
        const service = collector.insideMessage ? undefined : serviceIn(request);
        if (service === undefined) refuse('internal', notOneMessage);
        else if (call.path === watchMethod) watch = this.#watch(call, service);
        else if (service === '') answerOnce(call, this.#status());
        else refuse('not-found', `unknown service ${JSON.stringify(service.slice(0, longestQuote))}`);
      },
      answerDrained: () => watch?.drained(),
      cancelled: () => void (watch && this.#watches.delete(watch)),
    });
    call.resume();
  }

  /** A service that the daemon does not have stays unknown. Source: gRPC, health checking. */
  #watch(call: InboundCall, service: string): Watch {
    const watch = new Watch(call);
    this.#watches.add(watch);
    if (service === '') watch.tell(this.#status());
    else watch.settle(ServingStatus.SERVICE_UNKNOWN);
    return watch;
  }
}

/** The service that a request names; empty for the whole daemon, undefined for a request that is not one of Health. */
function serviceIn(request: GrpcMessage | undefined): string | undefined {
  if (request === undefined || request.compressed) return undefined;
  try {
    return HealthCheckRequest.decode(request.body).service;
  } catch {
    return undefined;
  }
}

function answerOnce(call: InboundCall, status: ServingStatus): void {
  call.respond(answerHead);
  call.write(encoded(status));
  sendStatus(call, { code: 0, message: '' }, true);
}

function encoded(status: ServingStatus): Buffer {
  const message = HealthCheckResponse.encode({ status }).finish();
  return Buffer.concat([messagePrefix(message.length), message]);
}

/** An open watch. A client that reads slowly gets the newest status and not those between. */
class Watch {
  readonly #call: InboundCall;
  #next: ServingStatus | undefined;
  #last: ServingStatus | undefined;
  #isFull = false;
  #isSettled = false;

  constructor(call: InboundCall) {
    this.#call = call;
    call.respond(answerHead);
  }

  tell(status: ServingStatus): void {
    if (this.#isSettled) return;
    this.#next = status;
    if (!this.#isFull) this.#send();
  }

  /** Tells a status that never changes. */
  settle(status: ServingStatus): void {
    this.tell(status);
    this.#isSettled = true;
  }

  drained(): void {
    this.#isFull = false;
    this.#send();
  }

  end(reason: string): void {
    sendStatus(this.#call, { code: grpcCodeFromKind('unavailable'), message: reason }, true);
  }

  #send(): void {
    if (this.#next === undefined || this.#next === this.#last) return;
    this.#last = this.#next;
    this.#isFull = !this.#call.write(encoded(this.#last));
  }
}
