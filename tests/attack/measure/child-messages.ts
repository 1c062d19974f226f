import type { AttackTarget } from '../target/attack-target.ts';

/** What the parent sends to the process that attacks. */
export interface FloodJob {
  readonly flood: string;
  readonly target: AttackTarget;
  readonly durationMs: number;
}

/** What an attack counted: requests sent, connections opened, answers, … by name. */
export type FloodCounts = Readonly<Record<string, number>>;
/** `cpuMs`: processor time of the attack in all threads, in each `cpuSliceMs` of its time. */
export type FloodReport =
  | { readonly counts: FloodCounts; readonly cpuMs: readonly number[] }
  | { readonly failure: string };

/** What the parent sends to the process that burns processor time. */
export interface BurnJob {
  /** Processor time in each `cpuSliceMs`. */
  readonly cpuMs: readonly number[];
}

/** Attacks come in bursts: their processor time is told in slices of so many milliseconds. */
export const cpuSliceMs = 100;

/** What the parent sends to the client beside the attack: where to call, once, then the ends of each measurement. */
export type BystanderOrder =
  | { readonly kind: 'open'; readonly target: AttackTarget }
  | { readonly kind: 'begin' }
  | { readonly kind: 'end' };

export type BystanderReport =
  | { readonly kind: 'opened' }
  | { readonly kind: 'failed'; readonly failure: string }
  | { readonly kind: 'window'; readonly window: BystanderWindow };

/** How the client beside the attack fared for a while. */
export interface BystanderWindow {
  readonly calls: number;
  /** Microseconds. */
  readonly p50: number;
  readonly p99: number;
  readonly max: number;
  /** What went wrong, one text per call or stream; the first twenty. */
  readonly failures: readonly string[];
  readonly failed: number;
}
