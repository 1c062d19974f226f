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
import type { CallProgress } from '../domain/endless-calls.ts';
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
  /** Reads along only for calls whose request says whether they have an end. */
  readonly onRequest: PumpInit['onRequest'];
  readonly #gateway: Gateway;
  readonly #hop: Hop;
  readonly #record: CallRecord;
  readonly #span: Span | undefined;
  readonly #pump: Pump;
  /** The place in the start queue; undefined while there is no connection. */
  #start: CallStart | undefined;
  /** The connection for the call while it waits for its turn. */
  #connection: ClientConnection | undefined;
  /** Why there is no connection, while the call waits for its turn to fail. */
  #failure: GrpcStatus | undefined;
  #attempts = 0;
  #connecting = true;

  constructor(gateway: Gateway, call: InboundCall, hop: Hop, record: CallRecord) {
    this.inbound = call;
    this.maxRequestMessageBytes = record.plan.maxRequestBytes;
    this.unread = record.share?.bytes;
    const { follow } = record;
    this.onRequest = follow === undefined ? undefined : (bytes, start, end) => follow.push(bytes, start, end);
    this.#gateway = gateway;
    this.#hop = hop;
    this.#record = record;
    this.#span = record.startHop(hop);
    this.#pump = new Pump(this);
    record.target = this;
  }

  /** Opens the call, once there is a connection and it is its turn. */
  start(): void {
    if (this.#record.timeoutMs !== undefined) this.#record.onDeadline(() => this.#expire());
    this.#connect()?.catch((error: unknown) => failInside(this.inbound, this.#record, error));
  }

  begin(): void {
    if (this.#failure !== undefined) {
      this.#pump.fail(this.#failure);
      return;
    }
    const connection = this.#connection;
    this.#connection = undefined;
    try {
      if (connection === undefined || this.#send(connection)) return;
      this.#connect()?.catch((error: unknown) => failInside(this.inbound, this.#record, error));
    } catch (error) {
      failInside(this.inbound, this.#record, error);
    }
  }

  /** Ends the call with a status of apid's own. */
  abort(status: GrpcStatus): void {
    this.#pump.fail(status);
  }

  progress(): CallProgress {
    const { messages, insideMessage, waitsForClient } = this.#pump;
    return { messages, insideMessage, waitsForClient, connecting: this.#connecting };
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
    this.#start?.answering();
  }

  onDone(outcome: PumpOutcome): void {
    this.#start?.leave(outcome.cancelled, outcome.code !== 0);
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

  /**
   * Enters the start queue, at once when there is a connection. A call that must wait for one is not in the queue: places would be
   * taken by the calls to a node that is dead, for as long as a dial may take.
   */
  #connect(): Promise<void> | undefined {
    const { pool, machined } = this.#gateway;
    const target = this.#hop.kind === 'node' ? this.#gateway.targetOf(this.#hop.name) : machined;
    while (this.#attempts < maxAttempts && !this.#pump.over) {
      this.#attempts += 1;
      const acquired = pool.acquire(target, this.#record.lane);
      if (acquired instanceof Promise) return this.#enterOn(acquired);
      if (this.#enter(acquired)) return undefined;
    }
    if (!this.#pump.over) this.#pump.fail(closingStatus(this.#label));
    return undefined;
  }

  async #enterOn(connecting: Promise<ClientConnection>): Promise<void> {
    this.#connecting = true;
    let connection: ClientConnection;
    try {
      connection = await connecting;
    } catch (error) {
      this.#failInTurn(describeConnectFailure(this.#label, faultFrom(error).message));
      return;
    }
    if (!this.#pump.over && !this.#enter(connection)) await this.#connect();
  }

  /**
   * A call without a connection fails in its turn, and keeps its place for as long as other calls that fail: a client that calls a node
   * which refuses connections is answered no faster than others.
   */
  #failInTurn(status: GrpcStatus): void {
    if (this.#pump.over) return;
    this.#failure = status;
    this.#start = this.#gateway.starts.enter(this.#record.queue, this);
    if (!this.#start.waits) this.begin();
  }

  /** Sends the call, or has it wait for its turn. Returns `false` when the connection is not usable. */
  #enter(connection: ClientConnection): boolean {
    this.#connecting = false;
    const start = this.#gateway.starts.enter(this.#record.queue, this);
    this.#start = start;
    if (!start.waits) return this.#send(connection);
    this.#connection = connection;
    return true;
  }

  /** Returns `false` when the connection is not usable; then nothing was sent, and the call has no place. */
  #send(connection: ClientConnection): boolean {
    if (this.#pump.start(connection, this.#headers())) return true;
    this.#start?.giveBack();
    return false;
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
