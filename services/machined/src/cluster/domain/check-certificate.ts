import type {
  CheckCertificateRequest,
  NodeRecord,
} from '@nodewright/contract/gen/suite/membership/v1/membership.ts';
import { Fault } from '@nodewright/fault';
import { canonicalAddress, isLoopback, ownedAddresses } from './canonical-address.ts';
import { isControlPlaneType } from './machine-type-message.ts';
import { fullNames, shortName } from './node-names.ts';

/** The records whose leases have not expired, and the canonical virtual addresses, which move between nodes. */
export interface KnownNodes {
  readonly known: readonly NodeRecord[];
  readonly virtual: ReadonlySet<string>;
}

/**
 * The short names that must be left out of a certificate, because another node has them too.
 *
 * @throws Fault `permission-denied` when another node has one of the full names or addresses
 */
export function withheldNames(request: CheckCertificateRequest, { known, virtual }: KnownNodes): string[] {
  const { commonName, dnsNames, addresses, callerAddress } = request;
  const others = known.filter((record) => !isCallersOwn(record, callerAddress));
  const names = new Set([commonName, ...dnsNames].map((name) => name.toLowerCase()));
  const claimed = new Set(ownedAddresses(addresses, virtual));
  for (const other of others) {
    const name = fullNames(other).find((each) => names.has(each));
    const address = ownedAddresses(other.addresses, virtual).find((each) => claimed.has(each));
    const taken = name ?? address;
    if (taken !== undefined)
      throw new Fault('permission-denied', `"${taken}" belongs to node "${other.hostname}"`);
  }
  const isWithheld = (name: string) =>
    others.some(
      ({ hostname, machineType }) =>
        shortName(hostname) === name.toLowerCase() &&
        (isControlPlaneType(machineType) || name.toLowerCase() !== commonName.toLowerCase()),
    );
  return [...new Set(dnsNames.filter(isWithheld))];
}

/**
 * Whether a record belongs to the worker that calls from this address. Workers on one machine all call from
 * the address of the machine, so they cannot be distinguished. A control plane never calls: it signs its own
 * certificate.
 */
function isCallersOwn({ addresses, machineType }: NodeRecord, callerAddress: string): boolean {
  if (isControlPlaneType(machineType)) return false;
  const caller = canonicalAddress(callerAddress) ?? '';
  return addresses
    .map((address) => canonicalAddress(address))
    .some(
      (address) => address === caller || (isLoopback(caller) && address !== undefined && isLoopback(address)),
    );
}
