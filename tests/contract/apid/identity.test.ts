import assert from 'node:assert/strict';
import { connect as connectTcp } from 'node:net';
import { after, test } from 'node:test';
import { ApidUnderTest } from './harness/apid-under-test.ts';
import { Authority } from './harness/authority.ts';
import { Client } from './harness/client.ts';

const scope = new AsyncDisposableStack();
after(() => scope.disposeAsync());
const memory = '/machine.MachineService/Memory';

function isListening(host: string, port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connectTcp(port, host);
    socket.once('connect', () => resolve(true)).once('error', () => resolve(false));
    socket.once('connect', () => socket.destroy());
  });
}

test('no call fails while CA and certificates are swapped under load', async () => {
  await using apid = await ApidUnderTest.start();
  const peer = await apid.peer('node02');
  const old = await apid.client();
  const next = await Authority.create();

  let stop = false;
  const codes = new Set<number | undefined>();
  const load = Array.from({ length: 8 }, async (_, index) => {
    const metadata = index % 2 === 0 ? [] : ([['node', 'node02']] as const);
    while (!stop) codes.add((await old.call(memory, { metadata })).code);
  });
  await apid.eventually('a connection to node02', async () => peer.backend.connections === 1);

  // As in a rotation: the new CA is accepted first, then it issues everything.
  await apid.writeRuntime({ acceptedCas: [apid.authority.certificate, next.certificate] });
  const newcomer = { ...(await next.client('os:reader')), ca: apid.authority.certificate };
  await apid.eventually('the new authority', async () => {
    const client = await Client.connect(apid.tlsWith(newcomer));
    const { code } = await client.call(memory);
    await client[Symbol.asyncDispose]();
    return code === 0;
  });
  await apid.eventually('a new connection to node02', async () => peer.backend.connections >= 2);
  await apid.writeRuntime({
    server: await next.server('node01', '127.0.0.1'),
    acceptedCas: [next.certificate, apid.authority.certificate],
  });
  await apid.eventually('the new server certificate', async () => {
    const client = await Client.connect({ ...apid.tlsWith(newcomer), ca: next.certificate }).catch(
      () => undefined,
    );
    await client?.[Symbol.asyncDispose]();
    return client !== undefined;
  });
  stop = true;
  await Promise.all(load);
  assert.deepEqual([...codes], [0]);
  assert.equal(old.session.destroyed, false);
});

test('a withdrawn CA admits no new connection', async () => {
  await using apid = await ApidUnderTest.start();
  const options = await apid.tls('os:admin');
  const next = await Authority.create();
  await apid.writeRuntime({ acceptedCas: [next.certificate] });
  await apid.eventually('the refusal', async () => {
    const client = await Client.connect(options);
    const { code } = await client.call(memory);
    await client[Symbol.asyncDispose]();
    return code === undefined;
  });
});

test('unusable certificates change nothing and are logged without their secrets', async () => {
  await using apid = await ApidUnderTest.start();
  const { server } = apid.runtime;
  const other = await apid.authority.issue({});
  await apid.writeRuntime({ server: { ...server, key: other.key } });
  const [line] = await apid.logged('identity is not usable, keeping the last good one');
  assert.equal(line?.error, 'server.key is not the key of server.crt');
  const admin = await apid.client();
  assert.equal((await admin.call(memory)).code, 0);
  await apid.writeRuntime({ server, listenAddress: 'nonsense' });
  await apid.eventually('the second complaint', () =>
    apid.process.lines().some(({ error }) => error === 'listenAddress must be host:port, not "nonsense"'),
  );
  assert.equal((await admin.call(memory)).code, 0);
  assert.equal(apid.process.stdout().includes('PRIVATE KEY'), false);
});

test('apid listens while a serving configuration exists, and at the address in it', async () => {
  await using apid = await ApidUnderTest.prepare();
  await apid.spawn();
  await apid.process.waitForLine('daemon serves');
  assert.deepEqual(
    apid.process.lines().filter(({ msg }) => msg === 'gateway listens'),
    [],
  );

  await apid.writeRuntime();
  await apid.listening();
  const before = apid.port;
  const admin = await apid.client();
  assert.equal((await admin.call(memory)).code, 0);

  await apid.writeRuntime({ listenAddress: '127.0.0.1:0', readonlyRoleMode: true });
  await apid.listening(2);
  assert.notEqual(apid.port, before);
  await apid.eventually('the end of the old listener', async () => !(await isListening('127.0.0.1', before)));
  const reader = await apid.client();
  await reader.call(memory);
  assert.deepEqual(apid.machined.calls.at(-1)?.values('talos-role'), ['os:reader']);

  await apid.removeConfig();
  await apid.eventually('the end of the listener', async () => !(await isListening('127.0.0.1', apid.port)));
});

test('an address in use is logged and retried', async () => {
  await using first = await ApidUnderTest.start();
  await using second = await ApidUnderTest.prepare({ runtime: { listenAddress: `127.0.0.1:${first.port}` } });
  await second.writeRuntime();
  await second.spawn();
  const [line] = await second.logged('cannot listen');
  assert.match(String(line?.error), /EADDRINUSE.*127\.0\.0\.1/);
  await first[Symbol.asyncDispose]();
  await second.listening();
  assert.equal((await (await second.client()).call(memory)).code, 0);
});
