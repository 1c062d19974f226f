import { pause } from '@nodewright/async';
import type { KernelLog, KernelLogEntry } from '@nodewright/linux';
import { kernelLogEvent } from '../domain/kernel-log-event.ts';
import { type LogEvent, timeTextFromMicroseconds } from '../domain/log-event.ts';
import { encodeLogRecord } from '../domain/log-record.ts';
import type { RecordSource } from './record-source.ts';

/** The position up to which the kernel's log has been delivered to any destination. */
export interface KernelLogPosition {
  /** The sequence number of the next record. */
  sequence: bigint;
}

export interface KernelLogSourceInit {
  readonly openLog: () => KernelLog;
  readonly position: KernelLogPosition;
  readonly extraTags: Readonly<Record<string, string>>;
  /** When the machine started, Unix time in microseconds. */
  readonly bootUs: bigint;
  /** Returns the current Unix time in microseconds. */
  readonly nowUs: () => bigint;
}

/** The interval at which the kernel's log is polled, so that no thread blocks in a read. */
const pollMs = 100;

/**
 * Opens the records of the kernel's log from a position on. Records that were overwritten before they were
 * read are reported with their number.
 *
 * @throws Fault when this process may not read the kernel's log
 */
export function openKernelLogSource(init: KernelLogSourceInit): RecordSource {
  const { position, extraTags, bootUs, nowUs } = init;
  const log = init.openLog();
  const eventFrom = (entry: KernelLogEntry): LogEvent => {
    if (entry.kind === 'record') return kernelLogEvent(entry.record, bootUs);
    const message = `[${entry.count} messages of the kernel were lost: they were overwritten before they were read]`;
    return { message, time: timeTextFromMicroseconds(nowUs()), level: 'warn', fields: {} };
  };
  return {
    next() {
      for (;;) {
        const entry = log.next();
        if (entry === undefined) return undefined;
        if (entry.kind === 'record' && entry.record.sequence < position.sequence) continue;
        const text = encodeLogRecord(eventFrom(entry), { extraTags });
        if (text === undefined) continue;
        const delivered = () => {
          if (entry.kind === 'lost') return;
          const { sequence } = entry.record;
          if (position.sequence <= sequence) position.sequence = sequence + 1n;
        };
        return { text, delivered };
      }
    },
    last: () => undefined,
    wait: (signal) => pause(pollMs, signal),
    [Symbol.dispose]: () => log[Symbol.dispose](),
  };
}
