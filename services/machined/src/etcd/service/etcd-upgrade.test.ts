// Whether a member may go down for an upgrade, against a real etcd.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { skipWithoutEtcd, startEtcdCluster } from '@nodewright/etcd/testing';
import { Fault } from '@nodewright/fault';
import type { EtcdAccess } from '../host/etcd-access.ts';
import { assertMayUpgrade } from './etcd-upgrade.ts';

const skip = skipWithoutEtcd();
const scope = new AsyncDisposableStack();
after(() => scope.disposeAsync());
const never = new AbortController().signal;
const mutex = 'talos:v1:etcdUpgradeMutex';

test('a node without etcd is not asked', async () => {
  const unused = () => assert.fail('no etcd is asked');
  await assertMayUpgrade({ own: async () => [], openAt: unused, openCluster: unused }, never);
});

test('etcd that does not answer refuses the upgrade, with the reason', async () => {
  const away = async () => {
    throw new Fault('unavailable', 'connect ECONNREFUSED');
  };
  const access = { own: async () => ['127.0.0.1:1'], openAt: away, openCluster: away };
  await assert.rejects(assertMayUpgrade(access, never), {
    kind: 'failed-precondition',
    message: 'etcd refuses the upgrade: connect ECONNREFUSED',
  });
});

test('the only member may go down; while another node is checked it is refused, and the mutex is given back', {
  skip,
}, async () => {
  const cluster = scope.use(await startEtcdCluster());
  const [endpoint = ''] = cluster.endpoints;
  const openAt = async (endpoints: readonly string[]) => cluster.client({ endpoints });
  const access: Pick<EtcdAccess, 'own' | 'openAt' | 'openCluster'> = {
    ...{ openAt, own: async () => [endpoint], openCluster: () => openAt([endpoint]) },
  };
  const client = cluster.client();
  await assertMayUpgrade(access, never);
  assert.deepEqual((await client.list(`${mutex}/`)).keyValues, []);
  {
    await using _other = await client.lock(mutex);
    await assert.rejects(assertMayUpgrade(access, never), {
      kind: 'failed-precondition',
      message: 'etcd refuses the upgrade: another node is being upgraded',
    });
  }
  await assertMayUpgrade(access, never);
});
