// The resources of a node, by kind.
import assert from 'node:assert/strict';
import { mkdtemp, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { metadataKeys } from '@nodewright/contract';
import { StateDefinition } from '@nodewright/contract/gen/cosi/resource/state.ts';
import { MachineServiceDefinition } from '@nodewright/contract/gen/machine/machine.ts';
import { faultFrom } from '@nodewright/fault';
import { codecsOf, namespaces, pointerTo, type ResourceEvent, resourceDefinitions } from '@nodewright/state';
import {
  bootIds,
  discoveredVolumesStatuses,
  hostnameStatuses,
  type MemberSpec,
  machineConfigs,
  machineStatuses,
  machineTypes,
  members,
  metaKeys,
  nodeAddresses,
  nodeKinds,
  nodeNamespaces,
  services,
  versions,
} from '@nodewright/state/kinds';
import { createStateClient } from '@nodewright/state/wire';
import { eventually } from '@nodewright/testkit';
import { Metadata } from 'nice-grpc';
import { startNode } from './harness/node-under-test.ts';

const membership = (...hostnames: string[]) => ({
  members: hostnames.map((hostname, at) => ({
    hostname,
    addresses: [`127.9.9.${at + 2}`],
    machineType: at === 0 ? 'MACHINE_TYPE_CONTROL_PLANE' : 'MACHINE_TYPE_WORKER',
  })),
});

const node = await startNode({
  members: membership('node01', 'node02'),
  args: ['--restart-interval', '300ms'],
});
after(() => node[Symbol.asyncDispose]());
await Promise.all(
  ['machined', 'apid', 'trustd', 'udevd-bridge'].map((id) =>
    node.serviceSays(id, /^Health check successful$/),
  ),
);

const wire = (...roles: string[]) => node.client(StateDefinition, ...roles);
const stateAs = (...roles: string[]) =>
  createStateClient({ client: wire(...roles), codecs: codecsOf(nodeKinds) });
const state = stateAs('os:reader');

/** `kind: message` of a call that must fail. */
async function failure(call: Promise<unknown>): Promise<string> {
  const { kind, message } = faultFrom(
    await call.then(
      () => assert.fail('it did not fail'),
      (error) => error,
    ),
  );
  return `${kind}: ${message}`;
}

test('a node lists its kinds and namespaces as resources, by both of their encodings', async () => {
  const definitions = await state.list(resourceDefinitions);
  const expected = [resourceDefinitions, namespaces, ...nodeKinds];
  assert.deepEqual(
    definitions.map(({ metadata, spec }) => [metadata.id, spec.displayType, spec.sensitivity]),
    expected
      .map(({ id, displayType, isSensitive }) => [id, displayType, isSensitive ? 'sensitive' : ''])
      .sort(),
  );
  assert.equal(
    definitions.every(({ metadata: { owner, version } }) => owner === 'meta' && version === 1),
    true,
  );
  assert.deepEqual(
    (await state.list(namespaces)).map(({ metadata }) => metadata.id),
    ['meta', ...Object.keys(nodeNamespaces)].sort(),
  );
  const request = { namespace: 'meta', type: resourceDefinitions.type, id: services.id };
  const { resource } = await wire('os:reader').get(request);
  assert.match(
    resource?.spec?.yamlSpec ?? '',
    /^type: Services\.v1alpha1\.talos\.dev\ndisplayType: Service\ndefaultNamespace: runtime\naliases:\n {4}- svc\n {4}- service\n/,
  );
});

test('machined logs who reads a kind with secrets, and no other successful read', async () => {
  const caller = 'ab'.repeat(32);
  const metadata = Metadata({ [metadataKeys.caller]: caller });
  const read = async ({ namespace, type }: { readonly namespace: string; readonly type: string }) =>
    Array.fromAsync(wire('os:admin').list({ namespace, type }, { metadata }));
  await read(hostnameStatuses);
  await read(machineConfigs);
  const finished = (await node.log('machined'))
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Record<string, unknown>)
    .filter(({ msg, code }) => msg === 'request finished' && code === 'OK');
  assert.deepEqual(
    finished.map(({ level, method, roles, metadata: sent }) => [
      ...[level, method, roles],
      (sent as Record<string, string>)[metadataKeys.caller],
    ]),
    [['info', '/cosi.resource.State/List', ['os:admin'], caller]],
  );
});

