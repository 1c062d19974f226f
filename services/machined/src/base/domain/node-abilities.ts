// What a node can do follows from its kind, its process and its image. It is decided here, once: other code asks for an ability
// and does not combine these facts again.
import { hasPodControllers } from './limits-pods.ts';
import type { NodeFacts } from './node-facts.ts';

export interface AbilityFacts {
  readonly node: NodeFacts;
  /** The kernel started machined as the first process of a machine. */
  readonly isFirstProcess: boolean;
  /** The control groups of the node, with their `cgroup.controllers`; undefined where containers are not its own. */
  readonly ownCgroups: { readonly folder: string; readonly controllers: string } | undefined;
  /** The image of the node has a user for each daemon. */
  readonly hasUsers: boolean;
  /** The option `--kubelet`: whether the image has a kubelet. */
  readonly kubelet: string;
  /** The option `--system-slot`: what the supervisor of the node has started; empty for a node without one. */
  readonly systemSlot: string;
  /** machined is process 1 and has the capabilities that changes of the network need. */
  readonly mayChangeNetwork: boolean;
  /** Reads `/proc/cmdline`. */
  readonly commandLine: () => string;
}

/** An ability that the node lacks is absent. */
export interface NodeAbilities {
  /** It is the first process of a machine, whose kernel parameters, `/etc` and consoles it owns. */
  readonly isFirstProcess: boolean;
  /** It runs containers itself, in control groups of its own. */
  readonly containers?: {
    readonly cgroupFolder: string;
    /** It can limit processor and memory of pods. */
    readonly limitsPods: boolean;
    /** Its daemons run in containers, too. */
    readonly holdsDaemons: boolean;
  };
  /** It runs a kubelet in one of these containers. */
  readonly runsKubelet: boolean;
  /** It runs udevd, which names its devices. */
  readonly runsUdevd: boolean;
  /** Where it keeps two systems, of which it can start either; absent where it cannot be upgraded by calls. */
  readonly systems?: 'disk' | 'folder';
  /** The addresses to listen on, where other nodes share the host; absent where all addresses are its own. */
  readonly ownAddresses?: readonly string[];
  /** Why it cannot reboot, shut down or be reset. */
  readonly cannotEnd?: string;
  /** Why it cannot change its network, besides what its world says. */
  readonly cannotChangeNetwork?: string;
  /** The kernel's command line; empty where it describes a host that the node shares with others. */
  readonly commandLine: string;
}

const cannotChangeText =
  'machined is not the first process of this node, or lacks CAP_NET_ADMIN or CAP_NET_RAW';
const cannotEndText =
  'machined is not the first process of this machine, so it cannot reboot, shut down or reset it';

/** Decides what a node can do. */
export function nodeAbilities(facts: AbilityFacts): NodeAbilities {
  const { node, isFirstProcess, ownCgroups, mayChangeNetwork } = facts;
  const { world, addresses } = node;
  return {
    isFirstProcess,
    ...(ownCgroups && {
      containers: {
        cgroupFolder: ownCgroups.folder,
        limitsPods: hasPodControllers(ownCgroups.controllers),
        holdsDaemons: facts.hasUsers,
      },
    }),
    runsKubelet: ownCgroups !== undefined && world.staticPods === 'kubelet' && facts.kubelet === 'on',
    runsUdevd: world.runsUdevd && isFirstProcess,
    ...systemsOf(facts),
    ...(world.ownsAddresses ? {} : { ownAddresses: addresses }),
    ...(world.mayEnd || isFirstProcess ? {} : { cannotEnd: cannotEndText }),
    // With another first process, the network belongs to somebody else.
    ...(mayChangeNetwork ? {} : { cannotChangeNetwork: cannotChangeText }),
    commandLine: world.ownsKernel ? facts.commandLine() : '',
  };
}

function systemsOf({ node, isFirstProcess, systemSlot }: AbilityFacts): Pick<NodeAbilities, 'systems'> {
  if (isFirstProcess) return { systems: 'disk' };
  return node.world.hasSlotFolder && systemSlot !== '' ? { systems: 'folder' } : {};
}
