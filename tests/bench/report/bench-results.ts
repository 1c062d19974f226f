import type { StreamOutcome, UnaryOutcome } from '../load/load-job.ts';
import type { MachineFacts } from '../machine-facts.ts';
import type { MemoryTrack } from '../measure/track-memory.ts';
import type { UnaryFigures } from '../measure/unary-figures.ts';
import type { MemoryLevel } from '../watch-memory.ts';

/** The format of `bench.json`. Later runs are compared with it, so fields are added, never changed. */
export interface BenchResults {
  readonly takenAt: string;
  readonly machine: MachineFacts;
  /** Version of nghttpx; `undefined` when it was not available. */
  readonly nghttpx: string | undefined;
  /** Versions of grpc-go and Go in the Go proxy; `undefined` when it was not available. */
  readonly goProxy?: string | undefined;
  readonly parameters: Readonly<Record<string, unknown>>;
  /** What was not measured, with the reason. */
  readonly notes: readonly string[];
  /** The beginning of the load on new processes. */
  readonly cold?: readonly UnaryResult[];
  readonly unary: readonly UnaryResult[];
  readonly fanOut: readonly UnaryResult[];
  readonly stream: readonly StreamResult[];
  readonly memory: readonly MemoryResult[];
}

export interface UnaryResult {
  readonly target: string;
  readonly gateway: 'none' | 'apid' | 'nghttpx' | 'go-proxy';
  readonly hops: number;
  readonly nodes: number;
  readonly streams: number;
  readonly connections: number;
  readonly median: UnaryFigures;
  readonly runs: readonly { readonly outcome: UnaryOutcome; readonly figures: UnaryFigures }[];
}

export interface StreamResult {
  readonly target: string;
  /** Whether it is the first stream through a new gateway. */
  readonly isFirst?: boolean;
  readonly reader: 'fast' | 'slow';
  /** Medians: MB are 1e6 bytes; processor time is the gateway's. */
  readonly megabytes: number;
  readonly megabytesPerSecond: number;
  readonly gatewayCpuMsPer100MB: number | undefined;
  /** Of the last run: the gateway's resident memory. */
  readonly memory: MemoryTrack | undefined;
  readonly runs: readonly { readonly outcome: StreamOutcome; readonly memory: MemoryTrack | undefined }[];
}

export interface MemoryResult {
  readonly process: string;
  readonly idle: MemoryLevel;
  /** After all loads and a pause. */
  readonly after: MemoryLevel;
  readonly peak: number;
}
