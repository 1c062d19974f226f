import type { NodeRecord } from '@nodewright/contract/gen/suite/membership/v1/membership.ts';
import { MachineType } from '@nodewright/contract/gen/suite/runtime/v1/runtime.ts';
import { Fault } from '@nodewright/fault';
import { canonicalAddress, isLoopback } from './canonical-address.ts';
import { isControlPlaneType } from './machine-type-message.ts';
import { recordProblem } from './record-problem.ts';

/** Far above the largest cluster of this kind; a holder of the token cannot fill etcd beyond it. */
export const maxNodes = 5000;

export interface Report {
  readonly node: NodeRecord | undefined;
  /** IP address that it came from. */
  readonly callerAddress: string;
  /** The records that live. */
  readonly known: readonly NodeRecord[];
}

/**
 * Why a report is not taken, or undefined when it is. Whoever holds the token of the cluster may report, so a report can
 * only speak for a worker at the address that it comes from, and neither take over the record of another node that
 * lives nor pass for it by name or address.
 */
export function checkReport({ node, callerAddress, known }: Report): Fault | undefined {
  if (node === undefined) return new Fault('invalid-argument', 'the report has no node');
  const problem = recordProblem(node);
  if (problem !== undefined) return new Fault('invalid-argument', `the report cannot be taken: ${problem}`);
  const refusal = whyNotWorker(node) ?? whyNotOwn(node, callerAddress, known);
  if (refusal !== undefined) return new Fault('permission-denied', refusal);
  const isNew = !known.some(({ nodeId }) => nodeId === node.nodeId);
  if (!isNew || known.length < maxNodes) return undefined;
  return new Fault('resource-exhausted', `the cluster has ${known.length} nodes already`);
}

function whyNotWorker({ machineType }: NodeRecord): string | undefined {
  return machineType === MachineType.MACHINE_TYPE_WORKER ? undefined : 'only workers report themselves';
}

function whyNotOwn(
  node: NodeRecord,
  callerAddress: string,
  known: readonly NodeRecord[],
): string | undefined {
  const caller = canonicalAddress(callerAddress) ?? '';
  // Nodes of one machine call each other from its own address, whichever of the loopback addresses is theirs.
  const isCallers = (address: string) => address === caller || (isLoopback(caller) && isLoopback(address));
  const claimed = canonical(node);
  const isFromThere = claimed.includes(caller) || (isLoopback(caller) && claimed.every(isLoopback));
  if (!isFromThere) return `the report came from ${caller}, which is none of the node's addresses ${claimed}`;
  const foreign = claimed.find((address) => isLoopback(address) && !isLoopback(caller));
  if (foreign !== undefined) return `${foreign} is an address of every machine, not of this node`;
  for (const other of known) {
    const theirs = canonical(other);
    if (other.nodeId === node.nodeId) {
      if (isControlPlaneType(other.machineType)) return `node ${node.nodeId} is a control plane`;
      if (!theirs.some(isCallers)) return `node ${node.nodeId} lives at ${theirs}, not at ${caller}`;
      continue;
    }
    const mayReplace = !isControlPlaneType(other.machineType);
    const taken = claimed.find((address) => theirs.includes(address) && !(mayReplace && isCallers(address)));
    if (taken !== undefined) return `${taken} is an address of node "${other.hostname}"`;
    const sharesName = names(other).some((name) => names(node).includes(name));
    if (sharesName && !(mayReplace && theirs.some((address) => claimed.includes(address))))
      return `"${node.hostname}" is the name of another node, at ${theirs}`;
  }
  return undefined;
}

const canonical = ({ addresses }: NodeRecord): string[] =>
  addresses.map((address) => canonicalAddress(address)).filter((address) => address !== undefined);

const names = ({ hostname, nodename }: NodeRecord): string[] =>
  [hostname, nodename].filter((name) => name !== '').map((name) => name.toLowerCase());
