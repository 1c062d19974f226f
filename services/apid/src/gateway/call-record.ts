import { faultFrom, grpcCodeFromKind, grpcCodeName } from '@nodewright/fault';
import { type GrpcStatus, h2ErrorCodes, headerValue, type InboundCall, loggedMetadata } from '@nodewright/h2';
import type { Span } from '@nodewright/telemetry';
import { type CallerRoles, unknownRoles } from '../domain/roles.ts';
import type { CallShare } from './call-shares.ts';
import type { Gateway, GatewayPeer } from './gateway.ts';

/** Longest delay that a timer takes, in milliseconds. */
const maxTimerMs = 2 ** 31 - 1;

/** Codes that are the server's fault. Source: OpenTelemetry semantic conventions, gRPC. */
const serverFaults: ReadonlySet<number> = new Set(
  (['unknown', 'deadline-exceeded', 'unimplemented', 'internal', 'unavailable', 'data-loss'] as const).map(
    grpcCodeFromKind,
  ),
);

/** The log has the address that the connection really comes from. */
const notLogged: ReadonlySet<string> = new Set(['peer']);

/** What is kept about a call from its first byte to its log line: time, deadline, caller, span. */
export class CallRecord {
  caller: CallerRoles | undefined;
  /** Who makes the call, for the limits of the next apid; undefined when nobody knows. */
  identity: string | undefined;
  /** What the call takes of its caller's share, once it is let through. */
  share: CallShare | undefined;
  /** Whose calls wait for each other before they begin. */
  queue = '';
  /** The connection to a backend that the caller's calls take. */
  lane = 0;
  /** Lets go of the lane. */
  leaveLane: () => void = () => {};
  /** What the client allows, in milliseconds; undefined without a deadline. */
  timeoutMs: number | undefined;
  /** Ends the call with a status of apid's own; set by whoever forwards it. */
  abort: (status: GrpcStatus) => void = () => {};
  readonly #gateway: Gateway;
  readonly #active: Set<CallRecord>;
  readonly #call: InboundCall;
  readonly #peer: GatewayPeer;
  readonly #startedAt: number;
  readonly #span: Span | undefined;
  #deadline: NodeJS.Timeout | undefined;
  #finished = false;

