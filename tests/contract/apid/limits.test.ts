import assert from 'node:assert/strict';
import { once } from 'node:events';
import { after, test } from 'node:test';
import { ApidUnderTest } from './harness/apid-under-test.ts';
import { Authority, credentialsOf } from './harness/authority.ts';
import { type Behaviour, reply } from './harness/backend.ts';
import { Client, type OpenCall } from './harness/client.ts';

const scope = new AsyncDisposableStack();
after(() => scope.disposeAsync());

/** Answers `Version`, and keeps every other call open. */
const holdOthers: Behaviour = (call) => {
  if (call.path.endsWith('/Version')) return reply()(call);
  call.respond();
};
const apid = scope.use(await ApidUnderTest.start({ machined: holdOthers }));
const peer = await apid.peer('node02', holdOthers);

const version = '/machine.MachineService/Version';
const events = '/machine.MachineService/Events';
const toNode: [string, string][] = [['node', 'node02']];

async function connect(...roles: string[]): Promise<{ options: object; client: Client }> {
  const options = apid.tlsWith(await apid.authority.client(...roles));
  return { options, client: scope.use(await Client.connect(options)) };
}

/** Resolves when each call has its headers, or has ended. */
const answered = (calls: readonly OpenCall[]) =>
  Promise.all(calls.map(({ headers, result }) => Promise.race([headers, result])));

test('apid refuses callers without a role before it connects to a hop or reads a body', async () => {
  const before = [apid.machined.calls.length, peer.backend.connections];
  for (const roles of [[], ['os:future'], ['os:impersonator']]) {
    const { client } = await connect(...roles);
    for (const metadata of [[], toNode, [['nodes', 'node02']]] as [string, string][][]) {
      for (const path of [version, '/no.such.Service/Method', '/grpc.health.v1.Health/Check']) {
        const { result } = client.open(path, { metadata, open: true });
        const { code, message } = await result;
        assert.deepEqual([code, message], [7, 'not authorized'], `${roles} ${path} ${metadata}`);
      }
    }
  }
  assert.deepEqual([apid.machined.calls.length, peer.backend.connections], before);
});

test("apid refuses a method that the caller's roles do not allow, also for another node", async () => {
  const { client } = await connect('os:reader');
  const before = [apid.machined.calls.length, peer.backend.calls.length];
  for (const metadata of [[], toNode]) {
    assert.equal((await client.call('/machine.MachineService/Reboot', { metadata })).code, 7);
  }
  assert.deepEqual([apid.machined.calls.length, peer.backend.calls.length], before);
});

test("apid closes the connection of a client that cancels too often, and no other client's", {
  timeout: 120_000,
}, async () => {
  const admin = await connect('os:admin');
  const watches = [admin.client.open(events), admin.client.open(events, { metadata: toNode })];
  await answered(watches);
  const ended: number[] = [];
  watches.forEach(({ stream }, index) => {
    stream.on('close', () => ended.push(index));
  });

  const { options, client } = await connect('os:reader');
  const goaways: number[] = [];
  client.session.on('goaway', (code) => goaways.push(code));
  const closed = new Promise((resolve) => client.session.on('close', resolve));
  while (!client.session.destroyed) {
    const calls = Array.from({ length: 200 }, (_, index) =>
      client.open(events, { metadata: index % 2 === 0 ? [] : toNode }),
    );
    await Promise.race([answered(calls), closed]);
    for (const { stream } of calls) stream.close(8);
  }
  await closed;
  assert.deepEqual(goaways, [11]);

  await using again = await Client.connect(options);
  const { code, message } = await again.call(version);
  assert.equal(code, 8);
  assert.match(message, /^too many cancelled calls of this caller: the limit is 500 at once and 20 per/);
  for (const metadata of [[], toNode]) {
    assert.equal((await admin.client.call(version, { metadata })).code, 0);
  }
  assert.deepEqual(ended, []);
});

test('apid closes the connections of a client that repeats refused calls, and accepts none for a while', async () => {
  const other = await connect('os:reader');
  const { options, client } = await connect('os:reader');
  const goaways: number[] = [];
  client.session.on('goaway', (code) => goaways.push(code));
  const closed = new Promise((resolve) => client.session.on('close', resolve));
  let refused = 0;
  while (!client.session.destroyed) {
    const results = Promise.all(
      Array.from({ length: 50 }, () => client.call('/machine.MachineService/Reboot')),
    );
    const codes = await Promise.race([results.catch(() => []), closed.then(() => [])]);
    refused += codes.filter(({ code }) => code === 7).length;
  }
  assert.ok(refused >= 200, `${refused} calls were refused`);
  assert.deepEqual(goaways, [11]);

  const again = scope.use(await Client.connect(options));
  const [code, , text] = await once(again.session, 'goaway');
  assert.equal(code, 11);
  assert.match(
    Buffer.from(text).toString(),
    /^too many refused calls of this caller: the limit is 250 at once/,
  );
  assert.equal((await other.client.call(version)).code, 0);

  // The first refusals are logged, and a later line counts the others.
  const lines = apid.process.lines().filter(({ method }) => method === '/machine.MachineService/Reboot');
  assert.ok(lines.length >= 100 && lines.length < 150, `${lines.length} lines`);
});

