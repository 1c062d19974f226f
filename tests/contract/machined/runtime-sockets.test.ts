// Which resources machined serves to apid and trustd on their own sockets, and which it withholds.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { MembershipServiceDefinition } from '@nodewright/contract/gen/suite/membership/v1/membership.ts';
import { faultFrom } from '@nodewright/fault';
import { createRpcClient, openUnixChannel } from '@nodewright/rpc';
import { type KindRef, pointerTo, type State } from '@nodewright/state';
import {
  apiCertificates,
  apiServiceConfigs,
  hostnameStatuses,
  machineConfigs,
  members,
  nodeAddresses,
  osRootSecrets,
  trustdCertificates,
} from '@nodewright/state/kinds';
import { noTelemetry } from '@nodewright/telemetry';
import { eventually } from '@nodewright/testkit';
import { startNode } from './harness/node-under-test.ts';
import { openRuntimeState, runtimeSocketOf } from './harness/runtime-state.ts';

const scope = new AsyncDisposableStack();
after(() => scope.disposeAsync());
const node = scope.use(await startNode());
const apid = scope.use(openRuntimeState(node.root, 'apid'));
const trustd = scope.use(openRuntimeState(node.root, 'trustd'));
await node.serviceSays('apid', /Health check successful/);
await node.serviceSays('trustd', /Health check successful/);

/** The error of a refused call; `done` when it succeeded. */
async function refusal(call: Promise<unknown>): Promise<string> {
  try {
    const result = await call;
    (result as Partial<Disposable>)?.[Symbol.dispose]?.();
    return 'done';
  } catch (error) {
    const { kind, message } = faultFrom(error);
    return `${kind}: ${message}`;
  }
}

const denied = 'unknown: access denied';
const readOnly = 'unknown: write access denied';

/** Every way to read a resource and its kind. */
const reads = async (state: State, kind: KindRef, id: string) => [
  await refusal(state.get(pointerTo(kind, id))),
  await refusal(state.watch(pointerTo(kind, id))),
  await refusal(state.list(kind)),
  await refusal(state.watchKind(kind, { bootstrapContents: true })),
];

test('apid reads its certificates, its serving configuration, its own name and addresses, and the members', async () => {
  const one = ['done', 'done', denied, denied];
  assert.deepEqual(
    {
      config: await reads(apid, apiServiceConfigs, 'apid'),
      certificates: await reads(apid, apiCertificates, 'api'),
      addresses: await reads(apid, nodeAddresses, 'current'),
      hostname: await reads(apid, hostnameStatuses, 'hostname'),
      members: (await reads(apid, members, 'node01')).slice(2),
    },
    { config: one, certificates: one, addresses: one, hostname: one, members: ['done', 'done'] },
  );
});

test('trustd reads its certificate and the root of trust, and nothing else', async () => {
  const one = ['done', 'done', denied, denied];
  const nothing = [denied, denied, denied, denied];
  assert.deepEqual(
    {
      certificate: await reads(trustd, trustdCertificates, 'trustd'),
      root: await reads(trustd, osRootSecrets, 'os'),
      addresses: await reads(trustd, nodeAddresses, 'current'),
      certificates: await reads(trustd, apiCertificates, 'api'),
    },
    { certificate: one, root: one, addresses: nothing, certificates: nothing },
  );
});

test('the configuration, the root of trust and missing resources are hidden from apid', async () => {
  const nothing = [denied, denied, denied, denied];
  assert.deepEqual(
    [
      await reads(apid, machineConfigs, 'v1alpha1'),
      await reads(apid, osRootSecrets, 'os'),
      await reads(apid, trustdCertificates, 'trustd'),
      await reads(apid, { namespace: 'secrets', type: 'Nothing.talos.dev' }, 'x'),
      await reads(apid, { ...apiCertificates, namespace: 'network' }, 'api'),
    ],
    [nothing, nothing, nothing, nothing, nothing],
  );
  assert.equal(await refusal(apid.get(pointerTo(apiCertificates, 'other'))), denied);
  assert.equal(await refusal(apid.get(pointerTo(nodeAddresses, 'accumulative'))), denied);
  assert.equal(await refusal(apid.get(pointerTo(hostnameStatuses, 'other'))), denied);
});

test('neither daemon can write, not even what it may read', async () => {
  const config = await apid.get(pointerTo(apiServiceConfigs, 'apid'));
  const certificate = await trustd.get(pointerTo(trustdCertificates, 'trustd'));
  const owner = { owner: config.metadata.owner };
  assert.deepEqual(
    [
      await refusal(apid.update(config, owner)),
      await refusal(apid.destroy(config.metadata, owner)),
      await refusal(apid.teardown(config.metadata, owner)),
      await refusal(
        apid.create({ ...pointerTo(nodeAddresses, 'x'), spec: { addresses: [], sortAlgorithm: 'v1' } }),
      ),
      await refusal(trustd.update(certificate, { owner: certificate.metadata.owner })),
      await refusal(trustd.teardown(config.metadata)),
    ],
    [readOnly, readOnly, readOnly, readOnly, readOnly, denied],
  );
});

test("reports of nodes are accepted only on trustd's socket, and stored only where there is an etcd", async () => {
  const report = (daemon: 'apid' | 'trustd') => {
    const channel = scope.adopt(openUnixChannel(runtimeSocketOf(node.root, daemon)), (opened) =>
      opened[Symbol.dispose](),
    );
    return createRpcClient(MembershipServiceDefinition, channel, { telemetry: noTelemetry }).report({});
  };
  assert.match(await refusal(report('apid')), /^unimplemented: /);
  assert.equal(
    await refusal(report('trustd')),
    'unavailable: this control plane has no connection to etcd and cannot keep node records',
  );
});

test('machined logs no key and no token', async () => {
  const { spec } = await trustd.get(pointerTo(osRootSecrets, 'os'));
  const text = await node.log('machined');
  const secrets = [spec.token, 'PRIVATE KEY'];
  assert.deepEqual(
    secrets.filter((secret) => text.includes(secret)),
    [],
  );
  await eventually(() => node.machined.lines().some(({ msg }) => msg === 'certificates issued'), {
    what: 'the line that says so',
  });
});
