// A worker whose certificate no control plane has issued yet: who gets what from its API.
import assert from 'node:assert/strict';
import { X509Certificate } from 'node:crypto';
import { test } from 'node:test';
import type { ConnectionOptions } from 'node:tls';
import { methodTable } from '@nodewright/contract';
import { ApidUnderTest } from './harness/apid-under-test.ts';
import { Authority, credentialsOf } from './harness/authority.ts';
import type { Behaviour } from './harness/backend.ts';
import { type CallResult, Client, fieldsOf } from './harness/client.ts';

const hourMs = 3_600_000;
const version = '/machine.MachineService/Version';
const memory = '/machine.MachineService/Memory';
const reason = 'this worker waits for its certificate: trustd at 10.5.0.2:50001: connect ECONNREFUSED';
const unavailable = 14;
const deadlineExceeded = 4;

/** apid of a worker that waits, with a certificate that no client can verify. */
async function startWaiting(scope: AsyncDisposableStack, machined?: Behaviour) {
  const own = await Authority.create();
  const apid = scope.use(
    await ApidUnderTest.prepare({
      worker: true,
      ...(machined !== undefined && { machined }),
      runtime: { server: await own.server('node01', '127.0.0.1') },
    }),
  );
  await apid.writeWait(reason);
  await apid.writeRuntime();
  await apid.spawn();
  await apid.listening();
  return apid;
}

const unverified = (options: ConnectionOptions): ConnectionOptions => ({
  ...options,
  rejectUnauthorized: false,
});
const serverKey = (client: Client) => client.socket.getPeerX509Certificate()?.fingerprint256;

test('a stranger gets Version from a worker that waits, and the reason of the wait for everything else', async () => {
  await using scope = new AsyncDisposableStack();
  const apid = await startWaiting(scope);
  const stranger = scope.use(await Client.connect(unverified(apid.tlsWith({}))));
  const others = [
    ...Object.keys(methodTable),
    '/grpc.health.v1.Health/Check',
    '/no.such.Service/Method',
  ].filter((path) => path !== version);
  const metadata: [string, string][] = [
    ['talos-role', 'os:admin'],
    ['node', '127.0.0.1'],
    ['node', 'node02'],
    ['proxyfrom', 'node01'],
  ];
  const wrong: string[] = [];
  for (const [index, path] of others.entries()) {
    const claimed = metadata.filter((_, bit) => ((index >> bit) & 1) === 1);
    const { code, message } = await stranger.call(path, { metadata: claimed });
    if (code !== unavailable || !message.endsWith(`only Version: ${reason}`))
      wrong.push(`${path}: ${code} ${message}`);
    // Refused calls are limited per caller: 50 in a second.
    if (index % 40 === 39) await new Promise((resolve) => setTimeout(resolve, 1000));
  }
  assert.deepEqual(wrong, []);
  assert.equal(apid.machined.calls.length, 0);

  const answer = await stranger.call(version, { metadata });
  assert.equal(answer.code, 0, answer.message);
  const [call, ...more] = apid.machined.calls;
  assert.deepEqual(
    [call?.path, fieldsOf(call?.headers ?? [], 'talos-role'), more],
    [version, ['os:reader'], []],
  );
});

test('a client of the configured authority has its roles on a worker that waits', async () => {
  await using scope = new AsyncDisposableStack();
  const apid = await startWaiting(scope);
  const codeFor = async (path: string, ...roles: string[]) => {
    const client = scope.use(await Client.connect(unverified(await apid.tls(...roles))));
    return (await client.call(path)).code;
  };
  assert.deepEqual(
    [
      await codeFor(memory, 'os:reader'),
      await codeFor('/machine.MachineService/Reset', 'os:admin'),
      await codeFor('/machine.MachineService/Reset', 'os:reader'),
      await codeFor('/machine.MachineService/ApplyConfiguration', 'os:admin'),
      await codeFor('/machine.MachineService/ApplyConfiguration', 'os:reader'),
      await codeFor(version),
    ],
    [0, 0, 7, 0, 7, 7],
  );
});

test('a wrong certificate gets no more than none on a worker that waits', async () => {
  await using scope = new AsyncDisposableStack();
  const apid = await startWaiting(scope);
  const admin = { organizations: ['os:admin'] };
  const foreign = await Authority.create();
  const credentials = [
    await foreign.client('os:admin'),
    ...(await Promise.all(
      [
        { notBefore: new Date(Date.now() - 2 * hourMs), lifetimeHours: 1 },
        { notBefore: new Date(Date.now() + hourMs) },
        { extendedKeyUsage: ['serverAuth'] as const },
      ].map(async (changes) => credentialsOf(await apid.authority.issue({ subject: admin, ...changes }))),
    )),
  ];
  for (const [index, one] of credentials.entries()) {
    const client = await Client.connect(unverified(apid.tlsWith(one))).catch(() => undefined);
    for (const path of [version, memory]) {
      const code = await client?.call(path).then(
        (answer) => answer.code,
        () => undefined,
      );
      assert.equal(code, undefined, `${index} ${path}`);
    }
    await client?.[Symbol.asyncDispose]();
  }
  const reasons = (await apid.logged('connection refused', credentials.length)).map(
    ({ reason: text }) => text,
  );
  assert.equal(reasons.length, credentials.length);
  assert.equal(apid.machined.calls.length, 0);
});

