import { Fault } from '@nodewright/fault';

/** One installation or upgrade at a time, whichever call has asked for it. */
export class UpgradeTurn {
  #isTaken = false;

  /**
   * @returns what gives the turn back
   * @throws Fault `failed-precondition` while another one has it. Source: Talos v1.14: LifecycleService
   */
  take(): Disposable {
    if (this.#isTaken)
      throw new Fault('failed-precondition', 'another installation/upgrade is already in progress');
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
