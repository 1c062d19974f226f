import { randomUUID } from 'node:crypto';
import { networkInterfaces } from 'node:os';
import { resolve } from 'node:path';
import type { DaemonContext, OptionValues } from '@nodewright/daemon';
import { Fault } from '@nodewright/fault';
import { type NativeCalls, readBootId, readKernelHostname } from '@nodewright/linux';
import { AdoptedChildren, createUnixProbe } from '@nodewright/services';
import { type LogCopies, type LogStore, openLogCopies } from '@nodewright/services/logs';
import { systemWallClock, type WallClock } from '@nodewright/sntp';
import type { NodeFacts } from '../base/domain/node-facts.ts';
import { type NodeMode, type ServiceSource, type World, worldOf } from '../base/domain/world.ts';
import { type KernelFiles, openKernelFiles } from '../base/host/kernel-files.ts';
import { watchParent } from '../base/host/watch-parent.ts';
import { type NodeLayout, nodeLayout } from '../base/node-layout.ts';
import { cgroupFolder } from '../life/host/machine-cgroups.ts';
import { prepareContainer } from '../life/host/prepare-container.ts';
import type { options } from '../options.ts';
import { noWatchdog, type Watchdog } from '../upgrade/host/watchdog.ts';
import { prepareMachine } from './prepare-machine.ts';

export type MachinedContext = DaemonContext<OptionValues<typeof options>>;

/** The options of this process, and what it has opened on its host. */
export interface Host extends MachinedContext {
  readonly node: NodeFacts;
  readonly world: World;
  readonly layout: NodeLayout;
  /** The kernel started machined as the first process of a machine, which ends with it. */
  readonly isFirstProcess: boolean;
  /** The processes of containers, whose parent has ended. */
  readonly children: AdoptedChildren;
  /** The control groups of the services and containers of the node; undefined on a node that runs no containers itself. */
  readonly ownCgroups: string | undefined;
  /** The folder of the daemons that machined starts; `undefined` when it starts none. */
  readonly servicesFolder: string | undefined;
  readonly logs: LogStore;
  readonly kernel: KernelFiles;
  readonly clock: WallClock;
  /** Returns the current time in Unix ms. */
  readonly now: () => number;
  /** A different id after every start of the node. */
  readonly bootId: string;
  /**
   * The calls that change the machine, whose first process this is. Topics make their ports from them: to disks and mounts, keys, the
   * clock and the next kernel. Undefined on other nodes, which have none of these.
   */
  readonly machineCalls: NativeCalls | undefined;
  /** What resets a machine that hangs while it tries a system. */
  readonly watchdog: Watchdog;
  readonly logCopies: HeldLogCopies;
  /** Aborts when the streams that report the stop have to end. `signal` aborts earlier, when the stop begins. */
  readonly stopSignal: AbortSignal;
  /** Aborts `stopSignal`. */
  readonly endStreams: () => void;
}

/** The logs on disk. */
export interface HeldLogCopies extends Pick<LogCopies, 'stop'> {
  /** To be called when the folder of the logs can be written to. */
  readonly begin: () => void;
}

const secondProbeTimeoutMs = 500;

/**
 * The first stage: the node's paths, logs and kernel files on the host. They end with `scope`.
 *
 * @throws Fault `already-exists` when another machined serves this node, `invalid-argument` for options that
 * do not fit together
 */
export async function openHost(
  context: MachinedContext,
  logs: LogStore,
  scope: AsyncDisposableStack,
): Promise<Host> {
  const { options: settings, telemetry } = context;
  const hasKeeper = settings.systemSlot !== '';
  const world = worldOf(settings.mode as NodeMode, settings.services as ServiceSource, hasKeeper);
  const duties = await openProcess(world, context, scope);
  const node = nodeFacts(world, settings, givenAddresses(world, settings));
  const servicesFolder = servicesFolderOf(world, settings.servicesDir);
  const layout = layoutOf(world, settings.root);
  await rejectSecondMachined(layout.paths.machinedSocket);
  if (world.isGuest) scope.use(watchParent(process.stdin, () => process.kill(process.pid, 'SIGTERM')));
  const logCopies = openHeldCopies(logs, layout.paths.logs, context.log, scope);
  const kernel = scope.use(openKernelFiles(telemetry));
  const streamsEnd = new AbortController();
  return {
    ...{ ...context, ...duties, node, world, layout, servicesFolder, logs, logCopies, kernel },
    clock: systemWallClock,
    now: systemWallClock.now,
    bootId: world.ownsKernel ? readBootId() : randomUUID(),
    stopSignal: streamsEnd.signal,
    endStreams: () => streamsEnd.abort(),
  };
}

