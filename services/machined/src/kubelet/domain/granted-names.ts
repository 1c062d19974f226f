import type { ContainerCapability } from '@nodewright/contract';

/** The capabilities of the list that a bit mask contains, as `CAP_…`. */
export function grantedNames(all: readonly ContainerCapability[], granted: bigint): string[] {
  return all
    .filter(({ number }) => ((granted >> BigInt(number)) & 1n) === 1n)
    .map(({ name }) => `CAP_${name}`);
}
