// A node gets the configuration that was kept for it, and nobody else does.
import assert from 'node:assert/strict';
import { readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { Fault } from '@nodewright/fault';
import type { ClusterHome } from '../testing/test-cluster.ts';
import { openMemoryCluster } from '../testing/test-cluster.ts';
import { lockCluster } from './cluster-lock.ts';

/** The time of a join that ends when a test says so, not by a clock: a busy machine must not decide. */
const chosenMs = 12_345;

/** Returns a function that ends the time of the join at its second call. */
function endAtSecondCall(context: TestContext): () => void {
  const over = new AbortController();
  const timeout = AbortSignal.timeout.bind(AbortSignal);
  context.mock.method(AbortSignal, 'timeout', (ms: number) => (ms === chosenMs ? over.signal : timeout(ms)));
  let calls = 0;
  return () => {
    if (++calls === 2) over.abort();
  };
}

const never = new AbortController().signal;
const key = `${'A'.repeat(42)}E=`;
const shown = JSON.stringify({
  controller: 'runtime.MaintenanceServiceInformController',
  fingerprint: key,
});
const api = '10.99.0.3:50000';

interface Node {
  /** A node that is being reset is in maintenance after one look. */
  state: 'maintenance' | 'configured' | 'resetting' | 'silent';
  /** What it answers to its configuration. */
  refusal?: Fault;
  /** The number of times that the control plane does not list it after it got its configuration. */
  unlisted: number;
  /** Called when its state is looked at, and when the members are listed. */
  looked?: () => void;
  listed?: () => void;
}

/** A cluster of a control plane and a worker, which is the node that joins. */
async function openRig(node: Partial<Node> = {}, init: Parameters<typeof openMemoryCluster>[1] = {}) {
  const worker: Node = { state: 'configured', unlisted: 0 };
  const calls: string[] = [];
  const cluster = await openMemoryCluster(
    {
      openMaintenance: async (address, fingerprints) => ({
        async check() {
          worker.looked?.();
          if (worker.state !== 'maintenance') throw new Fault('unavailable', 'it is silent');
        },
        async applyConfiguration(text) {
          calls.push(`apply ${address} ${fingerprints.join()} ${text.trim()}`);
          if (worker.refusal !== undefined) throw worker.refusal;
          worker.state = 'configured';
        },
        [Symbol.dispose]() {},
      }),
      openProbe: async () => ({
        async version(endpoint, name) {
          if ([endpoint, name].includes('10.99.0.3') && worker.state === 'maintenance')
            throw new Fault('unavailable', 'no route to the node');
          if (endpoint === api && worker.state !== 'configured') throw new Fault('unavailable', 'no answer');
          return 'source';
        },
        [Symbol.asyncDispose]: async () => {},
      }),
      openMembersProbe: async () => ({
        async stage() {
          if (worker.state === 'resetting') worker.state = 'maintenance';
          else if (worker.state === 'configured') return 'running';
          else throw new Fault('unavailable', 'no answer');
          return 'resetting';
        },
        async addresses() {
          worker.listed?.();
          return ['10.99.0.2', ...(worker.unlisted-- > 0 ? [] : ['10.99.0.3'])];
        },
      }),
    },
    { output: () => ['started', shown], ...init },
  );
  await cluster.provisioner.create(cluster.request(), cluster.progress, never);
  cluster.steps.length = 0;
  Object.assign(worker, { state: 'maintenance', unlisted: 1, ...node });
  const folder = join(cluster.ref().clustersFolder, 'c');
  const joins = (name = 'node02', timeoutMs = 20_000) =>
    cluster.provisioner.join({ ...cluster.ref(), node: name, timeoutMs }, cluster.progress, never);
  return { ...cluster, calls, worker, folder, joins, [Symbol.asyncDispose]: cluster[Symbol.asyncDispose] };
}

const stop = (cluster: ClusterHome, node?: string) =>
  cluster.provisioner.stop({ ...cluster.ref(), node }, cluster.progress);

test('join() gives a node in maintenance its kept configuration, by the key in its output, and waits until it is listed', async () => {
  await using rig = await openRig();
  const view = await rig.joins();
  assert.equal(view.name, 'c');
  assert.deepEqual(rig.calls, [`apply ${api} ${key} node: node02`]);
  assert.deepEqual(rig.steps, ['node02 is in maintenance', 'configuration applied', 'node02 is a member']);
});

test('join() waits for a node whose reset is still running', async () => {
  await using rig = await openRig({ state: 'resetting' });
  await rig.joins();
  assert.deepEqual(rig.calls, [`apply ${api} ${key} node: node02`]);
});

test('only its owner may read the kept configurations, and they go away with the cluster', async () => {
  await using rig = await openRig();
  const { mode } = await stat(join(rig.folder, 'node02.yaml'));
  assert.equal(mode & 0o777, 0o600);
  assert.deepEqual((await readdir(rig.folder)).filter((name) => /^node\d+\.yaml/.test(name)).sort(), [
    'node01.yaml',
    'node02.yaml',
  ]);
  await rig.provisioner.destroy(rig.ref(), { force: false }, rig.progress);
  assert.deepEqual(await readdir(rig.ref().clustersFolder), []);
});

test('join() refuses a node that has a configuration, one that is stopped, and an unknown one, and sends nothing', async () => {
  await using rig = await openRig({ state: 'configured' });
  await assert.rejects(rig.joins(), {
    kind: 'failed-precondition',
    message:
      'node02 has a configuration already: only a node that was reset can join (talosctl reset -n node02 --reboot)',
  });
  await assert.rejects(rig.joins('node07'), {
    kind: 'invalid-argument',
    message: 'cluster "c" has no node "node07"; it has: node01, node02',
  });
  await stop(rig, 'node02');
  await assert.rejects(rig.joins(), {
    kind: 'failed-precondition',
    message: 'node02 does not run: start it first (talosctl cluster start --name c node02)',
  });
  await stop(rig);
  await assert.rejects(rig.joins(), {
    message: 'node02 does not run: start it first (talosctl cluster start --name c)',
  });
  assert.deepEqual(rig.calls, []);
});

test('join() says why a node is not in maintenance when its time is over', async (context) => {
  await using rig = await openRig({ state: 'silent', looked: endAtSecondCall(context) });
  await assert.rejects(rig.joins('node02', chosenMs), {
    kind: 'unavailable',
    message: `node02 (${api}) is not in maintenance: it is silent (see: talosctl cluster logs --name c node02)`,
  });
});

test('join() sends no configuration to a server whose key is not in the output of the node', async (context) => {
  const looked = endAtSecondCall(context);
  const output = () => {
    looked();
    return ['started'];
  };
  await using rig = await openRig({}, { output });
  await assert.rejects(rig.joins('node02', chosenMs), {
    kind: 'unavailable',
    message: /is not in maintenance: its output shows no fingerprint of its key \(see: /,
  });
  assert.deepEqual(rig.calls, []);
});

test('join() says what to run elsewhere when this host does not reach the node', async () => {
  await using rig = await openRig({}, { hidden: ['node02'] });
  await assert.rejects(rig.joins(), {
    kind: 'failed-precondition',
    message: `this host cannot reach the API of node02: run "talosctl apply-config --insecure --cert-fingerprint <fingerprint on its console> -n 10.99.0.3 -f ${rig.folder}/node02.yaml" where 10.99.0.3 can be reached`,
  });
});

test('join() of a node whose configuration was not kept says how to make one', async () => {
  await using rig = await openRig();
  await rm(join(rig.folder, 'node02.yaml'));
  await assert.rejects(rig.joins(), {
    kind: 'not-found',
    message: `the configuration of node02 was not kept in ${rig.folder}/node02.yaml: the file does not exist; generate one with "talosctl gen config --with-secrets ${rig.folder}/secrets.yaml", and apply it with "talosctl apply-config --insecure --cert-fingerprint <fingerprint on its console> -n ${api} -f <file>"`,
  });
});

test('join() reports a configuration that the node does not take, and a node that does not become a member, without the configuration', async (context) => {
  await using rig = await openRig({ refusal: new Fault('invalid-argument', 'unknown field') });
  await assert.rejects(rig.joins(), {
    kind: 'invalid-argument',
    message: `node02 does not take its configuration (${rig.folder}/node02.yaml): unknown field`,
  });
  delete rig.worker.refusal;
  Object.assign(rig.worker, { unlisted: Number.POSITIVE_INFINITY, listed: endAtSecondCall(context) });
  await assert.rejects(rig.joins('node02', chosenMs), {
    kind: 'deadline-exceeded',
    message:
      /^node02 has its configuration, but is not a member after 12\.345s: no control plane lists it yet \(see: talosctl cluster logs --name c node02\)/,
  });
});

test('join() changes nothing while another command changes the cluster', async () => {
  await using rig = await openRig();
  {
    await using _lock = await lockCluster(rig.ref());
    await assert.rejects(rig.joins(), {
      kind: 'aborted',
      message: /another command .* is changing cluster "c"/,
    });
  }
  assert.deepEqual(rig.calls, []);
  await rig.joins();
  assert.equal(rig.calls.length, 1);
});
