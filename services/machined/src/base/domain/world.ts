// The facts about the environment of a node. A new environment is one more row here: other code reads the
// facts, never the world's name.
import { nodeExitCodes } from '@nodewright/contract';

/** The environment of machined: a host whose programs it shares, a container, or a machine of its own. */
export type NodeMode = 'process' | 'container' | 'metal';

/** The parent of apid and trustd: machined, or the container engine that also runs machined. */
export type ServiceSource = 'child' | 'external';

/**
 * `process`: processes of a host. `stack`: several containers, whose engine runs apid and trustd.
 * `container`: a single container. `machine`: the kernel runs only this node.
 */
export type WorldName = 'process' | 'stack' | 'container' | 'machine';

/** What machined can do to the network of its node. */
export type NetworkStepKind =
  | 'set-link-up'
  | 'set-link-down'
  /** A virtual link. */
  | 'create-link'
  /** Its settings, its options and its master. */
  | 'change-link'
  /** Its keys and its peers. */
  | 'configure-wireguard'
  /** Features of its driver. */
  | 'change-features'
  | 'remove-link'
  | 'add-address'
  | 'replace-address'
  | 'remove-address'
  | 'add-route'
  | 'remove-route'
  /** A rule that chooses a routing table. */
  | 'add-rule'
  | 'remove-rule'
  /** A single address for a limited time, such as the virtual address of the control plane. */
  | 'lend-address'
  | 'return-address'
  | 'announce-address';

const borrowing: readonly NetworkStepKind[] = ['lend-address', 'return-address', 'announce-address'];

/** What a node may do and what it owns in its environment. */
export interface World {
  readonly name: WorldName;
  /** What the node is, after "this node is". */
  readonly description: string;
  /** The platform in the response of `Version`. A stack reports `metal`, because it can be rebooted like a machine. */
  readonly platform: 'metal' | 'container';
  /** Rejects calls that concern a whole machine, as upstream does in a container. */
  readonly refusesMachineCalls: boolean;
  /** The rules that a configuration is validated with. */
  readonly configuredAs: 'metal' | 'container';
  /** Calls may not configure protections that no node provides: a machine would run without them. Other nodes only warn. */
  readonly refusesUnkeptProtections: boolean;
  /** machined starts apid and trustd; if false, the container engine starts them next to machined. */
  readonly runsDaemons: boolean;
  /**
   * The node is a set of processes on a user's host: it changes nothing on the host and ends with its parent
   * process.
   */
  readonly isGuest: boolean;
  /**
   * Every address of the host belongs to the node; if false, only the addresses of the loopback device that
   * it was given.
   */
  readonly ownsAddresses: boolean;
  /** The kernel runs for this node alone: its command line and boot id belong to the node. */
  readonly ownsKernel: boolean;
  /** Only the node configures its links, addresses and name servers. */
  readonly ownsNetwork: boolean;
  /**
   * What machined may do to the links, addresses and routes of the node, if it is the first process of the node and has the
   * capabilities. The port to the network has no other steps, and there is no port where this is empty.
   */
  readonly networkSteps: readonly NetworkStepKind[];
  /** The node sets the clock, and trusts it only after a time server has confirmed it. */
  readonly ownsClock: boolean;
  /** The node queries time servers. In a container the clock belongs to the host, which synchronises it. */
  readonly asksTime: boolean;
  /**
   * The node's own disks: it may partition, format and wipe them. Elsewhere no block device is ever opened for writing.
   */
  readonly ownsDisks: boolean;
  /**
   * machined runs apid and trustd as containers, containerd as a service of the node, and etcd as a container below it, wherever
   * it is the first process and may make control groups and mounts.
   */
  readonly runsContainers: boolean;
  /**
   * machined runs udevd, which names devices: the kernel announces devices to every network namespace, so elsewhere the host's
   * own udevd does it.
   */
  readonly runsUdevd: boolean;
  /**
   * How the node runs static pods: the components of the control plane as child processes of machined, all by a kubelet, or
   * not at all.
   */
  readonly staticPods: 'processes' | 'kubelet' | 'none';
  /** All file systems mounted below the node's folders were mounted for the node. */
  readonly ownsMounts: boolean;
  /** The configuration sets the host name; if false, the environment does. */
  readonly namesItself: boolean;
  /** The node may report processors, disks, kernel modules and kernel parameters of its machine. */
  readonly showsMachine: boolean;
  /** The environment variable `USERDATA` may hold a configuration. */
  readonly takesUserData: boolean;
  /** All programs of the node are one image of a container engine: another system of it is another image. */
  readonly isImage: boolean;
  /** What starts the node can start it with other programs, which it keeps in a folder of its own. */
  readonly hasSlotFolder: boolean;
  /** META survives a restart. */
  readonly keepsMeta: boolean;
  /** The node can reboot and power off its machine. */
  readonly mayEnd: boolean;
  /** Exit code of machined when the node is to be started again. */
  readonly rebootExitCode: number;
  /** Exit code of machined after a shutdown of the node. */
  readonly offExitCode: number;
  /** Exit code of machined after SIGTERM. */
  readonly signalledExitCode: number;
  /** Exit code of machined after SIGINT, which the kernel sends to the first process for Ctrl-Alt-Del. */
  readonly interruptedExitCode: number;
}

