import { Deadline, type Timers } from '@nodewright/async';
import type { EtcdClient, EtcdLock } from '@nodewright/etcd';
import { faultFrom } from '@nodewright/fault';
import type { Logger } from '@nodewright/telemetry';
import { type ApplyManifestsInit, type ApplyOutcome, applyManifests } from './apply-manifests.ts';
import { openKubernetesObjects } from './kubernetes-objects.ts';

/** What a control plane applies. */
export interface ManifestRequest extends Pick<ApplyManifestsInit, 'node' | 'manifests' | 'isComplete'> {
  /** Of an administrator. It holds a key. */
  readonly kubeconfig: string;
}

/** Applies manifests while no other control plane does; a text says why that must wait. */
export type ApplyInTurn = (
  request: ManifestRequest,
  pass: { readonly log: Logger; readonly signal: AbortSignal },
) => Promise<ApplyOutcome | string>;

export interface ApplyInTurnInit {
  /** Connects to etcd of the cluster. */
  readonly openEtcd: () => Promise<EtcdClient>;
  readonly timers: Timers;
}

/** Source: Talos v1.14: etcd keys. */
const lockName = 'talos:v1:manifestApplyMutex';
/** How long the lock stays when its holder has died. */
const lockTtlSeconds = 30;
/** How long to wait for other control planes, which then have usually done the work. */
const lockTimeoutMs = 120_000;
/** How long a pass may take, so that an API server that hangs does not keep the lock. */
const passTimeoutMs = 600_000;

/** An `ApplyInTurn` that takes the lock in etcd and calls the API server of the kubeconfig. */
export function createApplyInTurn({ openEtcd, timers }: ApplyInTurnInit): ApplyInTurn {
  return async ({ kubeconfig, ...request }, { log, signal }) => {
    const { openKubernetesApi, parseKubeconfig } = await import('@nodewright/client/kubeconfig');
    using api = openKubernetesApi(parseKubeconfig(kubeconfig, 'the kubeconfig of the node'), {
      keepsConnection: true,
    });
    try {
      await openKubernetesObjects(api, signal).assertReady();
    } catch (error) {
      signal.throwIfAborted();
      return faultFrom(error).message;
    }
    await using etcd = await openEtcd();
    const lock = await takeLock(etcd, signal);
    if (lock === undefined) return 'another control plane applies its manifests, or etcd has no leader';
    await using held = lock;
    const names = await memberNames(etcd, signal);
    using deadline = new Deadline(passTimeoutMs, signal, held.signal);
    return await applyManifests({
      ...request,
      ...{ objects: openKubernetesObjects(api, deadline.signal), members: names, timers, log },
      signal: deadline.signal,
    });
  };
}

async function takeLock(etcd: EtcdClient, signal: AbortSignal): Promise<EtcdLock | undefined> {
  using deadline = new Deadline(lockTimeoutMs, signal);
  try {
    return await etcd.lock(lockName, { ttlSeconds: lockTtlSeconds, signal: deadline.signal });
  } catch {
    signal.throwIfAborted();
    return undefined;
  }
}

/** The host names of all control planes; `undefined` while one of them is not known. */
async function memberNames(etcd: EtcdClient, signal: AbortSignal): Promise<ReadonlySet<string> | undefined> {
  const members = await etcd.members({ signal, linearizable: true });
  // A member without a name has not started yet.
  if (members.some(({ name }) => name === '')) return undefined;
  return new Set(members.map(({ name }) => name));
}
