import { defineKind, type SpecOf } from '../../meta/define-kind.ts';
import { bool, double, duration, field, int, text } from '../../spec/field-types.ts';

/** State of the kernel clock discipline (adjtimex). */
export const adjtimeStatuses = defineKind({
  type: 'AdjtimeStatuses.v1alpha1.talos.dev',
  defaultNamespace: 'runtime',
  singleton: 'node',
  printColumns: {
    Offset: '{.offset}',
    EstError: '{.estError}',
    MaxError: '{.maxError}',
    Status: '{.status}',
    Sync: '{.syncStatus}',
  },
  spec: {
    offset: field(1, duration),
    frequencyAdjustmentRatio: field(2, double),
    maxError: field(3, duration),
    estError: field(4, duration),
    /** Names of the `STA_*` flags. */
    status: field(5, text),
    constant: field(6, int),
    syncStatus: field(7, bool),
    /** Name of the `TIME_*` state. */
    state: field(8, text),
  },
});
export type AdjtimeStatusSpec = SpecOf<typeof adjtimeStatuses>;

/** Whether NTP measurements deviate sharply from the clock (spikes). */
export const ntpStatuses = defineKind({
  type: 'NTPStatuses.v1alpha1.talos.dev',
  defaultNamespace: 'runtime',
  singleton: 'node',
  printColumns: {
    'Spike Detected': '{.spikeDetected}',
    'Consecutive Spikes': '{.consecutiveSpikes}',
  },
  spec: {
    spikeDetected: field(1, bool),
    consecutiveSpikes: field(2, int),
  },
});
export type NtpStatusSpec = SpecOf<typeof ntpStatuses>;

/** Whether the clock is synchronized. */
export const timeStatuses = defineKind({
  type: 'TimeStatuses.v1alpha1.talos.dev',
  defaultNamespace: 'runtime',
  singleton: 'node',
  printColumns: {
    Synced: '{.synced}',
  },
  spec: {
    synced: field(1, bool),
    /** Increases when the clock jumps by more than 15 minutes. */
    epoch: field(2, int),
    syncDisabled: field(3, bool),
  },
});
export type TimeStatusSpec = SpecOf<typeof timeStatuses>;
