import type { LogDestination } from '../domain/log-destination.ts';
import { openTcpSender } from './tcp-sender.ts';
import { openUdpSender } from './udp-sender.ts';

/** Sends records to one destination, one at a time. It connects when it has to. */
export interface RecordSender {
  /**
   * Resolves when the kernel has taken the record.
   *
   * @throws an error of the connection, or when it takes longer than the timeout; the next call connects anew
   */
  send(record: string): Promise<void>;
  /** Whether an error of `send` means that this record can never be sent. */
  isUnsendable(error: unknown): boolean;
  /** Lets the peer take what was sent, for so long at most, and closes. */
  close(timeoutMs: number): Promise<void>;
}

/** Source: Talos v1.14: log delivery, timeouts. */
const sendTimeoutMs = 5000;

/** Opens nothing before the first record. The caller closes it. */
export function createRecordSender(destination: LogDestination): RecordSender {
  const open = destination.protocol === 'tcp' ? openTcpSender : openUdpSender;
  return open(destination, sendTimeoutMs);
}
