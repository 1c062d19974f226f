import { readFileSync } from 'node:fs';

/** Numbers of capabilities, <linux/capability.h>. */
export const capabilities = {
  ...{ dacOverride: 1, dacReadSearch: 2, setCapabilities: 8 },
  ...{ netAdmin: 12, netRaw: 13, systemAdmin: 21, systemBoot: 22, systemResource: 24, syslog: 34 },
} as const;

/**
 * The set of effective capabilities, as a bit mask, in the text of `/proc/<pid>/status`; 0n without such a
 * line.
 */
export function effectiveCapabilities(status: string): bigint {
  const mask = /^CapEff:\s*([\da-fA-F]{1,16})$/m.exec(status)?.[1];
  return mask === undefined ? 0n : BigInt(`0x${mask}`);
}

/** Whether this process has the capability now. */
export function hasCapability(number: number): boolean {
  return ((effectiveCapabilities(readFileSync('/proc/self/status', 'utf8')) >> BigInt(number)) & 1n) === 1n;
}
