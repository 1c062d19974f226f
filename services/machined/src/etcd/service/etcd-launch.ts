// Prepares the start of this node's etcd and determines its arguments.
import { rm } from 'node:fs/promises';
import { etcdPorts } from '@nodewright/contract';
import { Fault } from '@nodewright/fault';
import { pointerTo, type State } from '@nodewright/state';
import { type EtcdSpecSpec, etcdSpecs, type MachineTypeName, machineTypes } from '@nodewright/state/kinds';
import { type Folder, prepareFolder } from '../../base/host/prepare-folder.ts';
import { specOf } from '../../base/resources/spec-of.ts';
import { etcdUrl } from '../domain/addresses.ts';
import { etcdArguments, type InitialCluster } from '../domain/arguments.ts';
import { dataProblem } from '../domain/data-version.ts';
import type { EtcdRuntime } from '../domain/etcd-runtime.ts';
import type { EtcdVersion } from '../domain/etcd-version.ts';
import { type OwnMember, soleCluster } from '../domain/join-plan.ts';
import { type BootstrapWish, type StartMode, startModeOf } from '../domain/start-mode.ts';
import {
  emptyEtcdData,
  isEtcdDataEmpty,
  isEtcdDataIncomplete,
  removeEtcdLeftovers,
} from '../host/data-folder.ts';
import { readVersionFile, writeVersionFile } from '../host/version-file.ts';
import { type EtcdMembershipInit, joinEtcd } from './etcd-membership.ts';

export interface EtcdLaunchInit extends EtcdMembershipInit {
  readonly state: State;
  readonly runtime: EtcdRuntime;
  /** The data directory on this host, with its owner. */
  readonly data: Folder;
  /** The path of the file with the version of the etcd that has created the data. */
  readonly versionFile: string;
  /** The path of an uploaded snapshot on this host. */
  readonly snapshot: string;
  /** Whether the node has just been upgraded. */
  readonly hasUpgradeTag: () => Promise<boolean>;
}

/** The settings and arguments that this node's etcd starts with. */
export interface EtcdLaunch {
  readonly mode: StartMode;
  readonly spec: EtcdSpecSpec;
  readonly args: readonly string[];
}

/**
 * Prepares the data directory. If it is empty and the node has to join a cluster, the call also adds this
 * node as a member, and waits until the cluster answers.
 *
 * @throws Fault `failed-precondition` for data of another minor version of etcd, `cancelled` when the signal
 * aborts
 */
export async function prepareEtcd(
  init: EtcdLaunchInit,
  wish: BootstrapWish | undefined,
  signal: AbortSignal,
): Promise<EtcdLaunch> {
  const { state, runtime, data, log } = init;
  await prepareFolder(data);
  await removeEtcdLeftovers(data.path);
  if (await isDataIncomplete(init)) {
    await emptyEtcdData(data.path);
    log.info('removed the data of an etcd that stopped before it became a member');
  }
  const isDataEmpty = await isEtcdDataEmpty(data.path);
  const mode = startModeOf({
    isDataEmpty,
    machineType: await machineTypeOf(state),
    hasUpgradeTag: await init.hasUpgradeTag(),
    wish,
  });
  log.info({ mode: mode.kind }, 'preparing etcd');
  const version = await runtime.version(signal);
  // Recorded before there are data: a crash then leaves no data without a version.
  if (isDataEmpty) await writeVersionFile(init.versionFile, version);
  else await assertDataVersion(init.versionFile, version);
  const { self } = await readSelf(state);
  const initial = await initialOf[mode.kind](init, self, mode, signal);
  // The advertised addresses may have changed while this call waited for a cluster.
  const { spec } = await readSelf(state);
  return { mode, spec, args: etcdArguments({ spec, paths: runtime.paths, version, initial }) };
}

async function assertDataVersion(versionFile: string, running: EtcdVersion): Promise<void> {
  const problem = dataProblem({ written: await readVersionFile(versionFile), running });
  if (problem !== undefined) throw new Fault('failed-precondition', problem);
}

/** Whether etcd has no data, or only data that do not define its cluster. */
export async function hasNoMemberData(init: Pick<EtcdLaunchInit, 'state' | 'data'>): Promise<boolean> {
  return (await isEtcdDataEmpty(init.data.path)) || (await isDataIncomplete(init));
}

async function isDataIncomplete({ state, data }: Pick<EtcdLaunchInit, 'state' | 'data'>): Promise<boolean> {
  const spec = await specOf(state, pointerTo(etcdSpecs));
  // With a `wal-dir` elsewhere, the data folder alone does not show whether etcd has run before.
  if (spec === undefined || Object.hasOwn(spec.extraArgs, 'wal-dir')) return false;
  return isEtcdDataIncomplete(data.path);
}

type Initial = (
  init: EtcdLaunchInit,
  self: OwnMember,
  mode: StartMode,
  signal: AbortSignal,
) => Promise<InitialCluster | undefined>;

/** The initial cluster flags for each start mode; `undefined` when the data define the cluster. */
const initialOf: Readonly<Record<StartMode['kind'], Initial>> = {
  'as-is': async () => undefined,
  async new({ runtime, snapshot, log, timers }, self, mode, signal) {
    const members = soleCluster(self);
    if (mode.kind !== 'new' || !mode.wish.recover) return { state: 'new', members };
    const { skipHashCheck } = mode.wish;
    // A token of its own gives the cluster another id, by which a roll-out knows that its plan comes from a snapshot.
    const initialClusterToken = `restored-${timers.now()}`;
    await runtime.restore({ ...self, initialCluster: members, initialClusterToken, skipHashCheck }, signal);
    await rm(snapshot, { force: true });
    log.info('etcd restored from a snapshot');
    return undefined;
  },
  join: async (init, self, _mode, signal) => ({
    state: 'existing',
    members: await joinEtcd(init, self, signal),
  }),
};

async function readSelf(state: State): Promise<{ spec: EtcdSpecSpec; self: OwnMember }> {
  const spec = await specOf(state, pointerTo(etcdSpecs));
  if (spec === undefined) throw new Fault('failed-precondition', 'the etcd spec of this node was removed');
  return { spec, self: ownMemberOf(spec) };
}

/** This node as the other members see it. */
export function ownMemberOf({ name, advertisedAddresses }: EtcdSpecSpec): OwnMember {
  return { name, peerUrls: advertisedAddresses.map((address) => etcdUrl(address, etcdPorts.peer)) };
}

async function machineTypeOf(state: State): Promise<MachineTypeName> {
  return (await specOf(state, pointerTo(machineTypes))) ?? 'unknown';
}
