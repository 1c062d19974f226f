import type { OutputStream } from '../command-module.ts';

/** Width of help that goes to a file or a pipe. */
const pipedWidth = 80;
/** On a terminal narrower than this, lines run over. */
const leastWidth = 40;

/** How many columns help has on an output. A terminal that does not know its width says 0. */
export function helpWidth({ columns }: Pick<OutputStream, 'columns'>): number {
  return Math.max(leastWidth, columns || pipedWidth);
}
