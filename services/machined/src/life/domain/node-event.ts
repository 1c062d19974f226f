import type { HistoryEntry, ServiceHealth } from '@nodewright/services/domain';
import type { MachineStatus } from './machine-status.ts';

/** Source: Talos v1.14: sequences, names on the wire. */
export const sequenceNames = [
  ...(['noop', 'boot', 'initialize', 'install', 'shutdown', 'upgrade', 'stageUpgrade'] as const),
  ...(['maintenanceUpgrade', 'reset', 'reboot', 'emergencyVolumeCleanup'] as const),
] as const;
export type SequenceName = (typeof sequenceNames)[number];

/** How a machine ends: it reboots through its firmware, starts the kernel that was loaded (kexec), or powers off. */
export type MachineEnd = 'reboot' | 'kexec' | 'power-off';

/** The commands of reboot(2) for these ends. Source: reboot(2). */
export const restartCommands = {
  reboot: 0x0123_4567,
  kexec: 0x4558_4543,
  'power-off': 0x4321_fedc,
} as const satisfies Record<MachineEnd, number>;

export type StepAction = 'start' | 'stop';

/** Why a sequence ended early. */
export interface SequenceError {
  readonly code: 'fatal' | 'locked' | 'cancelled';
  readonly message: string;
}

/** The events of a node, as clients receive them. Source: Talos v1.14: events, types. */
export type NodeEvent =
  | { readonly kind: 'sequence'; readonly sequence: SequenceName; readonly action: StepAction }
  | {
      readonly kind: 'sequence-failed';
      readonly sequence: SequenceName;
      readonly error: SequenceError;
      /** The machine continues as before the sequence. */
      readonly goesOn?: boolean;
    }
  | { readonly kind: 'phase'; readonly phase: string; readonly action: StepAction }
  | { readonly kind: 'task'; readonly task: string; readonly action: StepAction }
  | {
      readonly kind: 'service';
      readonly service: string;
      readonly entry: HistoryEntry;
      /** The current status. */
      readonly health: ServiceHealth;
    }
  | { readonly kind: 'restart'; readonly end: MachineEnd }
  | { readonly kind: 'machine-status'; readonly status: MachineStatus }
  | { readonly kind: 'address'; readonly hostname: string; readonly addresses: readonly string[] }
  | { readonly kind: 'config-load-error'; readonly error: string };
