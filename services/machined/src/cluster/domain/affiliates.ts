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
import { isControlPlaneType, machineTypeName } from './machine-type-message.ts';
import { affiliateFromRecord } from './node-record.ts';

/** What a resource of the cluster should be. */
export interface Wanted<S> {
  readonly id: string;
  readonly spec: S;
}

/** Who a node is to whoever made its cluster: what it was given at its creation. */
export interface GivenNode {
  readonly hostname: string;
  readonly addresses: readonly string[];
}

/**
 * The other nodes of a cluster as whoever made it tells of them: not their ids, nor what runs on them. They are called
 * as they were when the cluster was made. A node that tells of itself is left out: it knows better.
 *
 * @param told the records of the nodes, as far as there are any yet
 */
export function seedAffiliates(
  seed: readonly Member[],
  own: GivenNode,
  told: readonly NodeRecord[] = [],
): Wanted<AffiliateSpec>[] {
  const known = [own, ...told];
  const others = seed.filter((member) => !known.some((node) => isSameNode(member, node)));
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

/** The other nodes of a cluster as they tell of themselves. */
export function recordAffiliates(told: readonly NodeRecord[], ownId: string): Wanted<AffiliateSpec>[] {
  return told
    .filter(({ nodeId }) => nodeId !== ownId)
    .map((record) => ({ id: `etcd/${record.nodeId}`, spec: affiliateFromRecord(record) }));
}

/** Where the control planes were when the cluster was made, this one included; undefined when nobody tells. */
export function seedEndpoints(seed: readonly Member[]): EndpointSpec | undefined {
  const controlPlanes = seed.filter(({ machineType }) => isControlPlaneType(machineType));
  const addresses = [...new Set(controlPlanes.flatMap((member) => member.addresses))];
  return addresses.length === 0 ? undefined : { addresses, hosts: [] };
}

export interface LocalFacts {
  readonly nodeId: string;
  readonly hostname: HostnameStatusSpec;
  /** As Kubernetes knows it; undefined where nothing says. */
  readonly nodename: string | undefined;
  readonly machineType: MachineTypeName;
  /** With their prefix lengths, the preferred one first. */
  readonly addresses: readonly string[];
  /** Where the API server listens; undefined where none runs. */
  readonly apiServerPort: number | undefined;
}

/** This node as it tells others of itself. */
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
 * One affiliate a node of what several registries say of it: all of its addresses, and of the rest what the first one
 * knows. Nodes whose ids no registry knows go by their names. Source: Talos v1.14: cluster, flow.
 *
 * @param raw in the order of their ids
 */
export function mergeAffiliates(raw: readonly AffiliateSpec[]): Wanted<AffiliateSpec>[] {
  const merged = new Map<string, AffiliateSpec>();
  for (const affiliate of raw) {
    const id = affiliate.nodeId || affiliate.hostname;
    const known = merged.get(id);
    merged.set(id, known === undefined ? affiliate : mergeTwo(known, affiliate));
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
 * The members of the cluster: the affiliates that are nodes of it. Of two that say they are the same one the first is; of
 * two nodes with one nodename the second goes by its hostname. Source: Talos v1.14: COSI resources, Members.
 */
export function membersOf(affiliates: readonly AffiliateSpec[]): Wanted<MemberSpec>[] {
  const members = new Map<string, MemberSpec>();
  for (const { nodename, kubespan: _, ...spec } of affiliates) {
    if (nodename === '') continue;
    const first = members.get(nodename);
    const isAnother =
      first !== undefined && first.nodeId !== '' && spec.nodeId !== '' && spec.hostname !== '';
    const id = isAnother ? spec.hostname : nodename;
    if (!members.has(id)) members.set(id, spec);
  }
  return [...members].map(([id, spec]) => ({ id, spec }));
}

/** Where the control planes are; undefined while none is known. */
export function discoveredEndpoints(members: readonly MemberSpec[]): EndpointSpec | undefined {
  const controlPlanes = members.filter(
    ({ machineType }) => machineType === 'controlplane' || machineType === 'init',
  );
  const addresses = [...new Set(controlPlanes.flatMap((member) => member.addresses))];
  return addresses.length === 0 ? undefined : { addresses, hosts: [] };
}
