import { type DestinationStream, type Logger, pino } from 'pino';
import type { Telemetry } from './telemetry.ts';

export type { DestinationStream, Logger };

export interface LoggerInit {
  /** Name of the daemon, the field `name` of each line. */
  name: string;
  telemetry: Telemetry;
  /** `trace`, `debug`, `info` (default), `warn`, `error`, `fatal` or `silent`. */
  level?: string;
  /** Where lines go; standard output by default, written synchronously so that a crash loses none. */
  destination?: DestinationStream;
}

/**
 * JSON lines: `level` as a word, `time` in RFC 3339, `msg` a constant string, facts as fields, and `trace_id` with
 * `span_id` while a span is active. Secrets go in as `Secret`, which prints redacted.
 */
export function createLogger({ name, telemetry, level = 'info', destination }: LoggerInit): Logger {
  const options = {
    level,
    base: { name },
    timestamp: () => `,"time":"${new Date().toISOString()}"`,
    formatters: { level: (label: string) => ({ level: label }) },
    mixin() {
      const span = telemetry.activeSpan();
      return span?.traceId === undefined ? {} : { trace_id: span.traceId, span_id: span.spanId };
    },
  };
  return pino(options, destination ?? pino.destination({ fd: 1, sync: true }));
}
