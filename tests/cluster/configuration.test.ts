// Patches of the machine configuration of running nodes take effect at once.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { openTalosClient } from '@nodewright/client';
import { Secret } from '@nodewright/fault';
import { generateCertificateAuthority, issueCertificate } from '@nodewright/pki';
import { codecsOf, pointerTo, type State } from '@nodewright/state';
import { certSans, hostnameStatuses, machineConfigs, nodeKinds } from '@nodewright/state/kinds';
import { createStateClient } from '@nodewright/state/wire';
import { eventually } from '@nodewright/testkit';
import type { Cluster, Node } from './cluster.ts';
import { hostnamePatch } from './hostname-patch.ts';
import { openCluster } from './open-cluster.ts';

const scope = new AsyncDisposableStack();
let cluster: Cluster;
before(async () => {
  cluster = scope.use(await openCluster({ controlPlanes: 1, workers: 1 }));
});
after(() => scope.disposeAsync());

const codecs = codecsOf(nodeKinds);
const base64 = (text: string) => Buffer.from(text).toString('base64');
async function withState<T>(node: Node, use: (state: State) => Promise<T>): Promise<T> {
  using client = await cluster.client();
  return await use(createStateClient({ client: client.node(node.address).state, codecs }));
}

const daemonsOf = (node: Node) =>
  Promise.all([node.instanceOf('machined'), node.instanceOf('apid'), node.instanceOf('trustd')]);

test("the hostname changes at once, in the node's answers and as the name by which it can be called", async () => {
  const node = cluster.controlPlanes[0] as Node;
  const before = await daemonsOf(node);
  const patched = await cluster.talosctl('-n', node.name, 'patch', 'mc', '-p', hostnamePatch('renamed'));
  assert.equal(patched.exitCode, 0, patched.stderr);
  assert.match(patched.stderr, /Applied configuration without a reboot/);

  await eventually(
    async () => (await cluster.talosctl('-n', 'renamed', 'get', 'hostname')).stdout.includes('renamed'),
    { what: 'node by its new name' },
  );
  const [spec, sans] = await withState(node, async (state) => [
    (await state.get(pointerTo(hostnameStatuses, 'hostname'))).spec,
    (await state.get(pointerTo(certSans, 'api'))).spec,
  ]);
  assert.deepEqual(spec, { hostname: 'renamed', domainname: '' });
  assert.deepEqual(sans.dnsNames, ['renamed']);
  assert.deepEqual(await daemonsOf(node), before, 'nothing was started again');
});

test('a client certificate of another CA is accepted as soon as the configuration accepts that CA', async () => {
  const node = cluster.controlPlanes[0] as Node;
  const authority = await generateCertificateAuthority({
    organization: 'next',
    algorithm: 'ed25519',
    notBefore: new Date(),
  });
  const { certificate, key } = await issueCertificate({
    issuer: authority,
    subject: { organizations: ['os:reader'] },
    keyUsage: ['digitalSignature'],
    extendedKeyUsage: ['clientAuth'],
    notBefore: new Date(),
    lifetimeHours: 1,
  });
  const context = {
    ...(await cluster.context('os:reader')),
    crt: base64(certificate),
    key: new Secret(base64(key)),
  };
  const asks = async () => {
    using client = openTalosClient({ context, nodes: [] });
    return await client
      .firstEndpoint()
      .machine.version({})
      .then(
        () => true,
        () => false,
      );
  };
  assert.equal(await asks(), false);
  const before = await daemonsOf(node);

  const patch = `machine:\n  acceptedCAs:\n    - crt: ${base64(authority.certificate)}\n`;
  const patched = await cluster.talosctl('-n', node.address, 'patch', 'mc', '-p', patch);
  assert.equal(patched.exitCode, 0, patched.stderr);
  await eventually(asks, { what: 'answer for the certificate of the new CA' });
  const old = await cluster.talosctl('-n', node.address, 'version');
  assert.equal(old.exitCode, 0, old.stderr);
  assert.deepEqual(await daemonsOf(node), before, 'nothing was started again');
});

test('an invalid configuration is rejected with the reason, and changes nothing', async () => {
  const node = cluster.controlPlanes[0] as Node;
  const active = () =>
    withState(
      node,
      async (state) => (await state.get(pointerTo(machineConfigs, 'v1alpha1'))).metadata.version,
    );
  const before = await active();
  const refused = await cluster.talosctl(
    '-n',
    node.address,
    'patch',
    'mc',
    '-p',
    'machine:\n  type: kettle\n',
  );
  assert.notEqual(refused.exitCode, 0);
  assert.match(refused.stderr, /machine\.type must be/);
  assert.equal(await active(), before);
});

test('a tried configuration is reverted in time, and a staged one takes effect at the next start', async () => {
  const worker = cluster.workers[0] as Node;
  const hostname = () =>
    withState(
      worker,
      async (state) => (await state.get(pointerTo(hostnameStatuses, 'hostname'))).spec.hostname,
    );
  const before = await hostname();

  const tried = await cluster.talosctl(
    ...['-n', worker.address, 'patch', 'mc', '-p', hostnamePatch('tried')],
    ...['-m', 'try', '--timeout', '2s'],
  );
  assert.equal(tried.exitCode, 0, tried.stderr);
  await eventually(async () => (await hostname()) === 'tried', { what: 'name that is tried' });
  await eventually(async () => (await hostname()) === before, { what: 'old name' });

  const staged = await cluster.talosctl(
    ...['-n', worker.address, 'patch', 'mc', '-p', hostnamePatch('staged'), '-m', 'staged'],
  );
  assert.equal(staged.exitCode, 0, staged.stderr);
  assert.equal(await hostname(), before);
  await worker.signal('machined', 'SIGKILL');
  await eventually(async () => (await hostname()) === 'staged', { what: 'staged name', timeoutMs: 60_000 });
});
