import { randomUUID } from 'node:crypto';
import {
  type MachineServiceImplementation,
  RebootRequest_Mode as Mode,
  type ResetRequest,
  ResetRequest_WipeMode as WipeMode,
} from '@nodewright/contract/gen/machine/machine.ts';
import { Fault } from '@nodewright/fault';
import type { RebootKind } from '../domain/ending-sequences.ts';
import {
  planReset,
  type ResetPlan,
  type UserDiskProblem,
  type WipeMode as WipeModeName,
} from '../domain/plan-reset.ts';
import type { NodeLife } from '../host/node-life.ts';

export interface MachineControlInit {
  readonly life: Pick<NodeLife, 'reboot' | 'shutDown' | 'reset'>;
  /** Why this process cannot end its machine; undefined when it can. */
  readonly cannotEnd?: string | undefined;
  /** By default the node has no disk that a reset can wipe. */
  readonly userDiskProblem?: UserDiskProblem | undefined;
}

const wipeModes: Readonly<Record<number, WipeModeName>> = {
  [WipeMode.ALL]: 'all',
  [WipeMode.SYSTEM_DISK]: 'system-disk',
  [WipeMode.USER_DISKS]: 'user-disks',
};

/**
 * Reboot, Shutdown and Reset. Each answers once its request is valid, with the id that the later events
 * carry, including the event that another sequence was running. Source: Talos v1.14: MachineService, control.
 */
export function createMachineControl({
  life,
  cannotEnd,
  userDiskProblem,
}: MachineControlInit): Pick<MachineServiceImplementation, 'reboot' | 'shutdown' | 'reset'> {
  const begin = (sequence: (actorId: string) => Promise<void>) => {
    if (cannotEnd !== undefined) throw new Fault('failed-precondition', cannotEnd);
    const actorId = randomUUID();
    void sequence(actorId);
    return { messages: [{ actorId }] };
  };
  return {
    async reboot({ mode }) {
      const kind = rebootKind(mode);
      return begin((actorId) => life.reboot(kind, actorId));
    },
    shutdown: async ({ force }) => begin((actorId) => life.shutDown(actorId, force)),
    async reset(request) {
      const plan = planOf(request, userDiskProblem);
      return begin((actorId) => life.reset(plan, actorId));
    },
  };
}

function rebootKind(mode: number): RebootKind {
  if (mode === Mode.DEFAULT) return 'graceful';
  if (mode === Mode.POWERCYCLE) return 'power-cycle';
  if (mode === Mode.FORCE) return 'forced';
  throw new Fault('invalid-argument', `unknown mode of a reboot: ${mode}`);
}

function planOf(request: ResetRequest, userDiskProblem: UserDiskProblem | undefined): ResetPlan {
  const { graceful, reboot, systemPartitionsToWipe, userDisksToWipe, mode: wanted } = request;
  const mode = wipeModes[wanted];
  if (mode === undefined) throw new Fault('invalid-argument', `unknown wipe mode: ${wanted}`);
  const wish = { graceful, reboot, mode, partitions: systemPartitionsToWipe, userDisks: userDisksToWipe };
  return planReset(wish, userDiskProblem);
}
