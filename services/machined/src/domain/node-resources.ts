import { buildInfo } from '@nodewright/contract';
import {
  type Member,
  MachineType as WireMachineType,
} from '@nodewright/contract/gen/suite/runtime/v1/runtime.ts';
import { type KindRef, type NewResource, pointerTo } from '@nodewright/state';
import {
  bootIds,
  hostnameStatuses,
  type MachineTypeName,
  type MemberSpec,
  machineConfigs,
  machineTypes,
  members,
  networkStatuses,
  nodeAddresses,
  type PlatformMetadataSpec,
  platformMetadatas,
  versions,
  yamlSpecAnnotation,
} from '@nodewright/state/kinds';
import { type NodeFacts, platformOf } from './node-facts.ts';

/** A resource and in whose name it is written. */
export interface OwnedResource {
  readonly owner: string;
  readonly resource: NewResource;
}

export interface FixedFacts {
  readonly node: NodeFacts;
  /** The machine configuration as text. A secret. */
  readonly configuration: string;
  readonly bootId: string;
}

/**
 * What is known of the node from its start on and does not change while it runs. The owners are those of the
 * reference. Source: Talos v1.14: COSI resources.
 */
export function fixedResources({ node, configuration, bootId }: FixedFacts): OwnedResource[] {
  const [hostname = '', ...domain] = node.hostname.split('.');
  const addresses = node.addresses.map(withPrefix);
  const ids = {
    default: addresses.slice(0, 1),
    current: addresses,
    accumulative: addresses,
    'accumulative-no-k8s': addresses,
  };
  const configured = owned('', machineConfigs, 'v1alpha1', configuration);
  return [
    { ...configured, resource: { ...configured.resource, annotations: yamlSpecAnnotation } },
    owned('config.MachineTypeController', machineTypes, 'machine-type', node.machineType),
    owned('runtime.BootIDController', bootIds, 'boot-id', { bootID: bootId }),
    owned('runtime.VersionController', versions, 'version', { name: 'Talos', version: buildInfo.tag }),
    owned(
      'network.PlatformConfigApplyController',
      platformMetadatas,
      'platformmetadata',
      platformMetadataOf(node),
    ),
    owned('network.HostnameSpecController', hostnameStatuses, 'hostname', {
      hostname,
      domainname: domain.join('.'),
    }),
    owned('network.StatusController', networkStatuses, 'status', {
      addressReady: true,
      connectivityReady: true,
      hostnameReady: true,
      etcFilesReady: true,
    }),
    ...Object.entries(ids).map(([id, of]) =>
      owned('network.NodeAddressController', nodeAddresses, id, { addresses: of, sortAlgorithm: 'v1' }),
    ),
  ];
}

function owned<S>(owner: string, kind: KindRef<S>, id: string, spec: NoInfer<S>): OwnedResource {
  return { owner, resource: { ...pointerTo(kind, id), spec } };
}

/** A node is told its addresses alone, and so each is a network of its own. */
function withPrefix(address: string): string {
  return `${address}/${address.includes(':') ? 128 : 32}`;
}

function platformMetadataOf({ mode, hostname }: NodeFacts): PlatformMetadataSpec {
  return {
    ...{ platform: platformOf(mode).name, hostname, region: '', zone: '', instanceType: '', instanceId: '' },
    ...{ providerId: '', spot: false, internalDNS: '', externalDNS: '', tags: {} },
  };
}

const machineTypeNames: Readonly<Record<number, MachineTypeName>> = {
  [WireMachineType.MACHINE_TYPE_INIT]: 'init',
  [WireMachineType.MACHINE_TYPE_CONTROL_PLANE]: 'controlplane',
  [WireMachineType.MACHINE_TYPE_WORKER]: 'worker',
};

/** Who writes members. */
export const memberOwner = 'cluster.MemberController';

/** The members of the cluster, as far as a membership tells: what runs on another node it does not say. */
export function memberResources(
  membership: readonly Member[],
  ownHostname: string,
): NewResource<MemberSpec>[] {
  return membership.map(({ hostname, addresses, machineType }) => ({
    ...pointerTo(members, hostname),
    spec: {
      nodeId: '',
      addresses: [...addresses],
      hostname,
      machineType: machineTypeNames[machineType] ?? 'unknown',
      operatingSystem: hostname === ownHostname ? `Talos (${buildInfo.tag})` : '',
      controlPlane: undefined,
    },
  }));
}
