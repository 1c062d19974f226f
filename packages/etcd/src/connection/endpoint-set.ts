import {
  noTelemetry,
  rpcAttributes,
  rpcStatusAttribute,
  type Span,
  serverAttributes,
  type Telemetry,
} from '@nodewright/telemetry';
import { Metadata } from 'nice-grpc';
import type { CallOptions } from '../etcd-client.ts';
import { EtcdFault } from '../etcd-fault.ts';
import { CallTime } from './call-time.ts';
import type { EtcdEndpoint, EtcdServices } from './etcd-endpoint.ts';
import { faultOfEtcd, unreachable } from './fault-of-etcd.ts';

/** The arguments of one attempt. */
export interface Attempt {
  readonly signal: AbortSignal;
  readonly metadata: ReturnType<typeof Metadata>;
}

export interface EtcdCall<T> {
  /** `KV/Range`. */
  readonly method: string;
  /** For reads: the call may be repeated when its outcome is unknown. */
  readonly repeatable: boolean;
  readonly timeoutMs?: number;
  /** Background work that belongs to no trace. */
  readonly isBackground?: boolean;
  run(services: EtcdServices, attempt: Attempt): Promise<T>;
}

export interface EndpointSetInit {
  readonly endpoints: readonly EtcdEndpoint[];
  readonly telemetry: Telemetry;
  readonly dialTimeoutMs: number;
}

const defaultTimeoutMs = 10_000;
/** A share of the time that is long enough for a healthy member. */
const leastShareMs = 1_000;

/** Failures that say something about one member, so that another one may succeed. */
const elsewhereBetter = new Set(['no-leader', 'leader-changed', 'timed-out', 'learner', 'stopped']);

/** The endpoints of a client, and the order in which they are tried: first the one that answered last. */
export class EndpointSet implements Disposable {
  readonly #telemetry: Telemetry;
  readonly #endpoints: readonly EtcdEndpoint[];
  readonly #dialTimeoutMs: number;
  readonly #closing = new AbortController();
  #preferred = 0;

  constructor({ endpoints, telemetry, dialTimeoutMs }: EndpointSetInit) {
    this.#endpoints = endpoints;
    this.#telemetry = telemetry;
    this.#dialTimeoutMs = dialTimeoutMs;
  }

  /** Aborts when the client is closed. */
  get closed(): AbortSignal {
    return this.#closing.signal;
  }

