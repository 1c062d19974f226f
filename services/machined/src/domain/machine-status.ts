import type { SequenceName } from './node-event.ts';
import type { ServiceRecord } from './service-record.ts';

/** Where the machine is in its life, as far as this node's sequences lead it. */
export type MachineStage = 'booting' | 'maintenance' | 'running' | 'shutting-down' | 'rebooting';

export interface UnmetCondition {
  readonly name: string;
  readonly reason: string;
}

export interface MachineStatus {
  readonly stage: MachineStage;
  readonly ready: boolean;
  readonly unmetConditions: readonly UnmetCondition[];
}

/** What moves a machine from one stage to the next. */
export type StageEvent =
  | { readonly kind: 'sequence'; readonly sequence: SequenceName; readonly action: 'start' | 'stop' }
  | { readonly kind: 'sequence-failed'; readonly error: { readonly code: string } }
  | { readonly kind: 'task'; readonly task: string; readonly action: 'start' | 'stop' };

/** The task that lasts while a node waits for a configuration. Source: Talos v1.14: config acquisition. */
export const maintenanceTask = 'runningMaintenance';

/**
 * The stage after an event. The end of the boot is one whether it succeeded or not: that it failed is told afterwards,
 * and the machine restarts then. Source: Talos v1.14: machine stages.
 */
export function stageAfter(stage: MachineStage, event: StageEvent): MachineStage {
  if (event.kind === 'task') {
    if (event.task !== maintenanceTask) return stage;
    if (event.action === 'start') return 'maintenance';
    return stage === 'maintenance' ? 'booting' : stage;
  }
  if (event.kind === 'sequence-failed') {
    return event.error.code === 'fatal' && stage !== 'shutting-down' ? 'rebooting' : stage;
  }
  const { sequence, action } = event;
  if (action === 'start') return sequence === 'shutdown' ? 'shutting-down' : 'booting';
  return sequence === 'boot' && stage === 'booting' ? 'running' : stage;
}

/**
 * Whether the machine does what it should in its stage. The clock and the network of these nodes are their host's: of
 * what the reference waits for only the services are theirs.
 *
 * @param required ids of the services that the node must run.
 */
export function machineStatus(
  stage: MachineStage,
  services: readonly ServiceRecord[],
  required: readonly string[],
): MachineStatus {
  if (stage !== 'booting' && stage !== 'running') return { stage, ready: true, unmetConditions: [] };
  const running = services.filter(({ state }) => state === 'Running');
  const problems = [
    ...required
      .filter((id) => !running.some((service) => service.id === id))
      .map((id) => `${id} not running`),
    ...running
      .filter(({ hasHealthCheck, health }) => hasHealthCheck && !health.healthy)
      .map(({ id }) => `${id} not healthy`),
  ];
  const unmetConditions =
    problems.length === 0 ? [] : [{ name: 'services', reason: problems.sort().join(', ') }];
  return { stage, ready: problems.length === 0, unmetConditions };
}

/** Whether a client would see a difference. */
export function isSameStatus(a: MachineStatus, b: MachineStatus): boolean {
  const reasons = ({ unmetConditions }: MachineStatus) =>
    unmetConditions.map(({ reason }) => reason).join('\n');
  return a.stage === b.stage && a.ready === b.ready && reasons(a) === reasons(b);
}
