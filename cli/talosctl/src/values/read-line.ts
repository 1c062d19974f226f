import { klogTime } from './klog-time.ts';

export type LogLevel = 'error' | 'warning' | 'info' | 'debug' | 'unknown';

/** A line of a log, as far as its form is known. */
export interface ReadLine {
  readonly text: string;
  readonly level: LogLevel;
  /** Unix time in ms; undefined when the line has none. */
  readonly atMs?: number | undefined;
  /** The id of the trace that the line belongs to. */
  readonly trace?: string | undefined;
}

const levels: Readonly<Record<string, LogLevel>> = {
  ...{ emerg: 'error', alert: 'error', crit: 'error', err: 'error', error: 'error', fatal: 'error' },
  ...{ panic: 'error', dpanic: 'error', e: 'error', f: 'error' },
  ...{ warn: 'warning', warning: 'warning', w: 'warning' },
  ...{ info: 'info', notice: 'info', i: 'info' },
  ...{ debug: 'debug', trace: 'debug', d: 'debug' },
};

const levelOf = (word: string): LogLevel => levels[word.toLowerCase()] ?? 'unknown';

/** Fields of a line of JSON that are shown on their own, or mean nothing to a reader. */
const shownApart = new Set([
  'time',
  'ts',
  'level',
  'msg',
  'message',
  'name',
  'trace_id',
  'span_id',
  'trace_flags',
]);

/**
 * Reads the time, the level and the trace of a line of a log, as the daemons, the kernel, etcd and Kubernetes write them. A line
 * of another form is kept as it is.
 *
 * @param text one line, without its end
 * @param nowMs when the line arrived, Unix time in ms: some lines have no year
 */
export function readLine(text: string, nowMs: number): ReadLine {
  return (
    (text.startsWith('{') ? readJsonLine(text) : (readKernelLine(text) ?? readKlogLine(text, nowMs))) ?? {
      level: 'unknown',
      text,
      atMs: timeOf(/^\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(?:[.,]\d+)?(?:Z|[+-]\d\d:?\d\d)?/.exec(text)?.[0]),
    }
  );
}

function readJsonLine(text: string): ReadLine | undefined {
  let fields: Readonly<Record<string, unknown>>;
  try {
    fields = JSON.parse(text) as Readonly<Record<string, unknown>>;
  } catch {
    return undefined;
  }
  const message = fields.msg ?? fields.message;
  if (typeof message !== 'string') return undefined;
  const rest = Object.entries(fields)
    .filter(([key]) => !shownApart.has(key))
    .map(([key, value]) => `${key}=${typeof value === 'string' ? value : JSON.stringify(value)}`);
  const trace = fields.trace_id;
  return {
    atMs: timeOf(fields.time ?? fields.ts),
    level: typeof fields.level === 'string' ? levelOf(fields.level) : 'unknown',
    text: [message, ...rest].join(' '),
    trace: typeof trace === 'string' && /^[0-9a-f]{32}$/.test(trace) ? trace : undefined,
  };
}

/** `kern: info: [2026-01-10T09:00:01Z]: text`. Source: Talos v1.14: Dmesg. */
function readKernelLine(text: string): ReadLine | undefined {
  const [, facility, priority = '', time, message = ''] =
    /^\s*(\w+):\s+(\w+): \[([^\]]*)\]: (.*)$/s.exec(text) ?? [];
  if (facility === undefined) return undefined;
  return { atMs: timeOf(time), level: levelOf(priority), text: message };
}

/** `I1125 17:05:01.123456       1 server.go:10] text`. Source: klog: header format. */
function readKlogLine(text: string, nowMs: number): ReadLine | undefined {
  const [, letter] = /^([IWEF])\d{4} \d\d:\d\d:\d\d\.\d+ /.exec(text) ?? [];
  return letter === undefined ? undefined : { atMs: klogTime(text, nowMs), level: levelOf(letter), text };
}

function timeOf(value: unknown): number | undefined {
  if (typeof value === 'number') return value < 1e11 ? value * 1000 : value;
  if (typeof value !== 'string') return undefined;
  const ms = Date.parse(value.replace(',', '.'));
  return Number.isNaN(ms) ? undefined : ms;
}
