// A certificate that begins at a wrong time is refused by every client, and its node is out of reach.
import type { ReconcilePass } from '@nodewright/controllers';
import { pointerTo } from '@nodewright/state';
import { timeStatuses } from '@nodewright/state/kinds';
import { type TimeWait, timeWaitMs } from '../domain/time-wait.ts';

/** The wait of the first certificates of a machine for a time server. Later ones never wait. */
export class CertificateDelay {
  #isOver: boolean;
  readonly #isForMaintenance: boolean;
  #sinceMs: number | undefined;

  constructor(wait: TimeWait) {
    this.#isOver = wait !== 'every-start';
    this.#isForMaintenance = wait === 'first-configuration';
  }

  /** The node was in maintenance, so its configuration is its first. */
  afterMaintenance(): void {
    if (this.#isForMaintenance) this.#isOver = false;
  }

  /** Whether certificates still wait. If so, another pass is due when the wait ends. */
  async isDue(pass: ReconcilePass): Promise<boolean> {
    if (this.#isOver) return false;
    // The wait ends when the clock is set, which must not count as time that has passed.
    const nowMs = pass.monotonicMs();
    this.#sinceMs ??= nowMs;
    const leftMs = this.#sinceMs + timeWaitMs - nowMs;
    const isSynced = (await pass.get(pointerTo(timeStatuses)))?.spec.synced ?? false;
    this.#isOver = isSynced || leftMs <= 0;
    if (this.#isOver && !isSynced)
      pass.log.warn(
        {},
        'no time server has answered, so the certificates of the API begin at the time of this machine',
      );
    if (!this.#isOver) pass.wakeAfter(leftMs);
    return !this.#isOver;
  }
}
