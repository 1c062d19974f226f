import { parseDuration } from '@nodewright/machine-config';

const argument = 'talos.device.settle_time=';
/** Longer than any disk needs: a typing error must not keep a machine from starting for days. */
const maxMs = 3_600_000;

/**
 * How long devices are waited for after udevd has processed them the first time, in ms, by the kernel's command line: some
 * disks appear later. Source: Talos v1.14: kernel arguments.
 */
export function settleTimeMs(commandLine: string): number {
  const words = commandLine.trim().split(/\s+/);
  const text = words.findLast((word) => word.startsWith(argument))?.slice(argument.length);
  const nanoseconds = text === undefined ? 0n : (parseDuration(text) ?? 0n);
  return Math.min(Math.max(Number(nanoseconds) / 1e6, 0), maxMs);
}
