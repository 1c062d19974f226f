// Three control planes and a worker, each in one container, that become Ready by themselves and run workloads for an unmodified
// kubectl.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { after, before, test } from 'node:test';
import { eventually, hostState } from '@nodewright/testkit';
import type { DockerCluster } from '../cluster/docker/docker-cluster.ts';
import {
  kubectl,
  kubectlFor,
  kubectlPath,
  kubernetesTimeoutMs,
  openKubeletCluster,
  skipWithoutKubelets,
} from './kubernetes-cluster.ts';
import { askers, lookupJob, pageOf, webDeployment, webService } from './workload-manifests.ts';

const skip = await skipWithoutKubelets();
const scope = new AsyncDisposableStack();
let cluster: DockerCluster;
let hostBefore: ReturnType<typeof hostState>;

before(async () => {
  if (skip) return;
  hostBefore = hostState();
  cluster = scope.use(await openKubeletCluster({ controlPlanes: 3, workers: 1 }));
});
after(() => scope.disposeAsync());

const run = (...words: string[]) => kubectl({ cluster }, ...words);
/** What kubectl prints, in words. */
const list = async (...words: string[]) => (await run(...words)).split(/\s+/).filter((word) => word !== '');
const apply = (...objects: readonly object[]) =>
  kubectl(
    { cluster, input: JSON.stringify({ apiVersion: 'v1', kind: 'List', items: objects }) },
    ...['apply', '-f', '-'],
  );
/** Waits for an object. The time limit of single requests does not end the wait. */
const wait = (...words: string[]) =>
  run(...words, `--timeout=${kubernetesTimeoutMs / 1000}s`, '--request-timeout=0');

/** Retries until the output matches. */
async function seen(pattern: RegExp, ...words: string[]): Promise<string> {
  let latest = '';
  await eventually(
    async () => {
      latest = await run(...words).catch((error: Error) => error.message);
      return pattern.test(latest);
    },
    {
      what: `kubectl ${words.join(' ')} with ${pattern}`,
      timeoutMs: kubernetesTimeoutMs,
      explain: () => latest,
    },
  );
  return latest;
}

const namesOf = (app: string) =>
  list('get', 'pods', '-l', `app=${app}`, '-o', 'jsonpath={.items[*].metadata.name}');

test('when the creation ends, every node is Ready and the cluster DNS is available', { skip }, async () => {
  const ready = 'jsonpath={.items[*].status.conditions[?(@.type=="Ready")].status}';
  assert.deepEqual(await list('get', 'nodes', '-o', ready), ['True', 'True', 'True', 'True']);
  const names = await list('get', 'nodes', '-o', 'jsonpath={.items[*].metadata.name}');
  assert.deepEqual(names.sort(), cluster.nodes.map(({ name }) => name).sort());
  const available = 'jsonpath={.status.conditions[?(@.type=="Available")].status}';
  assert.equal(await run('-n', 'kube-system', 'get', 'deployment', 'coredns', '-o', available), 'True');
});

test('a deployment runs on several nodes, and a service answers by its name from every node', {
  skip,
}, async () => {
  await apply(pageOf('first'), webDeployment('one'), webService, askers);
  await wait('rollout', 'status', 'deployment/web');
  await wait('rollout', 'status', 'daemonset/asker');
  const nodes = await list('get', 'pods', '-l', 'app=web', '-o', 'jsonpath={.items[*].spec.nodeName}');
  assert.deepEqual([nodes.length, new Set(nodes).size], [3, 3]);
  const pods = await namesOf('asker');
  assert.equal(pods.length, 4);
  for (const pod of pods) {
    // More often than there are replicas, so that most of them answer from another node.
    const ask = 'for _ in 1 2 3 4 5 6; do wget -q -T 10 -O- http://web.default.svc.cluster.local; done';
    await seen(/^(first\n){6}$/, 'exec', pod, '--', 'sh', '-c', ask);
  }
});

test('kubectl shows logs, runs commands and forwards a port', { skip }, async () => {
  const [pod = ''] = await namesOf('web');
  const node = await run('get', 'pod', pod, '-o', 'jsonpath={.spec.nodeName}');
  assert.equal(await run('logs', pod), `one on ${node}\n`);
  assert.equal((await run('exec', pod, '--', 'hostname')).trim(), pod);
  assert.equal(await forwarded('service/web'), 'first\n');
});

/** The page at a forwarded port. */
async function forwarded(target: string): Promise<string> {
  const { flags, env } = kubectlFor(cluster);
  const words = [...flags, '--request-timeout=0', 'port-forward', target, ':80'];
  const child = spawn(kubectlPath, words, { env, stdio: ['ignore', 'pipe', 'inherit'] });
  try {
    for await (const line of createInterface({ input: child.stdout })) {
      const [, port] = /^Forwarding from 127\.0\.0\.1:(\d+)/.exec(line) ?? [];
      if (port !== undefined) return await (await fetch(`http://127.0.0.1:${port}/`)).text();
    }
    throw new Error('kubectl ended before it forwarded a port');
  } finally {
    child.kill();
    await once(child, 'close');
  }
}

test('a changed config map reaches the pods that have it as files', { skip }, async () => {
  await apply(pageOf('second'));
  for (const pod of await namesOf('web'))
    await seen(/^second\n$/, 'exec', pod, '--', 'cat', '/www/index.html');
});

test('a rolling update replaces every pod', { skip }, async () => {
  const before = await namesOf('web');
  await apply(webDeployment('two'));
  await wait('rollout', 'status', 'deployment/web');
  await wait('wait', '--for=delete', ...before.map((name) => `pod/${name}`));
  const pods = await namesOf('web');
  assert.deepEqual([pods.length, pods.filter((name) => before.includes(name))], [3, []]);
  for (const pod of pods) assert.match(await run('logs', pod), /^two on node0\d\n$/);
});

test('a job runs to its end in pods that look up names', { skip }, async () => {
  await apply(lookupJob);
  await wait('wait', '--for=condition=complete', 'job/lookup');
  assert.match(await run('logs', 'job/lookup'), /Address: 10\.96\.0\.1\n/);
});

test('the end of the cluster leaves the settings of the host as they were', { skip }, async () => {
  await cluster.destroy();
  assert.deepEqual(hostState(), hostBefore);
});
