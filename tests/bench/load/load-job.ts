import type { LatencySummary } from '../measure/latency-recorder.ts';

/** The server: a unix socket without TLS, or a port with TLS 1.3 and a client certificate in PEM. */
export type LoadTarget =
  | { readonly kind: 'unix'; readonly path: string }
  | {
      readonly kind: 'tls';
      readonly host: string;
      readonly port: number;
      readonly ca: string;
      readonly certificate: string;
      readonly key: string;
    };

interface Call {
  readonly target: LoadTarget;
  /** `/package.Service/Method`. Its request is an empty message. */
  readonly method: string;
  /** Metadata in its order; a key may come more than once. */
  readonly metadata: readonly (readonly [key: string, value: string])[];
}

/** One call, to inspect its answer. */
export interface ProbeJob extends Call {
  readonly kind: 'probe';
}

/** The reply message in base64, without gRPC's prefix. */
export interface ProbeOutcome {
  readonly message: string;
}

/** Unary calls with a fixed number in flight; each is followed by the next (a closed loop). */
export interface UnaryJob extends Call {
  readonly kind: 'unary';
  readonly streams: number;
  readonly connections: number;
  /** Warm-up before the measurement, in milliseconds. */
  readonly warmupMs: number;
  readonly measureMs: number;
  /** Every reply must be of this length, in bytes and without gRPC's prefix: a failure inside a reply shows there. */
  readonly replyBytes: number;
  /** Processes whose processor time is read at both ends of the measurement. */
  readonly watchedPids: readonly number[];
}

export interface UnaryOutcome {
  /** Requests that ended within the measurement; all of them succeeded. */
  readonly requests: number;
  readonly durationMs: number;
  readonly latency: LatencySummary;
  /** By process id. */
  readonly cpuMs: Readonly<Record<number, number>>;
  readonly loadCpuMs: number;
}

/** One server stream, read to its end or, with a rate, slowly and for a limited time. */
export interface StreamJob extends Call {
  readonly kind: 'stream';
  readonly slow?: { readonly bytesPerSecond: number; readonly limitMs: number };
  readonly watchedPids: readonly number[];
}

export interface StreamOutcome {
  readonly bytes: number;
  readonly durationMs: number;
  readonly cpuMs: Readonly<Record<number, number>>;
  readonly loadCpuMs: number;
}

export type LoadJob = ProbeJob | UnaryJob | StreamJob;
export type LoadOutcome<J extends LoadJob> = J extends UnaryJob
  ? UnaryOutcome
  : J extends StreamJob
    ? StreamOutcome
    : ProbeOutcome;

/** Sent by the load client when a job is done. Jobs are done one after the other, in order. */
export type LoadReport =
  | { readonly outcome: ProbeOutcome | UnaryOutcome | StreamOutcome }
  | { readonly failure: string };
