// talosctl get, against stores that answer as nodes do.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { VersionResponse } from '@nodewright/contract/gen/machine/machine.ts';
import { Fault } from '@nodewright/fault';
import { defineKind, EncodedSpec, type MemoryState, pointerTo } from '@nodewright/state';
import {
  machineConfigs,
  machineTypes,
  members,
  nodeAddresses,
  services,
  yamlSpecAnnotation,
} from '@nodewright/state/kinds';
import { eventually } from '@nodewright/testkit';
import { healthyCluster, reply } from './replies.ts';
import { finished } from './run-talosctl.ts';
import { openNodeStore, stateHandlers } from './state-replies.ts';
import { openSuite } from './suite.ts';

/** Has the same short name as members. */
const memberships = defineKind({
  type: 'Memberships.test.nodewright.dev',
  defaultNamespace: 'cluster',
  aliases: ['member'],
  spec: {},
});
/** Its specs are sent exactly as given. */
const oddities = defineKind({ type: 'Oddities.test.nodewright.dev', defaultNamespace: 'runtime', spec: {} });
const kinds = [members, machineTypes, machineConfigs, nodeAddresses, services, memberships, oddities];
const runningService = { running: true, healthy: true, unknown: false };

const member = (id: string, ...addresses: string[]) => ({
  ...pointerTo(members, id),
  spec: {
    nodeId: '12',
    addresses,
    hostname: id,
    machineType: 'controlplane' as const,
    operatingSystem: 'Talos (v1.14.0)',
    controlPlane: { port: 6443 },
  },
});

const openStore = () =>
  openNodeStore(kinds, [
    member('cp-2', '10.0.0.2'),
    { ...member('cp-1', '10.0.0.1', 'fe80::1'), labels: { zone: '<a&b>' }, finalizers: ['one', 'two'] },
    { ...pointerTo(machineTypes, 'machine-type'), spec: 'worker' },
    {
      ...pointerTo(machineConfigs, 'v1alpha1'),
      spec: 'version: v1alpha1\n---\nkind: Other\n',
      annotations: yamlSpecAnnotation,
    },
    { ...pointerTo(services, 'apid'), spec: runningService },
  ]);

const stores: Record<string, MemoryState> = { node01: await openStore(), node02: await openStore() };
const suite = openSuite({
  ...healthyCluster,
  ...stateHandlers(kinds, (node = '') => {
    const store = stores[node];
    if (store === undefined) throw new Fault('permission-denied', 'not authorized');
    return store;
  }),
  '/machine.MachineService/Version': (call) => {
    const tag = call.node === 'old' ? 'v1.12.3' : call.node === 'odd' ? 'newest' : 'v1.14.0';
    reply(call, VersionResponse, { messages: [{ version: { tag } }] });
  },
});

const one = ['-n', 'node01'];

test('get prints one row per resource with the columns of its kind, node after node', async () => {
  const { stdout, stderr, exitCode } = await suite.run('get', 'members');
  assert.deepEqual({ stderr, exitCode }, { stderr: '', exitCode: 0 });
  assert.deepEqual(stdout.split('\n'), [
    'NODE     NAMESPACE   TYPE     ID     VERSION   HOSTNAME   MACHINE TYPE   OS                ADDRESSES',
    'node01   cluster     Member   cp-1   1         cp-1       controlplane   Talos (v1.14.0)   ["10.0.0.1","fe80::1"]',
    'node01   cluster     Member   cp-2   1         cp-2       controlplane   Talos (v1.14.0)   ["10.0.0.2"]',
    'node02   cluster     Member   cp-1   1         cp-1       controlplane   Talos (v1.14.0)   ["10.0.0.1","fe80::1"]',
    'node02   cluster     Member   cp-2   1         cp-2       controlplane   Talos (v1.14.0)   ["10.0.0.2"]',
    '',
  ]);
});

test('get accepts an id, and every name of a kind in any case, and prints nothing when there is nothing', async () => {
  const lines = async (...words: string[]) =>
    (await suite.run(...one, ...words)).stdout.trimEnd().split('\n');
  const expected = await lines('get', 'members', 'cp-2');
  assert.equal(expected.length, 2);
  for (const name of ['Members.cluster.talos.dev', 'members.cluster', 'MEMBERS.CLUSTER.TALOS']) {
    assert.deepEqual(await lines('g', name, 'cp-2'), expected);
  }
  assert.deepEqual(await lines('get', 'mt'), [
    'NODE     NAMESPACE   TYPE          ID             VERSION   TYPE',
    'node01   config      MachineType   machine-type   1         worker',
  ]);
  assert.deepEqual(await lines('get', 'nodeaddresses'), ['']);
  assert.deepEqual(await lines('get', 'members', '--namespace', 'elsewhere'), ['']);
});

