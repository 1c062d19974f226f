import type { Logger } from '@nodewright/telemetry';
import { type LogDestination, logDestinationKey } from '../domain/log-destination.ts';
import { RecordPump } from './record-pump.ts';
import { createRecordSender, type RecordSender } from './record-sender.ts';
import type { RecordSource } from './record-source.ts';

export interface RecordDeliveryInit {
  /** Opens the records that no destination has received yet. */
  readonly openSource: (destination: LogDestination) => RecordSource;
  readonly log: Logger;
  /** Creates the sender of a destination; default: one for TCP or UDP. */
  readonly createSender?: (destination: LogDestination) => RecordSender;
  /** The time limit for sending pending records when the delivery is disposed. */
  readonly drainTimeoutMs?: number;
}

/** The default of `drainTimeoutMs`. Source: Talos v1.14: shutdown, drainer. */
const defaultDrainTimeoutMs = 3000;

/** Sends records to all current destinations, independently of each other. */
export interface RecordDelivery extends AsyncDisposable {
  /**
   * Replaces the destinations. A destination that stays keeps its connection; a new one starts with the first
   * record that no other destination has received. While there is no destination, no records are read.
   */
  setDestinations(destinations: readonly LogDestination[]): Promise<void>;
}

/** Creates a delivery, which opens no source before it has destinations. Disposing it sends the pending records. */
export function createRecordDelivery(init: RecordDeliveryInit): RecordDelivery {
  const { openSource, log, createSender = createRecordSender, drainTimeoutMs = defaultDrainTimeoutMs } = init;
  const pumps = new Map<string, RecordPump>();
  let isOver = false;
  return {
    async setDestinations(destinations) {
      const wanted = new Map(destinations.map((each) => [logDestinationKey(each), each]));
      const removed = [...pumps].filter(([key]) => !wanted.has(key));
      for (const [key] of removed) pumps.delete(key);
      // Removed destinations finish their current record before new ones start, so no record is sent twice.
      await Promise.all(removed.map(([, pump]) => pump.stop()));
      for (const [key, destination] of wanted) {
        // The delivery may have been disposed meanwhile.
        if (isOver || pumps.has(key)) continue;
        const sender = createSender(destination);
        pumps.set(key, new RecordPump({ destination, source: openSource(destination), sender, log }));
      }
    },
    async [Symbol.asyncDispose]() {
      isOver = true;
      const last = [...pumps.values()];
      pumps.clear();
      await Promise.all(last.map((pump) => pump.drain(drainTimeoutMs)));
    },
  };
}
