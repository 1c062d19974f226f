import { grpcCodeName, grpcStatusText, isServerFailure, kindFromGrpcCode } from '@nodewright/fault';
import { type GrpcStatus, headerValue, type InboundCall, loggedMetadata } from '@nodewright/h2';
import {
  type Logger,
  rpcAttributes,
  rpcSpanName,
  rpcStatusAttribute,
  type Span,
  type Telemetry,
} from '@nodewright/telemetry';
import type { Clock } from '../domain/clock.ts';
import type { LogAllowance } from '../domain/log-allowance.ts';
import type { Peer } from '../host/peer.ts';

export interface CallRecordInit {
  readonly clock: Clock;
  readonly log: Logger;
  readonly telemetry: Telemetry;
  /** Limits the log lines of calls without a right token. */
  readonly anonymousLog: LogAllowance;
}

/** The state of a call from its headers to its log line. */
export class CallRecord {
  readonly #init: CallRecordInit;
  readonly #call: InboundCall;
  readonly #peer: Peer;
  readonly #startedMs: number;
  #facts: Readonly<Record<string, unknown>> = {};
  #span: Span | undefined;
  #isAnonymous = true;
  #isQuiet = false;

  constructor(init: CallRecordInit, call: InboundCall, peer: Peer) {
    this.#init = init;
    this.#call = call;
    this.#peer = peer;
    this.#startedMs = init.clock.nowMs();
  }

  annotate(facts: Readonly<Record<string, unknown>>): void {
    this.#facts = { ...this.#facts, ...facts };
  }

  keepOutOfLog(): void {
    this.#isQuiet = true;
  }

  /** Runs the handler of a call with a right token inside the call's span. Anonymous calls have no span. */
  async run<T>(answer: () => Promise<T>): Promise<T> {
    this.#isAnonymous = false;
    const { telemetry } = this.#init;
    const { path } = this.#call;
    const parent = headerValue(this.#call.headers, 'traceparent');
    if (!telemetry.enabled && parent === undefined) return answer();
    this.#span = telemetry.startSpan(rpcSpanName(path), {
      kind: 'server',
      // With an empty parent the span starts a new trace, even when another span is active.
      parent: parent ?? '',
      attributes: rpcAttributes(path),
    });
    return telemetry.withSpan(this.#span, answer);
  }

  /** The call is over: ends the span and writes the log line. */
  finish(status: GrpcStatus): void {
    const span = this.#span;
    if (span === undefined) {
      this.#log(status);
      return;
    }
    span.setAttributes(rpcStatusAttribute(status.code));
    const isFailure = status.code !== 0 && isServerFailure(kindFromGrpcCode(status.code));
    if (isFailure) span.fail(new Error(status.message), grpcStatusText(status.code));
    this.#init.telemetry.withSpan(span, () => this.#log(status));
    span.end();
  }

  #log({ code, message }: GrpcStatus): void {
    const { clock, log, anonymousLog } = this.#init;
    if (this.#isQuiet && code === 0) return;
    const linesLeftOut = this.#isAnonymous ? anonymousLog.take(clock.nowMs()) : 0;
    if (linesLeftOut === undefined) return;
    log.info(
      {
        method: this.#call.path,
        code: grpcCodeName(code),
        durationMs: Math.round((clock.nowMs() - this.#startedMs) * 1000) / 1000,
        peer: this.#peer.name,
        ...(code === 0 ? {} : { error: message }),
        ...this.#facts,
        ...(linesLeftOut === 0 ? {} : { linesLeftOut }),
        metadata: loggedMetadata(this.#call.headers),
      },
      'request finished',
    );
  }
}