test('a node publishes what it knows about itself', async () => {
  const spec = async (call: ReturnType<typeof state.get>) => (await call).spec;
  assert.equal(await spec(state.get(pointerTo(machineTypes, 'machine-type'))), 'controlplane');
  assert.deepEqual(await spec(state.get(pointerTo(hostnameStatuses, 'hostname'))), {
    hostname: 'node01',
    domainname: '',
  });
  assert.deepEqual(await spec(state.get(pointerTo(nodeAddresses, 'default'))), {
    addresses: [`${node.address}/32`],
    sortAlgorithm: 'v1',
  });
  assert.deepEqual(await spec(state.get(pointerTo(versions, 'version'))), {
    name: 'Talos',
    version: 'v1.14.0',
  });
  const { bootID } = (await state.get(pointerTo(bootIds, 'boot-id'))).spec;
  assert.match(bootID, /^[0-9a-f-]{36}$/);
  await eventually(
    async () => (await state.get(pointerTo(machineStatuses, 'machine'))).spec.stage === 'running',
    { what: 'stage running' },
  );
  const { status } = (await state.get(pointerTo(machineStatuses, 'machine'))).spec;
  assert.deepEqual(status, { ready: true, unmetConditions: [] });
});

test('services are resources while they run, and a watch reports their start and end', async () => {
  const running = { running: true, healthy: true, unknown: false };
  const found = await state.list(services);
  assert.deepEqual(
    found.map(({ metadata, spec }) => [metadata.id, metadata.owner, spec]),
    ['apid', 'machined', 'trustd', 'udevd-bridge'].map((id) => [id, 'v1alpha1.ServiceController', running]),
  );
  const seen: string[] = [];
  using watch = await state.watch(pointerTo(services, 'trustd'));
  const follow = (async () => {
    for await (const events of watch) seen.push(...events.map(({ kind }) => kind));
  })();
  await eventually(() => seen.length === 1, { what: 'what is there' });
  await node.order('trustd', 'exit 1');
  await eventually(() => seen.includes('destroyed'), { what: 'the end of trustd' });
  await eventually(() => seen.lastIndexOf('created') > 0, { what: 'trustd again', timeoutMs: 15_000 });
  watch[Symbol.dispose]();
  await follow;
  // It is torn down before it is destroyed, and its health may change in between.
  const coming = seen.filter((kind) => kind !== 'updated');
  assert.deepEqual(coming.slice(0, 3), ['created', 'destroyed', 'created']);
  assert.equal(seen[seen.indexOf('destroyed') - 1], 'updated');
});

test('members follow the membership, unknown fields are empty, and the node describes itself', async () => {
  const events: ResourceEvent<MemberSpec>[] = [];
  using watch = await state.watchKind(members, { bootstrapContents: true });
  const follow = (async () => {
    for await (const batch of watch) events.push(...batch);
  })();
  await eventually(() => events.length === 3, { what: 'contents' });
  const found = events.flatMap((event) => (event.kind === 'created' ? [event.resource.spec] : []));
  assert.match(found[0]?.nodeId ?? '', /^[0-9A-Za-z]{38,44}$/);
  assert.deepEqual(found, [
    {
      nodeId: found[0]?.nodeId,
      addresses: [node.address],
      hostname: 'node01',
      machineType: 'controlplane',
      operatingSystem: 'Talos (v1.14.0)',
      controlPlane: { port: 6443 },
    },
    {
      nodeId: '',
      addresses: ['127.9.9.3'],
      hostname: 'node02',
      machineType: 'worker',
      operatingSystem: '',
      controlPlane: undefined,
    },
  ]);
  const folder = await mkdtemp(join(node.root, 'members-'));
  const replacement = join(folder, 'members.json');
  await writeFile(replacement, JSON.stringify(membership('node01', 'node03')));
  await rename(replacement, join(node.root, 'system', 'state', 'members.json'));
  await rm(folder, { recursive: true });
  await eventually(() => events.some(({ kind }) => kind === 'destroyed'), { what: 'changes' });
  watch[Symbol.dispose]();
  await follow;
  assert.deepEqual(
    events
      .slice(3)
      .flatMap((event) =>
        'resource' in event ? [[event.kind, event.resource.metadata.id, event.resource.metadata.phase]] : [],
      ),
    [
      ['created', 'node03', 'running'],
      ['updated', 'node02', 'tearingDown'],
      ['destroyed', 'node02', 'tearingDown'],
    ],
  );
});

