import { Fault } from '@nodewright/fault';
import { parsePrefix } from '@nodewright/machine-config';
import { ipText } from '@nodewright/state';

/**
 * The first address of a subnet after that of the network: `10.96.0.1` of `10.96.0.0/12`. In the subnet of services it
 * belongs to the API server.
 *
 * @throws Fault `invalid-argument` for a text that is no subnet
 */
export function firstAddress(subnet: string): string {
  return addressAt(subnet, 1n);
}

/**
 * The address of a subnet at this place after that of the network.
 *
 * @throws Fault `invalid-argument` for a text that is no subnet
 */
export function addressAt(subnet: string, place: bigint): string {
  const prefix = subnetOf(subnet);
  if (prefix === undefined) throw new Fault('invalid-argument', `"${subnet}" is not a subnet`);
  const width = prefix.family === 4 ? 4 : 16;
  const shift = BigInt(width * 8 - prefix.length);
  const bits = ((prefix.address >> shift) << shift) + place;
  return ipText(
    Uint8Array.from({ length: width }, (_, at) =>
      Number(BigInt.asUintN(8, bits >> BigInt(8 * (width - 1 - at)))),
    ),
  );
}

/** The family of a subnet; `undefined` for a text that is no subnet. */
export function familyOf(subnet: string): 4 | 6 | undefined {
  return subnetOf(subnet)?.family;
}

/** Whether one of the subnets is of this family. */
export function hasFamily(subnets: readonly string[], family: 4 | 6): boolean {
  return subnets.some((subnet) => familyOf(subnet) === family);
}

/** An address without a length is a subnet of its own. */
function subnetOf(text: string) {
  return parsePrefix(text.includes('/') ? text : `${text}/${text.includes(':') ? 128 : 32}`);
}
