import { Fault } from '@nodewright/fault';

/** Mean length of the run queue over the last one, five and fifteen minutes. */
export interface LoadAverages {
  readonly load1: number;
  readonly load5: number;
  readonly load15: number;
}

/**
 * Parses `/proc/loadavg`.
 *
 * @throws Fault `internal` when the text does not start with three decimal numbers.
 */
export function parseLoadavg(text: string): LoadAverages {
  const match = /^(\d{1,9}\.\d{1,9}) (\d{1,9}\.\d{1,9}) (\d{1,9}\.\d{1,9})(?:\s|$)/.exec(text);
  if (!match) throw new Fault('internal', `no load averages in ${JSON.stringify(text.slice(0, 64))}`);
  return { load1: Number(match[1]), load5: Number(match[2]), load15: Number(match[3]) };
}
