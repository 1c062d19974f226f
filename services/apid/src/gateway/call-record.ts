import { isReaderRead, ports } from '@nodewright/contract';
import {
  faultFrom,
  grpcCodeFromKind,
  grpcStatusText,
  isServerFailure,
  kindFromGrpcCode,
} from '@nodewright/fault';
import { type GrpcStatus, h2ErrorCodes, headerValue, type InboundCall } from '@nodewright/h2';
import {
  type Attributes,
  encodeFields,
  rpcAttributes,
  rpcSpanName,
  rpcStatusAttribute,
  type Span,
} from '@nodewright/telemetry';
import type { CallProgress } from '../domain/endless-calls.ts';
import type { FollowRequest } from '../domain/follow-request.ts';
import type { Hop } from '../domain/rewrite-metadata.ts';
import type { PlannedCall } from './call-plans.ts';
import type { CallShare } from './call-shares.ts';
import type { Chain, Link } from './chain.ts';
import type { Gateway, GatewayPeer } from './gateway.ts';
import { type CallPlan, refused } from './plan-call.ts';

/** Longest delay that `setTimeout` accepts, in milliseconds. */
const maxTimerMs = 2 ** 31 - 1;

/** The plan before anything was decided. */
const undecided = refused('internal', 'undecided');

/** What forwards a call. */
export interface CallTarget {
  /** Ends the call with a status of apid's own. */
  abort(status: GrpcStatus): void;
  /** How far the answer is. */
  progress(): CallProgress;
}

/** The state of a call from its headers to its log line: start time, deadline, caller, limits, span. */
export class CallRecord implements Link<CallRecord> {
  chain: object | undefined;
  previous: CallRecord | undefined;
  next: CallRecord | undefined;
  /** What was decided about the call; undefined before. */
  planned: PlannedCall | undefined;
  /** The call's share of its caller's limits, once it is granted. */
  share: CallShare | undefined;
  /** Key of the caller's queue: calls with the same key wait for each other before they start. */
  queue = '';
  /** The lane of the caller: its calls to a backend use this connection. */
  lane = 0;
  /** What the request says about an end of the call; undefined for a method whose calls all have one, or none. */
  follow: FollowRequest | undefined;
  /** What forwards the call; undefined until it is forwarded. */
  target: CallTarget | undefined;
  readonly #gateway: Gateway;
  readonly #active: Chain<CallRecord>;
  readonly #call: InboundCall;
  readonly #peer: GatewayPeer;
  /** When the headers arrived, in milliseconds of a monotonic clock. */
  readonly startedAt: number;
  readonly #span: Span | undefined;
  #deadline: NodeJS.Timeout | undefined;
  #finished = false;