/** The exit code of a process that SIGTERM has ended. */
const terminatedExitCode = 143;

const stack: World = {
  name: 'stack',
  description: 'a set of containers',
  platform: 'metal',
  refusesMachineCalls: false,
  configuredAs: 'container',
  refusesUnkeptProtections: false,
  runsDaemons: false,
  isGuest: false,
  ownsAddresses: true,
  ownsKernel: false,
  ownsNetwork: false,
  networkSteps: [],
  ownsClock: false,
  asksTime: false,
  ownsDisks: false,
  runsContainers: false,
  runsUdevd: false,
  staticPods: 'none',
  ownsMounts: true,
  namesItself: false,
  showsMachine: false,
  takesUserData: true,
  isImage: false,
  hasSlotFolder: false,
  keepsMeta: true,
  mayEnd: true,
  rebootExitCode: nodeExitCodes.reboot,
  // A container engine restarts a container that failed, but not one that exited with 0.
  offExitCode: 0,
  signalledExitCode: terminatedExitCode,
  interruptedExitCode: terminatedExitCode,
};

export const worlds: Readonly<Record<WorldName, World>> = {
  process: {
    name: 'process',
    description: 'a set of processes on a shared host',
    platform: 'metal',
    refusesMachineCalls: false,
    configuredAs: 'metal',
    refusesUnkeptProtections: false,
    runsDaemons: true,
    isGuest: true,
    ownsAddresses: false,
    ownsKernel: false,
    ownsNetwork: false,
    networkSteps: [],
    ownsClock: false,
    asksTime: true,
    ownsDisks: false,
    runsContainers: false,
    runsUdevd: false,
    staticPods: 'processes',
    ownsMounts: false,
    namesItself: false,
    showsMachine: true,
    takesUserData: false,
    isImage: false,
    hasSlotFolder: true,
    keepsMeta: true,
    mayEnd: true,
    rebootExitCode: nodeExitCodes.reboot,
    offExitCode: nodeExitCodes.powerOff,
    signalledExitCode: 0,
    interruptedExitCode: 0,
  },
  stack,
  container: {
    ...stack,
    name: 'container',
    description: 'a container',
    platform: 'container',
    refusesMachineCalls: true,
    networkSteps: borrowing,
    runsDaemons: true,
    runsContainers: true,
    staticPods: 'kubelet',
    isImage: true,
    keepsMeta: false,
  },
  machine: {
    name: 'machine',
    description: 'a machine',
    platform: 'metal',
    refusesMachineCalls: false,
    configuredAs: 'metal',
    refusesUnkeptProtections: true,
    runsDaemons: true,
    isGuest: false,
    ownsAddresses: true,
    ownsKernel: true,
    ownsNetwork: true,
    networkSteps: [
      ...['set-link-up', 'set-link-down', 'create-link', 'change-link', 'configure-wireguard', 'remove-link'],
      'change-features',
      ...['add-address', 'replace-address', 'remove-address', 'add-route', 'remove-route'],
      ...['add-rule', 'remove-rule'],
      ...borrowing,
    ] as readonly NetworkStepKind[],
    ownsClock: true,
    asksTime: true,
    ownsDisks: true,
    runsContainers: true,
    runsUdevd: true,
    staticPods: 'kubelet',
    ownsMounts: false,
    namesItself: true,
    showsMachine: true,
    takesUserData: false,
    isImage: false,
    hasSlotFolder: false,
    keepsMeta: true,
    mayEnd: false,
    rebootExitCode: nodeExitCodes.reboot,
    offExitCode: 0,
    signalledExitCode: 0,
    interruptedExitCode: nodeExitCodes.reboot,
  },
};

/** A single container that a keeper starts, with the image that the node has chosen. */
const keptContainer: World = {
  ...worlds.container,
  hasSlotFolder: true,
  keepsMeta: true,
  rebootExitCode: nodeExitCodes.chosenSystem,
};

/**
 * Returns the world for the options `--mode` and `--services`.
 *
 * @param hasKeeper whether what starts a container follows its choice: the option `--system-slot`
 */
export function worldOf(mode: NodeMode, source: ServiceSource, hasKeeper = false): World {
  if (mode === 'container' && source === 'external') return worlds.stack;
  if (mode === 'container') return hasKeeper ? keptContainer : worlds.container;
  const world = mode === 'process' ? worlds.process : worlds.machine;
  return { ...world, runsDaemons: source === 'child' };
}
