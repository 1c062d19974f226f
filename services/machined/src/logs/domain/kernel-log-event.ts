import { facilityName, priorityName } from './kernel-message-text.ts';
import { type LogEvent, type LogLevel, timeTextFromMicroseconds } from './log-event.ts';

/** A record of the kernel's log, as far as destinations are told of it. */
export interface KernelRecord {
  readonly priority: number;
  readonly facility: number;
  readonly sequence: bigint;
  readonly sinceBootUs: bigint;
  readonly text: Uint8Array;
}

/** By priority, emergency first. Source: Talos v1.14: kernel log delivery. */
const levels: readonly LogLevel[] = ['error', 'error', 'error', 'error', 'warn', 'info', 'info', 'debug'];

/**
 * What destinations of the kernel's log are told of a record.
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
