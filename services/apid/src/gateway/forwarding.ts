import { maxMessageSizeBytes } from '@nodewright/contract';
import { faultFrom } from '@nodewright/fault';
import {
  type ByteBudget,
  type ClientConnection,
  type GrpcStatus,
  type InboundCall,
  Pump,
  type PumpFailure,
  type PumpInit,
  type PumpOutcome,
  type RawHeaders,
} from '@nodewright/h2';
import type { Span } from '@nodewright/telemetry';
import type { Hop } from '../domain/rewrite-metadata.ts';
import { type CallRecord, type CallTarget, endSpan } from './call-record.ts';
import {
  describeConnectFailure,
  describeDeadline,
  describeFullBudget,
  describePumpFailure,
  type HopLabel,
  hopLabel,
} from './describe-failure.ts';
import type { Gateway } from './gateway.ts';
import { hopHeaders } from './hop-headers.ts';
import { failInside } from './refuse-call.ts';
import type { CallStart, StartingCall } from './start-queue.ts';

/** Attempts to open the call, because a connection may close just before the call opens on it. */
const maxAttempts = 3;

/**
 * Forwards a call to one hop without decoding it. For every failure the client gets a status that names the
 * hop. One object for all events, because closures for each cost more.
 */
export class Forwarding implements PumpInit, StartingCall, CallTarget {
  readonly inbound: InboundCall;
  readonly maxMessageBytes = maxMessageSizeBytes;
  readonly maxRequestMessageBytes: number;
  readonly unread: ByteBudget | undefined;
  readonly #gateway: Gateway;
  readonly #hop: Hop;
  readonly #record: CallRecord;
  readonly #span: Span | undefined;
  readonly #start: CallStart;
  readonly #pump: Pump;
  #connecting = true;

  constructor(gateway: Gateway, call: InboundCall, hop: Hop, record: CallRecord) {
    this.inbound = call;
    this.maxRequestMessageBytes = record.plan.maxRequestBytes;
    this.unread = record.share?.bytes;
    this.#gateway = gateway;
    this.#hop = hop;
    this.#record = record;
    this.#span = record.startHop(hop.kind === 'node' ? hop.name : 'machined');
    this.#start = gateway.starts.enter(record.queue, this);
    this.#pump = new Pump(this);
    record.target = this;
  }

  /** Opens the call, or waits for its turn. */
  start(): void {
    if (this.#record.timeoutMs !== undefined) this.#record.onDeadline(() => this.#expire());
    if (!this.#start.waits) this.begin();
  }

  begin(): void {
    try {
      this.#open(0)?.catch((error: unknown) => failInside(this.inbound, this.#record, error));
    } catch (error) {
      failInside(this.inbound, this.#record, error);
    }
  }

  /** Ends the call with a status of apid's own. */
  abort(status: GrpcStatus): void {
    this.#pump.fail(status);
  }

  describeFull(full: ByteBudget): GrpcStatus {
    return describeFullBudget(full);
  }

  describe(failure: PumpFailure): GrpcStatus {
    // The backend may report the same deadline, but apid's own text is clearer.
    return this.#record.deadlinePassed
      ? describeDeadline(this.#label, this.#record.timeoutMs ?? 0, false)
      : describePumpFailure(this.#label, failure, this.inbound.path);
  }

  scheduleReset(reset: () => void): void {
    this.#gateway.cancels.add(this.#record.queue, reset);
  }

  onAnswering(): void {
    this.#start.answering();
  }

  onDone(outcome: PumpOutcome): void {
    this.#start.leave(outcome.cancelled, outcome.code !== 0);
    if (this.#span !== undefined) endSpan(this.#span, outcome, outcome.code !== 0);
    if (outcome.cancelled) this.#record.cancelled(outcome);
    else this.#record.finish(outcome);
    if (outcome.code === 0) this.#gateway.kept.call = this;
  }

  get #label(): HopLabel {
    return hopLabel(this.#hop, this.#gateway.identity().hostname);
  }

  #expire(): void {
    this.#pump.fail(describeDeadline(this.#label, this.#record.timeoutMs ?? 0, this.#connecting));
  }

  /** Opens the call, at once when there is a connection. */
  #open(attempts: number): Promise<void> | undefined {
    const { pool, machined } = this.#gateway;
    const target = this.#hop.kind === 'node' ? this.#gateway.targetOf(this.#hop.name) : machined;
    for (let attempt = attempts; attempt < maxAttempts && !this.#pump.over; attempt += 1) {
      const acquired = pool.acquire(target, this.#record.lane);
      if (acquired instanceof Promise) return this.#openOn(acquired, attempt);
      if (this.#send(acquired)) return undefined;
    }
    if (!this.#pump.over) this.#pump.fail(closingStatus(this.#label));
    return undefined;
  }

  async #openOn(connecting: Promise<ClientConnection>, attempt: number): Promise<void> {
    let connection: ClientConnection;
    try {
      connection = await connecting;
    } catch (error) {
      this.#pump.fail(describeConnectFailure(this.#label, faultFrom(error).message));
      return;
    }
    if (!this.#send(connection)) await this.#open(attempt + 1);
  }

  /** Returns `false` when the connection is not usable; then nothing was sent. */
  #send(connection: ClientConnection): boolean {
    this.#connecting = false;
    if (!this.#pump.start(connection, this.#headers())) return false;
    this.#start.made();
    return true;
  }

  #headers(): RawHeaders {
    const record = this.#record;
    const build = () => hopHeaders(this.inbound, this.#hop, record, this.#span, true);
    const isConstant = this.#span === undefined && record.timeoutMs === undefined;
    return isConstant && record.planned !== undefined ? record.planned.hopHeaders(build) : build();
  }
}

/** The status of a call for which each new connection closed before the call could open on it. */
export function closingStatus(label: HopLabel) {
  return describeConnectFailure(label, 'its connections close as soon as they open');
}