/** The duties of this process besides the node: those of the first process of a machine or of a container. */
async function openProcess(
  world: World,
  { log, options: settings }: MachinedContext,
  scope: AsyncDisposableStack,
): Promise<Pick<Host, 'isFirstProcess' | 'machineCalls' | 'watchdog' | 'children' | 'ownCgroups'>> {
  const children = new AdoptedChildren();
  const isAwaited = (pid: number) => children.isAwaited(pid);
  const isFirstProcess = world.ownsKernel && process.pid === 1;
  const machine = isFirstProcess ? await prepareMachine(isAwaited, settings.watchdog, log, scope) : undefined;
  const { calls: machineCalls, watchdog = noWatchdog } = machine ?? {};
  const ownCgroups = await ownCgroupsOf(world, isAwaited, log, scope);
  return { isFirstProcess, machineCalls, watchdog, children, ownCgroups };
}

function openHeldCopies(
  store: LogStore,
  folder: string,
  log: MachinedContext['log'],
  scope: AsyncDisposableStack,
): HeldLogCopies {
  const { promise: folderReady, resolve: begin } = Promise.withResolvers<void>();
  const copies = scope.use(openLogCopies({ store, folder, log, folderReady }));
  return { begin, stop: () => copies.stop() };
}

function layoutOf(world: World, root: string): NodeLayout {
  const user = { uid: process.getuid?.() ?? 0, groups: process.getgroups?.() ?? [] };
  return nodeLayout(resolve(root), world, user);
}

/** Only the first process of a machine or of a container runs containers itself. */
async function ownCgroupsOf(
  { runsContainers, ownsKernel }: World,
  isAwaited: (pid: number) => boolean,
  log: MachinedContext['log'],
  scope: AsyncDisposableStack,
): Promise<string | undefined> {
  if (!runsContainers || process.pid !== 1) return undefined;
  return ownsKernel ? cgroupFolder : prepareContainer(isAwaited, log, scope);
}

function nodeFacts(
  world: World,
  { hostname, address }: MachinedContext['options'],
  found: readonly string[],
): NodeFacts {
  if (!world.ownsNetwork && address.length + found.length === 0)
    throw new Fault('invalid-argument', '--address is missing: it must name the addresses of the node');
  // On a machine the configuration sets the host name; in other worlds the option or the kernel does.
  const name = hostname ?? (world.namesItself ? '' : readKernelHostname());
  return { world, hostname: name, addresses: [...address, ...found] };
}

/** The addresses that the engine gave to the container of the node; none for a node that is told its addresses. */
function givenAddresses(
  { runsContainers, ownsKernel }: World,
  { address }: MachinedContext['options'],
): string[] {
  if (!runsContainers || ownsKernel || address.length > 0) return [];
  const all = Object.values(networkInterfaces()).flatMap((list) => list ?? []);
  // Addresses of one link only say nothing to other nodes.
  return all.filter(({ internal, scopeid }) => !internal && !scopeid).map(({ address }) => address);
}

function servicesFolderOf({ runsDaemons }: World, servicesDir: string | undefined): string | undefined {
  if (!runsDaemons) return undefined;
  if (servicesDir === undefined)
    throw new Fault(
      'invalid-argument',
      '--services-dir is missing: it must name the folder with the bundles of apid and trustd',
    );
  return resolve(servicesDir);
}

/** Throws when another machined answers on the socket. A stale socket does not answer and is replaced later. */
async function rejectSecondMachined(socket: string): Promise<void> {
  const { healthy } = await createUnixProbe(socket)(secondProbeTimeoutMs);
  if (healthy) throw new Fault('already-exists', `another machined serves "${socket}": stop it first`);
}