  /** @param active holds the record until the call is over */
  constructor(gateway: Gateway, call: InboundCall, peer: GatewayPeer, active: Chain<CallRecord>) {
    this.#gateway = gateway;
    this.#active = active;
    active.add(this);
    this.#call = call;
    this.#peer = peer;
    this.startedAt = gateway.now();
    const parent = headerValue(call.headers, 'traceparent');
    // When spans are not exported, this span only adds the client's trace ids to the log line.
    if (gateway.telemetry.enabled || parent !== undefined) {
      this.#span = gateway.telemetry.startSpan(rpcSpanName(call.path), {
        kind: 'server',
        // Without a parent the call starts a new trace, and does not join the one of the start of this process.
        parent: parent ?? '',
        attributes: { ...rpcAttributes(call.path), 'client.address': peer.remoteAddress },
      });
    }
  }

  get plan(): CallPlan {
    return this.planned?.plan ?? undecided;
  }

  /** Full name of the method, as the client wrote it. */
  get path(): string {
    return this.#call.path;
  }

  /** The timeout that the client set, in milliseconds; `undefined` without a deadline. */
  get timeoutMs(): number | undefined {
    return this.plan.timeoutMs;
  }

  /** The time left until the client's deadline, for the next hop; `undefined` without a deadline. */
  get remainingMs(): number | undefined {
    const { timeoutMs } = this;
    if (timeoutMs === undefined) return undefined;
    return Math.max(0, timeoutMs - (this.#gateway.now() - this.startedAt));
  }

  get deadlinePassed(): boolean {
    return this.remainingMs === 0;
  }

  /** Calls `expire` at the client's deadline, unless the call is over by then. */
  onDeadline(expire: () => void): void {
    const { remainingMs } = this;
    if (remainingMs === undefined || this.#finished) return;
    this.#deadline = setTimeout(expire, Math.min(maxTimerMs, Math.ceil(remainingMs)));
  }

  /** Starts a span for one hop of the call; `undefined` when spans are not exported. */
  startHop(hop: Hop): Span | undefined {
    const { telemetry } = this.#gateway;
    if (!telemetry.enabled) return undefined;
    const server: Attributes =
      hop.kind === 'node'
        ? { 'server.address': hop.name, 'server.port': ports.apid }
        : { 'server.address': 'machined' };
    return telemetry.startSpan(rpcSpanName(this.#call.path), {
      kind: 'client',
      parent: this.#span?.traceparent,
      attributes: { ...rpcAttributes(this.#call.path), ...server },
    });
  }

  /** The client cancelled the call. A client that cancels too often loses its connection. */
  cancelled(status: GrpcStatus): void {
    const { share } = this;
    const isTooMuch = !this.#finished && share?.cancelled(this.#gateway.now()) === false;
    this.finish(status);
    // A connection of another apid stays open: it carries calls of many clients, which that apid limits
    // itself.
    if (isTooMuch && !this.#peer.isApid) {
      this.#peer.connection?.end(h2ErrorCodes.enhanceYourCalm, 'too many cancelled calls');
    }
  }

  /** This apid refused the call. A client with too many refused calls loses its connection. */
  refused(status: GrpcStatus): void {
    this.finish(status);
    if (this.#peer.isApid || this.#gateway.conduct.refused(this.#peer.identity, this.#gateway.now())) return;
    this.#peer.connection?.end(h2ErrorCodes.enhanceYourCalm, 'too many refused calls');
  }

  /** Whether the call was made on a connection of this peer. */
  isOf(peer: GatewayPeer): boolean {
    return this.#peer === peer;
  }

  /** Resets the call when some of its answer is not sent, although it is over. Returns whether it was reset. */
  resetUnsent(): boolean {
    if (this.#call.isSent) return false;
    this.#call.reset(h2ErrorCodes.cancel);
    return true;
  }

  /** Closes the connection of the call, unless it carries other calls: its client may not read from the socket either. */
  closeIdleConnection(): void {
    const { connection } = this.#peer;
    if (connection?.callCount === 0) connection.destroy();
  }

  /** Ends the span and writes the log line, when the call is over. Does nothing when repeated. */
  finish(status: GrpcStatus): void {
    if (this.#finished) return;
    this.#finished = true;
    this.#active.delete(this);
    this.share?.release();
    if (this.share !== undefined) this.#gateway.lanes.leave(this.queue);
    clearTimeout(this.#deadline);
    if (this.#span !== undefined) {
      const failed = status.code !== 0 && isServerFailure(kindFromGrpcCode(status.code));
      endSpan(this.#span, status, failed);
    }
    const isRoutine = status.code === 0 && isReaderRead(this.#call.path);
    if (this.#gateway.requests.isOn(isRoutine)) this.#log(status, isRoutine);
  }

  /** A bug of apid made the call fail. The client gets a status; the stack is logged. */
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

  #log(status: GrpcStatus, isRoutine: boolean): void {
    const { conduct, requests, now } = this.#gateway;
    const endedAt = now();
    const linesLeftOut =
      status.code === 0 ? 0 : conduct.takeLine(this.plan.identity ?? this.#peer.identity, endedAt);
    if (linesLeftOut === undefined) return;
    const common =
      this.planned?.logFields ?? encodeFields({ method: this.#call.path, peer: this.#peer.name });
    const durationMs = endedAt - this.startedAt;
    requests.write(common, { status, isRoutine, durationMs, linesLeftOut, span: this.#span });
  }
}

/** Ends a span with the status of its call. */
export function endSpan(span: Span, { code, message }: GrpcStatus, failed: boolean): void {
  span.setAttributes(rpcStatusAttribute(code));
  if (failed) span.fail(new Error(message), grpcStatusText(code));
  span.end();
}
