import {
  type LogEvent,
  type LogLevel,
  logLevels,
  moreSevereLevel,
  timeTextFromMicroseconds,
} from './log-event.ts';

type Fields = Record<string, unknown>;

/**
 * Parses a line of a service's log: a JSON object, a text followed by a JSON object, or a plain text. Returns
 * `undefined` for a blank line. Source: Talos v1.14: log destinations, line parsing.
 *
 * @param nowMs Unix ms; the time of a line without a time
 */
export function parseLogLine(line: string, nowMs: number): LogEvent | undefined {
  const text = line.trim();
  if (text === '') return undefined;
  const at = text.indexOf('{');
  const object = at < 0 ? undefined : objectFrom(text.slice(at));
  if (object === undefined) return { message: text, time: timeTextFromMs(nowMs), level: 'info', fields: {} };
  return eventFrom(text.slice(0, at).trimEnd(), object, nowMs);
}

function objectFrom(text: string): Fields | undefined {
  if (!text.endsWith('}')) return undefined;
  try {
    return JSON.parse(text) as Fields;
  } catch {
    // The text contains a brace but no JSON object.
    return undefined;
  }
}

/**
 * Moves time, level, message and error out of the fields of an object. Values that cannot be parsed stay in
 * the fields.
 */
function eventFrom(prefix: string, fields: Fields, nowMs: number): LogEvent {
  const time = takeFirst(fields, ['time', 'ts'], timeTextFrom) ?? timeTextFromMs(nowMs);
  const level = takeFirst(fields, ['level'], levelFrom) ?? 'info';
  const message = [prefix, takeFirst(fields, ['msg'], textFrom) ?? '']
    .filter((part) => part !== '')
    .join(' ');
  const error = takeFirst(fields, ['err'], textFrom);
  if (error === undefined) return { message, time, level, fields };
  return { message: `${message}: ${error}`, time, level: moreSevereLevel(level, 'warn'), fields };
}

function takeFirst<T>(fields: Fields, keys: readonly string[], read: (value: unknown) => T | undefined) {
  for (const key of keys) {
    const value = Object.hasOwn(fields, key) ? read(fields[key]) : undefined;
    if (value === undefined) continue;
    delete fields[key];
    return value;
  }
  return undefined;
}

const textFrom = (value: unknown) => (typeof value === 'string' ? value : undefined);

function levelFrom(value: unknown): LogLevel | undefined {
  if (typeof value !== 'string') return undefined;
  const word = value.toLowerCase();
  return word === 'warning' ? 'warn' : logLevels.find((level) => level === word);
}

const timePattern = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,9})?(Z|[+-]\d\d:\d\d)$/;
/** The year 3000 in seconds; a larger number is taken as milliseconds. */
const largestSeconds = 32_503_680_000;
/** The largest time that a Date supports. */
const largestMs = 8.64e15;

function timeTextFrom(value: unknown): string | undefined {
  if (typeof value === 'string') {
    return timePattern.test(value) && !Number.isNaN(Date.parse(value)) ? value : undefined;
  }
  if (typeof value !== 'number' || !(value >= 0) || value > largestMs) return undefined;
  return timeTextFromMs(value <= largestSeconds ? value * 1000 : value);
}

function timeTextFromMs(ms: number): string {
  return timeTextFromMicroseconds(BigInt(Math.round(ms * 1000)));
}
