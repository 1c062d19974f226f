import { defineKind, type SpecOf } from '../../meta/define-kind.ts';
import { bool, field, list, message, text, unlessEmpty, type ValueOf } from '../../spec/field-types.ts';
import { machineStage, unattendedInstallPhase } from './enumerations.ts';

const unmetCondition = message({
  /** `time`, `network`, `services`, `staticPods`, `nodeReady`. */
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

/** How far the machine is in its life, and what it still waits for. */
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

/** `machine` is there once the machine is being reset. */
export const machineResetSignals = defineKind({
  type: 'MachineResetSignals.runtime.talos.dev',
  defaultNamespace: 'runtime',
  singleton: 'machine',
  spec: {},
});
export type MachineResetSignalSpec = SpecOf<typeof machineResetSignals>;

/** `reboot-request` asks for a reboot. */
export const rebootRequests = defineKind({
  type: 'RebootRequests.runtime.talos.dev',
  defaultNamespace: 'runtime',
  singleton: 'reboot-request',
  spec: {},
});
export type RebootRequestSpec = SpecOf<typeof rebootRequests>;

/** How far an installation without a user is. */
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