test('get rd lists the kinds with their short names', async () => {
  const { stdout } = await suite.run(...one, 'get', 'rd', 'services.v1alpha1.talos.dev');
  assert.match(
    stdout,
    /ALIASES\nnode01 {3}meta +ResourceDefinition +services\.v1alpha1\.talos\.dev +1 +svc service\n$/,
  );
});

test('get lists the kinds that an ambiguous name may mean, and rejects an unknown one', async () => {
  const ambiguous = await suite.run(...one, 'get', 'member');
  assert.deepEqual(ambiguous, {
    stdout: '',
    stderr:
      'error: resource type "member" is ambiguous: [members.cluster.talos.dev memberships.test.nodewright.dev]\n',
    exitCode: 1,
  });
  const unknown = await suite.run(...one, 'get', 'nothing');
  assert.deepEqual(
    [unknown.stderr, unknown.exitCode],
    ['error: resource "nothing" is not registered ("talosctl get rd" lists the resource types)\n', 1],
  );
  const near = await suite.run(...one, 'get', 'membrs');
  assert.deepEqual(
    [near.stderr, near.exitCode],
    ['error: resource "membrs" is not registered: did you mean "members"?\n', 1],
  );
});

test('get -o name prints only ids, -o wide adds the phase, the owner and the times', async () => {
  const names = await suite.run(...one, 'get', 'members', '-o', 'name');
  assert.deepEqual(names, { stdout: 'cp-1\ncp-2\n', stderr: '', exitCode: 0 });
  const wide = await suite.run(...one, 'get', 'members', 'cp-2', '-o', 'wide');
  const [head = '', row = ''] = wide.stdout.split('\n');
  assert.match(head, /^NODE +NAMESPACE .* ADDRESSES +PHASE +OWNER +CREATED +UPDATED$/);
  assert.match(row, /^node01 +cluster .* running .*\d{4}-\d\d-\d\dT[\d:]+Z +\d{4}-\d\d-\d\dT[\d:]+Z$/);
});

test('get names the node that cannot list its kinds', async () => {
  const { stdout, stderr, exitCode } = await suite.run('-n', 'node03', 'get', 'members');
  assert.deepEqual([stdout, exitCode], ['', 1]);
  assert.match(stderr, /^error from node node03: rpc error: code = PermissionDenied desc = not authorized\n/);
});

test('get -o yaml prints documents with the node before the resource', async () => {
  const { stdout } = await suite.run(...one, 'get', 'members', '-o', 'yaml');
  const [first = ''] = stdout.split('---\n');
  assert.equal(stdout.split('---\n').length, 2);
  assert.equal(
    first,
    `node: node01
metadata:
    namespace: cluster
    type: Members.cluster.talos.dev
    id: cp-1
    version: 1
    owner: test.Controller
    phase: running
    created: 2026-01-10T09:00:01Z
    updated: 2026-01-10T09:00:01Z
    labels:
        zone: <a&b>
    finalizers:
        - one
        - two
spec:
    nodeId: "12"
    addresses:
        - 10.0.0.1
        - fe80::1
    hostname: cp-1
    machineType: controlplane
    operatingSystem: Talos (v1.14.0)
    controlPlane:
        port: 6443
`,
  );
});

test('get -o yaml shows a machine configuration as one text', async () => {
  const { stdout } = await suite.run(...one, 'get', 'mc', '-o', 'yaml');
  assert.equal(
    stdout.slice(stdout.indexOf('    annotations')),
    `    annotations:
        talos.dev/yaml-spec: "1"
spec: |
    version: v1alpha1
    ---
    kind: Other
`,
  );
});

test('get -o yaml shows the spec as the node wrote it, and metadata without quotes where possible', async () => {
  const store = stores.node01 as MemoryState;
  const yaml =
    "when: 2026-01-10T09:00:01.5Z\nmode: 0644\nsize: 1.50\nslot: '0000:00:03.0'\nlist: [a, 1]\nbig: 18446744073709551615\n";
  const spec = new EncodedSpec(yaml, new Uint8Array());
  await store.create({ ...pointerTo(oddities, '0000:00:03.0'), spec, labels: { on: 'yes', a: '1' } });
  const { stdout } = await suite.run(...one, 'get', 'oddities', '-o', 'yaml');
  assert.match(
    stdout,
    /\n {4}id: 0000:00:03\.0\n {4}version: 1\n {4}owner:\n {4}phase: running\n[\s\S]*\n {4}labels:\n {8}a: "1"\n {8}"on": "yes"\nspec:\n/,
  );
  assert.equal(stdout.slice(stdout.indexOf('spec:\n')), `spec:\n${yaml.replace(/^(?=.)/gm, '    ')}`);
  const json = await suite.run(...one, 'get', 'oddities', '-o', 'json');
  assert.match(json.stdout, /"owner": null,/);
  assert.match(json.stdout, /"big": 18446744073709551615,/);
});

