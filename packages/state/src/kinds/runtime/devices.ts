import { defineKind, type SpecOf } from '../../meta/define-kind.ts';
import { bool, duration, field, text } from '../../spec/field-types.ts';

/** Whether the devices of the machine are all known. */
export const devicesStatuses = defineKind({
  type: 'DevicesStatuses.runtime.talos.dev',
  defaultNamespace: 'runtime',
  singleton: 'devices',
  printColumns: {
    Ready: '{.ready}',
  },
  spec: {
    /** In containers always true. */
    ready: field(1, bool),
  },
});
export type DevicesStatusSpec = SpecOf<typeof devicesStatuses>;

/** The watchdog to be used. */
export const watchdogTimerConfigs = defineKind({
  type: 'WatchdogTimerConfigs.runtime.talos.dev',
  defaultNamespace: 'runtime',
  singleton: 'timer',
  printColumns: {
    Device: '{.device}',
    Timeout: '{.timeout}',
  },
  spec: {
    device: field(1, text),
    timeout: field(2, duration),
  },
});
export type WatchdogTimerConfigSpec = SpecOf<typeof watchdogTimerConfigs>;

/** The watchdog in use. */
export const watchdogTimerStatuses = defineKind({
  type: 'WatchdogTimerStatuses.runtime.talos.dev',
  defaultNamespace: 'runtime',
  singleton: 'timer',
  printColumns: {
    Device: '{.device}',
    Timeout: '{.timeout}',
  },
  spec: {
    device: field(1, text),
    timeout: field(2, duration),
    feedInterval: field(3, duration),
  },
});
export type WatchdogTimerStatusSpec = SpecOf<typeof watchdogTimerStatuses>;
