import type { LoadedKernel } from '@nodewright/boot';
import type { Topic } from '../base/topic.ts';
import type { Upgrades } from './domain/upgrades.ts';
import type { MachineStartSteps } from './host/machine-start.ts';

/** Starts the machine anew: `planned` starts what is chosen, perhaps without the firmware; `firmware` never without it. */
export type RestartMachine = (how: 'planned' | 'firmware') => void;

export interface UpgradeTopic extends Topic, MachineStartSteps {
  readonly upgrades: Upgrades;
  /**
   * Installs a system as the configuration says, on a machine that has none. It never rejects.
   *
   * @param asSequence runs an attempt as a sequence of the node. @throws Fault
   * @returns whether nothing else may be started: the machine restarts, or waits for that
   */
  installConfigured?(asSequence: (attempt: () => Promise<void>) => Promise<void>): Promise<boolean>;
  /** To be called before each planned restart. @throws Fault; the firmware starts the machine then */
  beforeRestart(canKexec: boolean, load: (kernel: LoadedKernel) => Promise<void>): Promise<void>;
  /** To be called when the services are to stop because the machine ends: should it hang then, a trial ends. */
  machineStops?(): void;
  /** Says how the machine restarts. */
  setRestart(restart: RestartMachine): void;
}