test('get shows the configuration of an old node, which sends its documents unwrapped', async () => {
  const texts = 'version: v1alpha1\n---\nkind: Other\n';
  const text = new EncodedSpec(texts, new Uint8Array());
  stores.plain = await openNodeStore([machineConfigs], []);
  await stores.plain.create({ ...pointerTo(machineConfigs, 'v1alpha1'), spec: text as never });
  const { stdout, stderr } = await suite.run('-n', 'plain', 'get', 'mc', '-o', 'yaml');
  assert.deepEqual(
    [stdout.slice(stdout.indexOf('spec:')), stderr],
    [`spec: |\n${texts.replace(/^/gm, '    ').trimEnd()}\n`, ''],
  );
  const json = await suite.run('-n', 'plain', 'get', 'mc', '-o', 'jsonpath={.spec}');
  assert.equal(json.stdout, `${texts}\n`);
});

test('get -o json prints one object per resource with sorted keys and escapes', async () => {
  const { stdout } = await suite.run(...one, 'get', 'members', 'cp-1', '-o', 'json');
  assert.equal(
    stdout.slice(0, stdout.indexOf('        "namespace"')),
    `{
    "metadata": {
        "created": "2026-01-10T09:00:01Z",
        "finalizers": [
            "one",
            "two"
        ],
        "id": "cp-1",
        "labels": {
            "zone": "\\u003ca\\u0026b\\u003e"
        },
`,
  );
  const { node, metadata, spec } = JSON.parse(stdout);
  assert.deepEqual(
    [node, metadata.version, metadata.labels.zone, spec.nodeId, spec.controlPlane.port],
    ['node01', 1, '<a&b>', '12', 6443],
  );
});

test('get -o jsonpath prints its matches, one per line', async () => {
  const lines = async (template: string) => {
    const { stdout } = await suite.run(...one, 'get', 'members', '-o', `jsonpath=${template}`);
    return stdout.split('\n').slice(0, -1);
  };
  assert.deepEqual(await lines('{.metadata.id}'), ['cp-1', 'cp-2']);
  assert.deepEqual(await lines('{.spec.addresses[*]}'), ['10.0.0.1', 'fe80::1', '10.0.0.2']);
  assert.deepEqual(await lines('{.spec.addresses}'), [
    '[',
    '    "10.0.0.1",',
    '    "fe80::1"',
    ']',
    '[',
    '    "10.0.0.2"',
    ']',
  ]);
  assert.deepEqual(await lines('{.spec.missing}'), []);
  const broken = await suite.run(...one, 'get', 'members', '-o', 'jsonpath={.a[}');
  assert.match(broken.stderr, /^error: .*invalid JSONPath "\{\.a\[\}": an index was expected at "\}"/);
  const bare = await suite.run(...one, 'get', 'members', '-o', 'jsonpath=.metadata.id');
  assert.match(bare.stderr, /^error: .*stands in braces/);
});

test('get prints the resources of the nodes that answer, then the errors of the others', async () => {
  const { stdout, stderr, exitCode } = await suite.run('-n', 'node01,closed', 'get', 'mt');
  assert.deepEqual([stdout.split('\n').length, exitCode], [3, 1]);
  assert.match(stderr, /^error from node closed: rpc error: code = PermissionDenied desc = not authorized\n/);
  const missing = await suite.run(...one, 'get', 'members', 'none');
  assert.equal(
    missing.stderr,
    'error from node node01: rpc error: code = NotFound desc = there is no "none" among the members of namespace cluster\n',
  );
});

test('get reads the version first: an older node causes a warning, a missing version ends the command', async () => {
  stores.old = await openStore();
  const older = await suite.run('-n', 'old', 'get', 'mt');
  assert.deepEqual(
    [older.stderr, older.exitCode],
    ['WARNING: older than this talosctl (v1.14.0): old (v1.12.3)\n', 0],
  );
  const odd = await suite.run('-n', 'odd', 'get', 'mt');
  assert.deepEqual([odd.stdout, odd.exitCode], ['', 1]);
  assert.match(odd.stderr, /^error from node odd: .*the node returned an invalid version: "newest"\n$/);
});

