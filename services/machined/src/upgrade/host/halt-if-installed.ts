import { pauseBy, type Timers } from '@nodewright/async';

export interface HaltInit {
  /** Of the kernel. */
  readonly commandLine: string;
  /** The disks that have a system, as `/dev/vda (partitions …)`. */
  readonly systems: () => Promise<readonly string[]>;
  /** Shows a line on the console. */
  readonly report: (line: string) => void;
  readonly timers: Timers;
  readonly signal: AbortSignal;
}

// Source: Talos v1.14: installation.
const argument = 'talos.halt_if_installed=';
const reportMs = 30_000;
const haltMs = 70 * 60_000;

/**
 * Stops the start of a machine that a medium has started although a disk has a system, when the kernel's command line says so: somebody has to take
 * the medium out. It ends after 70 minutes.
 *
 * @returns whether the machine is to be restarted
 */
export async function haltIfInstalled({
  commandLine,
  systems,
  report,
  timers,
  signal,
}: HaltInit): Promise<boolean> {
  const words = commandLine.trim().split(/\s+/);
  const value = words.findLast((word) => word.startsWith(argument))?.slice(argument.length) ?? '';
  if (!/^(?:1|t|true|yes|on)$/i.test(value)) return false;
  const found = await systems();
  if (found.length === 0) return false;
  for (let waited = 0; waited < haltMs && !signal.aborted; waited += reportMs) {
    report(`a system is installed on ${found.join(' and ')}: take the medium out and restart the machine`);
    await pauseBy(timers, reportMs, signal);
  }
  return !signal.aborted;
}
