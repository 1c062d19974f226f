// The options of routers' advertisements that name DNS servers and search domains, with everything left out that must not reach the
// machine. Source: RFC 8106, section 5.
import { inet6NameServersOf, plainDomainsOf } from '@nodewright/dhcp';

export interface AdvertisedNames {
  readonly kind: 'servers' | 'domains';
  /** Servers that are link-local without their link. */
  readonly values: readonly string[];
  /** How long they hold from their reception; 0: no more, undefined: without end. */
  readonly lifetimeSeconds: number | undefined;
}

const optionKinds: ReadonlyMap<number | undefined, AdvertisedNames['kind']> = new Map([
  [25, 'servers'],
  [31, 'domains'],
]);
/** Type, length, two reserved bytes, and the lifetime. */
const headerBytes = 8;
const withoutEnd = 0xffff_ffff;

/** @returns undefined for other options, and for one whose length is not that of its value */
export function advertisedNames(option: Uint8Array): AdvertisedNames | undefined {
  const kind = optionKinds.get(option[0]);
  if (kind === undefined || option.length < headerBytes || option[1] !== option.length / 8) return undefined;
  const lifetime = Buffer.from(option).readUInt32BE(4);
  const value = option.subarray(headerBytes);
  return {
    kind,
    values: kind === 'servers' ? inet6NameServersOf(value) : plainDomainsOf(value),
    lifetimeSeconds: lifetime === withoutEnd ? undefined : lifetime,
  };
}