/** Starts a watch and returns what it has printed so far. */
function watching(...words: string[]) {
  const child = suite.talosctl.start(words, { environment: { TALOSCONFIG: suite.talosconfig } });
  let stdout = '';
  child.stdout?.on('data', (chunk: Buffer) => {
    stdout += chunk;
  });
  return { child, ended: finished(child), text: () => stdout };
}

test('get --watch prints the current resources, then events, each with a mark', async () => {
  const { child, ended, text } = watching('get', 'services', '-w');
  await eventually(() => text().split('\n').length === 4, { what: 'contents of both nodes', explain: text });
  const store = stores.node01 as MemoryState;
  await store.create({ ...pointerTo(services, 'new'), spec: runningService });
  const created = await store.get(pointerTo(services, 'new'));
  await store.update({ ...created, spec: { ...runningService, healthy: false } });
  await store.destroy(pointerTo(services, 'new'));
  await eventually(() => text().split('\n').length === 7, { what: 'changes', explain: text });
  child.kill('SIGINT');
  const { exitCode } = await ended;
  const rows = text()
    .trimEnd()
    .split('\n')
    .map((line) => line.replace(/ {2,}/g, '|'));
  assert.deepEqual(
    [rows[0], ...rows.slice(1, 3).sort(), ...rows.slice(3)],
    [
      'NODE|*|NAMESPACE|TYPE|ID|VERSION|RUNNING|HEALTHY|HEALTH UNKNOWN',
      'node01|+|runtime|Service|apid|1|true|true|false',
      'node02|+|runtime|Service|apid|1|true|true|false',
      'node01|+|runtime|Service|new|1|true|true|false',
      'node01|runtime|Service|new|2|true|false|false',
      'node01|-|runtime|Service|new|2|true|false|false',
    ],
  );
  assert.equal(exitCode, 0);
});

test('get --watch of one id prints its absence, then its creation, as documents with the event', async () => {
  const { child, ended, text } = watching(
    ...one,
    'get',
    'services',
    'late',
    '--watch',
    '-o',
    'jsonpath={.event}',
  );
  await eventually(() => text() === 'destroyed\n', { what: 'nothing', explain: text });
  await (stores.node01 as MemoryState).create({ ...pointerTo(services, 'late'), spec: runningService });
  await eventually(() => text() === 'destroyed\ncreated\n', { what: 'creation', explain: text });
  child.kill('SIGINT');
  assert.equal((await ended).exitCode, 0);
});

test('get -o yaml separates the documents of several nodes, and adds the event in a watch', async () => {
  const { stdout, exitCode } = await suite.run('-n', 'node02,closed,node01', 'get', 'mt', '-o', 'yaml');
  assert.equal(exitCode, 1);
  assert.deepEqual(
    stdout.split('---\n').map((text) => [text.split('\n')[0], text.trimEnd().split('\n').at(-1)]),
    [
      ['node: node02', 'spec: worker'],
      ['node: node01', 'spec: worker'],
    ],
  );
  const { child, ended, text } = watching('get', 'mt', '-w', '-o', 'yaml');
  await eventually(() => text().split('---\n').length === 2, { what: 'both nodes', explain: text });
  child.kill('SIGINT');
  await ended;
  assert.match(text(), /^node: node0\d\nevent: created\nmetadata:\n/);
});

test('get -o jsonpath repeats the body of a range', async () => {
  const template = 'jsonpath={range .spec.addresses[*]}{@}{end}{.spec.controlPlane.port}';
  const { stdout } = await suite.run(...one, 'get', 'members', 'cp-1', '-o', template);
  assert.equal(stdout, '10.0.0.1\nfe80::1\n6443\n');
});

test('get --watch ends when the first node fails', async () => {
  const { stderr, exitCode } = await suite.run('-n', 'node01,closed', 'get', 'services', '-w');
  assert.match(stderr, /^error from node closed: rpc error: code = PermissionDenied desc = not authorized\n/);
  assert.equal(exitCode, 1);
});

test('get completes kinds, then ids', async () => {
  const offered = async (...words: string[]) =>
    (await suite.run('__complete', ...one, 'get', ...words)).stdout;
  assert.equal(await offered('me'), 'members\nmemberships\n');
  assert.equal(await offered('Members.cluster', 'cp-'), 'cp-1\ncp-2\n');
  assert.equal(await offered('members', 'cp-1', ''), '');
});