  /** `active` holds the record until the call is over. */
  constructor(gateway: Gateway, call: InboundCall, peer: GatewayPeer, active: Set<CallRecord>) {
    this.#gateway = gateway;
    this.#active = active;
    active.add(this);
    this.#call = call;
    this.#peer = peer;
    this.#startedAt = gateway.now();
    const parent = headerValue(call.headers, 'traceparent');
    // With export off a span only carries the ids of the client's trace into the log.
    if (gateway.telemetry.enabled || parent !== undefined) {
      this.#span = gateway.telemetry.startSpan(spanName(call.path), {
        kind: 'server',
        parent,
        attributes: { ...rpcAttributes(call.path), 'client.address': peer.remoteAddress },
      });
    }
  }

  /** What is left of the client's time for the next hop; undefined without a deadline. */
  get remainingMs(): number | undefined {
    if (this.timeoutMs === undefined) return undefined;
    return Math.max(0, this.timeoutMs - (this.#gateway.now() - this.#startedAt));
  }

  get deadlinePassed(): boolean {
    return this.remainingMs === 0;
  }

  /** Calls back when the client's time is up, unless the call is over by then. */
  onDeadline(expire: () => void): void {
    const { remainingMs } = this;
    if (remainingMs === undefined || this.#finished) return;
    this.#deadline = setTimeout(expire, Math.min(maxTimerMs, Math.ceil(remainingMs)));
  }

  /** A span for one hop of the call; undefined when nothing is exported. */
  startHop(target: string): Span | undefined {
    const { telemetry } = this.#gateway;
    if (!telemetry.enabled) return undefined;
    return telemetry.startSpan(spanName(this.#call.path), {
      kind: 'client',
      parent: this.#span?.traceparent,
      attributes: { ...rpcAttributes(this.#call.path), 'server.address': target },
    });
  }

  /** The client took the call back. Who does that too often loses the connection. */
  cancelled(status: GrpcStatus): void {
    const { share } = this;
    const isTooMuch = !this.#finished && share?.cancelled(this.#gateway.now()) === false;
    this.finish(status);
    // Another apid carries the calls of others too; it has limits of its own.
    if (isTooMuch && !this.#peer.isApid) {
      this.#peer.connection?.end(h2ErrorCodes.enhanceYourCalm, 'too many cancelled calls');
    }
  }

  /** The call is refused here. A client that goes on with such calls loses its connection. */
  refused(status: GrpcStatus): void {
    this.finish(status);
    if (this.#peer.isApid || this.#gateway.conduct.refused(this.#peer.identity, this.#gateway.now())) return;
    this.#peer.connection?.end(h2ErrorCodes.enhanceYourCalm, 'too many refused calls');
  }

  /** Whether the call was made on a connection of this peer. */
  isOf(peer: GatewayPeer): boolean {
    return this.#peer === peer;
  }

  /** The call is over: ends the span and writes the log line. Only the first time counts. */
  finish(status: GrpcStatus): void {
    if (this.#finished) return;
    this.#finished = true;
    this.#active.delete(this);
    this.share?.release();
    this.leaveLane();
    clearTimeout(this.#deadline);
    const span = this.#span;
    if (span === undefined) {
      this.#log(status);
      return;
    }
    endSpan(span, status, serverFaults.has(status.code));
    this.#gateway.telemetry.withSpan(span, () => this.#log(status));
  }

  /** Something of apid itself failed under the call: a bug. The client gets a status, the log the stack. */
  failInside(error: unknown): GrpcStatus {
    const { message } = faultFrom(error);
    this.#gateway.log.error(
      { method: this.#call.path, error: message, stack: error instanceof Error ? error.stack : undefined },
      'call failed inside apid',
    );
    return {
      code: grpcCodeFromKind('internal'),
      message: `apid on ${this.#gateway.identity().hostname} failed: ${message}`,
    };
  }

  #log({ code, message }: GrpcStatus): void {
    const { caller } = this;
    const leftOut =
      code === 0
        ? 0
        : this.#gateway.conduct.takeLine(this.identity ?? this.#peer.identity, this.#gateway.now());
    if (leftOut === undefined) return;
    const unknown = unknownRoles(caller?.roles ?? []);
    this.#gateway.log.info(
      {
        method: this.#call.path,
        code: grpcCodeName(code),
        durationMs: Math.round((this.#gateway.now() - this.#startedAt) * 1000) / 1000,
        ...(code === 0 ? {} : { error: message }),
        peer: this.#peer.name,
        roles: caller?.roles,
        rolesFrom: caller?.source,
        ...(caller?.source === 'metadata' ? { organizations: this.#peer.organizations } : {}),
        ...(unknown.length === 0 ? {} : { unknownRoles: unknown }),
        metadata: loggedMetadata(this.#call.headers, notLogged),
        ...(leftOut === 0 ? {} : { linesLeftOut: leftOut }),
      },
      'request finished',
    );
  }
}

/** Ends a span with the outcome of its call. */
export function endSpan(span: Span, { code, message }: GrpcStatus, failed: boolean): void {
  span.setAttributes({ 'rpc.grpc.status_code': code });
  if (failed) span.fail(new Error(message));
  span.end();
}

/** `/machine.MachineService/Memory` is the span `machine.MachineService/Memory`. */
function spanName(path: string): string {
  return path.slice(1);
}

/** Source: OpenTelemetry semantic conventions, RPC spans. */
function rpcAttributes(path: string): Record<string, string> {
  const [, service = '', method = ''] = path.split('/');
  return { 'rpc.system': 'grpc', 'rpc.service': service, 'rpc.method': method };
}
