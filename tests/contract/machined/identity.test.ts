// How a node gets its certificates and what it hands to apid and trustd.
import assert from 'node:assert/strict';
import { X509Certificate } from 'node:crypto';
import { readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { ApidRuntime } from '@nodewright/contract/gen/suite/runtime/v1/runtime.ts';
import { parseCertificate } from '@nodewright/pki';
import { eventually, spawnDaemon } from '@nodewright/testkit';
import { clusterSecrets } from './harness/cluster-material.ts';
import { type NodeUnderTest, ownAddress, startNode } from './harness/node-under-test.ts';

const runtimePath = (node: NodeUnderTest, daemon: string) =>
  join(node.root, 'system', 'run', daemon, 'runtime.json');

async function apidRuntime(node: NodeUnderTest): Promise<ApidRuntime> {
  return ApidRuntime.fromJSON(JSON.parse(await readFile(runtimePath(node, 'apid'), 'utf8')));
}

const member = (hostname: string, address: string, type: 'CONTROL_PLANE' | 'WORKER') => ({
  hostname,
  addresses: [address],
  machineType: `MACHINE_TYPE_${type}`,
});

test('a worker gets its certificate from the trustd of a control plane, and has no right to forward', async () => {
  const secrets = await clusterSecrets();
  const [address, workerAddress] = [ownAddress(), ownAddress()];
  const members = {
    members: [member('node01', address, 'CONTROL_PLANE'), member('node02', workerAddress, 'WORKER')],
  };
  await using controlPlane = await startNode({ secrets, address, members });
  // The control plane's own stand-in takes trustd's port: it gives way to the real one.
  await controlPlane.order('trustd', 'deaf');
  await using worker = await startNode({
    secrets,
    type: 'worker',
    address: workerAddress,
    controlPlaneAddress: address,
    members,
  });
  const waiting = await worker.service('apid');
  assert.equal(waiting.events?.events.at(-1)?.msg, 'Waiting for api certificates, config to be ready');

  const args = ['--runtime-file', runtimePath(controlPlane, 'trustd')];
  await using _ = await spawnDaemon({ name: 'trustd', args });
  await worker.serviceSays('apid', /Health check successful/);
  const runtime = await apidRuntime(worker);
  const { subject, ipAddresses, dnsNames, extendedKeyUsage } = parseCertificate(
    runtime.server?.certificate ?? '',
  );
  assert.deepEqual(
    { subject, ipAddresses, dnsNames, extendedKeyUsage },
    {
      subject: { commonName: 'node01', organizations: [] },
      ipAddresses: ['127.0.0.1', workerAddress].sort(),
      dnsNames: ['node01'],
      extendedKeyUsage: ['serverAuth'],
    },
  );
  assert.equal(runtime.client, undefined);
  const leaf = new X509Certificate(runtime.server?.certificate ?? '');
  assert.ok(leaf.verify(new X509Certificate(secrets.certs.os.certificate).publicKey));
  assert.equal((await worker.service('apid')).state, 'Running');
  await assert.rejects(worker.service('trustd'));
});

test('a worker with a wrong token keeps trying, says why, and never shows the token', async () => {
  const [good, bad] = [await clusterSecrets(), 'zzzzzz.9999999999999999'];
  const address = ownAddress();
  await using controlPlane = await startNode({ secrets: good, address });
  await controlPlane.order('trustd', 'deaf');
  const args = ['--runtime-file', runtimePath(controlPlane, 'trustd')];
  await eventually(() => readFile(runtimePath(controlPlane, 'trustd')).then(() => true), {
    what: 'runtime file',
  });
  await using trustd = await spawnDaemon({ name: 'trustd', args });
  await trustd.waitForLine('daemon serves', 20_000);
  await using worker = await startNode({
    secrets: { ...good, trustd: { token: bad } },
    type: 'worker',
    controlPlaneAddress: address,
  });
  await trustd.waitForLine('request finished', 10_000);
  const outputs = [worker, controlPlane].map(({ machined }) => machined.stdout() + machined.stderr());
  const { token } = good.trustd;
  for (const text of [...outputs, trustd.stdout(), await worker.log('machined')]) {
    assert.ok(!text.includes(token) && !text.includes(bad));
  }
  assert.equal((await worker.service('apid')).state, 'Waiting');
});

test('a change of the membership reaches apid, and a broken one does not', async () => {
  const address = ownAddress();
  const first = member('node01', address, 'CONTROL_PLANE');
  await using node = await startNode({ address, members: { members: [first] } });
  await node.serviceSays('apid', /Health check successful/);
  const path = join(node.root, 'system', 'state', 'members.json');
  const replace = async (text: string) => {
    await writeFile(`${path}.new`, text);
    await rename(`${path}.new`, path);
  };
  const names = async () => (await apidRuntime(node)).members.map(({ hostname }) => hostname);
  const server = (await apidRuntime(node)).server;
  assert.deepEqual(await names(), ['node01']);

  await replace('{');
  await node.machined.waitForLine('membership cannot be read');
  assert.deepEqual(await names(), ['node01']);
  await replace(JSON.stringify({ members: [first, member('node02', ownAddress(), 'WORKER')] }));
  await eventually(async () => (await names()).join() === 'node01,node02', { what: 'new membership' });
  assert.deepEqual((await apidRuntime(node)).server, server);
});
