import type { MachineStatus } from './machine-status.ts';
import type { ServiceHealth } from './service-health.ts';
import type { HistoryEntry } from './service-record.ts';

export type SequenceName = 'initialize' | 'boot' | 'shutdown';
export type StepAction = 'start' | 'stop';

/** Why a sequence ended before its end. */
export interface SequenceError {
  readonly code: 'fatal' | 'locked' | 'cancelled';
  readonly message: string;
}

/** What happens on a node, as clients are told of it. Source: Talos v1.14: events, types. */
export type NodeEvent =
  | { readonly kind: 'sequence'; readonly sequence: SequenceName; readonly action: StepAction }
  | { readonly kind: 'sequence-failed'; readonly sequence: SequenceName; readonly error: SequenceError }
  | { readonly kind: 'phase'; readonly phase: string; readonly action: StepAction }
  | { readonly kind: 'task'; readonly task: string; readonly action: StepAction }
  | {
      readonly kind: 'service';
      readonly service: string;
      readonly entry: HistoryEntry;
      /** As it is in this moment. */
      readonly health: ServiceHealth;
    }
  | { readonly kind: 'machine-status'; readonly status: MachineStatus }
  | { readonly kind: 'address'; readonly hostname: string; readonly addresses: readonly string[] }
  | { readonly kind: 'config-load-error'; readonly error: string };
