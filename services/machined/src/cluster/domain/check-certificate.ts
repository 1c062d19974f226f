import type {
  CheckCertificateRequest,
  CheckCertificateResponse,
  NodeRecord,
} from '@nodewright/contract/gen/suite/membership/v1/membership.ts';
import { Fault } from '@nodewright/fault';
import { canonicalAddress, isLoopback, ownedAddresses } from './canonical-address.ts';
import { isControlPlaneType } from './machine-type-message.ts';
import { absentControlPlane, fullNames, shortName } from './node-names.ts';
import type { KeptControlPlane } from './node-record-store.ts';
import { comparedName, isReservedName, type Reserved } from './reserved-names.ts';

export interface KnownNodes {
  /** The records whose leases have not expired. */
  readonly known: readonly NodeRecord[];
  /** The control planes, whether they live or not. */
  readonly controlPlanes: readonly KeptControlPlane[];
  readonly reserved: Reserved;
}

/**
 * The names and addresses that must be left out of a certificate, because they lead to another node or to the
 * control planes. A worker whose own address or other name is reserved, because all nodes have it in their certSANs, joins without it:
 * its record proves nothing, since every holder of the token can report the name of a load balancer.
 *
 * @throws Fault `permission-denied` when the common name is one of them
 */
export function withheldFrom(
  { commonName, dnsNames, addresses, callerAddress }: CheckCertificateRequest,
  { known, controlPlanes, reserved }: KnownNodes,
): CheckCertificateResponse {
  const live = known.filter((record) => !isCallersOwn(record, callerAddress));
  const own = comparedName(commonName);
  const isOwner = (other: NodeRecord) => namesOf(other, own).includes(own);
  const owner = live.find(isOwner);
  if (owner !== undefined)
    throw new Fault('permission-denied', `"${commonName}" belongs to node "${owner.hostname}"`);
  const absent = controlPlanes.find(({ record }) => isOwner(record));
  if (absent !== undefined)
    throw new Fault('permission-denied', `"${commonName}" belongs to ${absentControlPlane(absent)}`);
  const others = [...live, ...controlPlanes.map(({ record }) => record)];
  if (isReservedName(reserved, commonName))
    throw new Fault(
      'permission-denied',
      `"${commonName}" leads to the control planes: it is their endpoint, in their certSANs or the name of one`,
    );
  const names = new Set(others.flatMap((other) => namesOf(other, own)));
  const isWithheld = (name: string) => names.has(comparedName(name)) || isReservedName(reserved, name);
  const taken = new Set([
    ...reserved.addresses,
    ...others.flatMap((other) => ownedAddresses(other.addresses, new Set())),
  ]);
  const isTaken = (address: string) => taken.has(canonicalAddress(address) ?? '');
  return {
    withheldNames: [...new Set(dnsNames.filter(isWithheld))],
    withheldAddresses: [...new Set(addresses.filter(isTaken))],
  };
}

/**
 * The names that lead to a node. A worker may be called as another worker is called for short: else a worker
 * could keep the other one from its certificate by its domain.
 */
function namesOf(record: NodeRecord, callersName: string): string[] {
  const short = shortName(record.hostname);
  const isCallers = short === callersName && !isControlPlaneType(record.machineType);
  return isCallers || short === '' ? fullNames(record) : [...fullNames(record), short];
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
