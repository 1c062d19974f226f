import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import type { LockHost } from './lock-entry.ts';

/** What tells hosts and their boots from each other. */
export interface HostFacts {
  /** Source: proc(5): /proc/sys/kernel/random/boot_id. */
  readonly bootId: string;
  /** Source: machine-id(5). Empty where there is none, as in many containers. */
  readonly machineId: string;
  readonly hostname: string;
}

/**
 * The host of a lock. Copies of an image of a machine may share its machine-id, so the name of the host counts, too. One that was
 * renamed is another host.
 */
export function lockHostFrom({ bootId, machineId, hostname }: HostFacts): LockHost {
  return { host: digest(machineId.trim(), hostname), boot: digest(bootId.trim()) };
}

/** @throws the error of the system when the kernel does not tell its boot */
export async function readLockHost(): Promise<LockHost> {
  const bootId = await readFile('/proc/sys/kernel/random/boot_id', 'utf8');
  const machineId = await readFile('/etc/machine-id', 'utf8').catch(() => '');
  return lockHostFrom({ bootId, machineId, hostname: hostname() });
}

function digest(...words: readonly string[]): string {
  return createHash('sha256').update(JSON.stringify(words)).digest('hex').slice(0, 8);
}
