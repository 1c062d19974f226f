import { anySignal } from '@nodewright/async';
import type { EtcdClient, EtcdLock } from '@nodewright/etcd';
import { Fault } from '@nodewright/fault';
import { electionKey, electionTtlSeconds } from '../domain/virtual-address.ts';
import type { Campaign, Tenure } from './virtual-address.ts';

export interface EtcdCampaignInit {
  /** Connects to any member of the cluster. */
  readonly openEtcd: () => Promise<EtcdClient>;
  readonly hostname: () => string;
}

/** Each call of a resignation; another node takes the address at the end of the lease when it fails. */
const resignTimeoutMs = 3000;

/**
 * Elections in etcd, with the protocol of its concurrency package: each candidate has a key with its host name, and the
 * oldest key is the owner's. Source: Talos v1.14: etcd keys; Layer2VIPConfig.
 */
export function createEtcdCampaign({ openEtcd, hostname }: EtcdCampaignInit): Campaign {
  return async (ip, signal) => {
    await using scope = new AsyncDisposableStack();
    const etcd = scope.use(await openEtcd());
    const options = { ttlSeconds: electionTtlSeconds, value: hostname(), signal };
    const lock = await etcd.lock(electionKey(ip), options);
    const removal = new AbortController();
    const over = new AbortController();
    scope.defer(() => over.abort());
    const watching = anySignal(over.signal, lock.signal);
    watchForDeletion(etcd, lock.key, watching).then(
      (isDeleted) => {
        if (isDeleted) removal.abort(new Fault('aborted', 'somebody deleted its key in etcd'));
      },
      // Without the watch, the end of the lease still ends the tenure.
      () => {},
    );
    return tenureOf(lock, anySignal(lock.signal, removal.signal), openEtcd, scope.move());
  };
}

function tenureOf(
  lock: EtcdLock,
  signal: AbortSignal,
  openEtcd: EtcdCampaignInit['openEtcd'],
  owned: AsyncDisposableStack,
): Tenure {
  return {
    signal,
    leftMs: () => lock.lease.leftMs(),
    async resign() {
      // The members that the client of the lease knows may all have stopped: a new client knows those of today.
      await deleteKey(openEtcd, lock.key).catch(() => {});
      await lock.lease.revoke({ timeoutMs: resignTimeoutMs }).catch(() => {});
      await owned.disposeAsync();
    },
    // A client that is closed renews no lease.
    abandon: () => owned.disposeAsync(),
  };
}

async function deleteKey(openEtcd: EtcdCampaignInit['openEtcd'], key: string): Promise<void> {
  await using etcd = await openEtcd();
  await etcd.delete(key, { timeoutMs: resignTimeoutMs });
}

/** Resolves to true when the key is not there any more, to false when `signal` aborts. */
async function watchForDeletion(etcd: EtcdClient, key: string, signal: AbortSignal): Promise<boolean> {
  for await (const update of etcd.watchPrefix(key, signal)) {
    const isThere =
      update.kind === 'all'
        ? update.keyValues.some((each) => each.key === key)
        : !update.changes.some((change) => change.kind === 'delete' && change.key === key);
    if (!isThere) return true;
  }
  return false;
}
