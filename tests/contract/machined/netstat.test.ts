// Netstat, against sockets that the test opens itself.
import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { existsSync, mkdirSync, readFileSync, rmdirSync, symlinkSync, unlinkSync } from 'node:fs';
import { type AddressInfo, connect, createServer, type Server } from 'node:net';
import { after, test } from 'node:test';
import {
  type ConnectRecord,
  MachineServiceDefinition,
  NetstatRequest_Filter,
} from '@nodewright/contract/gen/machine/machine.ts';
import { ownAddress, startNode } from './harness/node-under-test.ts';

const scope = new AsyncDisposableStack();
after(() => scope.disposeAsync());
const node = scope.use(await startNode());
const machine = node.client(MachineServiceDefinition, 'os:reader');

const address = ownAddress();
const hasIpv6 =
  existsSync('/proc/net/if_inet6') && readFileSync('/proc/net/if_inet6', 'utf8').includes(' lo');

async function listen(host: string): Promise<{ server: Server; port: number }> {
  const server = createServer((socket) => socket.on('error', () => {})).listen(0, host);
  scope.defer(() => void server.close());
  await once(server, 'listening');
  return { server, port: (server.address() as AddressInfo).port };
}

const { server, port } = await listen(address);
const accepted = once(server, 'connection');
const client = connect({ port, host: address, localAddress: address });
await once(client, 'connect');
await accepted;
scope.defer(() => void client.destroy());
const clientPort = client.localPort as number;

const allTables = {
  tcp: true,
  tcp6: true,
  udp: true,
  udp6: true,
  udplite: true,
  udplite6: true,
  raw: true,
  raw6: true,
};
const host = { hostnetwork: true };
const { ALL: all, CONNECTED: connected, LISTENING: listening } = NetstatRequest_Filter;

async function netstat(request: Parameters<typeof machine.netstat>[0]): Promise<ConnectRecord[]> {
  const { messages } = await machine.netstat(request);
  assert.equal(messages.length, 1);
  assert.equal(messages[0]?.metadata, undefined);
  return messages[0]?.connectrecord ?? [];
}
const ours = (records: readonly ConnectRecord[]) =>
  records
    .filter(
      ({ localip, localport, remoteport }) => localip === address && [localport, remoteport].includes(port),
    )
    .map(({ localport, remoteport, state }) => `${localport} ${remoteport} ${state}`)
    .sort();

const listener = `${port} 0 10`;
const ends = [`${port} ${clientPort} 1`, `${clientPort} ${port} 1`];

test('the filters select listeners, connections, or everything', async () => {
  const tcp = { l4proto: { tcp: true }, netns: host };
  assert.deepEqual(ours(await netstat({ ...tcp, filter: listening })), [listener]);
  assert.deepEqual(ours(await netstat({ ...tcp, filter: connected })), ends.toSorted());
  assert.deepEqual(ours(await netstat({ ...tcp, filter: all })), [listener, ...ends].sort());
  await assert.rejects(netstat({ ...tcp, filter: 7 as never }), { code: 3, details: 'invalid filter: 7' });
});

test("a record has the kernel's values, and the process only when requested", async () => {
  const tcp = { filter: listening, l4proto: { tcp: true }, netns: host };
  const own = ({ localip, localport }: ConnectRecord) => localip === address && localport === port;
  const plain = (await netstat(tcp)).find(own);
  assert.deepEqual(
    { ...plain, inode: undefined, pointer: undefined },
    {
      l4proto: 'tcp',
      localip: address,
      localport: port,
      remoteip: '0.0.0.0',
      remoteport: 0,
      state: 10,
      txqueue: 0n,
      rxqueue: 0n,
      tr: 0,
      timerwhen: 0n,
      retrnsmt: 0n,
      uid: process.getuid?.(),
      timeout: 0n,
      inode: undefined,
      ref: 1n,
      pointer: undefined,
      process: { pid: 0, name: '' },
      netns: '',
    },
  );
  const found = (await netstat({ ...tcp, feature: { pid: true } })).find(own);
  assert.deepEqual(found?.process, {
    pid: process.pid,
    name: readFileSync('/proc/self/comm', 'utf8').trim(),
  });
  assert.equal(found?.inode, plain?.inode);
});

