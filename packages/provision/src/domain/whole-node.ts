// A node of a stack as one container, from the image that `make node-image` makes.
import type { Slot } from '@nodewright/boot';
import { containerCapabilities } from '@nodewright/contract';
import type { PlannedNode } from './cluster-shape.ts';
import { lockedContainer, tracingOf } from './container-settings.ts';
import { createdSystem, type SystemId } from './plan-node-system.ts';
import type { Mapping } from './stack-document.ts';

/** The label with the system that the container was made for. */
export const systemLabel = 'nodewright.system';
/** The variable from which the node knows which slot was started. */
const slotVariable = 'MACHINED_SYSTEM_SLOT';

/** Memory of a node, in MiB: its daemons, containerd and etcd; with Kubernetes also its components and pods. */
const memoryMib = { plain: 1536, kubernetes: 3072 } as const;

export interface WholeNodeInit {
  /** Name of the node image. */
  readonly image: string;
  readonly hasKubernetes: boolean;
  /** Address of Jaeger: containers inside of the node ask the name servers of its configuration, which do not know its name. */
  readonly jaegerAddress: string;
}

/** Returns the service of a node. */
export function wholeNode({ name, address }: PlannedNode, init: WholeNodeInit): Mapping {
  const { image, hasKubernetes, jaegerAddress } = init;
  const mebibytes = hasKubernetes ? memoryMib.kubernetes : memoryMib.plain;
  return {
    // The engine's own filter forbids pivot_root, without which no container can be started, and its profile for AppArmor
    // forbids mounts; an engine without AppArmor ignores that. containerd filters the system calls of the containers inside.
    // Programs inside may gain rights from set-uid files, as in every container by default.
    ...lockedContainer('seccomp:unconfined', 'apparmor:unconfined'),
    image,
    // The keeper is the boot loader of the node: the engine would start a system a second time that is only tried.
    restart: 'no',
    cap_add: containerCapabilities.map((capability) => capability.name),
    // The control groups of the node are below its own one, and it sees no other.
    cgroup: 'private',
    environment: {
      ...tracingOf(name, jaegerAddress),
      PLATFORM: 'container',
      [slotVariable]: 'none',
      TALOSSKU: `2.0CPU-${mebibytes}RAM`,
    },
    mem_limit: `${mebibytes}m`,
    pids_limit: 4096,
    labels: { [systemLabel]: createdSystem },
    tmpfs: ['/run:mode=0755', '/system:mode=0755', '/tmp:mode=1777'],
    hostname: name,
    networks: { cluster: { ipv4_address: address } },
    volumes: [`${name}-state:/system/state`, `${name}-var:/var`, `${name}-opt:/opt`],
  };
}

/** The volumes of the node, which outlive its container. */
export function wholeNodeVolumes({ name }: PlannedNode): Record<string, null> {
  return { [`${name}-state`]: null, [`${name}-var`]: null, [`${name}-opt`]: null };
}

/** The service of a node with another image. All else stays as it was stored when the cluster was created. */
export const withSystem = (
  service: Mapping,
  { image, slot, system }: { readonly image: string; readonly slot: Slot; readonly system: SystemId },
): Mapping => ({
  ...service,
  image,
  environment: { ...(service.environment as Mapping), [slotVariable]: slot },
  labels: { ...(service.labels as Mapping), [systemLabel]: system },
});
