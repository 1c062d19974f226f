import { setImmediate } from 'node:timers/promises';
import { pause } from '@nodewright/async';
import { faultFrom } from '@nodewright/fault';
import type { Logger } from '@nodewright/telemetry';
import { type LogDestination, logDestinationText } from '../domain/log-destination.ts';
import type { RecordSender } from './record-sender.ts';
import type { PendingRecord, RecordSource } from './record-source.ts';

export interface RecordPumpInit {
  readonly destination: LogDestination;
  readonly source: RecordSource;
  readonly sender: RecordSender;
  readonly log: Logger;
}

/**
 * The back-off before a failed record is retried, and the time limit for closing a removed destination.
 * Source: Talos v1.14: log delivery, retries and replaced senders.
 */
const retryMs = 1000;
const closeTimeoutMs = 3000;
/** After this number of records the pump yields to the event loop. */
const batchSize = 64;

/**
 * Sends the records of a source to one destination, in order, each after the one before was accepted. While
 * the destination is not reachable, the records stay in the source, and the first of them is retried every
 * second.
 */
export class RecordPump {
  readonly #init: RecordPumpInit;
  /** Aborts when no record may be sent after the current one. */
  readonly #stop = new AbortController();
  /** Aborts when only the pending records may still be sent. */
  readonly #drain = new AbortController();
  readonly #ended: Promise<void>;
  #isFailing = false;

  constructor(init: RecordPumpInit) {
    this.#init = init;
    this.#ended = this.#run();
  }

  /** Finishes the current record and closes the connection. */
  async stop(): Promise<void> {
    this.#stop.abort();
    this.#drain.abort();
    await this.#close(closeTimeoutMs);
  }

  /**
   * Sends the pending records, unless the destination is not reachable, and closes the connection. Takes at
   * most `timeoutMs`.
   */
  async drain(timeoutMs: number): Promise<void> {
    const endMs = performance.now() + timeoutMs;
    this.#drain.abort();
    await this.#waitForEnd(timeoutMs);
    this.#stop.abort();
    await this.#close(Math.max(0, endMs - performance.now()));
  }

  async #close(timeoutMs: number): Promise<void> {
    const endMs = performance.now() + timeoutMs;
    await this.#waitForEnd(timeoutMs);
    // Closing the connection makes a blocked send fail.
    await this.#init.sender.close(Math.max(0, endMs - performance.now()));
    await this.#ended;
    this.#init.source[Symbol.dispose]();
  }

  async #waitForEnd(timeoutMs: number): Promise<void> {
    const isOver = new AbortController();
    await Promise.race([this.#ended, pause(timeoutMs, isOver.signal)]);
    isOver.abort();
  }

  async #run(): Promise<void> {
    const { source } = this.#init;
    const { signal } = this.#stop;
    for (let count = 1; !signal.aborted; count += 1) {
      const isDraining = this.#drain.signal.aborted;
      const record = source.next() ?? (isDraining ? source.last() : undefined);
      if (record !== undefined) await this.#deliver(record);
      else if (isDraining) return;
      else await source.wait(this.#drain.signal);
      if (count % batchSize === 0) await setImmediate();
    }
  }

  async #deliver(record: PendingRecord): Promise<void> {
    while (!(await this.#send(record))) {
      if (this.#drain.signal.aborted) this.#stop.abort();
      if (this.#stop.signal.aborted) return;
      await pause(retryMs, this.#drain.signal);
    }
    record.delivered();
  }

  async #send({ text }: PendingRecord): Promise<boolean> {
    const { sender, destination, log } = this.#init;
    try {
      await sender.send(text);
    } catch (error) {
      if (sender.isUnsendable(error)) return true;
      this.#logChange(true, () => {
        const facts = { destination: logDestinationText(destination), error: faultFrom(error).message };
        log.warn(facts, 'log destination accepts no records');
      });
      return false;
    }
    this.#logChange(false, () =>
      log.info({ destination: logDestinationText(destination) }, 'log destination accepts records again'),
    );
    return true;
  }

  /** Logs each change only once, because log records are delivered to the destinations too. */
  #logChange(isFailing: boolean, logMessage: () => void): void {
    if (this.#isFailing === isFailing) return;
    this.#isFailing = isFailing;
    logMessage();
  }
}
