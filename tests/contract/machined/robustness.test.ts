// Invalid input of every kind gets a clear answer and changes nothing.
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, lstatSync, statSync } from 'node:fs';
import { mkdir, mkdtemp, realpath, rm, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { MachineServiceDefinition } from '@nodewright/contract/gen/machine/machine.ts';
import { openUnixChannel } from '@nodewright/rpc';
import { isServing, spawnDaemon } from '@nodewright/testkit';
import { clusterSecrets, nodeConfig } from './harness/cluster-material.ts';
import { ownAddress, startNode } from './harness/node-under-test.ts';
import { rawCall } from './harness/raw-call.ts';

const node = await startNode();
after(() => node[Symbol.asyncDispose]());

test('a message over 32 MiB is refused, and the next call is served', async () => {
  using channel = openUnixChannel(node.socket);
  const metadata = { 'talos-role': 'os:admin' };
  const large = Buffer.alloc(33 * 1024 * 1024);
  const path = '/machine.MachineService/MetaWrite';
  assert.equal((await rawCall(channel, path, metadata, large)).code, 8);
  assert.deepEqual(await rawCall(channel, '/machine.MachineService/Version', metadata), {
    code: 0,
    details: '',
  });
});

test('an invalid message is refused', async () => {
  using channel = openUnixChannel(node.socket);
  const broken = Buffer.from('ffffffffff', 'hex');
  const path = '/machine.MachineService/Logs';
  const { code, details } = await rawCall(channel, path, { 'talos-role': 'os:admin' }, broken);
  assert.equal(code, 3);
  assert.match(details, /^the request of \/machine\.MachineService\/Logs cannot be decoded: \S/);
  const refused = await rawCall(channel, path, { 'talos-role': 'os:none' }, broken);
  assert.equal(refused.code, 7);
  assert.ok(await isServing(node.socket));
});

test('an unknown method and an unknown service are named', async () => {
  using channel = openUnixChannel(node.socket);
  const metadata = { 'talos-role': 'os:admin' };
  assert.deepEqual(
    [
      await rawCall(channel, '/machine.MachineService/Levitate', metadata),
      await rawCall(channel, '/machine.Machine/Version', metadata),
    ],
    [
      { code: 12, details: 'unknown method Levitate for service machine.MachineService' },
      { code: 12, details: 'unknown service machine.Machine' },
    ],
  );
});

test('garbage on the socket, and clients that send nothing or disconnect early, disturb no other client', async () => {
  const preface = Buffer.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n');
  const inputs = [
    Buffer.alloc(0),
    randomBytes(100_000),
    Buffer.from('GET / HTTP/1.1\r\nHost: x\r\n\r\n'),
    preface,
    Buffer.concat([preface, randomBytes(10_000)]),
    Buffer.concat([preface, Buffer.from('00400004000000000000', 'hex')]),
    Buffer.concat([preface, Buffer.from('ffffff010500000001', 'hex')]),
  ];
  for (const input of inputs) {
    const socket = connect(node.socket);
    socket.on('error', () => {});
    await once(socket, 'connect');
    socket.write(input);
    await sleep(20);
    socket.destroy();
  }
  assert.ok(await isServing(node.socket));
  assert.equal(
    node.machined.lines().some(({ msg }) => msg === 'daemon crashed'),
    false,
  );
});

test("the socket belongs to one user, and upstream's path links to it", async () => {
  const mode = (path: string) => lstatSync(path).mode & 0o777;
  assert.equal(mode(join(node.root, 'run', 'machined')), 0o700);
  const link = join(node.root, 'system', 'run', 'machined', 'machine.sock');
  assert.equal(await realpath(link), await realpath(node.socket));
  for (const daemon of ['apid', 'trustd']) {
    const folder = join(node.root, 'system', 'run', daemon);
    assert.deepEqual([mode(folder), statSync(folder).uid], [0o700, process.getuid?.()]);
  }
});

test('a node whose folder has a path of 200 characters works, its daemons included', async () => {
  const rootName = join('d'.repeat(100), 'e'.repeat(100), 'root');
  await using long = await startNode({ rootName });
  assert.ok(long.root.length > 200);
  await Promise.all(
    ['machined', 'apid', 'trustd'].map((id) => long.serviceSays(id, /Health check successful/)),
  );
});

test('a stale socket of a killed machined does not keep the next one from starting', async () => {
  await using first = await startNode();
  first.machined.signal('SIGKILL');
  await first.machined.exited;
  assert.ok(existsSync(first.socket));
  const state = [
    '--root',
    first.root,
    '--mode',
    'process',
    '--hostname',
    'node01',
    '--address',
    ownAddress(),
  ];
  const args = [...state, '--services-dir', join(first.root, '..', 'services')];
  await using second = await spawnDaemon({ name: 'machined', args });
  await second.waitForLine('daemon serves');
  const version = await first.client(MachineServiceDefinition, 'os:reader').version({});
  assert.equal(version.messages.length, 1);
});

test('a second machined of the same node reports that and does not take the socket', async () => {
  const args = [
    '--root',
    node.root,
    '--mode',
    'process',
    '--address',
    ownAddress(),
    '--services-dir',
    node.root,
  ];
  await using second = await spawnDaemon({ name: 'machined', args });
  assert.deepEqual(await second.exited, { code: 1, signal: null });
  const crash = second.lines().find(({ msg }) => msg === 'daemon crashed');
  assert.equal(crash?.error, `another machined serves "${node.socket}": stop it first`);
  assert.ok(await isServing(node.socket));
});

/** A machined on a root of its own, with this configuration. */
async function startWith(config: string | undefined, args: readonly string[] = []) {
  await using scope = new AsyncDisposableStack();
  const root = await mkdtemp(join(tmpdir(), 'machined-'));
  scope.defer(() => rm(root, { recursive: true, force: true }));
  await mkdir(join(root, 'system', 'state'), { recursive: true });
  if (config !== undefined) await writeFile(join(root, 'system', 'state', 'config.yaml'), config);
  const given = [
    ...['--root', root, '--mode', 'process', '--address', ownAddress()],
    ...['--services-dir', root, ...args],
  ];
  const machined = scope.use(await spawnDaemon({ name: 'machined', args: given }));
  const resources = scope.move();
  return { machined, [Symbol.asyncDispose]: () => resources.disposeAsync() };
}

test('a node whose configuration is invalid reports the position, reveals none of its values, and waits for another one', async () => {
  const good = nodeConfig({
    secrets: await clusterSecrets(),
    type: 'controlplane',
    controlPlaneAddress: '127.0.0.1',
    timeServer: '127.0.0.1:1',
  });
  const token = /token: (\S+)/.exec(good)?.[1] ?? '';
  const rows = [
    [good.replace('type: controlplane', 'type: mainframe'), /machine\.type .*line \d+, column \d+/],
    ['machine: [', /line \d+/],
  ] as const;
  for (const [config, message] of rows) {
    await using started = await startWith(config);
    const { machined } = started;
    await machined.waitForLine('maintenance: waiting for a machine configuration');
    const failure = machined.lines().find(({ level }) => level === 'error');
    assert.match(String(failure?.error), message);
    const output = machined.stdout() + machined.stderr();
    assert.ok(!output.includes(token) && !output.includes('mainframe'));
  }
});

test('an invalid flag gives one line on standard error and exit code 2', async () => {
  for (const [args, text] of [
    [['--mode', 'cloud'], /--mode/],
    [['--no-such-flag'], /--no-such-flag/],
    [['--restart-interval', 'soon'], /--restart-interval/],
  ] as const) {
    await using started = await startWith(undefined, args);
    const { machined } = started;
    assert.equal((await machined.exited).code, 2);
    const output = machined.stdout() + machined.stderr();
    assert.match(output, text);
    assert.equal(output.trim().split('\n').length, 1);
  }
});
