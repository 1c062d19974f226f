import type { LogDestination } from '../domain/log-destination.ts';
import { openTcpSender } from './tcp-sender.ts';
import { openUdpSender } from './udp-sender.ts';

/** Sends records to one destination, one at a time. Connects when a record is sent. */
export interface RecordSender {
  /**
   * Resolves when the kernel has accepted the record.
   *
   * @throws an error of the connection, or when the timeout has passed; the next call opens another
   * connection
   */
  send(record: string): Promise<void>;
  /** Whether an error of `send` means that this record can never be sent, so it should be dropped. */
  isUnsendable(error: unknown): boolean;
  /** Waits at most this time until the peer has received everything, and closes the connection. */
  close(timeoutMs: number): Promise<void>;
}

/** The time limit for sending one record. Source: Talos v1.14: log delivery, timeouts. */
const sendTimeoutMs = 5000;

/** Creates a sender, which connects with the first record. The caller closes it. */
export function createRecordSender(destination: LogDestination): RecordSender {
  const open = destination.protocol === 'tcp' ? openTcpSender : openUdpSender;
  return open(destination, sendTimeoutMs);
}
