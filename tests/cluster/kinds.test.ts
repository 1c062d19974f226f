// Every kind of resource that a node registers, as users see it: by each of its names, in each output format,
// in both encodings, and for each role.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { TalosClient } from '@nodewright/client';
import { faultFrom } from '@nodewright/fault';
import {
  codecsOf,
  type EncodedSpec,
  encodeYaml,
  namespaces,
  type ResourceKind,
  resourceDefinitions,
} from '@nodewright/state';
import { nodeKinds } from '@nodewright/state/kinds';
import { createStateClient } from '@nodewright/state/wire';
import { noTelemetry } from '@nodewright/telemetry';
import { parse, parseAllDocuments } from 'yaml';
import { getResources } from '../../cli/talosctl/src/get/get-resources.ts';
import { listDefinitions, resolveKind } from '../../cli/talosctl/src/get/resolve-kind.ts';
import { createResourceOutput, parseResourceFormat } from '../../cli/talosctl/src/get/resource-output.ts';
import { resourceFacts } from '../contract/state/resource-facts.ts';
import type { Cluster, Node } from './cluster.ts';
import { openCluster } from './open-cluster.ts';

const scope = new AsyncDisposableStack();
const kinds: readonly ResourceKind[] = [...nodeKinds, resourceDefinitions, namespaces] as ResourceKind[];
const codecs = codecsOf(kinds);
/** Concurrent calls. */
const width = 16;
let cluster: Cluster;
let admin: TalosClient;
let shown: TalosClient;
let definitions: Awaited<ReturnType<typeof listDefinitions>>;
before(async () => {
  cluster = scope.use(await openCluster({ controlPlanes: 1, workers: 1 }));
  const [first] = cluster.nodes as [Node];
  admin = scope.use(await cluster.client());
  shown = scope.use(await cluster.client({ nodes: [first.address] }));
  definitions = await listDefinitions(stateOf(admin, first));
});
after(() => scope.disposeAsync());

const stateOf = (client: TalosClient, { address }: Node) =>
  createStateClient({ client: client.node(address).state, codecs });
const encodedStateOf = (client: TalosClient, { address }: Node) =>
  createStateClient({ client: client.node(address).state });

/**
 * The output of the command `get`, run in this process over one connection: 800 processes would take minutes.
 */
async function get(word: string, format = 'table') {
  let text = '';
  const write = (more: string | Uint8Array) => {
    text += more.toString();
    return true;
  };
  const env = {
    ...{ stdout: { write }, stderr: { write }, stdin: process.stdin, environment: {}, cwd: '/' },
    ...{ now: () => new Date(), signal: new AbortController().signal, isInteractive: false },
    telemetry: async () => noTelemetry,
  };
  const { type, defaultNamespace, ...rest } = resolveKind(definitions, word);
  const output = createResourceOutput(
    env.stdout,
    parseResourceFormat(format),
    { type, defaultNamespace, ...rest },
    false,
  );
  await getResources(env, shown, { kind: { namespace: defaultNamespace, type }, id: undefined }, output);
  return text;
}

/** The namespaces that hold resources of a kind before they are merged. */
function otherNamespacesOf(namespace: string): string[] {
  if (namespace === 'network') return ['network-config'];
  return namespace === 'cluster' ? ['cluster-raw'] : [];
}

/** The only key of a spec that its protobuf message lacks. Source: Talos v1.14: COSI meta resources. */
const withoutUnsent = (yaml: string) => yaml.replace(/^skipAutomaticAliases: true\n/m, '');

/** Calls a function with each item, a few at a time. */
async function forEach<T>(items: readonly T[], act: (item: T) => Promise<void>): Promise<void> {
  const queue = items.values();
  await Promise.all(
    Array.from({ length: width }, async () => {
      for (const item of queue) await act(item);
    }),
  );
}

test('each name of each kind selects it, or lists the kinds that it may mean', async () => {
  const ambiguous = new Set(resourceFacts.ambiguous);
  for (const node of cluster.nodes) {
    const definitions = await listDefinitions(stateOf(admin, node));
    assert.deepEqual(
      definitions.map(({ spec }) => spec.type).toSorted(),
      kinds.map(({ type }) => type).toSorted(),
    );
    for (const { spec } of definitions) {
      for (const name of [spec.type, spec.type.toLowerCase(), ...spec.allAliases]) {
        const find = () => resolveKind(definitions, name).type;
        if (ambiguous.has(name)) assert.throws(find, { kind: 'invalid-argument' }, name);
        else assert.equal(find(), spec.type, name);
      }
    }
  }
});

test('get shows every kind by its full name as a table, as YAML, as JSON and by a path', async () => {
  const node = cluster.nodes[0] as Node;
  await forEach(kinds, async ({ id, type, displayType, printColumns }) => {
    const [table, yaml, json, path] = await Promise.all([
      get(type),
      get(id, 'yaml'),
      get(type, 'json'),
      get(type, 'jsonpath={.metadata.id}'),
    ]);
    const paths = path.split('\n').slice(0, -1);
    const documents = yaml === '' ? [] : parseAllDocuments(yaml).map((one) => one.toJS());
    assert.deepEqual(
      documents.map(({ node: name, metadata }) => [name, metadata.type, `${metadata.id}`]),
      paths.map((line) => [node.address, type, line]),
    );
    assert.equal(json.split('\n').filter((line) => line === '}').length, paths.length, type);
    const lines = table.split('\n').slice(0, -1);
    if (paths.length === 0) return assert.deepEqual(lines, []);
    const columns = ['NODE', 'NAMESPACE', 'TYPE', 'ID', 'VERSION', ...printColumns.map(({ name }) => name)];
    assert.deepEqual(
      lines[0]?.split(/ {3,}/).map((column) => column.trim()),
      columns.map((column) => column.toUpperCase()),
    );
    assert.equal(lines.length, paths.length + 1, type);
    for (const line of lines.slice(1)) assert.equal(line.split(/\s+/)[2], displayType);
  });
});

