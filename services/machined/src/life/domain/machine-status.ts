import type { SequenceName } from './node-event.ts';

/** The stages that the sequences of this node can reach. */
export type MachineStage =
  | 'booting'
  | 'maintenance'
  | 'installing'
  | 'running'
  | 'shutting-down'
  | 'rebooting'
  | 'resetting'
  | 'upgrading';

export interface UnmetCondition {
  readonly name: string;
  readonly reason: string;
}

export interface MachineStatus {
  readonly stage: MachineStage;
  readonly ready: boolean;
  readonly unmetConditions: readonly UnmetCondition[];
}

/** The events that change the stage. */
export type StageEvent =
  | { readonly kind: 'sequence'; readonly sequence: SequenceName; readonly action: 'start' | 'stop' }
  | {
      readonly kind: 'sequence-failed';
      readonly error: { readonly code: string };
      readonly goesOn?: boolean;
    }
  | { readonly kind: 'task'; readonly task: string; readonly action: 'start' | 'stop' };

/** The task that lasts while a node waits for a configuration. Source: Talos v1.14: config acquisition. */
export const maintenanceTask = 'runningMaintenance';

/** The stage that begins with a sequence. */
const stageOf: Readonly<Partial<Record<SequenceName, MachineStage>>> = {
  boot: 'booting',
  initialize: 'booting',
  install: 'installing',
  shutdown: 'shutting-down',
  reset: 'resetting',
  reboot: 'rebooting',
  upgrade: 'upgrading',
  stageUpgrade: 'upgrading',
  maintenanceUpgrade: 'upgrading',
};

/**
 * The stage after an event. The end of the boot sequence means running even when it failed: the failure is
 * published after that, and the machine restarts. Source: Talos v1.14: machine stages.
 */
export function stageAfter(stage: MachineStage, event: StageEvent): MachineStage {
  if (event.kind === 'task') {
    if (event.task !== maintenanceTask) return stage;
    if (event.action === 'start') return 'maintenance';
    return stage === 'maintenance' ? 'booting' : stage;
  }
  if (event.kind === 'sequence-failed') {
    if (event.goesOn === true) return 'running';
    return event.error.code === 'fatal' && stage !== 'shutting-down' ? 'rebooting' : stage;
  }
  const { sequence, action } = event;
  if (action === 'start') return stageOf[sequence] ?? stage;
  return sequence === 'boot' && stage === 'booting' ? 'running' : stage;
}
