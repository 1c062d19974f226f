/** The last lines of one log. */
export interface LogModel {
  readonly lines: readonly string[];
  /** Why it cannot be followed at the moment; the feed retries. */
  readonly problem?: string;
  /**
   * Counts all lines that arrived, including dropped ones, so that a log that was scrolled back keeps its
   * position.
   */
  readonly count: number;
}

export const emptyLog: LogModel = { lines: [], count: 0 };
/** The log of the kernel, which is not a service. */
export const kernelLog = 'kernel';

const keptLines = 5000;

export function withLines({ lines, count }: LogModel, added: readonly string[]): LogModel {
  return { lines: [...lines, ...added].slice(-keptLines), count: count + added.length };
}

/** A kernel message for display: without its facility. Source: Talos v1.14: Dmesg. */
export function kernelLine(text: string): string {
  const found = /^\s*(\w+):\s+(\w+): \[([^\]]*)\]: (.*)$/s.exec(text);
  if (found === null) return text;
  const [, , priority = '', time = '', message = ''] = found;
  const clock = /T(\d\d:\d\d:\d\d)/.exec(time)?.[1] ?? time;
  return `${clock} ${priority.padEnd(6)} ${message}`;
}

/** A JSON line of a daemon in readable form; other lines unchanged. */
export function serviceLine(text: string): string {
  if (!text.startsWith('{')) return text;
  try {
    const { time, level, msg, name: _, ...fields } = JSON.parse(text) as Record<string, unknown>;
    if (typeof msg !== 'string') return text;
    const clock = /T(\d\d:\d\d:\d\d)/.exec(String(time))?.[1] ?? '';
    const rest = Object.entries(fields)
      .filter(([key]) => !['trace_id', 'span_id', 'trace_flags'].includes(key))
      .map(([key, value]) => `${key}=${typeof value === 'object' ? JSON.stringify(value) : String(value)}`);
    return `${clock} ${String(level ?? '').padEnd(5)} ${[msg, ...rest].join(' ')}`;
  } catch {
    return text;
  }
}

/** The style of a line, by its severity. */
export function lineUrgency(text: string): 'bad' | 'warning' | 'plain' {
  if (/^\d\d:\d\d:\d\d (?:emerg|alert|crit|err|error|fatal)\b/i.test(text)) return 'bad';
  return /^\d\d:\d\d:\d\d (?:warn|warning)\b/i.test(text) ? 'warning' : 'plain';
}
