// Whether a member may go down for an upgrade, against a real etcd.
import assert from 'node:assert/strict';
import { createServer } from 'node:net';
import { after, test } from 'node:test';
import type { EtcdMember } from '@nodewright/etcd';
import { skipWithoutEtcd, startEtcdCluster } from '@nodewright/etcd/testing';
import { Fault } from '@nodewright/fault';
import type { EtcdAccess } from '../host/etcd-access.ts';
import { assertMayUpgrade, lookAtMembers } from './etcd-upgrade.ts';

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

test('members that take connections and never answer cost a driver the time of one read, with however many addresses', {
  skip,
}, async () => {
  const cluster = scope.use(await startEtcdCluster());
  const taken = new Set<{ destroy(): unknown }>();
  const silent = createServer((socket) => void taken.add(socket.on('error', () => {})));
  scope.defer(() => {
    for (const socket of taken) socket.destroy();
    silent.close();
  });
  await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve));
  const { port } = silent.address() as { port: number };
  const url = `https://127.0.0.1:${port}`;
  const member = (name: string, clientUrls: string[]) =>
    ({ id: 1n, name, clientUrls }) as unknown as EtcdMember;
  const own = cluster.endpoints.map((endpoint) => `https://${endpoint}`);
  const hostile = [
    member('well', own),
    member('silent', [url]),
    member(
      'many',
      Array.from({ length: 10_000 }, () => url),
    ),
  ];
  const openAt = async (endpoints: readonly string[]) => cluster.client({ endpoints });
  const openCluster = async () =>
    ({ members: async () => hostile, [Symbol.asyncDispose]: async () => {} }) as never;
  // As long as a roll-out waits for one member.
  const memberMs = 4000;
  const beganMs = performance.now();
  const found = await lookAtMembers({ openAt, openCluster }, memberMs, never);
  const tookMs = performance.now() - beganMs;
  assert.ok(tookMs < 8000, `${tookMs} ms`);
  const [well, one, many] = found.map(({ failure }) => failure);
  assert.equal(well, undefined);
  assert.match(one ?? '', /no connection within 4 s|did not answer within 4000 ms/);
  assert.match(many ?? '', /within 4(?:000 ms| s)/);
});