test('apid answers when no process reads its log', async () => {
  const { client } = await connect('os:reader');
  using _held = apid.process.holdStdout();
  // Several times the capacity of a pipe.
  for (let round = 0; round < 40; round += 1) {
    const answers = await Promise.all(Array.from({ length: 50 }, () => client.call(version)));
    assert.deepEqual(new Set(answers.map(({ code }) => code)), new Set([0]));
  }
});

test('apid limits the open calls of a connection and of an identity, and serves others', async () => {
  const { options, client } = await connect('os:operator');
  const other = await connect('os:operator');
  const second = scope.use(await Client.connect(options));
  const third = scope.use(await Client.connect(options));
  // Two connections that start at the same time may each have 160 calls, further ones 16.
  const firsts = [client, other.client, second, third].map(
    ({ session }) => session.remoteSettings.maxConcurrentStreams ?? 0,
  );
  assert.deepEqual(new Set([...firsts, 16, 160]), new Set([16, 160]));
  assert.ok(firsts.includes(16), String(firsts));
  const calls = [client, second].flatMap((one) => Array.from({ length: 256 }, () => one.open(events)));
  await answered(calls);
  const limitOf = ({ session }: Client) => session.remoteSettings.maxConcurrentStreams ?? 0;
  await apid.eventually('room for 256 calls on both connections', () =>
    [client, second].every((one) => limitOf(one) >= 256),
  );
  const { code, message } = await third.call(version);
  assert.deepEqual([code, message], [8, 'too many open calls of this caller: the limit is 512']);
  assert.equal((await other.client.call(version)).code, 0);
  calls[0]?.stream.close(8);
  await apid.eventually('room for another call', async () => (await third.call(version)).code === 0);
});

test('apid trusts the caller names that another apid sends, and limits each caller separately', async () => {
  const hop = await connect('os:impersonator');
  const named = (caller: string): [string, string][] => [
    ['proxyfrom', 'node09'],
    ['talos-role', 'os:reader'],
    ['nodewright-caller', caller.repeat(64)],
  ];
  const calls = Array.from({ length: 512 }, () => hop.client.open(events, { metadata: named('a') }));
  await answered(calls);
  assert.equal((await hop.client.call(version, { metadata: named('a') })).code, 8);
  assert.equal((await hop.client.call(version, { metadata: named('b') })).code, 0);
  // Cancels of a caller behind another apid do not close the connection.
  for (const { stream } of calls) stream.close(8);
  assert.equal((await hop.client.call(version, { metadata: named('b') })).code, 0);
});

test("apid sends the caller's name to another apid but not to machined, and ignores one from a client", async () => {
  const { client } = await connect('os:reader');
  const forged: [string, string] = ['nodewright-caller', 'f'.repeat(64)];
  await client.call(version, { metadata: [forged] });
  await client.call(version, { metadata: [forged, ...toNode] });
  const [local, remote] = [apid.machined, peer.backend].map(({ calls }) =>
    calls.at(-1)?.values('nodewright-caller'),
  );
  assert.deepEqual(local, []);
  assert.match(remote?.join() ?? '', /^[0-9a-f]{64}$/);
  assert.notDeepEqual(remote, [forged[1]]);
});

test('apid keeps calls that a backend accepted before it sent GOAWAY with an error', async () => {
  const { client } = await connect('os:admin');
  const before = apid.machined.connections;
  apid.machined.behave = (call) => {
    call.session.goaway(11);
    setTimeout(() => reply()(call), 50);
  };
  assert.equal((await client.call(version)).code, 0);
  apid.machined.behave = holdOthers;
  assert.equal((await client.call(version)).code, 0);
  assert.ok(apid.machined.connections > before);
});

test('apid closes a connection, and ends its calls with a status, when its certificate expires', async () => {
  const hourMs = 3_600_000;
  const issued = await apid.authority.issue({
    subject: { organizations: ['os:reader'] },
    notBefore: new Date(Date.now() - hourMs + 6000),
    lifetimeHours: 1,
  });
  await using client = await Client.connect(apid.tlsWith(credentialsOf(issued)));
  const { code, message } = await client.open(events).result;
  assert.deepEqual([code, message], [16, 'the client certificate has expired']);
  if (!client.session.destroyed) await once(client.session, 'close');
});

test('apid tells a client why its certificate is refused', async () => {
  const stranger = await (await Authority.create()).client('os:admin');
  const client = scope.use(await Client.connect(apid.tlsWith(stranger)));
  const [code, , text] = await once(client.session, 'goaway');
  assert.deepEqual(
    [code, Buffer.from(text).toString()],
    [12, 'client certificate is not issued by an accepted authority'],
  );
});
