// apid and its source of resources: a machined that starts late, is away, is restarted, or is in maintenance.
import assert from 'node:assert/strict';
import { connect as connectTcp } from 'node:net';
import { test } from 'node:test';
import { ApidUnderTest } from './harness/apid-under-test.ts';
import { Client } from './harness/client.ts';

const memory = '/machine.MachineService/Memory';
const away = "the node's state cannot be read";
const maintenance = {
  nodeRoutingDisabled: true,
  readonlyRoleMode: true,
  skipVerifyingClientCert: true,
  acceptedCas: [],
};
const normalMode = { nodeRoutingDisabled: false, readonlyRoleMode: false, skipVerifyingClientCert: false };

function isListening(host: string, port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connectTcp(port, host);
    socket.once('connect', () => resolve(true)).once('error', () => resolve(false));
    socket.once('connect', () => socket.destroy());
  });
}

const listeningLines = (apid: ApidUnderTest) =>
  apid.process.lines().filter(({ msg }) => msg === 'gateway listens').length;

test('apid that starts before machined logs that, waits, and serves once machined is there', async () => {
  await using apid = await ApidUnderTest.prepare();
  await apid.stopState();
  await apid.spawn();
  await apid.process.waitForLine('daemon serves');
  const [line] = await apid.logged(away, 2);
  assert.deepEqual([line?.level, line?.socket], ['warn', apid.runtimeSocket]);
  assert.match(String(line?.error), /ENOENT|ECONNREFUSED/);
  await apid.restartState();
  await apid.writeRuntime();
  await apid.listening();
  assert.equal((await (await apid.client()).call(memory)).code, 0);
});

test('apid keeps serving while machined is away or still empty, then takes over its resources', async () => {
  await using apid = await ApidUnderTest.start();
  const admin = await apid.client();
  await apid.stopState();
  await apid.logged(away);
  assert.equal((await (await apid.client()).call(memory)).code, 0);

  await apid.restartState();
  await apid.logged('identity in force', 2);
  assert.equal((await (await apid.client()).call(memory)).code, 0);

  const renewed = await apid.authority.server('renewed', '127.0.0.1');
  await apid.writeRuntime({ server: renewed });
  await apid.eventually('the new certificate', async () => {
    await using client = await Client.connect(await apid.tls('os:admin'));
    return client.socket.getPeerX509Certificate()?.subject === 'CN=renewed';
  });
  assert.equal((await admin.call(memory)).code, 0);
  assert.equal(admin.session.destroyed, false);
  assert.equal(listeningLines(apid), 1);
});

test('apid stops listening without a configuration, keeps listening without certificates, and listens again later', async () => {
  await using apid = await ApidUnderTest.start();
  await apid.removeCertificates();
  await apid.writeRuntime({ domainname: 'other.test' });
  await apid.removeCertificates();
  assert.equal((await (await apid.client()).call(memory)).code, 0);
  assert.equal(listeningLines(apid), 1);

  await apid.removeConfig();
  await apid.eventually('silence', async () => !(await isListening(apid.host, apid.port)));
  await apid.writeRuntime();
  await apid.listening(2);
  assert.equal((await (await apid.client()).call(memory)).code, 0);
});

test('apid switches between maintenance and normal operation, each time with a new listener', async () => {
  await using apid = await ApidUnderTest.prepare();
  const { acceptedCas } = apid.runtime;
  await apid.writeRuntime(maintenance);
  await apid.spawn();
  await apid.listening();
  const call = async (client: Client) => {
    const { code } = await client.call(memory, { metadata: [['node', 'elsewhere']] });
    return [code, apid.machined.calls.at(-1)?.values('talos-role')];
  };
  {
    await using anybody = await Client.connect(apid.tlsWith({}));
    assert.deepEqual(await call(anybody), [0, ['os:reader']]);
  }

  // As machined does: the configuration is removed first, and returns after the certificates.
  await apid.removeConfig();
  await apid.eventually('silence', async () => !(await isListening(apid.host, apid.port)));
  await apid.writeRuntime({ ...normalMode, acceptedCas });
  await apid.listening(2);
  const before = apid.machined.calls.length;
  const refused = await Client.connect(apid.tlsWith({})).catch(() => undefined);
  assert.equal((await refused?.call(memory))?.code, undefined);
  await refused?.[Symbol.asyncDispose]();
  assert.equal(apid.machined.calls.length, before);
  assert.equal((await (await apid.client()).call(memory)).code, 0);

  await apid.removeConfig();
  await apid.writeRuntime(maintenance);
  await apid.listening(3);
  await using stranger = await Client.connect(apid.tlsWith({}));
  assert.deepEqual(await call(stranger), [0, ['os:reader']]);
});

test('maintenance certificates are never used with a configuration that requires client certificates', async () => {
  await using apid = await ApidUnderTest.prepare();
  await apid.writeRuntime(maintenance);
  await apid.spawn();
  await apid.listening();
  await apid.writeConfig({ ...normalMode });
  await apid.eventually('silence', async () => !(await isListening(apid.host, apid.port)));
  assert.equal(listeningLines(apid), 1);
});

test("a new name or address of the node changes apid's identity, on the same listener", async () => {
  await using apid = await ApidUnderTest.start({ worker: true });
  const admin = await apid.client();
  const codeFor = async (node: string) => (await admin.call(memory, { metadata: [['node', node]] })).code;
  assert.deepEqual([await codeFor('node01.cluster.test'), await codeFor('10.5.0.77')], [0, 7]);
  await apid.writeRuntime({ addresses: ['10.5.0.77'], domainname: '' });
  await apid.eventually('the new address', async () => (await codeFor('10.5.0.77')) === 0);
  assert.equal(await codeFor('node01.cluster.test'), 7);
  assert.equal(listeningLines(apid), 1);
});
