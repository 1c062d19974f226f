// How a node gets its certificates, and what it serves to apid and trustd.
import assert from 'node:assert/strict';
import { X509Certificate } from 'node:crypto';
import { rename, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { join } from 'node:path';
import { test } from 'node:test';
import { ports } from '@nodewright/contract';
import { parseCertificate } from '@nodewright/pki';
import { eventually, spawnDaemon } from '@nodewright/testkit';
import { clusterSecrets } from './harness/cluster-material.ts';
import { type NodeUnderTest, ownAddress, startNode } from './harness/node-under-test.ts';
import { apidRuntime, runtimeSocketOf } from './harness/runtime-state.ts';

const trustdArgs = ({ root, address }: NodeUnderTest) => [
  ...['--runtime-socket', runtimeSocketOf(root, 'trustd')],
  ...['--listen-address', `${address}:50001`],
];

const member = (hostname: string, address: string, type: 'CONTROL_PLANE' | 'WORKER') => ({
  hostname,
  addresses: [address],
  machineType: `MACHINE_TYPE_${type}`,
});

/** The stand-in on the control plane's own address has trustd's port: it must have it and let it go before the real one begins. */
async function freePortOfTrustd(controlPlane: NodeUnderTest, address: string): Promise<void> {
  await eventually(async () => (await controlPlane.log('trustd')).includes('fake daemon listens'), {
    what: 'the stand-in of trustd',
  });
  await controlPlane.order('trustd', 'deaf');
  const refuses = () =>
    new Promise<boolean>((resolve) => {
      const socket = connect({ host: address, port: ports.trustd });
      socket.once('error', () => resolve(true));
      socket.once('connect', () => {
        socket.destroy();
        resolve(false);
      });
    });
  await eventually(refuses, { what: 'the port of trustd' });
}

test('a worker gets its certificate from the trustd of a control plane, without the right to forward', async () => {
  const secrets = await clusterSecrets();
  const [address, workerAddress] = [ownAddress(), ownAddress()];
  const members = {
    members: [member('node01', address, 'CONTROL_PLANE'), member('node02', workerAddress, 'WORKER')],
  };
  await using controlPlane = await startNode({ secrets, address, members });
  await freePortOfTrustd(controlPlane, address);
  await using worker = await startNode({
    secrets,
    type: 'worker',
    address: workerAddress,
    controlPlaneAddress: address,
    members,
  });
  await worker.serviceSays('apid', /^Waiting for api certificates, config to be ready$/);

  await using _ = await spawnDaemon({ name: 'trustd', args: trustdArgs(controlPlane) });
  await worker.serviceSays('apid', /Health check successful/);
  const { certificates } = await apidRuntime(worker.root);
  const crt = certificates.server?.crt ?? '';
  const { subject, ipAddresses, dnsNames, extendedKeyUsage } = parseCertificate(crt);
  assert.deepEqual(
    { subject, ipAddresses, dnsNames, extendedKeyUsage },
    {
      subject: { commonName: 'node02', organizations: [] },
      ipAddresses: ['127.0.0.1', workerAddress].sort(),
      dnsNames: ['node02'],
      extendedKeyUsage: ['serverAuth'],
    },
  );
  assert.equal(certificates.client, undefined);
  const leaf = new X509Certificate(crt);
  assert.ok(leaf.verify(new X509Certificate(secrets.certs.os.certificate).publicKey));
  assert.equal((await worker.service('apid')).state, 'Running');
  await assert.rejects(worker.service('trustd'), { message: 'no service "trustd"' });
});

test('a worker with a wrong token keeps trying, logs why, and never logs the token', async () => {
  const [good, bad] = [await clusterSecrets(), 'zzzzzz.9999999999999999'];
  const address = ownAddress();
  await using controlPlane = await startNode({ secrets: good, address });
  await freePortOfTrustd(controlPlane, address);
  await using trustd = await spawnDaemon({ name: 'trustd', args: trustdArgs(controlPlane) });
  await trustd.waitForLine('daemon serves');
  await using worker = await startNode({
    secrets: { ...good, trustd: { token: bad } },
    type: 'worker',
    controlPlaneAddress: address,
  });
  await trustd.waitForLine('request finished');
  const outputs = [worker, controlPlane].map(({ machined }) => machined.stdout() + machined.stderr());
  const { token } = good.trustd;
  for (const text of [...outputs, trustd.stdout(), await worker.log('machined')]) {
    assert.ok(!text.includes(token) && !text.includes(bad));
  }
  assert.equal((await worker.service('apid')).state, 'Waiting');
});

test('a change of the membership reaches apid, and an invalid one does not', async () => {
  const address = ownAddress();
  const first = member('node01', address, 'CONTROL_PLANE');
  await using node = await startNode({ address, members: { members: [first] } });
  await node.serviceSays('apid', /Health check successful/);
  const path = join(node.root, 'system', 'state', 'members.json');
  const replace = async (text: string) => {
    await writeFile(`${path}.new`, text);
    await rename(`${path}.new`, path);
  };
  const names = async () => (await apidRuntime(node.root)).members.map(({ hostname }) => hostname);
  const { server } = (await apidRuntime(node.root)).certificates;
  assert.deepEqual(await names(), ['node01']);

  await replace('{');
  await node.machined.waitForLine('membership cannot be read');
  assert.deepEqual(await names(), ['node01']);
  await replace(JSON.stringify({ members: [first, member('node02', ownAddress(), 'WORKER')] }));
  await eventually(async () => (await names()).join() === 'node01,node02', { what: 'new membership' });
  assert.deepEqual((await apidRuntime(node.root)).certificates.server, server);
});
