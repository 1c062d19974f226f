/** How grave something is, from the least to the gravest. Source: Talos v1.14: log destinations, `talos-level`. */
export const logLevels = ['debug', 'info', 'warn', 'error', 'dpanic', 'panic', 'fatal'] as const;
export type LogLevel = (typeof logLevels)[number];

/** One thing that a log tells, as destinations get it. */
export interface LogEvent {
  readonly message: string;
  /** RFC 3339, with as many digits as are known. */
  readonly time: string;
  readonly level: LogLevel;
  /** What else it says, by name. Plain data. */
  readonly fields: Readonly<Record<string, unknown>>;
}

/** The graver of two levels. */
export function graverLevel(a: LogLevel, b: LogLevel): LogLevel {
  return logLevels.indexOf(a) < logLevels.indexOf(b) ? b : a;
}

const microsecondsPerSecond = 1_000_000n;

/** RFC 3339 of a time in microseconds since 1970, with as many digits as are needed. */
export function timeTextFromMicroseconds(atUs: bigint): string {
  const fraction = String(atUs % microsecondsPerSecond)
    .padStart(6, '0')
    .replace(/0+$/, '');
  const seconds = new Date(Number(atUs / 1000n)).toISOString().slice(0, -5);
  return `${seconds}${fraction === '' ? '' : `.${fraction}`}Z`;
}