  /** Makes a call, at several endpoints if necessary and permitted, in one span. */
  async call<T>(call: EtcdCall<T>, options: CallOptions = {}): Promise<T> {
    using time = new CallTime(options.timeoutMs ?? call.timeoutMs ?? defaultTimeoutMs, [
      this.closed,
      options.signal,
    ]);
    const telemetry = call.isBackground === true ? noTelemetry : this.#telemetry;
    const span = startSpan(telemetry, call.method);
    try {
      return await telemetry.withSpan(span, () => this.#tryEach(call, time, span));
    } catch (error) {
      span.fail(error);
      throw error;
    } finally {
      span.end();
    }
  }

  /** Starts the span of a stream. */
  startSpan(method: string): Span {
    return startSpan(this.#telemetry, method);
  }

  /** Connects to an endpoint for a stream. `markBad()` makes the next call start with another endpoint. */
  async connected(time: CallTime): Promise<{ readonly endpoint: EtcdEndpoint; markBad(): void }> {
    const failures: EtcdFault[] = [];
    const order = this.#inOrder();
    for (const [tried, [index, endpoint]] of order.entries()) {
      const failure = await this.#connect(endpoint, time, order.length - tried);
      if (failure === undefined) {
        this.#preferred = index;
        return { endpoint, markBad: () => this.#turnFrom(index) };
      }
      this.#turnFrom(index);
      failures.push(failure);
    }
    throw noneReachable(failures);
  }

  async #tryEach<T>(call: EtcdCall<T>, time: CallTime, span: Span): Promise<T> {
    const failures: EtcdFault[] = [];
    const order = this.#inOrder();
    for (const [tried, [index, endpoint]] of order.entries()) {
      const left = order.length - tried;
      const failure = await this.#connect(endpoint, time, left);
      if (failure === undefined) {
        const outcome = await this.#run(call, endpoint, time, left, span);
        if (!(outcome instanceof EtcdFault)) {
          this.#preferred = index;
          span.setAttributes({ ...serverAttributes(endpoint.address), ...rpcStatusAttribute(0) });
          return outcome.value;
        }
        if (isDoubtful(outcome)) this.#turnFrom(index);
        if (time.over || !mayGoOn(outcome, call.repeatable)) throw outcome;
        failures.push(outcome);
      } else {
        this.#turnFrom(index);
        failures.push(failure);
      }
      if (time.over) throw time.fault(endpoint.address);
      span.addEvent('failed over', serverAttributes(endpoint.address));
    }
    throw noneReachable(failures);
  }

  async #run<T>(
    call: EtcdCall<T>,
    endpoint: EtcdEndpoint,
    time: CallTime,
    left: number,
    span: Span,
  ): Promise<{ readonly value: T } | EtcdFault> {
    // A call that cannot be repeated has all of the time, and its fault names all of it.
    const shareMs = call.repeatable ? shareOf(time, left) : Number.POSITIVE_INFINITY;
    using share = new CallTime(shareMs, [time.signal]);
    const metadata = Metadata(span.traceparent === undefined ? {} : { traceparent: span.traceparent });
    try {
      return { value: await call.run(endpoint.services, { signal: share.signal, metadata }) };
    } catch (error) {
      if (time.over) return time.fault(endpoint.address, error);
      if (share.over) return share.fault(endpoint.address, error);
      return faultOfEtcd(error, endpoint.address);
    }
  }

  /** Why there is no connection; undefined when there is one. */
  async #connect(endpoint: EtcdEndpoint, time: CallTime, left: number): Promise<EtcdFault | undefined> {
    const timeoutMs = Math.min(this.#dialTimeoutMs, shareOf(time, left));
    const state = await endpoint.connect(timeoutMs, time.signal);
    if (time.over) throw time.fault(endpoint.address);
    if (state === 'ready') return undefined;
    if (state === 'slow') return unreachable(endpoint.address, `no connection within ${seconds(timeoutMs)}`);
    return endpoint.whyNot(time.signal);
  }

  #inOrder(): [number, EtcdEndpoint][] {
    const all = [...this.#endpoints.entries()];
    return [...all.slice(this.#preferred), ...all.slice(0, this.#preferred)];
  }

  #turnFrom(index: number): void {
    if (this.#preferred === index) this.#preferred = (index + 1) % this.#endpoints.length;
  }

  [Symbol.dispose](): void {
    this.#closing.abort();
    for (const endpoint of this.#endpoints) endpoint[Symbol.dispose]();
  }
}

function startSpan(telemetry: Telemetry, method: string): Span {
  const attributes = rpcAttributes(`/etcdserverpb.${method}`);
  return telemetry.startSpan(`etcd ${method}`, { kind: 'client', attributes });
}

/** The time for one of the remaining endpoints, so that there is time for the others. */
function shareOf({ leftMs }: CallTime, left: number): number {
  return left > 1 ? Math.min(leftMs, Math.max(leastShareMs, leftMs / left)) : leftMs;
}

/** Whether the failure says more about the member than about the call. */
function isDoubtful({ reason, kind }: EtcdFault): boolean {
  if (reason === 'unreachable') return true;
  if (reason !== undefined) return elsewhereBetter.has(reason);
  return kind === 'unavailable' || kind === 'deadline-exceeded';
}

/** Whether the call may be sent to another endpoint. */
function mayGoOn(fault: EtcdFault, repeatable: boolean): boolean {
  if (repeatable) return isDoubtful(fault);
  return fault.reason === 'unreachable' || fault.reason === 'learner';
}

function noneReachable(failures: readonly EtcdFault[]): EtcdFault {
  const [first] = failures;
  if (first !== undefined && failures.length === 1) return first;
  const reasons = new Set(failures.map(({ reason }) => reason));
  const reason = reasons.size === 1 ? first?.reason : undefined;
  return new EtcdFault(
    first?.kind ?? 'unavailable',
    `no endpoint of etcd answers: ${failures.map(({ message }) => message).join('; ')}`,
    { cause: first, ...(reason === undefined ? {} : { reason }) },
  );
}

function seconds(milliseconds: number): string {
  return `${Math.round(milliseconds / 100) / 10} s`;
}
