// What has to be done before etcd of this node starts, and with what it is started then.
import { rm } from 'node:fs/promises';
import { etcdPorts } from '@nodewright/contract';
import { Fault } from '@nodewright/fault';
import { pointerTo, type State } from '@nodewright/state';
import { type EtcdSpecSpec, etcdSpecs, type MachineTypeName, machineTypes } from '@nodewright/state/kinds';
import { type Folder, prepareFolder } from '../../base/host/prepare-folder.ts';
import { specOf } from '../../base/resources/spec-of.ts';
import { etcdUrl } from '../domain/addresses.ts';
import { etcdArguments, type InitialCluster } from '../domain/arguments.ts';
import type { EtcdRuntime } from '../domain/etcd-runtime.ts';
import { type OwnMember, soleCluster } from '../domain/join-plan.ts';
import { type BootstrapWish, type StartMode, startModeOf } from '../domain/start-mode.ts';
import { emptyEtcdData, isEtcdDataEmpty, isEtcdUnborn } from '../host/data-folder.ts';
import { type EtcdMembershipInit, joinEtcd } from './etcd-membership.ts';

export interface EtcdLaunchInit extends EtcdMembershipInit {
  readonly state: State;
  readonly runtime: EtcdRuntime;
  /** Where the data lies on this host, and whose it is. */
  readonly data: Folder;
  /** Where a snapshot to recover from lies on this host. */
  readonly snapshot: string;
  /** The node has just been upgraded. */
  readonly hasUpgradeTag: () => Promise<boolean>;
}

/** What etcd of this node is started with. */
export interface EtcdLaunch {
  readonly mode: StartMode;
  readonly self: OwnMember;
  readonly spec: EtcdSpecSpec;
  readonly args: readonly string[];
}

/**
 * Prepares the data directory and, where it is empty, the place of this node in a cluster. Lasts until a cluster answers
 * where the node is to join one.
 *
 * @throws Fault `cancelled` when the signal aborts
 */
export async function prepareEtcd(
  init: EtcdLaunchInit,
  wish: BootstrapWish | undefined,
  signal: AbortSignal,
): Promise<EtcdLaunch> {
  const { state, runtime, data, log } = init;
  await prepareFolder(data);
  if (await isUnborn(init)) {
    await emptyEtcdData(data.path);
    log.info('what etcd left that ended before it was a member is removed');
  }
  const mode = startModeOf({
    isDataEmpty: await isEtcdDataEmpty(data.path),
    machineType: await machineTypeOf(state),
    hasUpgradeTag: await init.hasUpgradeTag(),
    wish,
  });
  log.info({ mode: mode.kind }, 'etcd is prepared');
  const version = await runtime.version(signal);
  const { self } = await whoIsSelf(state);
  const initial = await initialOf[mode.kind](init, self, mode, signal);
  // What is advertised may have changed while a cluster was waited for.
  const { spec } = await whoIsSelf(state);
  return { mode, self, spec, args: etcdArguments({ spec, paths: runtime.paths, version, initial }) };
}

/** Whether etcd has no data yet, or none that say to which cluster it belongs. */
export async function hasNoMemberData(init: Pick<EtcdLaunchInit, 'state' | 'data'>): Promise<boolean> {
  return (await isEtcdDataEmpty(init.data.path)) || (await isUnborn(init));
}

async function isUnborn({ state, data }: Pick<EtcdLaunchInit, 'state' | 'data'>): Promise<boolean> {
  const spec = await specOf(state, pointerTo(etcdSpecs));
  // With a `wal-dir` elsewhere the data folder alone does not show whether etcd has run before.
  if (spec === undefined || Object.hasOwn(spec.extraArgs, 'wal-dir')) return false;
  return isEtcdUnborn(data.path);
}

type Initial = (
  init: EtcdLaunchInit,
  self: OwnMember,
  mode: StartMode,
  signal: AbortSignal,
) => Promise<InitialCluster | undefined>;

/** What etcd is told about its cluster where its data does not say. */
const initialOf: Readonly<Record<StartMode['kind'], Initial>> = {
  'as-is': async () => undefined,
  async new({ runtime, snapshot, log, timers }, self, mode, signal) {
    const members = soleCluster(self);
    if (mode.kind !== 'new' || !mode.wish.recover) return { state: 'new', members };
    const { skipHashCheck } = mode.wish;
    const initialClusterToken = `restored-${timers.now()}`;
    await runtime.restore({ ...self, initialCluster: members, initialClusterToken, skipHashCheck }, signal);
    await rm(snapshot, { force: true });
    log.info('etcd is restored from a snapshot');
    return undefined;
  },
  join: async (init, self, _mode, signal) => ({
    state: 'existing',
    members: await joinEtcd(init, self, signal),
  }),
};

async function whoIsSelf(state: State): Promise<{ spec: EtcdSpecSpec; self: OwnMember }> {
  const spec = await specOf(state, pointerTo(etcdSpecs));
  if (spec === undefined) throw new Fault('failed-precondition', 'the node has no spec of etcd any more');
  return { spec, self: ownMemberOf(spec) };
}

/** This node as the other members know it. */
export function ownMemberOf({ name, advertisedAddresses }: EtcdSpecSpec): OwnMember {
  return { name, peerUrls: advertisedAddresses.map((address) => etcdUrl(address, etcdPorts.peer)) };
}

async function machineTypeOf(state: State): Promise<MachineTypeName> {
  return (await specOf(state, pointerTo(machineTypes))) ?? 'unknown';
}
