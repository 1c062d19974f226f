import { timeTextFromMicroseconds } from './log-event.ts';

/** A record of the kernel's log, or the number of records that were lost. */
export type KernelMessage =
  | {
      readonly kind: 'record';
      readonly record: {
        readonly facility: number;
        readonly priority: number;
        readonly sinceBootUs: bigint;
        readonly text: Uint8Array;
      };
    }
  | { readonly kind: 'lost'; readonly count: bigint };

const facilities = [
  'kern',
  'user',
  'mail',
  'daemon',
  'auth',
  'syslog',
  'lpr',
  'news',
  'uucp',
  'cron',
  'authpriv',
];
/** Facilities 11 to 15 have no name; facilities 16 to 23 are for local use. */
const firstLocalFacility = 16;
const priorities = ['emerg', 'alert', 'crit', 'err', 'warning', 'notice', 'info', 'debug'];
const priorityWidth = 7;

/**
 * Formats an entry of the kernel's log for Dmesg: `kern:    info: [2026-08-14T12:00:00.123456Z]: text`, with
 * the text unchanged. Lost records become a line of the same format with their number. Source: Talos v1.14:
 * Dmesg, except for the line about lost records.
 *
 * @param bootUs when the machine started, Unix time in microseconds.
 *
 * @param nowUs the time of a line about lost records, which have no time of their own.
 */
export function kernelMessageText(entry: KernelMessage, bootUs: bigint, nowUs: bigint): Buffer {
  if (entry.kind === 'lost') {
    const what = entry.count === 1n ? '1 kernel message was' : `${entry.count} kernel messages were`;
    return Buffer.from(
      `${head(5, 4, nowUs)}${what} lost here: the ring was overwritten before it was read\n`,
    );
  }
  const { facility, priority, sinceBootUs, text } = entry.record;
  return Buffer.concat([Buffer.from(head(facility, priority, bootUs + sinceBootUs)), text]);
}

function head(facility: number, priority: number, atUs: bigint): string {
  return `${facilityName(facility)}: ${priorityName(priority).padStart(priorityWidth)}: [${timeTextFromMicroseconds(atUs)}]: `;
}

/** Returns the name of a priority, such as `info`; empty for an unknown number. */
export function priorityName(priority: number): string {
  return priorities[priority] ?? '';
}

/** Returns the name of a facility, such as `kern` or `local3`. */
export function facilityName(facility: number): string {
  if (facility >= firstLocalFacility && facility < firstLocalFacility + 8) {
    return `local${facility - firstLocalFacility}`;
  }
  return facilities[facility] ?? `unknown${facility}`;
}
