import type { Timestamp } from '@nodewright/contract/gen/google/protobuf/timestamp.ts';

/** A duration in whole seconds as Go prints it: `45s`, `2m0s`, `26h3m9s`. */
export function formatGoSeconds(seconds: number): string {
  const whole = Math.abs(Math.round(seconds));
  const hours = Math.floor(whole / 3600);
  const minutes = Math.floor((whole % 3600) / 60);
  const sign = seconds < 0 && whole > 0 ? '-' : '';
  if (hours > 0) return `${sign}${hours}h${minutes}m${whole % 60}s`;
  return minutes > 0 ? `${sign}${minutes}m${whole % 60}s` : `${sign}${whole}s`;
}

/** Whether protobuf permits a timestamp: years 1 to 9999. */
export function isValidTimestamp({ seconds, nanos }: Timestamp): boolean {
  return seconds >= -62135596800n && seconds <= 253402300799n && nanos >= 0 && nanos < 1_000_000_000;
}

function fraction(nanos: number): string {
  return nanos === 0 ? '' : `.${String(nanos).padStart(9, '0').replace(/0+$/, '')}`;
}

function secondsText({ seconds }: Timestamp): string {
  return new Date(Number(seconds) * 1000).toISOString().slice(0, 19);
}

/** A time as Go prints it: `2026-08-14 12:00:00.123 +0000 UTC`. The timestamp must be valid. */
export function formatGoTime(time: Timestamp): string {
  return `${secondsText(time).replace('T', ' ')}${fraction(time.nanos)} +0000 UTC`;
}

/** A time as RFC 3339 with all its digits, for documents; undefined when it is absent or invalid. */
export function formatTimestamp(time: Timestamp | undefined): string | undefined {
  return time === undefined || !isValidTimestamp(time)
    ? undefined
    : `${secondsText(time)}${fraction(time.nanos)}Z`;
}

/** Seconds from `time` to `now`. */
export function secondsSince(time: Timestamp, now: Date): number {
  return now.getTime() / 1000 - (Number(time.seconds) + time.nanos / 1e9);
}
