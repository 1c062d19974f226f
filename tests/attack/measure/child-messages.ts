import type { AttackTarget } from '../target/attack-target.ts';

/** What the parent sends to the process that attacks. */
export interface FloodJob {
  readonly flood: string;
  readonly target: AttackTarget;
  readonly durationMs: number;
}

/** The counts of an attack by name: requests sent, connections opened, answers and so on. */
export type FloodCounts = Readonly<Record<string, number>>;
/** `cpuMs`: processor time of the attack in all threads, per slice of `cpuSliceMs`. */
export type FloodReport =
  | { readonly counts: FloodCounts; readonly cpuMs: readonly number[] }
  | { readonly failure: string };

/** What the parent sends to the process that burns processor time. */
export interface BurnJob {
  /** Processor time to use in each slice of `cpuSliceMs`. */
  readonly cpuMs: readonly number[];
}

/** Length of the slices in which processor time is measured, in milliseconds. Attacks come in bursts. */
export const cpuSliceMs = 100;

/**
 * What the parent sends to the other client: once where to call, then the begin and end of each measurement.
 */
export type BystanderOrder =
  | { readonly kind: 'open'; readonly target: AttackTarget }
  | { readonly kind: 'begin' }
  | { readonly kind: 'end' };

export type BystanderReport =
  | { readonly kind: 'opened' }
  | { readonly kind: 'failed'; readonly failure: string }
  | { readonly kind: 'window'; readonly window: BystanderWindow };

/** The latencies and failures of the other client during one measurement. */
export interface BystanderWindow {
  readonly calls: number;
  /** Microseconds. */
  readonly p50: number;
  readonly p99: number;
  readonly max: number;
  /** The first twenty failures, one text per call or stream. */
  readonly failures: readonly string[];
  readonly failed: number;
}
