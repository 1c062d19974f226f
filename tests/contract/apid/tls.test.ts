import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect as connectTcp } from 'node:net';
import { after, test } from 'node:test';
import { type ConnectionOptions, connect as connectTls } from 'node:tls';
import { groupsAccepted, tlsGroups } from '@nodewright/testkit';
import { ApidUnderTest } from './harness/apid-under-test.ts';
import { Authority, credentialsOf } from './harness/authority.ts';
import { Client } from './harness/client.ts';

const scope = new AsyncDisposableStack();
after(() => scope.disposeAsync());
const apid = scope.use(await ApidUnderTest.start());
const memory = '/machine.MachineService/Memory';
const hourMs = 3_600_000;

let refusals = 0;

/** Tries a call; returns the client's error and the line that apid logged. */
async function refused(options: ConnectionOptions, method = memory): Promise<Record<string, unknown>> {
  const callsBefore = apid.machined.calls.length;
  const client = await Client.connect(options).catch(() => undefined);
  if (client !== undefined) {
    const { code, httpStatus } = await client.call(method);
    assert.deepEqual([code, httpStatus], [undefined, undefined], 'a refused client got an answer');
    await client[Symbol.asyncDispose]();
  }
  refusals += 1;
  const line = (await apid.logged('connection refused', refusals)).at(-1) ?? {};
  assert.equal(apid.machined.calls.length, callsBefore, 'a call of a refused client was made');
  return line;
}

test('apid refuses a client without a certificate and logs why', async () => {
  const { reason, subject } = await refused(apid.tlsWith({}));
  assert.deepEqual([reason, subject], ['client sent no certificate', undefined]);
});

test('apid refuses a certificate of another CA and logs its issuer', async () => {
  const other = await Authority.create();
  const { reason, subject, issuer, peer } = await refused(apid.tlsWith(await other.client('os:admin')));
  assert.deepEqual(
    { reason, subject, issuer },
    {
      reason: 'client certificate is not issued by an accepted authority',
      subject: 'O=os:admin',
      issuer: 'O=talos',
    },
  );
  assert.match(String(peer), /^127\.0\.0\.1:\d+$/);
});

test('apid refuses an expired certificate, and one that is not valid yet', async () => {
  const admin = { organizations: ['os:admin'] };
  const expired = await apid.authority.issue({
    subject: admin,
    notBefore: new Date(Date.now() - 2 * hourMs),
    lifetimeHours: 1,
  });
  const early = await apid.authority.issue({ subject: admin, notBefore: new Date(Date.now() + hourMs) });
  assert.match(
    String((await refused(apid.tlsWith(credentialsOf(expired)))).reason),
    /^client certificate has expired: it was valid until \d{4}-/,
  );
  assert.match(
    String((await refused(apid.tlsWith(credentialsOf(early)))).reason),
    /^client certificate is not valid yet: it is valid from \d{4}-/,
  );
});

test('apid refuses certificates for servers, and for both uses', async () => {
  const reasons = [];
  for (const extendedKeyUsage of [['serverAuth'], ['clientAuth', 'serverAuth']] as const) {
    const issued = await apid.authority.issue({ subject: { organizations: ['os:admin'] }, extendedKeyUsage });
    reasons.push((await refused(apid.tlsWith(credentialsOf(issued)))).reason);
  }
  assert.deepEqual(reasons, [
    'client certificate is not for client authentication, it has the usage serverAuth',
    'client certificate must have the usage clientAuth and no other, it has clientAuth, serverAuth',
  ]);
});

test("apid refuses a worker's own certificate, which trustd has signed, for the turns of a roll-out", async () => {
  // As tests/contract/trustd/certificate.test.ts has it: without organisations, whatever the worker asks for.
  const own = await apid.authority.issue({
    ...{ subject: { commonName: 'node04' }, dnsNames: ['node04'], ipAddresses: [apid.host] },
    extendedKeyUsage: ['serverAuth'],
  });
  for (const name of ['Progress', 'Prepare', 'Begin', 'Withdraw']) {
    const method = `/suite.upgrade.v1.TurnService/${name}`;
    const { reason } = await refused(apid.tlsWith(credentialsOf(own)), method);
    assert.equal(reason, 'client certificate is not for client authentication, it has the usage serverAuth');
  }
});

test('apid refuses TLS 1.2', async () => {
  const options = await apid.tls('os:admin');
  const { reason } = await refused({ ...options, maxVersion: 'TLSv1.2' });
  assert.match(String(reason), /^TLS handshake failed: unsupported.protocol/);
});

test('apid accepts the key exchanges X25519MLKEM768, X25519, P-256 and P-384, and no other', async () => {
  const { host, port } = apid;
  assert.deepEqual(await groupsAccepted({ host, port }), tlsGroups.accepted);
  refusals = apid.process.lines().filter(({ msg }) => msg === 'connection refused').length;
});

test('apid ignores garbage on its port and keeps serving', async () => {
  for (const garbage of ['GET / HTTP/1.1\r\n\r\n', '\x16\x03\x01\xff\xff', Buffer.alloc(2000, 0x80)]) {
    const socket = connectTcp(apid.port, apid.host);
    socket.on('error', () => {});
    socket.end(garbage);
    socket.resume();
    await once(socket, 'close');
  }
  const admin = await apid.client();
  assert.equal((await admin.call(memory)).code, 0);
  refusals = apid.process.lines().filter(({ msg }) => msg === 'connection refused').length;
});

test('apid disconnects a client that does not speak HTTP/2 inside TLS, and keeps serving', async () => {
  const socket = connectTls({ ...(await apid.tls('os:admin')), ALPNProtocols: ['h2'] });
  await once(socket, 'secureConnect');
  socket.on('error', () => {});
  socket.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n');
  socket.resume();
  await once(socket, 'close');
  const admin = await apid.client();
  assert.equal((await admin.call(memory)).code, 0);
});

test('apid selects h2, and also accepts clients without ALPN', async () => {
  const options = await apid.tls('os:admin');
  for (const [offer, chosen] of [
    [['h2'], 'h2'],
    [undefined, false],
  ] as const) {
    await using client = await Client.connect({ ...options, ALPNProtocols: offer && [...offer] });
    assert.deepEqual([client.socket.alpnProtocol, (await client.call(memory)).code], [chosen, 0]);
  }
});

test('apid accepts any server name in SNI', async () => {
  const options = {
    ...(await apid.tls('os:admin')),
    servername: 'something.else',
    checkServerIdentity: () => undefined,
  };
  await using client = await Client.connect(options);
  assert.equal((await client.call(memory)).code, 0);
});

test('apid resumes no session: every connection presents its certificate', async () => {
  const options = await apid.tls('os:admin');
  const first = connectTls({ ...options, ALPNProtocols: ['h2'] });
  const sessions: Buffer[] = [];
  first.on('session', (session) => sessions.push(session));
  await once(first, 'secureConnect');
  first.resume();
  await new Promise((resolve) => setTimeout(resolve, 50));
  first.destroy();
  for (const session of [...sessions, first.getSession()]) {
    const { cert: _cert, key: _key, ...anonymous } = options;
    const again = connectTls({ ...anonymous, ALPNProtocols: ['h2'], session });
    again.on('error', () => {});
    await once(again, 'secureConnect');
    assert.equal(again.isSessionReused(), false);
    again.destroy();
  }
});
