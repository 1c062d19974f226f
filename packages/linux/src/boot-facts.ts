import { readFileSync } from 'node:fs';
import { Fault } from '@nodewright/fault';

/**
 * Seconds since boot, from `/proc/uptime`.
 *
 * @throws Fault `internal` for text in another format.
 */
export function parseUptime(text: string): number {
  const match = /^(\d{1,12}\.\d{1,9}) /.exec(text);
  if (!match) throw new Fault('internal', `no uptime in ${JSON.stringify(text.slice(0, 64))}`);
  return Number(match[1]);
}

/** The kernel's random id of this boot. In process mode it is the host's, not the node's. */
export function readBootId(): string {
  return readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
}

/** The hostname of this machine or UTS namespace. */
export function readKernelHostname(): string {
  return readFileSync('/proc/sys/kernel/hostname', 'utf8').trim();
}
