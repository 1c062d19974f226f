import { klogTime } from '../../values/klog-time.ts';
import { keptText } from './kept-text.ts';

/** One line of a log, in readable form. */
export interface LogLine {
  readonly text: string;
  /** When it was written; for a line without a time, the time of the line before or of its arrival. */
  readonly atMs: number;
}

/** The last lines of one log. */
export interface LogModel {
  readonly lines: readonly LogLine[];
  /** Why it cannot be followed at the moment; the feed retries. */
  readonly problem?: string;
  /** The node does not have the log, or does not let the caller read it. */
  readonly isRefused?: boolean;
  /**
   * Counts all lines that arrived, including dropped ones, so that a log that was scrolled back keeps its
   * position.
   */
  readonly count: number;
  /** How many lines about requests of this dashboard were left out. */
  readonly ownCount: number;
}

export const emptyLog: LogModel = { lines: [], count: 0, ownCount: 0 };
/** The log of the kernel, which is not a service. */
export const kernelLog = 'kernel';
/** All services of a node together. No service has such a name. */
export const allServices = 'all services';

const keptLines = 5000;
/** Longer lines are cut: a log has few of them, and a hostile one nothing else. */
const keptCharacters = 8000;

/** @param arrivedMs the time of the first lines, if they have none */
export function withLines(
  { lines, count, ownCount, ...rest }: LogModel,
  log: string,
  added: readonly string[],
  arrivedMs: number,
): LogModel {
  let atMs = lines.at(-1)?.atMs ?? arrivedMs;
  const read = added.map((raw): LogLine => {
    const line = log === kernelLog ? kernelLine(raw) : serviceLine(raw);
    atMs = line.atMs ?? klogTime(raw, arrivedMs) ?? atMs;
    return { text: keptText(line.text, keptCharacters), atMs };
  });
  return { ...rest, lines: [...lines, ...read].slice(-keptLines), count: count + added.length, ownCount };
}

interface ReadLine {
  readonly text: string;
  readonly atMs: number | undefined;
}

/** A kernel message for display: without its facility. Source: Talos v1.14: Dmesg. */
export function kernelLine(text: string): ReadLine {
  const found = /^\s*(\w+):\s+(\w+): \[([^\]]*)\]: (.*)$/s.exec(text);
  if (found === null) return { text, atMs: undefined };
  const [, , priority = '', time = '', message = ''] = found;
  return { text: `${clockOf(time) ?? time} ${priority.padEnd(6)} ${message}`, atMs: msOf(time) };
}

/** A JSON line of a daemon or of etcd in readable form; other lines unchanged. */
export function serviceLine(text: string): ReadLine {
  const plain = { text, atMs: undefined };
  if (!text.startsWith('{')) return plain;
  try {
    const { time, ts, level, msg, name: _, ...fields } = JSON.parse(text) as Record<string, unknown>;
    if (typeof msg !== 'string') return plain;
    const written = String(time ?? ts ?? '');
    const rest = Object.entries(fields)
      .filter(([key]) => !['trace_id', 'span_id', 'trace_flags'].includes(key))
      .map(([key, value]) => `${key}=${typeof value === 'object' ? JSON.stringify(value) : String(value)}`);
    const severity = String(level ?? '').padEnd(5);
    return { text: `${clockOf(written) ?? ''} ${severity} ${[msg, ...rest].join(' ')}`, atMs: msOf(written) };
  } catch {
    return plain;
  }
}

/** The time of day in UTC. A time that does not name its zone is shown as it is: nodes write UTC. */
function clockOf(time: string): string | undefined {
  const [, clock, zone] = /T(\d\d:\d\d:\d\d)(?:[.,]\d+)?(Z|[+-]\d\d:?\d\d)?/.exec(time) ?? [];
  const ms = zone === undefined || zone === 'Z' ? undefined : msOf(time);
  return ms === undefined ? clock : new Date(ms).toISOString().slice(11, 19);
}

function msOf(time: string): number | undefined {
  const ms = Date.parse(time);
  return Number.isNaN(ms) ? undefined : ms;
}

/** The style of a line, by its severity. */
export function lineUrgency(text: string): 'bad' | 'warning' | 'plain' {
  if (/^\d\d:\d\d:\d\d (?:emerg|alert|crit|err|error|fatal)\b/i.test(text)) return 'bad';
  return /^\d\d:\d\d:\d\d (?:warn|warning)\b/i.test(text) ? 'warning' : 'plain';
}
