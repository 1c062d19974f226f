import { defineKind, type SpecOf } from '../../meta/define-kind.ts';
import { bool, field, list, message, text, unlessEmpty, type ValueOf } from '../../spec/field-types.ts';
import { machineStage, unattendedInstallPhase } from './enumerations.ts';

const unmetCondition = message({
  /** `time`, `network`, `services`, `staticPods` or `nodeReady`. */
  name: field(1, text),
  reason: field(2, text),
});
export type UnmetConditionSpec = ValueOf<typeof unmetCondition>;

const machineStatusStatus = message({
  ready: field(1, bool),
  unmetConditions: field(2, list(unmetCondition)),
});
export type MachineReadinessSpec = ValueOf<typeof machineStatusStatus>;

export type MachineStageName = ValueOf<typeof machineStage>;

/** Stage of the machine, and the conditions that are not met yet. */
export const machineStatuses = defineKind({
  type: 'MachineStatuses.runtime.talos.dev',
  defaultNamespace: 'runtime',
  singleton: 'machine',
  printColumns: {
    Stage: '{.stage}',
    Ready: '{.status.ready}',
  },
  spec: {
    stage: field(1, machineStage),
    status: field(2, machineStatusStatus),
  },
});
export type MachineStatusSpec = SpecOf<typeof machineStatuses>;

/** `machine` exists while the machine is being reset. */
export const machineResetSignals = defineKind({
  type: 'MachineResetSignals.runtime.talos.dev',
  defaultNamespace: 'runtime',
  singleton: 'machine',
  spec: {},
});
export type MachineResetSignalSpec = SpecOf<typeof machineResetSignals>;

/** `reboot-request` requests a reboot. */
export const rebootRequests = defineKind({
  type: 'RebootRequests.runtime.talos.dev',
  defaultNamespace: 'runtime',
  singleton: 'reboot-request',
  spec: {},
});
export type RebootRequestSpec = SpecOf<typeof rebootRequests>;

/** Progress of an unattended installation. */
export const unattendedInstallStatuses = defineKind({
  type: 'UnattendedInstallStatuses.runtime.talos.dev',
  defaultNamespace: 'runtime',
  singleton: 'unattended-install',
  printColumns: {
    Phase: '{.phase}',
  },
  spec: {
    image: unlessEmpty(1, text),
    phase: unlessEmpty(2, unattendedInstallPhase),
    error: unlessEmpty(3, text),
  },
});
export type UnattendedInstallStatusSpec = SpecOf<typeof unattendedInstallStatuses>;
