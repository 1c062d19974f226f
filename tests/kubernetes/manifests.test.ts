// The manifests of control planes in a real cluster of processes: what they apply, refuse, delete, and after a crash.
import assert from 'node:assert/strict';
import { createServer as createHttpServer } from 'node:http';
import { type AddressInfo, createServer, type Server } from 'node:net';
import { after, before, test } from 'node:test';
import { eventually } from '@nodewright/testkit';
import type { ProcessCluster, ProcessNode } from '../cluster/process/process-cluster.ts';
import {
  kubectl,
  kubernetesTimeoutMs,
  openKubernetesCluster,
  skipWithoutKubernetes,
} from './kubernetes-cluster.ts';

const skip = skipWithoutKubernetes();
const scope = new AsyncDisposableStack();
let cluster: ProcessCluster;
before(async () => {
  if (!skip) cluster = scope.use(await openKubernetesCluster());
});
after(() => scope.disposeAsync());

const soon = (what: string) => ({ what, timeoutMs: kubernetesTimeoutMs });
const run = (...words: string[]) => kubectl({ cluster }, ...words);
const given = (input: unknown, ...words: string[]) =>
  kubectl({ cluster, input: JSON.stringify(input) }, ...words);
const has = (...words: string[]) =>
  run('get', ...words, '-o', 'name').then(
    (text) => text !== '',
    () => false,
  );

async function talosctl(...words: string[]): Promise<string> {
  const { exitCode, stdout, stderr } = await cluster.talosctl(...words);
  assert.equal(exitCode, 0, stderr);
  return stdout;
}

interface ShownResource {
  readonly metadata: { readonly id: string };
  readonly spec: unknown;
}

/** The resources of a kind on a node. `-o json` prints one object after the other. */
async function resources({ name }: ProcessNode, kind: string): Promise<readonly ShownResource[]> {
  const text = await talosctl('-n', name, 'get', kind, '-o', 'json');
  return text
    .split(/^(?=\{)/m)
    .filter((part) => part.trim() !== '')
    .map((part) => JSON.parse(part));
}

/** Ids of the manifests that a control plane has applied. */
async function appliedBy(node: ProcessNode): Promise<readonly string[]> {
  const [status = assert.fail('no status')] = await resources(node, 'manifeststatuses');
  return (status.spec as { readonly manifestsApplied: readonly string[] }).manifestsApplied;
}

const patch = (nodes: readonly ProcessNode[], ...documents: string[]) =>
  talosctl(
    ...['-n', nodes.map(({ name }) => name).join(','), 'patch', 'mc'],
    ...documents.flatMap((document) => ['-p', document]),
  );
const inline = (name: string, ...objects: unknown[]) =>
  `apiVersion: v1alpha1\nkind: KubeInlineManifestConfig\nname: ${name}\nmanifest: ${JSON.stringify(
    objects.map((object) => JSON.stringify(object)).join('\n---\n'),
  )}`;
const dropped = (name: string, kind = 'KubeInlineManifestConfig') =>
  `apiVersion: v1alpha1\nkind: ${kind}\nname: ${name}\n$patch: delete`;
const config = (name: string, value = 'a') => ({
  ...{ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name, namespace: 'default' }, data: { value } },
});

async function listening(server: Server): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return (server.address() as AddressInfo).port;
}

test('the cluster has every object of the manifests, just as the control planes render them', {
  skip,
}, async () => {
  for (const node of cluster.controlPlanes) {
    const all = await resources(node, 'manifests');
    assert.equal(all.length, 10);
    const isApplied = async () => (await appliedBy(node)).length === all.length;
    await eventually(isApplied, soon(`manifests of ${node.name}`));
    const items = all.flatMap(({ spec }) => spec as object[]);
    // A difference is exit code 1, and so an error here.
    const list = { apiVersion: 'v1', kind: 'List', items };
    const difference = await given(list, 'diff', '--server-side', '--field-manager=talos', '-f', '-');
    assert.equal(difference, '');
    assert.deepEqual(await resources(node, 'manifestproblems'), []);
  }
  assert.match(
    await run(
      '-n',
      'kube-system',
      'get',
      'deployment',
      'coredns',
      '-o',
      'jsonpath={.metadata.managedFields[*].manager}',
    ),
    /\btalos\b/,
  );
});

