// How the client package reads a node's resources, against stores that answer as nodes do.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import {
  CallFault,
  openTalosClient,
  type ResourceChange,
  type Resources,
  readTalosconfig,
  type TalosClient,
} from '@nodewright/client';
import { defineKind, EncodedSpec, pointerTo } from '@nodewright/state';
import { machineTypes, members, services } from '@nodewright/state/kinds';
import { eventually } from '@nodewright/testkit';
import { FakeCluster } from './fake-cluster.ts';
import type { FakeGateway } from './fake-gateway.ts';
import { openNodeStore, stateHandlers } from './state-replies.ts';

/** A kind that the client does not know; it shares a short name with members. */
const gauges = defineKind({
  type: 'Gauges.test.nodewright.dev',
  defaultNamespace: 'runtime',
  aliases: ['member'],
  spec: {},
});
const kinds = [members, machineTypes, services, gauges];
const owner = { owner: 'test.Controller' };
const running = { running: true, healthy: true, unknown: false };

const openStore = () =>
  openNodeStore(kinds, [
    { ...pointerTo(services, 'etcd'), spec: { ...running, healthy: false } },
    { ...pointerTo(services, 'apid'), spec: running },
    { ...pointerTo(machineTypes, 'machine-type'), spec: 'worker' },
    {
      ...pointerTo(gauges, 'pressure'),
      spec: new EncodedSpec('value: 18446744073709551615\nsmall: 7\n', new Uint8Array()),
    },
    {
      ...{ namespace: 'other', type: gauges.type, id: 'elsewhere' },
      spec: new EncodedSpec('{}', new Uint8Array()),
    },
    { ...pointerTo(gauges, 'broken'), spec: new EncodedSpec('a: [', new Uint8Array()) },
  ]);

const scope = new AsyncDisposableStack();
let store: Awaited<ReturnType<typeof openStore>>;
let gateway: FakeGateway;
let talos: TalosClient;
let resources: Resources;
before(async () => {
  store = await openStore();
  const cluster = scope.use(await FakeCluster.create());
  gateway = await cluster.gateway(stateHandlers(kinds, () => store));
  const { contexts, context } = await readTalosconfig(
    await cluster.talosconfig({ endpoints: [gateway.address] }),
  );
  talos = scope.use(openTalosClient({ context: contexts.get(context) }));
  resources = talos.node('node01').resources;
});
after(() => scope.disposeAsync());

/** The error of a failed call. */
async function failureOf(call: Promise<unknown>): Promise<readonly (string | undefined)[]> {
  const error = await call.then(
    () => undefined,
    (failure: unknown) => failure,
  );
  assert.ok(error instanceof CallFault, String(error));
  return [error.kind, error.node, error.message];
}

test('a kind of the package gives typed specs', async () => {
  const listed = await resources.list(services);
  assert.deepEqual(
    listed.map(({ metadata, spec }) => [metadata.id, spec.healthy]),
    [
      ['apid', true],
      ['etcd', false],
    ],
  );
  const { spec } = await resources.get(machineTypes, 'machine-type');
  assert.equal(spec, 'worker');
});

test('a kind requested by any of its names returns what the YAML of its specs says', async () => {
  for (const name of ['Gauges.test.nodewright.dev', 'gauges', 'GAUGE', 'gauges.test']) {
    const { metadata, spec } = await resources.get(name, 'pressure');
    assert.deepEqual([metadata.id, spec], ['pressure', { value: 18_446_744_073_709_551_615n, small: 7 }]);
  }
  const [apid] = await resources.list('services');
  assert.deepEqual(apid?.spec, running);
});

test('the definitions of kinds are cached, and read again for an unknown name', async () => {
  const { resources: fresh } = talos.node('node02');
  const listed = () => gateway.calls.filter(({ path }) => path === '/cosi.resource.State/List').length;
  const before = listed();
  await fresh.get('gauges', 'pressure');
  await fresh.get('services', 'apid');
  assert.equal(listed() - before, 1);
  await failureOf(fresh.get('nosuch', 'x'));
  assert.equal(listed() - before, 2);
});

test('a given namespace replaces that of the kind', async () => {
  const ids = (listed: readonly { metadata: { id: string } }[]) => listed.map(({ metadata }) => metadata.id);
  assert.deepEqual(ids(await resources.list('gauges', { namespace: 'other' })), ['elsewhere']);
  assert.deepEqual(ids(await resources.list(services, { namespace: 'other' })), []);
});

test('a failure names the node and what failed', async () => {
  assert.deepEqual(await failureOf(resources.list('nosuch')), [
    'not-found',
    'node01',
    'the node has no kind of resources named "nosuch"',
  ]);
  assert.deepEqual(await failureOf(resources.list('member')), [
    'invalid-argument',
    'node01',
    '"member" matches several kinds: Gauges.test.nodewright.dev, Members.cluster.talos.dev',
  ]);
  const [kind, node] = await failureOf(resources.get(services, 'nosuch'));
  assert.deepEqual([kind, node], ['not-found', 'node01']);
  const [broken, ofNode, message] = await failureOf(resources.get('gauges', 'broken'));
  assert.deepEqual([broken, ofNode], ['invalid-argument', 'node01']);
  assert.match(message ?? '', /^the spec of Gauges\.test\.nodewright\.dev "broken" is not valid YAML: /);
});

test('an aborted call rejects as cancelled', async () => {
  const [kind] = await failureOf(resources.list(services, { signal: AbortSignal.abort() }));
  assert.equal(kind, 'cancelled');
});

const lineOf = (change: ResourceChange<unknown>) =>
  'resource' in change ? `${change.kind} ${change.resource.metadata.id}` : change.kind;

test('a watch yields the current resources, then every change, and ends when the signal aborts', async () => {
  const stop = new AbortController();
  const lines: string[] = [];
  const followed = (async () => {
    for await (const change of resources.watch(services, { signal: stop.signal })) {
      lines.push(lineOf(change));
      if (change.kind === 'updated') lines.push(`${change.old.spec.healthy} ${change.resource.spec.healthy}`);
    }
  })();
  await eventually(() => lines.includes('bootstrapped'), { what: 'the end of what is there' });
  const etcd = await store.get(pointerTo(services, 'etcd'));
  await store.update({ ...etcd, spec: running }, owner);
  await store.create({ ...pointerTo(services, 'cri'), spec: running }, owner);
  await store.destroy(pointerTo(services, 'cri'), owner);
  await eventually(() => lines.includes('destroyed cri'), { what: 'the last change' });
  stop.abort();
  await followed;
  assert.deepEqual(lines, [
    ...['created apid', 'created etcd', 'bootstrapped', 'updated etcd', 'false true'],
    ...['created cri', 'destroyed cri'],
  ]);
});

test('a watch of one id begins with the resource, or with its absence', async () => {
  const first = async (id: string) => {
    for await (const change of resources.watch('services', { id })) return lineOf(change);
  };
  assert.deepEqual([await first('apid'), await first('nosuch')], ['created apid', 'absent']);
});

test('a watch throws when its connection breaks', async () => {
  const watch = resources.watch(services);
  await watch.next();
  gateway.kill();
  const drain = async () => {
    for await (const change of watch) lineOf(change);
  };
  const [kind, node] = await failureOf(drain());
  assert.deepEqual([kind, node], ['unavailable', 'node01']);
});

test('a client that was closed opens no connection any more', () => {
  const closed = openTalosClient({ endpoints: ['127.0.0.1:1'] });
  closed[Symbol.dispose]();
  closed[Symbol.dispose]();
  assert.throws(() => closed.node('node01'), { kind: 'cancelled', message: 'the client has been closed' });
});
