// What surrounds a node, as facts by name. A new kind of surroundings is a row here: nothing else asks which one it is.
import { nodeExitCodes } from '@nodewright/contract';

/** What surrounds machined itself: a host whose programs it shares, a container, or a machine of its own. */
export type NodeMode = 'process' | 'container' | 'metal';

/** What runs apid and trustd: machined itself, or the container engine that also runs machined. */
export type ServiceSource = 'child' | 'external';

/**
 * `process`: programs of a host. `stack`: several containers, whose engine runs apid and trustd. `container`: a single
 * one. `machine`: the kernel runs nothing but this node.
 */
export type WorldName = 'process' | 'stack' | 'container' | 'machine';

/** What a node may do, and what it owns, where it runs. */
export interface World {
  readonly name: WorldName;
  /** The platform that the Version call reports. A stack reports a machine, because it can be rebooted like one. */
  readonly platform: 'metal' | 'container';
  /** Calls about a whole machine are refused, as upstream does in a container. */
  readonly refusesMachineCalls: boolean;
  /** By which rules a configuration is judged. */
  readonly configuredAs: 'metal' | 'container';
  /** machined runs apid and trustd; else it finds them running beside it. */
  readonly runsDaemons: boolean;
  /** The node is a set of programs on a user's host: it changes nothing of the host, and ends with its parent process. */
  readonly isGuest: boolean;
  /** Every address of the host belongs to this node; else it has the addresses that it was given, of the loopback device. */
  readonly ownsAddresses: boolean;
  /** The kernel runs for this node alone: its command line and its boot id are the node's. */
  readonly ownsKernel: boolean;
  /** Nobody else gives the node its links, addresses and name servers. */
  readonly ownsNetwork: boolean;
  /** The clock is the node's to set: it is trusted once a server has confirmed it. */
  readonly ownsClock: boolean;
  /** Time servers are asked. In a container it is the business of its host, whose clock it has. */
  readonly asksTime: boolean;
  /** Everything that is mounted was mounted for the node. */
  readonly ownsMounts: boolean;
  /** The configuration names the node; else its surroundings have. */
  readonly namesItself: boolean;
  /** Processors, disks, modules and parameters of the machine below may be shown. */
  readonly showsMachine: boolean;
  /** A configuration may come in `USERDATA` of the environment. */
  readonly takesUserData: boolean;
  /** META survives a restart. */
  readonly keepsMeta: boolean;
  /** The node can reboot and end its machine. */
  readonly mayEnd: boolean;
  /** Exit code of machined when the machine was shut down. */
  readonly offExitCode: number;
  /** Exit code of machined after SIGTERM. */
  readonly signalledExitCode: number;
}

/** As a program ends that SIGTERM has ended. */
const terminatedExitCode = 143;

const stack: World = {
  name: 'stack',
  platform: 'metal',
  refusesMachineCalls: false,
  configuredAs: 'container',
  runsDaemons: false,
  isGuest: false,
  ownsAddresses: true,
  ownsKernel: false,
  ownsNetwork: false,
  ownsClock: false,
  asksTime: false,
  ownsMounts: true,
  namesItself: false,
  showsMachine: false,
  takesUserData: true,
  keepsMeta: true,
  mayEnd: true,
  // An engine starts a container again that failed, and leaves one alone that has ended well.
  offExitCode: 0,
  signalledExitCode: terminatedExitCode,
};

export const worlds: Readonly<Record<WorldName, World>> = {
  process: {
    name: 'process',
    platform: 'metal',
    refusesMachineCalls: false,
    configuredAs: 'metal',
    runsDaemons: true,
    isGuest: true,
    ownsAddresses: false,
    ownsKernel: false,
    ownsNetwork: false,
    ownsClock: false,
    asksTime: true,
    ownsMounts: false,
    namesItself: false,
    showsMachine: true,
    takesUserData: false,
    keepsMeta: true,
    mayEnd: true,
    offExitCode: nodeExitCodes.powerOff,
    signalledExitCode: 0,
  },
  stack,
  container: {
    ...stack,
    name: 'container',
    platform: 'container',
    refusesMachineCalls: true,
    runsDaemons: true,
    keepsMeta: false,
  },
  machine: {
    name: 'machine',
    platform: 'metal',
    refusesMachineCalls: false,
    configuredAs: 'metal',
    runsDaemons: true,
    isGuest: false,
    ownsAddresses: true,
    ownsKernel: true,
    ownsNetwork: true,
    ownsClock: true,
    asksTime: true,
    ownsMounts: false,
    namesItself: true,
    showsMachine: true,
    takesUserData: false,
    keepsMeta: true,
    mayEnd: false,
    offExitCode: 0,
    signalledExitCode: 0,
  },
};

/** The world of the settings `--mode` and `--services`. */
export function worldOf(mode: NodeMode, source: ServiceSource): World {
  if (mode === 'container') return source === 'external' ? worlds.stack : worlds.container;
  const world = mode === 'process' ? worlds.process : worlds.machine;
  return { ...world, runsDaemons: source === 'child' };
}
