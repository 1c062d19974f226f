import { buildInfo } from '@nodewright/contract';
import type { NodeRecord } from '@nodewright/contract/gen/suite/membership/v1/membership.ts';
import type { Member } from '@nodewright/contract/gen/suite/runtime/v1/runtime.ts';
import {
  type AffiliateSpec,
  type EndpointSpec,
  type HostnameStatusSpec,
  kubeSpanAffiliateSpec,
  type MachineTypeName,
  type MemberSpec,
} from '@nodewright/state/kinds';
import { isControlPlaneName } from '../../base/domain/control-plane-name.ts';
import { isControlPlaneType, machineTypeName } from './machine-type-message.ts';
import { affiliateFromRecord } from './node-record.ts';

/** Id and spec that a resource of the cluster should have. */
export interface Wanted<S> {
  readonly id: string;
  readonly spec: S;
}

/** A node as the creator of the cluster named it: the values that it was given at its creation. */
export interface GivenNode {
  readonly hostname: string;
  readonly addresses: readonly string[];
}

/**
 * The other nodes of the seed as affiliates. The seed knows the names that they had when the cluster was
 * created, but neither their ids nor their operating systems. Nodes with a record are left out, because the
 * record is more recent. The record of a worker, which every holder of the token can make, never replaces a
 * control plane.
 *
 * @param records the records that nodes have published, if any
 */
export function seedAffiliates(
  seed: readonly Member[],
  own: GivenNode,
  records: readonly NodeRecord[] = [],
): Wanted<AffiliateSpec>[] {
  const isKnown = (member: Member) => {
    const isControlPlane = isControlPlaneType(member.machineType);
    const found = records.filter(({ machineType }) => !isControlPlane || isControlPlaneType(machineType));
    return [own, ...found].some((node) => isSameNode(member, node));
  };
  const others = seed.filter((member) => !isKnown(member));
  const byName = new Map(others.map((member) => [member.hostname, member]));
  return [...byName].map(([hostname, { addresses, machineType }]) => ({
    id: `membership/${hostname}`,
    spec: {
      nodeId: '',
      addresses: [...addresses],
      hostname,
      nodename: hostname,
      operatingSystem: '',
      machineType: machineTypeName(machineType),
      kubespan: kubeSpanAffiliateSpec.empty,
      controlPlane: undefined,
    },
  }));
}

const isSameNode = (member: Member, { hostname, addresses }: GivenNode): boolean =>
  hostname === member.hostname || addresses.some((address) => member.addresses.includes(address));

/** The records of the other nodes as affiliates. */
export function recordAffiliates(records: readonly NodeRecord[], ownId: string): Wanted<AffiliateSpec>[] {
  return records
    .filter(({ nodeId }) => nodeId !== ownId)
    .map((record) => ({ id: `etcd/${record.nodeId}`, spec: affiliateFromRecord(record) }));
}

/** The addresses of the seed's control planes, including this node; `undefined` when the seed has none. */
export function seedEndpoints(seed: readonly Member[]): EndpointSpec | undefined {
  const controlPlanes = seed.filter(({ machineType }) => isControlPlaneType(machineType));
  const addresses = [...new Set(controlPlanes.flatMap((member) => member.addresses))];
  return addresses.length === 0 ? undefined : { addresses, hosts: [] };
}

export interface LocalFacts {
  readonly nodeId: string;
  readonly hostname: HostnameStatusSpec;
  /** The name of the node in Kubernetes; `undefined` when no resource sets it. */
  readonly nodename: string | undefined;
  readonly machineType: MachineTypeName;
  /** With prefix lengths, the preferred address first. */
  readonly addresses: readonly string[];
  /** The port of the API server; `undefined` when none runs on this node. */
  readonly apiServerPort: number | undefined;
}

/** This node as an affiliate. */
export function localAffiliate(facts: LocalFacts): AffiliateSpec {
  const { nodeId, hostname, nodename, machineType, addresses, apiServerPort } = facts;
  return {
    nodeId,
    addresses: addresses.map((address) => address.replace(/\/.*/, '')),
    hostname: hostname.domainname === '' ? hostname.hostname : `${hostname.hostname}.${hostname.domainname}`,
    nodename: nodename ?? hostname.hostname,
    operatingSystem: `Talos (${buildInfo.tag})`,
    machineType,
    kubespan: kubeSpanAffiliateSpec.empty,
    controlPlane: apiServerPort === undefined ? undefined : { port: apiServerPort },
  };
}

/**
 * Merges the affiliates of several registries into one per node: all addresses, and for every other field the
 * first value that is set. Nodes without an id are identified by their hostname. An id that is the hostname
 * of another node is not merged with it: the control plane of the two is kept. Source: Talos v1.14: cluster,
 * flow.
 *
 * @param raw sorted by id
 */
export function mergeAffiliates(raw: readonly AffiliateSpec[]): Wanted<AffiliateSpec>[] {
  const merged = new Map<string, AffiliateSpec>();
  for (const affiliate of raw) {
    const id = affiliate.nodeId || affiliate.hostname;
    const known = merged.get(id);
    if (known === undefined) merged.set(id, affiliate);
    else if (known.nodeId === affiliate.nodeId) merged.set(id, mergeTwo(known, affiliate));
    else if (isControlPlaneName(affiliate.machineType)) merged.set(id, affiliate);
  }
  return [...merged].map(([id, spec]) => ({ id, spec }));
}

function mergeTwo(first: AffiliateSpec, second: AffiliateSpec): AffiliateSpec {
  return {
    nodeId: first.nodeId || second.nodeId,
    addresses: [...new Set([...first.addresses, ...second.addresses])],
    hostname: first.hostname || second.hostname,
    nodename: first.nodename || second.nodename,
    operatingSystem: first.operatingSystem || second.operatingSystem,
    machineType: first.machineType === 'unknown' ? second.machineType : first.machineType,
    kubespan: first.kubespan.publicKey === '' ? second.kubespan : first.kubespan,
    controlPlane: first.controlPlane ?? second.controlPlane,
  };
}

/**
 * The members of the cluster: the affiliates with a nodename. Of two affiliates that name the same node, the
 * first is used; of two nodes with the same nodename, the second is listed by its hostname. Control planes
 * come first: a worker takes the name of none. Source: Talos v1.14: COSI resources, Members.
 */
export function membersOf(affiliates: readonly AffiliateSpec[]): Wanted<MemberSpec>[] {
  const members = new Map<string, MemberSpec>();
  const isFirst = ({ machineType }: AffiliateSpec) => isControlPlaneName(machineType);
  const ordered = [...affiliates.filter(isFirst), ...affiliates.filter((each) => !isFirst(each))];
  for (const { nodename, kubespan: _, ...spec } of ordered) {
    if (nodename === '') continue;
    const first = members.get(nodename);
    const isAnother =
      first !== undefined && first.nodeId !== '' && spec.nodeId !== '' && spec.hostname !== '';
    const id = isAnother ? spec.hostname : nodename;
    if (!members.has(id)) members.set(id, spec);
  }
  return [...members].map(([id, spec]) => ({ id, spec }));
}

/** The addresses of the control planes; `undefined` while none is known. */
export function discoveredEndpoints(members: readonly MemberSpec[]): EndpointSpec | undefined {
  const controlPlanes = members.filter(({ machineType }) => isControlPlaneName(machineType));
  const addresses = [...new Set(controlPlanes.flatMap((member) => member.addresses))];
  return addresses.length === 0 ? undefined : { addresses, hosts: [] };
}