test('unread bytes are counted in the queues', async () => {
  const { server: quiet, port: quietPort } = await listen(address);
  quiet.on('connection', (socket) => socket.pause());
  const writer = connect(quietPort, address);
  scope.defer(() => void writer.destroy());
  await once(writer, 'connect');
  await new Promise<void>((resolve) => void writer.write(Buffer.alloc(1000), () => resolve()));
  const records = await netstat({ filter: connected, l4proto: { tcp: true }, netns: host });
  const end = records.find(({ localip, localport }) => localip === address && localport === quietPort);
  // Node.js reads a first chunk before it knows that there is no reader.
  assert.ok(end !== undefined && end.rxqueue <= 1000n && end.txqueue === 0n);
});

test('protocols are selected one by one, and selecting none returns none', async () => {
  const udp = createSocket('udp4').bind(0, address);
  scope.defer(() => void udp.close());
  await once(udp, 'listening');
  const udpPort = udp.address().port;
  const has = (records: readonly ConnectRecord[]) =>
    records.some(
      ({ l4proto, localport, state }) => l4proto === 'udp' && localport === udpPort && state === 7,
    );
  assert.ok(has(await netstat({ filter: all, l4proto: { udp: true }, netns: host })));
  assert.ok(!has(await netstat({ filter: all, l4proto: { tcp: true }, netns: host })));
  assert.deepEqual(await netstat({ filter: all, netns: host }), []);
  assert.deepEqual(await netstat({ filter: all, l4proto: allTables }), []);
  assert.deepEqual(await netstat({}), []);
});

test('an IPv6 address is abbreviated, and IPv4 through an IPv6 socket is dotted', {
  skip: hasIpv6 ? false : 'this machine has no IPv6',
}, async () => {
  const { server: both, port: bothPort } = await listen('::');
  const arrived = once(both, 'connection');
  const peer = connect(bothPort, '127.0.0.1');
  scope.defer(() => void peer.destroy());
  await once(peer, 'connect');
  await arrived;
  const records = await netstat({ filter: all, l4proto: { tcp6: true }, netns: host });
  const shown = records
    .filter(({ localport }) => localport === bothPort)
    .map(({ l4proto, localip, remoteip, state }) => `${l4proto} ${localip} ${remoteip} ${state}`);
  assert.deepEqual(shown.sort(), ['tcp6 127.0.0.1 127.0.0.1 1', 'tcp6 :: :: 10']);
});

test('every socket that the kernel lists is in the answer', async () => {
  const before = readFileSync('/proc/net/tcp', 'utf8');
  const records = await netstat({ filter: all, l4proto: allTables, netns: host });
  const inodes = new Set(records.map(({ inode }) => inode));
  const after = readFileSync('/proc/net/tcp', 'utf8');
  const inodesOf = (text: string) =>
    text
      .trim()
      .split('\n')
      .slice(1)
      .map((line) => BigInt(line.trim().split(/\s+/)[9] as string));
  const steady = inodesOf(before).filter((inode) => inodesOf(after).includes(inode));
  assert.ok(steady.length > 0);
  assert.deepEqual(
    steady.filter((inode) => !inodes.has(inode)),
    [],
  );
});

test('sockets of another network namespace are selected by its name', {
  skip:
    spawnSync('unshare', ['--net', 'true']).status === 0
      ? false
      : 'only root makes network namespaces, where it may',
}, async () => {
  const folder = '/var/run/netns';
  const name = `nodewright-${process.pid}`;
  const program = `
    const server = require('node:net').createServer().listen(4321, '0.0.0.0', () => console.log('listens'));
    process.stdin.resume().on('end', () => process.exit(0));`;
  const child = spawn('unshare', ['--net', process.execPath, '-e', program], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const isNew = !existsSync(folder);
  if (isNew) mkdirSync(folder, { recursive: true });
  try {
    await once(child.stdout, 'data');
    symlinkSync(`/proc/${child.pid}/ns/net`, `${folder}/${name}`);
    const request = { filter: listening, feature: { pid: true }, l4proto: { tcp: true } };
    const inside = (records: readonly ConnectRecord[]) =>
      records
        .filter(({ netns }) => netns === name)
        .map(({ localip, localport, process }) => `${localip} ${localport} ${process?.pid}`);
    const only = await netstat({ ...request, netns: { netns: [name, 'no-such-namespace', '../self'] } });
    assert.deepEqual(inside(only), [`0.0.0.0 4321 ${child.pid}`]);
    assert.equal(only.length, 1);
    const every = await netstat({ ...request, netns: { hostnetwork: true, allnetns: true } });
    assert.deepEqual(inside(every), [`0.0.0.0 4321 ${child.pid}`]);
    assert.deepEqual(ours(every), [listener]);
  } finally {
    unlinkSync(`${folder}/${name}`);
    if (isNew) rmdirSync(folder);
    child.stdin.end();
    await once(child, 'exit');
  }
});