test('the built command line also accepts short names, and lists the candidates of an ambiguous one', async () => {
  const node = cluster.nodes[0] as Node;
  const [short, ambiguous, unknown] = await Promise.all(
    ['machinetype', 'ms', 'kettles'].map((word) => cluster.talosctl('-n', node.address, 'get', word)),
  );
  assert.match(short?.stdout ?? '', /^NODE .*\n\S+ +config +MachineType +machine-type +\d+ +controlplane\n$/);
  assert.match(
    ambiguous?.stderr ?? '',
    /resource type "ms" is ambiguous: \[.*machinestatuses\.runtime\.talos\.dev.*\]/,
  );
  assert.match(unknown?.stderr ?? '', /resource "kettles" is not registered/);
  assert.deepEqual([short?.exitCode, ambiguous?.exitCode, unknown?.exitCode], [0, 1, 1]);
});

test('a typed client reads the same spec as the YAML shows, for every resource of a node', async () => {
  const seen = new Set<string>();
  for (const node of cluster.nodes) {
    const encoded = encodedStateOf(admin, node);
    await forEach(kinds, async ({ type, namespace: usual, codec }) => {
      for (const namespace of [usual, ...otherNamespacesOf(usual)]) {
        for (const { metadata, spec } of await encoded.list<EncodedSpec>({ namespace, type })) {
          const where = `${type}(${namespace}/${metadata.id})`;
          const typed = codec.fromProto(spec.proto);
          assert.equal(encodeYaml(codec.toYaml(typed)), withoutUnsent(spec.yaml), where);
          assert.deepEqual([...codec.toProto(typed)], [...spec.proto], where);
          assert.doesNotThrow(() => parse(spec.yaml), where);
          seen.add(type);
        }
      }
    });
  }
  // The kinds that every node has, including nodes of containers, which can read the least of their machine.
  assert.ok(seen.size >= 50, `${seen.size} kinds have resources: ${[...seen].join(' ')}`);
});

test('only administrators can read sensitive kinds, whichever call they use', async () => {
  const node = cluster.nodes[0] as Node;
  const sensitive = kinds.filter(({ isSensitive }) => isSensitive);
  assert.deepEqual(
    sensitive.map(({ type }) => type).sort(),
    resourceFacts.kinds
      .filter((kind) => kind.sensitive)
      .map(({ type }) => type)
      .sort(),
  );
  for (const role of ['os:reader', 'os:operator']) {
    using client = await cluster.client({ roles: [role] });
    const state = encodedStateOf(client, node);
    const askedBy = (call: () => Promise<unknown>) =>
      call().then(
        () => 'answered',
        (error) => faultFrom(error).kind,
      );
    await forEach(kinds, async (kind) => {
      const expected = kind.isSensitive ? 'permission-denied' : 'answered';
      assert.equal(await askedBy(() => state.list(kind)), expected, `${role} ${kind.type}`);
    });
    await forEach(sensitive, async (kind) => {
      const { namespace, type } = kind;
      const watched = async () => {
        using watch = await state.watchKind(kind, { bootstrapContents: true });
        for await (const _ of watch) break;
      };
      assert.equal(await askedBy(watched), 'permission-denied', `${role} ${type}`);
      // The error does not reveal whether the resource exists.
      const got = await askedBy(() => state.get({ namespace, type, id: 'none' }));
      assert.equal(got, 'permission-denied', `${role} ${type}`);
    });
  }
});

test('no caller can write a resource of any kind, whether it exists or not', async () => {
  const node = cluster.nodes[0] as Node;
  for (const role of ['os:reader', 'os:operator', 'os:admin']) {
    using client = await cluster.client({ roles: [role] });
    const state = stateOf(client, node);
    const refused = async (what: string, write: () => Promise<unknown>) => {
      const fault = await write().then(() => undefined, faultFrom);
      const message = role === 'os:admin' ? 'write access is not allowed' : 'not authorized';
      assert.deepEqual([fault?.kind, fault?.message], ['permission-denied', message], `${role} ${what}`);
    };
    await forEach(kinds, async ({ namespace, type, codec }) => {
      const missing = { namespace, type, id: 'intruder' };
      await refused(type, () => state.create({ ...missing, spec: codec.fromProto(new Uint8Array()) }));
      if (role === 'os:admin') await refused(type, () => state.destroy(missing));
    });
    // A reader learns nothing: the method is refused before the store is read.
    await forEach(role === 'os:admin' ? kinds : [], async (kind) => {
      const [there] = await state.list(kind);
      if (there === undefined) return;
      await refused(kind.type, () => state.update(there));
      await refused(kind.type, () => state.destroy(there.metadata));
      await refused(kind.type, () => state.teardown(there.metadata));
    });
  }
  const kept = await Promise.all(kinds.map((kind) => stateOf(admin, node).list(kind)));
  assert.deepEqual(
    kept.flat().filter(({ metadata }) => metadata.id === 'intruder' || metadata.phase !== 'running'),
    [],
  );
});