test('the certificate of trustd is served without a new listener, and strangers are gone', async () => {
  await using scope = new AsyncDisposableStack();
  const apid = await startWaiting(scope);
  const stranger = scope.use(await Client.connect(unverified(apid.tlsWith({}))));
  const admin = scope.use(await Client.connect(unverified(await apid.tls('os:admin'))));
  assert.equal((await stranger.call(version)).code, 0);
  const before = serverKey(admin);
  const gone = new Promise((resolve) => stranger.session.once('close', resolve));

  await apid.writeRuntime({ server: await apid.authority.server('node01', '127.0.0.1') });
  await apid.removeWait();
  await gone;
  const verified = scope.use(await apid.client('os:reader'));
  assert.notEqual(serverKey(verified), before);
  assert.equal((await verified.call(memory)).code, 0);
  // The call of an administrator, such as a reset, goes on.
  assert.equal((await admin.call(memory)).code, 0);
  const late = await Client.connect(apid.tlsWith({})).catch(() => undefined);
  assert.equal((await late?.call(version))?.code, undefined);
  await late?.[Symbol.asyncDispose]();
  assert.equal((await apid.logged('gateway listens')).length, 1);
});

test('an open call of a stranger ends after seconds, and at the latest with the wait', async () => {
  await using scope = new AsyncDisposableStack();
  const apid = await startWaiting(scope, () => {});
  const stranger = scope.use(await Client.connect(unverified(apid.tlsWith({}))));
  // A client may ask for less time, but not for more.
  const metadata = [['grpc-timeout', '99999999H']] as const;
  const results: CallResult[] = [];
  const open = () => {
    void stranger.open(version, { open: true, metadata }).result.then((result) => results.push(result));
  };
  open();
  await apid.eventually('the end of the call', () => results.length === 1);
  assert.equal(results[0]?.code, deadlineExceeded);
  assert.match(results[0]?.message ?? '', /after 5s/);

  open();
  await apid.eventually('the next call', () => apid.machined.calls.length === 2);
  await apid.writeRuntime({ server: await apid.authority.server('node01', '127.0.0.1') });
  await apid.removeWait();
  await apid.eventually('the end of the connection', () => stranger.socket.destroyed);
  await apid.eventually('the end of the call', () => results.length === 2);
  assert.notEqual(results[1]?.code, 0);
});

test('strangers of many addresses have few connections, and keep out nobody with a certificate', async () => {
  await using scope = new AsyncDisposableStack();
  const apid = await startWaiting(scope);
  const connectFrom = async (localAddress: string) => {
    const options = { ...unverified(apid.tlsWith({})), localAddress };
    const client = await Client.connect(options).catch(() => undefined);
    if (client !== undefined) scope.use(client);
    return client;
  };
  const answered = async (client: Client | undefined) =>
    (await client?.call(version).catch(() => undefined))?.code === 0;
  const answers = async (addresses: readonly string[]) => {
    const codes: boolean[] = [];
    for (const address of addresses) codes.push(await answered(await connectFrom(address)));
    return codes.filter((isAnswered) => isAnswered).length;
  };
  assert.equal(await answers(Array.from({ length: 9 }, () => '127.77.0.1')), 8);
  assert.equal(await answers(Array.from({ length: 57 }, (_, index) => `127.77.1.${index + 1}`)), 56);
  const reasons = (await apid.logged('connection refused', 2)).map(({ reason: text }) => text);
  assert.deepEqual(reasons, [
    'too many connections of this client: the limit is 8 without a client certificate',
    'too many connections on this node: the limit is 64 without a client certificate',
  ]);
  const admin = scope.use(await Client.connect(unverified(await apid.tls('os:admin'))));
  assert.equal((await admin.call(memory)).code, 0);
});

test('a worker whose certificate ends while machined has no other serves its own, and waits', async () => {
  await using scope = new AsyncDisposableStack();
  const own = await (await Authority.create()).server('node01', '127.0.0.1');
  const apid = scope.use(await ApidUnderTest.prepare({ worker: true }));
  // It ends in a few seconds. On a busy machine it may have ended before apid reads it, which changes nothing in what follows.
  const short = await apid.authority.issue({
    ...{ subject: { commonName: 'node01' }, dnsNames: ['node01'], extendedKeyUsage: ['serverAuth'] },
    ...{ notBefore: new Date(Date.now() - hourMs + 8000), lifetimeHours: 1 },
  });
  await apid.writeRuntime({ server: short });
  await apid.spawn();
  await apid.listening();
  await apid.stopState();
  await apid.restartState();
  await apid.writeWait(reason);
  await apid.writeRuntime({ server: own });
  const ownKey = new X509Certificate(own.certificate).fingerprint256;
  await apid.eventually('a certificate of the node itself', async () => {
    await using client = await Client.connect(unverified(await apid.tls('os:reader')));
    return serverKey(client) === ownKey;
  });
  const stranger = scope.use(await Client.connect(unverified(apid.tlsWith({}))));
  assert.equal((await stranger.call(version)).code, 0);
});

test('neither a control plane nor a worker with its certificate admits strangers, whatever is published', async () => {
  await using scope = new AsyncDisposableStack();
  const controlPlane = scope.use(await ApidUnderTest.start());
  const worker = scope.use(await ApidUnderTest.start({ worker: true }));
  for (const apid of [controlPlane, worker]) {
    await apid.writeWait(reason);
    // A change that is seen in the log comes after the wait.
    await apid.addMember('node09', '127.0.0.9');
    const client = await Client.connect(unverified(apid.tlsWith({}))).catch(() => undefined);
    const code = await client?.call(version).then(
      (answer) => answer.code,
      () => undefined,
    );
    assert.equal(code, undefined);
    await client?.[Symbol.asyncDispose]();
    assert.equal(apid.machined.calls.length, 0);
  }
});
