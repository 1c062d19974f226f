/** The levels of severity, from the lowest to the highest. Source: Talos v1.14: log destinations, `talos-level`. */
export const logLevels = ['debug', 'info', 'warn', 'error', 'dpanic', 'panic', 'fatal'] as const;
export type LogLevel = (typeof logLevels)[number];

/** One entry of a log, as it is sent to destinations. */
export interface LogEvent {
  readonly message: string;
  /** RFC 3339, with all known digits of the fraction. */
  readonly time: string;
  readonly level: LogLevel;
  /** All other fields of the entry, as plain data. */
  readonly fields: Readonly<Record<string, unknown>>;
}

/** Returns the more severe of two levels. */
export function moreSevereLevel(a: LogLevel, b: LogLevel): LogLevel {
  return logLevels.indexOf(a) < logLevels.indexOf(b) ? b : a;
}

const microsecondsPerSecond = 1_000_000n;

/** Formats microseconds since 1970 as RFC 3339, without trailing zeros in the fraction. */
export function timeTextFromMicroseconds(atUs: bigint): string {
  const fraction = String(atUs % microsecondsPerSecond)
    .padStart(6, '0')
    .replace(/0+$/, '');
  const seconds = new Date(Number(atUs / 1000n)).toISOString().slice(0, -5);
  return `${seconds}${fraction === '' ? '' : `.${fraction}`}Z`;
}
