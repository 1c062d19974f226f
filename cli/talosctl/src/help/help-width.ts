import type { OutputStream } from '../context/command-module.ts';

/** Width of help in a file or a pipe. */
const pipedWidth = 80;
/** The minimum width. On a narrower terminal the lines wrap. */
const leastWidth = 40;

/** The width of help on an output. A terminal of unknown width reports 0 columns. */
export function helpWidth({ columns }: Pick<OutputStream, 'columns'>): number {
  return Math.max(leastWidth, columns || pipedWidth);
}
