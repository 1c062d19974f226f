import { readLine } from '../../values/read-line.ts';
import type { LogLine } from '../protocol/messages.ts';
import { limits } from './limits.ts';

/**
 * Reads a line of a log for the page: a long one is cut.
 *
 * @param nowMs when the line arrived, Unix time in ms: some lines have no year
 */
export function readLogLine(line: string, nowMs: number): LogLine {
  return readLine(line.length > limits.lineLength ? `${line.slice(0, limits.lineLength)}…` : line, nowMs);
}
