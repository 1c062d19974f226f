import { facilityName, priorityName } from './kernel-message-text.ts';
import { type LogEvent, type LogLevel, timeTextFromMicroseconds } from './log-event.ts';

/** The fields of a record of the kernel's log that destinations receive. */
export interface KernelRecord {
  readonly priority: number;
  readonly facility: number;
  readonly sequence: bigint;
  readonly sinceBootUs: bigint;
  readonly text: Uint8Array;
}

/** The level of each priority, from emergency on. Source: Talos v1.14: kernel log delivery. */
const levels: readonly LogLevel[] = ['error', 'error', 'error', 'error', 'warn', 'info', 'info', 'debug'];

/**
 * Converts a record of the kernel's log to an event for destinations.
 *
 * @param bootUs when the machine started, Unix time in microseconds.
 */
export function kernelLogEvent(record: KernelRecord, bootUs: bigint): LogEvent {
  const { priority, facility, sequence, sinceBootUs, text } = record;
  return {
    message: Buffer.from(text).toString().trimEnd(),
    time: timeTextFromMicroseconds(bootUs + sinceBootUs),
    level: levels[priority] ?? 'info',
    fields: {
      facility: facilityName(facility),
      seq: Number(sequence),
      clock: Number(sinceBootUs),
      priority: priorityName(priority),
    },
  };
}
