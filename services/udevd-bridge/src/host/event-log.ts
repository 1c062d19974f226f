import { randomUUID } from 'node:crypto';
import { ChangeSignal } from '@nodewright/async';
import type { DeviceEvent } from '../domain/device-event.ts';
import {
  EventHistory,
  type HistoryBatch,
  type HistoryLimits,
  type HistoryPosition,
  type Resumption,
  resume,
} from '../domain/event-history.ts';

/** The history of this run of the daemon, and those who wait for its next event. */
export class EventLog {
  readonly #id = randomUUID();
  readonly #history: EventHistory;
  readonly #changed = new ChangeSignal();
  #drops = 0;

  constructor(limits: HistoryLimits) {
    this.#history = new EventHistory(limits);
  }

  get position(): HistoryPosition {
    return { history: this.#id, sequence: this.#history.last };
  }

  /** How often the kernel has dropped events. */
  get drops(): number {
    return this.#drops;
  }

  add(event: DeviceEvent): void {
    this.#history.append(event);
    this.#changed.notify();
  }

  addLoss(): void {
    this.#drops += 1;
    this.#history.appendLoss();
    this.#changed.notify();
  }

  /**
   * What a consumer gets from a position on, until `signal` aborts: at once a first batch, which may be empty, and then each
   * batch with an event or a gap. A batch is taken when the consumer asks for it, so a slow one keeps nothing.
   */
  async *follow(
    from: HistoryPosition | undefined,
    wants: (event: DeviceEvent) => boolean,
    signal: AbortSignal,
  ): AsyncGenerator<HistoryBatch> {
    const { after, gap }: Resumption = resume(from, this.position);
    const first = this.#history.read(after, wants);
    yield { ...first, gap: gap ?? first.gap };
    for (let { through } = first; !signal.aborted; ) {
      if (through === this.#history.last) {
        await this.#changed.next(signal);
        continue;
      }
      const batch = this.#history.read(through, wants);
      through = batch.through;
      if (batch.events.length > 0 || batch.gap !== undefined) yield batch;
    }
  }
}