test('the machine configuration is for administrators only, and is one text', async () => {
  const pointer = pointerTo(machineConfigs, 'v1alpha1');
  const { metadata, spec } = await stateAs('os:admin').get(pointer);
  assert.match(spec, /^(#.*\n)*version: v1alpha1\n/m);
  assert.deepEqual(metadata.annotations, { 'talos.dev/yaml-spec': '1' });
  for (const role of ['os:reader', 'os:operator']) {
    const other = stateAs(role);
    assert.equal(await failure(other.get(pointer)), 'permission-denied: not authorized');
    assert.equal(await failure(other.list(machineConfigs)), 'permission-denied: not authorized');
    assert.equal(await failure(other.watchKind(machineConfigs)), 'permission-denied: not authorized');
    assert.equal(
      await failure(other.get(pointerTo(machineConfigs, 'none'))),
      'permission-denied: not authorized',
    );
  }
});

test('keys of WireGuard in META are for administrators only, in both encodings', async () => {
  const key = Buffer.alloc(32, 7).toString('base64');
  const value = `links: [{ name: wg0, wireguard: { privateKey: ${key} } }]\n`;
  await node.client(MachineServiceDefinition, 'os:admin').metaWrite({ key: 10, value: Buffer.from(value) });
  const of = { namespace: metaKeys.namespace, type: metaKeys.type, id: '0x0a' };
  const textFor = async (...roles: string[]) => {
    const { resource } = await wire(...roles).get(of);
    const { protoSpec = new Uint8Array(), yamlSpec = '' } = resource?.spec ?? {};
    return `${Buffer.from(protoSpec).toString('latin1')} ${yamlSpec}`;
  };
  assert.equal((await textFor('os:admin')).split(key).length, 3);
  for (const role of ['os:reader', 'os:operator', 'os:meta:writer']) {
    const text = await textFor(role, 'os:reader');
    assert.equal(text.includes(key), false, role);
    assert.match(text, /REDACTED/);
  }
});

test('the API refuses every write, whether the resource exists or not', async () => {
  const admin = stateAs('os:admin');
  const existing = await admin.get(pointerTo(services, 'machined'));
  const missing = pointerTo(services, 'none');
  for (const write of [
    admin.create({ ...missing, spec: existing.spec }),
    admin.update(existing, { owner: existing.metadata.owner }),
    admin.destroy(existing.metadata, { owner: existing.metadata.owner }),
    admin.destroy(missing),
    admin.teardown(existing.metadata, { owner: existing.metadata.owner }),
  ])
    assert.equal(await failure(write), 'permission-denied: write access is not allowed');
  assert.match(await failure(admin.teardown(missing)), /^not-found: /);
  assert.match(
    await failure(wire('os:admin').teardownAndDestroy({ ...existing.metadata, options: {} })),
    /write access is not allowed/,
  );
  assert.equal(await failure(state.destroy(missing)), 'permission-denied: not authorized');
  assert.deepEqual(await admin.get(pointerTo(services, 'machined')), existing);
});

test('unregistered kinds and namespaces are refused by name', async () => {
  const type = 'Nothings.x.dev';
  assert.equal(
    await failure(state.list({ namespace: 'meta', type })),
    `permission-denied: resource type "${type}" is not supported`,
  );
  assert.equal(
    await failure(state.watchKind({ ...services, namespace: 'nowhere' })),
    'permission-denied: namespace "nowhere" is not supported',
  );
  // This kind is for controllers only; the API refuses it.
  assert.equal(
    await failure(state.get(pointerTo(discoveredVolumesStatuses, 'discovered-volumes-status'))),
    `permission-denied: resource type "${discoveredVolumesStatuses.type}" is not supported`,
  );
  assert.deepEqual(await state.list({ ...services, namespace: 'perf' }), []);
  assert.deepEqual(await state.list({ namespace: 'runtime', type: services.id }), []);
});

test('the first message of a watch is empty, and a watch of a missing id then gets a tombstone', async () => {
  const stop = new AbortController();
  const request = { namespace: 'runtime', type: services.type, id: 'none', apiVersion: 1 };
  const responses: object[] = [];
  const stream = wire('os:reader').watch(request, { signal: stop.signal });
  for await (const { event } of stream) {
    responses.push(
      event.map(({ eventType, resource }) => [
        ...[eventType, resource?.metadata?.version, resource?.metadata?.id, resource?.metadata?.phase],
        ...[resource?.spec?.yamlSpec, resource?.spec?.protoSpec.length],
      ]),
    );
    if (responses.length === 2) break;
  }
  stop.abort();
  assert.deepEqual(responses, [[], [[2, 'undefined', 'none', 'running', '', 0]]]);
});

test('a regular expression for ids that would block other calls is answered at once', {
  timeout: 60_000,
}, async () => {
  const found = await state.list(services, { idQuery: { regexp: '^(m+|a+|c+|h+|i+|n+|e+|d+)*x$' } });
  assert.deepEqual(found, []);
});

test('watches report the end of services, end with the node, and do not delay it', async () => {
  const seen: string[] = [];
  using watch = await state.watchKind(services, { bootstrapContents: true });
  const follow = (async () => {
    for await (const [event] of watch) {
      seen.push(
        event !== undefined && 'resource' in event
          ? `${event.kind} ${event.resource.metadata.id}`
          : `${event?.kind}`,
      );
      if (event?.kind === 'errored') break;
    }
  })();
  await eventually(() => seen.includes('bootstrapped'), { what: 'contents' });
  node.machined.signal('SIGTERM');
  await follow;
  assert.deepEqual(await node.machined.exited, { code: 0, signal: null });
  const ends = seen.slice(seen.indexOf('bootstrapped') + 1);
  assert.ok(ends.includes('destroyed apid') && ends.at(-1) === 'errored', ends.join());
});
