import { readLine } from './read-line.ts';

/** The longest name of a level. */
const levelWidth = 'warning'.length;

/**
 * A line of a log for a terminal: its time in UTC, its level and its text. A line of a form that is not known is returned as it is.
 *
 * @param line one line, without its end
 * @param nowMs Unix time in ms: some lines have no year
 */
export function shownLine(line: string, nowMs: number): string {
  const { atMs, level, text } = readLine(line, nowMs);
  const shown = withoutHead(text);
  if (shown === line) return line;
  const word = level === 'unknown' ? '' : level;
  // A message in JSON may contain line breaks, with which it would imitate the lines of other nodes.
  return [...timeText(atMs), word.padEnd(levelWidth), shown.replaceAll('\n', '\\n')].join(' ');
}

/** A line of Kubernetes repeats its level, time and thread. Source: klog: header format. */
const withoutHead = (text: string) => text.replace(/^[IWEF]\d{4} \d\d:\d\d:\d\d\.\d+ +\d+ /, '');

function timeText(atMs: number | undefined): string[] {
  const date = new Date(atMs ?? Number.NaN);
  return Number.isNaN(date.getTime()) ? [] : [date.toISOString().replace('T', ' ').replace('Z', '')];
}
