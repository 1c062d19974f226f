// GenerateClientConfiguration.
import assert from 'node:assert/strict';
import { X509Certificate } from 'node:crypto';
import { after, test } from 'node:test';
import { parseTalosconfig } from '@nodewright/client/talosconfig';
import { MachineServiceDefinition } from '@nodewright/contract/gen/machine/machine.ts';
import { clientCertificateProblem } from '@nodewright/pki';
import { clusterSecrets } from './harness/cluster-material.ts';
import { startNode } from './harness/node-under-test.ts';

const secrets = await clusterSecrets();
const node = await startNode({ secrets });
after(() => node[Symbol.asyncDispose]());
const machine = node.client(MachineServiceDefinition, 'os:admin');

test('a client configuration has a certificate of the cluster with the requested roles and lifetime', async () => {
  const { messages } = await machine.generateClientConfiguration({
    roles: ['os:reader', 'os:operator', 'team:one'],
    crtTtl: { seconds: 7200n },
  });
  const [message, ...more] = messages;
  assert.ok(message !== undefined && more.length === 0 && message.metadata === undefined);
  const [ca, crt, key] = [message.ca, message.crt, message.key].map((pem) => Buffer.from(pem).toString());
  assert.equal(ca, secrets.certs.os.certificate);
  assert.equal(clientCertificateProblem({ certificate: crt, ca, now: new Date() }), undefined);
  const certificate = new X509Certificate(crt as string);
  assert.deepEqual(certificate.subject.split(' + ').sort(), ['O=os:operator', 'O=os:reader', 'O=team:one']);
  // It begins some time earlier, for nodes whose clock is slow, and ends two hours after the call.
  const [fromMs, toMs] = [certificate.validFromDate.getTime(), certificate.validToDate.getTime()];
  assert.equal(toMs - fromMs, 7_200_000 + 30 * 60_000);
  assert.ok(Math.abs(fromMs + 30 * 60_000 - Date.now()) < 60_000);

  const { context, contexts } = parseTalosconfig(Buffer.from(message.talosconfig).toString(), 'the answer');
  const own = contexts.get(context);
  const text = (base64: string | undefined) => Buffer.from(base64 ?? '', 'base64').toString();
  assert.deepEqual(
    [context, [...contexts.keys()], own?.endpoints, text(own?.ca), text(own?.crt), text(own?.key?.reveal())],
    ['contract', ['contract'], [], ca, crt, key],
  );
});

test('a client configuration for one role is named after it', async () => {
  const { messages } = await machine.generateClientConfiguration({
    roles: ['os:reader'],
    crtTtl: { seconds: 60n },
  });
  const text = Buffer.from(messages[0]?.talosconfig ?? '').toString();
  assert.equal(parseTalosconfig(text, 'the answer').context, 'reader@contract');
});

test('a client configuration without a positive lifetime is refused', async () => {
  for (const crtTtl of [undefined, { seconds: 0n }, { seconds: -1n }]) {
    await assert.rejects(machine.generateClientConfiguration({ roles: ['os:admin'], crtTtl }), {
      code: 3,
      details: 'crt_ttl should be positive',
    });
  }
});

test('only an administrator gets a client configuration, and a worker issues none', async () => {
  const reader = node.client(MachineServiceDefinition, 'os:reader', 'os:operator');
  const request = { roles: ['os:admin'], crtTtl: { seconds: 60n } };
  await assert.rejects(reader.generateClientConfiguration(request), { code: 7, details: 'not authorized' });
  await using worker = await startNode({ type: 'worker' });
  await assert.rejects(
    worker.client(MachineServiceDefinition, 'os:admin').generateClientConfiguration(request),
    {
      code: 12,
      details: 'generate client configuration is only available on control plane nodes',
    },
  );
});

test('the key of a client configuration is not logged', async () => {
  const { messages } = await machine.generateClientConfiguration({ roles: ['x'], crtTtl: { seconds: 60n } });
  const key = Buffer.from(messages[0]?.key ?? '')
    .toString()
    .split('\n')[1] as string;
  assert.ok(key.length > 20);
  assert.equal((await node.log('machined')).includes(key), false);
});

test('the log says which roles a client configuration got, for how long, and the fingerprint of its certificate', async () => {
  const roles = ['os:reader', 'z'.repeat(300), ...Array.from({ length: 40 }, (_, index) => `team:${index}`)];
  const { messages } = await machine.generateClientConfiguration({ roles, crtTtl: { seconds: 5400n } });
  const { fingerprint256 } = new X509Certificate(messages[0]?.crt ?? '');
  const lines = (await node.log('machined')).split('\n').filter((line) => line.includes(fingerprint256));
  assert.equal(lines.length, 1);
  const { method, issued } = JSON.parse(lines[0] as string);
  assert.equal(method, '/machine.MachineService/GenerateClientConfiguration');
  assert.deepEqual(
    { ...issued, roles: issued.roles.length },
    { roles: 32, roleCount: 42, lifetimeHours: 1.5, fingerprint: fingerprint256 },
  );
  assert.ok(issued.roles.includes('os:reader'));
});
