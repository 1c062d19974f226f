import type { NodeRecord } from '@nodewright/contract/gen/suite/membership/v1/membership.ts';
import { MachineType } from '@nodewright/contract/gen/suite/runtime/v1/runtime.ts';
import { Fault } from '@nodewright/fault';
import { canonicalAddress, isLoopback, ownedAddresses } from './canonical-address.ts';
import { isControlPlaneType } from './machine-type-message.ts';
import { fullNames } from './node-names.ts';
import { recordProblem } from './record-problem.ts';

/** Far above the largest cluster of this kind; a holder of the token cannot fill etcd beyond it. */
export const maxNodes = 5000;

export interface Report {
  readonly node: NodeRecord | undefined;
  /** IP address that it came from. */
  readonly callerAddress: string;
  /** The records that live. */
  readonly known: readonly NodeRecord[];
  /** Canonical addresses that move between nodes, as this node's configuration declares them. */
  readonly virtual: ReadonlySet<string>;
}

/**
 * Why a report is not taken, or undefined when it is. Whoever holds the token of the cluster may report, so a report can
 * only speak for a worker at the address that it comes from, and neither take over the record of another node that
 * lives nor pass for it by full name or address. A node that was set up anew waits until its former record ends.
 */
export function checkReport(report: Report): Fault | undefined {
  const { node, known } = report;
  if (node === undefined) return new Fault('invalid-argument', 'the report has no node');
  const problem = recordProblem(node);
  if (problem !== undefined) return new Fault('invalid-argument', `the report cannot be taken: ${problem}`);
  const refusal = whyNotWorker(node) ?? whyNotThere(node, report) ?? whyNotOwn(node, report);
  if (refusal !== undefined) return new Fault('permission-denied', refusal);
  const isNew = !known.some(({ nodeId }) => nodeId === node.nodeId);
  if (!isNew || known.length < maxNodes) return undefined;
  return new Fault('resource-exhausted', `the cluster has ${known.length} nodes already`);
}

function whyNotWorker({ machineType }: NodeRecord): string | undefined {
  return machineType === MachineType.MACHINE_TYPE_WORKER ? undefined : 'only workers report themselves';
}

/** Whether the report comes from the node, and from where its record lives already. */
function whyNotThere(node: NodeRecord, { callerAddress, known }: Report): string | undefined {
  const caller = canonicalAddress(callerAddress) ?? '';
  // Nodes of one machine call each other from its own address, whichever of the loopback addresses is theirs.
  const isCallers = (address: string) => address === caller || (isLoopback(caller) && isLoopback(address));
  const claimed = canonical(node);
  const isFromThere = claimed.includes(caller) || (isLoopback(caller) && claimed.every(isLoopback));
  if (!isFromThere) return `the report came from ${caller}, which is none of the node's addresses ${claimed}`;
  const foreign = claimed.find((address) => isLoopback(address) && !isLoopback(caller));
  if (foreign !== undefined) return `${foreign} is an address of every machine, not of this node`;
  const former = known.find(({ nodeId }) => nodeId === node.nodeId);
  if (former === undefined) return undefined;
  if (isControlPlaneType(former.machineType)) return `node ${node.nodeId} is a control plane`;
  const theirs = canonical(former);
  return theirs.some(isCallers) ? undefined : `node ${node.nodeId} lives at ${theirs}, not at ${caller}`;
}

/** Whether another node that lives has the address or the full name. */
function whyNotOwn(node: NodeRecord, { known, virtual }: Report): string | undefined {
  const claimed = new Set(ownedAddresses(node.addresses, virtual));
  const names = fullNames(node);
  for (const other of known) {
    if (other.nodeId === node.nodeId) continue;
    const taken = ownedAddresses(other.addresses, virtual).find((address) => claimed.has(address));
    if (taken !== undefined) return `${taken} is an address of node "${other.hostname}"`;
    const name = fullNames(other).find((each) => names.includes(each));
    if (name !== undefined) return `"${name}" is the name of another node, at ${canonical(other)}`;
  }
  return undefined;
}

const canonical = ({ addresses }: NodeRecord): string[] =>
  addresses.map((address) => canonicalAddress(address)).filter((address) => address !== undefined);
