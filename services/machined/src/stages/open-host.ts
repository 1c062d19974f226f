import { randomUUID } from 'node:crypto';
import { dirname, resolve } from 'node:path';
import type { DaemonContext, OptionValues } from '@nodewright/daemon';
import { Fault } from '@nodewright/fault';
import { readBootId, readKernelHostname } from '@nodewright/linux';
import { systemWallClock, type WallClock } from '@nodewright/sntp';
import type { NodeFacts } from '../base/domain/node-facts.ts';
import { type NodeMode, type ServiceSource, type World, worldOf } from '../base/domain/world.ts';
import { type KernelFiles, openKernelFiles } from '../base/host/kernel-files.ts';
import { watchParent } from '../base/host/watch-parent.ts';
import { type NodeLayout, nodeLayout } from '../base/node-layout.ts';
import { createNodeWipe, type NodeWipe } from '../life/host/node-wipe.ts';
import { openLogCopies } from '../logs/host/log-copies.ts';
import type { LogStore } from '../logs/host/log-store.ts';
import type { options } from '../options.ts';
import { createUnixProbe } from '../services/host/probe-connection.ts';

export type MachinedContext = DaemonContext<OptionValues<typeof options>>;

/** What this process was started with, and what it has opened of the host that it runs on. */
export interface Host extends MachinedContext {
  readonly node: NodeFacts;
  readonly world: World;
  readonly layout: NodeLayout;
  /** Where the daemons are that machined starts; undefined when it starts none. */
  readonly servicesFolder: string | undefined;
  readonly logs: LogStore;
  readonly kernel: KernelFiles;
  readonly clock: WallClock;
  /** Unix ms. */
  readonly now: () => number;
  /** Another one after every start of the node. */
  readonly bootId: string;
  readonly wipe: NodeWipe;
  /** Aborts once the node has told how it stops. `signal` aborts when it begins to. */
  readonly stopSignal: AbortSignal;
  /** Ends the streams that tell how the node stops. */
  readonly endStreams: () => void;
}

const secondProbeTimeoutMs = 500;

/**
 * The first stage: the node's folders on the host, its logs and the files of the kernel. They end with `scope`.
 *
 * @throws Fault `already-exists` when another machined serves this node, `invalid-argument` for settings that do not fit
 */
export async function openHost(
  context: MachinedContext,
  logs: LogStore,
  scope: AsyncDisposableStack,
): Promise<Host> {
  const { options: settings, log, telemetry } = context;
  const node = nodeFacts(settings);
  const { world } = node;
  const servicesFolder = servicesFolderOf(world, settings.servicesDir);
  const user = { uid: process.getuid?.() ?? 0, groups: process.getgroups?.() ?? [] };
  const layout = nodeLayout(resolve(settings.root), world, user);
  await refuseSecond(layout.paths.machinedSocket);

  const wipe = nodeWipe(layout, world);
  // Before anything of the node is read: a reset that was interrupted is carried through.
  const wiped = await wipe.finish();
  if (wiped !== undefined) log.warn({ volumes: wiped }, 'volumes were wiped by a reset');

  if (world.isGuest) scope.use(watchParent(process.stdin, () => process.kill(process.pid, 'SIGTERM')));
  scope.use(openLogCopies({ store: logs, folder: layout.paths.logs, log }));
  const kernel = scope.use(openKernelFiles(telemetry));
  const streamsEnd = new AbortController();
  return {
    ...context,
    ...{ node, world, layout, servicesFolder, logs, kernel, wipe },
    clock: systemWallClock,
    now: systemWallClock.now,
    bootId: world.ownsKernel ? readBootId() : randomUUID(),
    stopSignal: streamsEnd.signal,
    endStreams: () => streamsEnd.abort(),
  };
}

function nodeFacts({ mode, services, hostname, address }: MachinedContext['options']): NodeFacts {
  const world = worldOf(mode as NodeMode, services as ServiceSource);
  // A machine of its own is named by its configuration; elsewhere its surroundings have named it.
  const name = hostname ?? (world.namesItself ? '' : readKernelHostname());
  return { world, hostname: name, addresses: address };
}

function servicesFolderOf({ runsDaemons }: World, servicesDir: string | undefined): string | undefined {
  if (!runsDaemons) return undefined;
  if (servicesDir === undefined)
    throw new Fault('invalid-argument', '--services-dir is missing: machined starts apid and trustd from it');
  return resolve(servicesDir);
}

/** A stale socket is taken over; one that answers belongs to a machined that runs. */
async function refuseSecond(socket: string): Promise<void> {
  const { healthy } = await createUnixProbe(socket)(secondProbeTimeoutMs);
  if (healthy) throw new Fault('already-exists', `another machined serves "${socket}": stop it first`);
}

function nodeWipe({ paths }: NodeLayout, { ownsMounts }: World): NodeWipe {
  const { machineConfig, logs, meta, membership, etcdSecrets } = paths;
  return createNodeWipe({
    ...{ state: dirname(machineConfig), ephemeral: dirname(logs), meta, secrets: dirname(etcdSecrets) },
    given: [membership],
    ownsMounts,
  });
}
