import assert from 'node:assert/strict';
import { test } from 'node:test';
import { MemoryState, pointerTo } from '@nodewright/state';
import { hostnameStatuses, members, nodeAddresses } from '@nodewright/state/kinds';
import { absentControlPlanes, checkAddresses, otherServers } from './other-servers.ts';

const member = members.codec.fromProto(new Uint8Array());

/** A cluster of VirtualBox: the first network of each machine is private, and has the same address everywhere. */
async function clusterState() {
  const state = new MemoryState({ now: () => 0, cookie: Buffer.alloc(8) });
  await state.create({ ...pointerTo(hostnameStatuses), spec: { hostname: 'node01', domainname: 'lan' } });
  const addresses = ['10.0.2.15/24', '192.168.56.11/24'];
  await state.create({
    ...pointerTo(nodeAddresses, 'current'),
    spec: { addresses, sortAlgorithm: 'v1' },
  });
  const rows = {
    node01: ['.11', 'controlplane', true],
    node02: ['.12', 'controlplane', true],
    node03: ['.13', 'controlplane', false],
    // A worker that says that it has an API server.
    node04: ['.14', 'worker', true],
  } as const;
  for (const [id, [end, machineType, hasServer]] of Object.entries(rows))
    await state.create({
      ...pointerTo(members, id),
      spec: {
        ...member,
        hostname: `${id}.lan`,
        addresses: ['10.0.2.15', `192.168.56${end}`],
        machineType,
        controlPlane: hasServer ? { port: 6443 } : undefined,
      },
    });
  return state;
}

test('otherServers() has the addresses of the other control planes that this node has not itself', async () => {
  assert.deepEqual(await otherServers(await clusterState()), [
    { node: 'node02.lan', hosts: ['192.168.56.12'], port: 6443 },
  ]);
});

test('absentControlPlanes() names the voters of etcd that are no members of the cluster', async () => {
  const state = await clusterState();
  assert.deepEqual(await absentControlPlanes(state, ['node02', 'node01', 'node07']), ['node07']);
  // A control plane without an API server is there.
  assert.deepEqual(await absentControlPlanes(state, ['node03']), []);
  // A worker with its name does not stand in for it.
  assert.deepEqual(await absentControlPlanes(state, ['node04']), ['node04']);
  await state.destroy(pointerTo(members, 'node02'));
  assert.deepEqual(await absentControlPlanes(state, ['node01', 'node02']), ['node02']);
});

const server = { node: 'node02', hosts: ['10.1.0.2', '192.168.56.12', 'fd00::2'], port: 6443 };

test('checkAddresses() finds a server ready that answers at any of its addresses', async () => {
  const asked: string[] = [];
  const result = await checkAddresses(server, 5_000, async ({ host, port }, timeoutMs) => {
    asked.push(`${host} ${port} ${timeoutMs}`);
    // An address that leads nowhere does not delay the answer of another one.
    if (host === '10.1.0.2') return new Promise(() => {});
    return host === 'fd00::2' ? { healthy: true } : { healthy: false, message: 'refused' };
  });
  assert.deepEqual(result, { healthy: true });
  assert.deepEqual(asked, ['10.1.0.2 6443 5000', '192.168.56.12 6443 5000', 'fd00::2 6443 5000']);
});

test('checkAddresses() names what each address of a server said that is not ready', async () => {
  const result = await checkAddresses(server, 5_000, async ({ host }) => ({
    ...{ healthy: false, message: `${host.length} s` },
  }));
  const message = '10.1.0.2: 8 s, 192.168.56.12: 13 s, fd00::2: 7 s';
  assert.deepEqual(result, { healthy: false, message });
});

test('checkAddresses() does not take a server that cannot be asked for one that is ready', async () => {
  const result = await checkAddresses({ ...server, hosts: [] }, 5_000, async () => ({ healthy: true }));
  assert.equal(result.healthy, false);
});
