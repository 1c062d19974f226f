import { type DestinationStream, type Logger, pino } from 'pino';
import type { Telemetry } from './telemetry.ts';

export type { DestinationStream, Logger };

/** The levels of lines, the lowest first. `silent` writes none. */
export const logLevels = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'] as const;
export type LogLevel = (typeof logLevels)[number];

export interface LoggerInit {
  /** The name of the daemon, written to the field `name` of each line. */
  name: string;
  telemetry: Telemetry;
  /** The lowest level that is written, one of `logLevels`. Default: `info`. */
  level?: string | undefined;
  /**
   * The destination of the lines. Default: standard output, written synchronously so that a crash loses none.
   */
  destination?: DestinationStream;
}

const noTrace = {};

let timeMs = 0;
let timeText = '';

/** The field with the time. Many lines have the same millisecond, and its text takes longer than the rest. */
function timestamp(): string {
  const now = Date.now();
  if (now !== timeMs) {
    timeMs = now;
    timeText = `,"time":"${new Date(now).toISOString()}"`;
  }
  return timeText;
}

/**
 * A logger of JSON lines: `level` as a word, `time` in RFC 3339, `msg` as a constant string, and facts as
 * fields. Lines contain `trace_id` and `span_id` while a span is active. Pass secrets as `Secret`, which is
 * redacted.
 */
export function createLogger({ name, telemetry, level = 'info', destination }: LoggerInit): Logger {
  const options = {
    level,
    base: { name },
    timestamp,
    formatters: { level: (label: string) => ({ level: label }) },
    mixin() {
      const span = telemetry.activeSpan();
      return span?.traceId === undefined ? noTrace : { trace_id: span.traceId, span_id: span.spanId };
    },
    mixinMergeStrategy: (facts: object, trace: object) =>
      trace === noTrace ? facts : Object.assign(facts, trace),
  };
  return pino(options, destination ?? pino.destination({ fd: 1, sync: true }));
}
