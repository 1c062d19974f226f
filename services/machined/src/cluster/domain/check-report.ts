import type { NodeRecord } from '@nodewright/contract/gen/suite/membership/v1/membership.ts';
import { MachineType } from '@nodewright/contract/gen/suite/runtime/v1/runtime.ts';
import { Fault } from '@nodewright/fault';
import { canonicalAddress, isLoopback, ownedAddresses } from './canonical-address.ts';
import { isControlPlaneType } from './machine-type-message.ts';
import { absentControlPlane, fullNames } from './node-names.ts';
import type { KeptControlPlane } from './node-record-store.ts';
import { recordProblem } from './record-problem.ts';

/**
 * The largest number of records, so that a client with the token cannot fill etcd. Clusters of this kind are
 * far smaller.
 */
export const maxNodes = 5000;

export interface Report {
  readonly node: NodeRecord | undefined;
  /** IP address of the caller. */
  readonly callerAddress: string;
  /** The records whose leases have not expired. */
  readonly known: readonly NodeRecord[];
  /** The control planes, whether they live or not. */
  readonly controlPlanes: readonly KeptControlPlane[];
  /** Canonical virtual addresses, which move between nodes, from this node's configuration. */
  readonly virtual: ReadonlySet<string>;
}

/**
 * Returns why a report is rejected, or `undefined` when it is accepted. Every client with the token of the
 * cluster may report. So a report may only describe a worker at the address of the caller. It must not
 * replace the record of another node, nor use another node's address or full name. A node that was created
 * again has to wait until the lease of its old record expires.
 */
export function checkReport(report: Report): Fault | undefined {
  const { node, known } = report;
  if (node === undefined) return new Fault('invalid-argument', 'the report has no node record');
  const problem = recordProblem(node);
  if (problem !== undefined) return new Fault('invalid-argument', `invalid report: ${problem}`);
  const refusal = notWorkerReason(node) ?? foreignCallerReason(node, report) ?? takenReason(node, report);
  if (refusal !== undefined) return new Fault('permission-denied', refusal);
  const isNew = !known.some(({ nodeId }) => nodeId === node.nodeId);
  if (!isNew || known.length < maxNodes) return undefined;
  return new Fault('resource-exhausted', `the cluster already has ${known.length} nodes`);
}

function notWorkerReason({ machineType }: NodeRecord): string | undefined {
  return machineType === MachineType.MACHINE_TYPE_WORKER ? undefined : 'only workers report themselves';
}

/** Why the report does not come from the node itself, or not from the address where its record is registered. */
function foreignCallerReason(
  node: NodeRecord,
  { callerAddress, known, controlPlanes }: Report,
): string | undefined {
  const caller = canonicalAddress(callerAddress) ?? '';
  // Nodes on one machine call each other from the address of the machine, whichever loopback addresses they
  // have.
  const isCallers = (address: string) => address === caller || (isLoopback(caller) && isLoopback(address));
  const claimed = canonical(node);
  const isFromThere = claimed.includes(caller) || (isLoopback(caller) && claimed.every(isLoopback));
  if (!isFromThere) return `the report came from ${caller}, which is not an address of the node: ${claimed}`;
  const foreign = claimed.find((address) => isLoopback(address) && !isLoopback(caller));
  if (foreign !== undefined) return `${foreign} is a loopback address, which every machine has`;
  const isSame = ({ nodeId }: NodeRecord) => nodeId === node.nodeId;
  const live = known.find(isSame);
  const kept = controlPlanes.find(({ record }) => isSame(record));
  if (kept !== undefined && (live === undefined || !isControlPlaneType(live.machineType)))
    return `node id ${node.nodeId} belongs to ${absentControlPlane(kept)}`;
  if (live === undefined) return undefined;
  if (isControlPlaneType(live.machineType)) return `node ${node.nodeId} is a control plane`;
  const theirs = canonical(live);
  return theirs.some(isCallers)
    ? undefined
    : `node ${node.nodeId} is registered at ${theirs}, not at ${caller}`;
}

/** Why the report claims an address or a full name of another node. */
function takenReason(node: NodeRecord, { known, controlPlanes, virtual }: Report): string | undefined {
  const claimed = new Set(ownedAddresses(node.addresses, virtual));
  const names = fullNames(node);
  for (const other of known) {
    if (other.nodeId === node.nodeId) continue;
    const taken = ownedAddresses(other.addresses, virtual).find((address) => claimed.has(address));
    if (taken !== undefined) return `${taken} is an address of node "${other.hostname}"`;
    const name = fullNames(other).find((each) => names.includes(each));
    if (name !== undefined) return `"${name}" is the name of another node, at ${canonical(other)}`;
  }
  for (const controlPlane of controlPlanes) {
    const { record } = controlPlane;
    const taken =
      fullNames(record).find((each) => names.includes(each)) ??
      ownedAddresses(record.addresses, virtual).find((address) => claimed.has(address));
    if (taken !== undefined) return `"${taken}" belongs to ${absentControlPlane(controlPlane)}`;
  }
  return undefined;
}

const canonical = ({ addresses }: NodeRecord): string[] =>
  addresses.map((address) => canonicalAddress(address)).filter((address) => address !== undefined);
