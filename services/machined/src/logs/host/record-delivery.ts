import type { Logger } from '@nodewright/telemetry';
import { type LogDestination, logDestinationKey } from '../domain/log-destination.ts';
import { RecordPump } from './record-pump.ts';
import { createRecordSender, type RecordSender } from './record-sender.ts';
import type { RecordSource } from './record-source.ts';

export interface RecordDeliveryInit {
  /** Opens the records that no destination has been sent yet. */
  readonly openSource: (destination: LogDestination) => RecordSource;
  readonly log: Logger;
  /** Default: TCP or UDP. */
  readonly createSender?: (destination: LogDestination) => RecordSender;
  /** How long what is there may be sent at the end. */
  readonly drainTimeoutMs?: number;
}

/** Source: Talos v1.14: shutdown, drainer. */
const defaultDrainTimeoutMs = 3000;

/** Brings records to the destinations of the moment, to each at its own pace. */
export interface RecordDelivery extends AsyncDisposable {
  /**
   * From now on these. A destination that stays keeps its connection; one that is new begins with what no other has been
   * sent. While there is none, nothing is read.
   */
  setDestinations(destinations: readonly LogDestination[]): Promise<void>;
}

/** Opens nothing before there are destinations. Disposing it sends what is there. */
export function createRecordDelivery(init: RecordDeliveryInit): RecordDelivery {
  const { openSource, log, createSender = createRecordSender, drainTimeoutMs = defaultDrainTimeoutMs } = init;
  const pumps = new Map<string, RecordPump>();
  let isOver = false;
  return {
    async setDestinations(destinations) {
      const wanted = new Map(destinations.map((each) => [logDestinationKey(each), each]));
      const gone = [...pumps].filter(([key]) => !wanted.has(key));
      for (const [key] of gone) pumps.delete(key);
      // What they are sending is sent, or not, before others begin: so nothing is sent twice.
      await Promise.all(gone.map(([, pump]) => pump.stop()));
      for (const [key, destination] of wanted) {
        // It may have been disposed meanwhile.
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
