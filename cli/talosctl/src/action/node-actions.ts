import type { PlannedAction } from '@nodewright/client/what-if';
import {
  RebootRequest_Mode as RebootMode,
  UpgradeRequest_RebootMode as UpgradeMode,
  ResetRequest_WipeMode as WipeMode,
} from '@nodewright/contract/gen/machine/machine.ts';
import { onlyMessage } from '../nodes/only-message.ts';
import { bootIdChanged } from './boot-id.ts';
import { maintenanceCheck } from './maintenance-check.ts';
import type { NodeAction } from './node-action.ts';
import { isStoppingServices } from './stopping-services.ts';

/** An action that ends a machine: how it is started and followed, and the same action for `whatIf()`. */
export interface MachineAction {
  readonly planned: PlannedAction;
  readonly action: NodeAction;
}

const rebootModes = {
  default: RebootMode.DEFAULT,
  powercycle: RebootMode.POWERCYCLE,
  force: RebootMode.FORCE,
} as const;
export type RebootModeName = keyof typeof rebootModes;
export const isRebootMode = (text: string): text is RebootModeName => Object.hasOwn(rebootModes, text);

export function rebootAction(mode: RebootModeName): MachineAction {
  return {
    planned: { kind: 'reboot', mode },
    action: {
      sequence: 'reboot',
      start: async ({ machine }, signal) =>
        onlyMessage(await machine.reboot({ mode: rebootModes[mode] }, { signal })).actorId,
      isMet: (event) => event.kind === 'status' && event.stage === 'RUNNING' && event.ready,
      postCheck: bootIdChanged,
    },
  };
}

export interface LegacyUpgrade {
  readonly image: string;
  readonly stage: boolean;
  readonly preserve: boolean;
  readonly force: boolean;
  readonly mode: RebootModeName;
}

/** The upgrade of older versions, which is one action with its restart. */
export function legacyUpgradeAction({ mode, ...request }: LegacyUpgrade): MachineAction {
  const rebootMode = mode === 'powercycle' ? UpgradeMode.POWERCYCLE : UpgradeMode.DEFAULT;
  const { action, planned } = rebootAction(mode);
  return {
    planned,
    action: {
      ...action,
      sequence: request.stage ? 'stageUpgrade' : 'upgrade',
      start: async ({ machine }, signal) =>
        onlyMessage(await machine.upgrade({ ...request, rebootMode }, { signal })).actorId,
    },
  };
}

/** @param force whether to neither cordon nor drain the Kubernetes node first */
export function shutdownAction(force: boolean): MachineAction {
  return {
    planned: { kind: 'shutdown' },
    action: {
      sequence: 'shutdown',
      start: async ({ machine }, signal) =>
        onlyMessage(await machine.shutdown({ force }, { signal })).actorId,
      isMet: isStoppingServices,
    },
  };
}

const wipeModes = {
  all: WipeMode.ALL,
  'system-disk': WipeMode.SYSTEM_DISK,
  'user-disks': WipeMode.USER_DISKS,
} as const;
export type WipeModeName = keyof typeof wipeModes;
export const isWipeMode = (text: string): text is WipeModeName => Object.hasOwn(wipeModes, text);

export interface ResetChoice {
  readonly graceful: boolean;
  readonly reboot: boolean;
  readonly wipeMode: WipeModeName;
  /** Labels of system volumes; empty for all of them. */
  readonly labels: readonly string[];
  /** Device paths. */
  readonly userDisks: readonly string[];
}

export function resetAction({ graceful, reboot, wipeMode, labels, userDisks }: ResetChoice): MachineAction {
  const request = {
    ...{ graceful, reboot, mode: wipeModes[wipeMode] },
    systemPartitionsToWipe: labels.map((label) => ({ label, wipe: true })),
    userDisksToWipe: [...userDisks],
  };
  const system = labels.length === 0 ? 'everything' : labels;
  return {
    planned: {
      ...{ kind: 'reset', isGraceful: graceful, reboots: reboot, userDisks },
      wiped: wipeMode === 'user-disks' ? 'nothing' : system,
    },
    action: {
      sequence: 'reset',
      start: async ({ machine }, signal) => onlyMessage(await machine.reset(request, { signal })).actorId,
      isMet: isStoppingServices,
      ...(reboot ? { postCheck: maintenanceCheck() } : {}),
    },
  };
}
