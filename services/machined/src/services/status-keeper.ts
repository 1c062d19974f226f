import {
  isSameStatus,
  type MachineStage,
  type MachineStatus,
  machineStatus,
  type StageEvent,
  stageAfter,
} from '../domain/machine-status.ts';
import type { ServiceRecord } from '../domain/service-record.ts';

export interface StatusKeeperInit {
  readonly records: () => readonly ServiceRecord[];
  /** Ids of the services that the node must run. */
  readonly required: () => readonly string[];
  /** Told of every change, and of the first status. */
  readonly onChange: (status: MachineStatus) => void;
}

/** Knows how far the machine is in its life, and whether it is ready. */
export class StatusKeeper {
  readonly #init: StatusKeeperInit;
  #stage: MachineStage = 'booting';
  #told: MachineStatus | undefined;

  constructor(init: StatusKeeperInit) {
    this.#init = init;
  }

  /** Takes over what a sequence does. */
  take(event: StageEvent): void {
    this.#stage = stageAfter(this.#stage, event);
    this.refresh();
  }

  /** To be called when a service has changed. */
  refresh(): void {
    const { records, required, onChange } = this.#init;
    const status = machineStatus(this.#stage, records(), required());
    if (this.#told !== undefined && isSameStatus(this.#told, status)) return;
    this.#told = status;
    onChange(status);
  }
}