test('manifests of the user are applied, and one that the API server refuses is named with its reason', {
  skip,
}, async () => {
  const lamp = { apiVersion: 'example.org/v1', kind: 'Lamp', metadata: { name: 'green', namespace: 'team' } };
  const definition = {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: 'lamps.example.org' },
    spec: {
      ...{ group: 'example.org', scope: 'Namespaced' },
      names: { kind: 'Lamp', plural: 'lamps', singular: 'lamp', listKind: 'LampList' },
      versions: [
        { name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: { type: 'object' } } },
      ],
    },
  };
  const team = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'team' } };
  const seen: unknown[] = [];
  const server = createHttpServer((request, response) => {
    seen.push(request.headers.authorization);
    response.end(JSON.stringify(config('external')));
  });
  const port = await listening(server);
  try {
    const external = `apiVersion: v1alpha1\nkind: KubeExternalManifestConfig\nname: far\nurl: http://127.0.0.1:${port}/a.yaml\nheaders: { Authorization: Bearer k }`;
    const bad = { ...config('bad'), metadata: { name: 'Not_A_Name', namespace: 'default' } };
    await patch(
      cluster.controlPlanes,
      inline('lamps', lamp, definition, team),
      inline('bad', bad, config('beside')),
      external,
    );
    await eventually(() => has('-n', 'team', 'lamps', 'green'), soon('the object of the new kind'));
    for (const name of ['external', 'beside']) await eventually(() => has('configmap', name), soon(name));
    assert.deepEqual([...new Set(seen)], ['Bearer k']);
    for (const node of cluster.controlPlanes) {
      const isTold = async () => (await resources(node, 'manifestproblems')).length === 1;
      await eventually(isTold, soon('the problem'));
      const [problem = assert.fail()] = await resources(node, 'manifestproblems');
      const { manifest, object, message } = problem.spec as Record<string, string>;
      assert.deepEqual([manifest, object], ['99-bad', 'ConfigMap default/Not_A_Name']);
      assert.match(message ?? '', /Invalid value: "Not_A_Name"/);
      const applied = await appliedBy(node);
      assert.deepEqual(
        ['99-lamps', '99-far', '99-bad'].map((id) => applied.includes(id)),
        [true, true, false],
      );
    }
  } finally {
    server.close();
  }
});

test('what a user changed stays, until the configuration changes it', { skip }, async () => {
  await run('patch', 'configmap', 'beside', '--type=merge', '-p', '{"data":{"own":"x"}}');
  await patch(cluster.controlPlanes, dropped('bad'), inline('good', config('beside', 'b')));
  const value = () => run('get', 'configmap', 'beside', '-o', 'jsonpath={.data.value}{.data.own}');
  await eventually(async () => (await value()) === 'bx', soon('the new value beside that of the user'));
});

test('what left the configuration of every control plane is deleted, but no namespace', {
  skip,
}, async () => {
  const [first, ...others] = cluster.controlPlanes;
  assert.ok(first !== undefined);
  const gone = [dropped('good'), dropped('far', 'KubeExternalManifestConfig'), dropped('lamps')];
  await patch([first], ...gone, inline('last', config('last')));
  await eventually(() => has('configmap', 'last'), soon('the pass of the first control plane'));
  for (const name of ['beside', 'external']) assert.ok(await has('configmap', name), name);
  await patch(others, ...gone);
  const isGone = async () => !(await has('configmap', 'beside')) && !(await has('configmap', 'external'));
  await eventually(isGone, soon('the end of what nobody wants'));
  await eventually(async () => !(await has('-n', 'team', 'lamps', 'green')), soon('the end of the lamp'));
  assert.ok(await has('namespace', 'team'));
  assert.ok(await has('crd', 'lamps.example.org'));
  assert.ok(await has('configmap', 'last'));
});

test('a control plane that dies while it holds the lock does not stop the others', { skip }, async () => {
  const [first, second] = cluster.controlPlanes;
  assert.ok(first !== undefined && second !== undefined);
  // A webhook that never answers keeps the pass of the second control plane busy.
  const calls: unknown[] = [];
  const silent = createServer((socket) => {
    calls.push(socket);
    socket.on('error', () => {});
  });
  const port = await listening(silent);
  const webhook = {
    apiVersion: 'admissionregistration.k8s.io/v1',
    kind: 'ValidatingWebhookConfiguration',
    metadata: { name: 'silent' },
    webhooks: [
      {
        ...{ name: 'silent.example.org', admissionReviewVersions: ['v1'], sideEffects: 'None' },
        ...{ failurePolicy: 'Fail', timeoutSeconds: 30 },
        clientConfig: { url: `https://127.0.0.1:${port}/` },
        rules: [{ apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE'], resources: ['configmaps'] }],
        matchConditions: [{ name: 'one', expression: "request.name == 'slow'" }],
      },
    ],
  };
  await given(webhook, 'apply', '-f', '-');
  const slow = inline('slow', config('slow'), config('after'));
  await eventually(async () => {
    if (calls.length > 0) return true;
    await patch([second], slow);
    return false;
  }, soon('the call of the webhook'));
  await second.signal('machined', 'SIGKILL');
  await run('delete', 'validatingwebhookconfiguration', 'silent');
  silent.close();
  await patch([first], slow);
  // The lease of the lock ends after 30 s.
  for (const name of ['slow', 'after']) await eventually(() => has('configmap', name), soon(name));
  const isBack = async () => (await appliedBy(second)).includes('99-slow');
  await eventually(isBack, soon('the killed control plane'));
});
