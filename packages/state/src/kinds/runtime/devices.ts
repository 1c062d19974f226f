import { defineKind, type SpecOf } from '../../meta/define-kind.ts';
import { bool, duration, field, text } from '../../spec/field-types.ts';

/** Whether all devices of the machine are detected. */
export const devicesStatuses = defineKind({
  type: 'DevicesStatuses.runtime.talos.dev',
  defaultNamespace: 'runtime',
  singleton: 'devices',
  printColumns: {
    Ready: '{.ready}',
  },
  spec: {
    /** Always true in containers. */
    ready: field(1, bool),
  },
});
export type DevicesStatusSpec = SpecOf<typeof devicesStatuses>;

/** Settings of the watchdog timer. */
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

/** The active watchdog timer. */
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
