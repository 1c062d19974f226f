import { Fault } from '@nodewright/fault';

/** Source: Talos v1.14: LifecycleService, refusals */
export const inProgress = (): Fault =>
  new Fault('failed-precondition', 'another installation/upgrade is already in progress');

/** One installation or upgrade at a time, whichever call has asked for it. */
export class UpgradeTurn {
  #isTaken = false;

  get isTaken(): boolean {
    return this.#isTaken;
  }

  /**
   * @returns what gives the turn back
   * @throws Fault `failed-precondition` while another one has it. Source: Talos v1.14: LifecycleService
   */
  take(): Disposable {
    if (this.#isTaken) throw inProgress();
    this.#isTaken = true;
    let isOver = false;
    return {
      [Symbol.dispose]: () => {
        if (isOver) return;
        isOver = true;
        this.#isTaken = false;
      },
    };
  }
}
