import type { EtcdClient, EtcdKeyValue } from '@nodewright/etcd';
import type { PlanStore } from './rollout-ports.ts';

/** The key of the plan in etcd. There is one, because only one roll-out runs at a time. */
export const rolloutPlanKey = 'nodewright/rollout/plan';
/** The key of the id of the etcd cluster that the plan was made in. */
const clusterKey = `${rolloutPlanKey}-cluster`;
/** Beside the plan, whose form nodes of older versions read, too. */
const begunKey = `${rolloutPlanKey}-begun`;
/** Plan and drivers, so that one request reads both. */
const commonPrefix = 'nodewright/rollout/';
/**
 * The prefix of the lock keys in etcd of those who drive the plan. It is another one than the turn: a node that acts for the plan takes the
 * turn itself, and would wait for its driver.
 */
export const rolloutDriverName = 'nodewright/rollout/driver';
/** The prefix of the lock keys in etcd of those who may make nodes unavailable. */
export const rolloutTurnName = 'nodewright/rollout/turn';

const timeoutMs = 5_000;

/**
 * The plan as a key in etcd. One that a snapshot has brought into this etcd is not carried out: the nodes have gone on since it was made.
 * It is removed when it is read, and so is a plan that names no cluster. The caller disposes of the client.
 */
export function createEtcdPlanStore(etcd: Pick<EtcdClient, 'list' | 'txn'>): PlanStore {
  const remove = async (revision: bigint, signal: AbortSignal) => {
    const compare = [{ key: rolloutPlanKey, modRevision: revision }];
    const success = [rolloutPlanKey, clusterKey, begunKey].map((key) => ({ kind: 'delete' as const, key }));
    return (await etcd.txn({ compare, success }, { timeoutMs, signal })).succeeded;
  };
  return {
    async read(signal) {
      const { keyValues, clusterId } = await etcd.list(commonPrefix, { timeoutMs, signal });
      const found = keyValues.find(({ key }) => key === rolloutPlanKey);
      const cluster = keyValues.find(({ key }) => key === clusterKey);
      if (found === undefined) return undefined;
      // All who begin a plan write both keys at one moment. A plan without the id was written by something else, or lost it.
      const isOwn = cluster !== undefined && Buffer.from(cluster.value).toString() === String(clusterId);
      const begun = textOf(keyValues.find(({ key }) => key === begunKey));
      if (isOwn)
        return { bytes: found.value, revision: found.modRevision, driver: driverOf(keyValues), begun };
      await remove(found.modRevision, signal);
      return undefined;
    },
    async write(bytes, { revision, turn, begun }, signal) {
      const compare = [
        { key: rolloutPlanKey, modRevision: revision },
        // The key of a holder exists as long as its lease, so a holder whose lease has ended writes nothing.
        ...(turn === undefined ? [] : [{ key: turn.key, is: '!=' as const, createRevision: 0n }]),
      ];
      const success = [{ kind: 'put' as const, key: rolloutPlanKey, value: bytes }];
      // A driver only goes on with a plan, so it must not make one of a snapshot its own.
      if (turn === undefined) {
        const { clusterId } = await etcd.list(clusterKey, { timeoutMs, signal });
        success.push({ kind: 'put', key: clusterKey, value: Buffer.from(String(clusterId)) });
      }
      if (begun !== undefined) success.push({ kind: 'put', key: begunKey, value: Buffer.from(begun) });
      return (await etcd.txn({ compare, success }, { timeoutMs, signal })).succeeded;
    },
    remove,
  };
}

/** What is longer than any name or line that is written here was written by something else. */
const longestText = 300;

function textOf(found: EtcdKeyValue | undefined): string | undefined {
  if (found === undefined || found.value.length > longestText) return undefined;
  return Buffer.from(found.value).toString();
}

/** Of those who queue for the lock of drivers, the one that came first holds it. */
function driverOf(keyValues: readonly EtcdKeyValue[]): string | undefined {
  let first: EtcdKeyValue | undefined;
  for (const each of keyValues)
    if (each.key.startsWith(`${rolloutDriverName}/`))
      if (first === undefined || each.createRevision < first.createRevision) first = each;
  return textOf(first);
}
