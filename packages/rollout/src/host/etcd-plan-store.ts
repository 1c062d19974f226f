import type { EtcdClient } from '@nodewright/etcd';
import type { PlanStore } from './rollout-ports.ts';

/** The key of the plan in etcd. There is one, because only one roll-out runs at a time. */
export const rolloutPlanKey = 'nodewright/rollout/plan';
/**
 * The prefix of the lock keys in etcd of those who drive the plan. It is another one than the turn: a node that acts for the plan takes the
 * turn itself, and would wait for its driver.
 */
export const rolloutDriverName = 'nodewright/rollout/driver';
/** The prefix of the lock keys in etcd of those who may make nodes unavailable. */
export const rolloutTurnName = 'nodewright/rollout/turn';

const timeoutMs = 5_000;

/** The plan as a key in etcd. The caller disposes of the client. */
export function createEtcdPlanStore(etcd: Pick<EtcdClient, 'get' | 'txn'>): PlanStore {
  return {
    async read(signal) {
      const found = await etcd.get(rolloutPlanKey, { timeoutMs, signal });
      return found && { bytes: found.value, revision: found.modRevision };
    },
    async write(bytes, { revision, turn }, signal) {
      const compare = [
        { key: rolloutPlanKey, modRevision: revision },
        // The key of a holder exists as long as its lease, so a holder whose lease has ended writes nothing.
        ...(turn === undefined ? [] : [{ key: turn.key, is: '!=' as const, createRevision: 0n }]),
      ];
      const success = [{ kind: 'put' as const, key: rolloutPlanKey, value: bytes }];
      return (await etcd.txn({ compare, success }, { timeoutMs, signal })).succeeded;
    },
    async remove(revision, signal) {
      const compare = [{ key: rolloutPlanKey, modRevision: revision }];
      const success = [{ kind: 'delete' as const, key: rolloutPlanKey }];
      return (await etcd.txn({ compare, success }, { timeoutMs, signal })).succeeded;
    },
  };
}
