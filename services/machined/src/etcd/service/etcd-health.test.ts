import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { EtcdClient } from '@nodewright/etcd';
import { Fault } from '@nodewright/fault';
import { EtcdHealth } from './etcd-health.ts';

/** A fake etcd whose response the test sets, with counts of its opened and open clients. */
function etcd() {
  const clients = { opened: 0, open: 0 };
  let answer: () => Promise<undefined> = async () => undefined;
  const openLocal = async () => {
    clients.opened += 1;
    clients.open += 1;
    return {
      get: () => answer(),
      [Symbol.asyncDispose]: async () => {
        clients.open -= 1;
      },
    } as unknown as EtcdClient;
  };
  return {
    clients,
    health: new EtcdHealth({ openLocal }),
    answer(next: () => Promise<undefined>) {
      answer = next;
    },
  };
}

const rejects = (kind: 'permission-denied' | 'unavailable') => async () => {
  throw new Fault(kind, kind);
};

test('EtcdHealth reuses its client between checks and replaces it after a failure', async () => {
  const { health, clients, answer } = etcd();
  assert.deepEqual([await health.check(1), await health.check(1)], [{ healthy: true }, { healthy: true }]);
  assert.deepEqual(clients, { opened: 1, open: 1 });
  answer(rejects('unavailable'));
  assert.deepEqual(await health.check(1), { healthy: false, message: 'unavailable' });
  assert.deepEqual(clients, { opened: 1, open: 0 });
  answer(rejects('permission-denied'));
  assert.deepEqual(await health.check(1), { healthy: true });
  await health[Symbol.asyncDispose]();
  assert.equal(clients.open, 0);
});

test('EtcdHealth leaves no client open after concurrent checks', async () => {
  const { health, clients, answer } = etcd();
  await Promise.all([health.check(1), health.check(1)]);
  assert.deepEqual(clients, { opened: 1, open: 1 });
  answer(rejects('unavailable'));
  await Promise.all([health.check(1), health.check(1)]);
  assert.equal(clients.open, 0);
});
