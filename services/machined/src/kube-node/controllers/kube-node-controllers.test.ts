import assert from 'node:assert/strict';
import { test } from 'node:test';
import { systemTimers } from '@nodewright/async';
import { openKubeNodes } from '@nodewright/client/kube-nodes';
import { createMemoryApiServer, objectMaker } from '@nodewright/client/kube-nodes/testing';
import { Fault } from '@nodewright/fault';
import { generateConfig, generateSecrets } from '@nodewright/machine-config';
import {
  kubeletKubeconfigs,
  type MachineStageName,
  machineStatuses,
  nodeCordonedSpecs,
  nodenames,
  nodeStatuses,
  upgradePlans,
} from '@nodewright/state/kinds';
import { eventually } from '@nodewright/testkit';
import { openControllerRig } from '../../base/testing/controller-rig.ts';
import { applyNode } from '../host/apply-node.ts';
import { createOpenFollower } from '../host/node-follower.ts';
import { kubeNodeControllers } from './kube-node-controllers.ts';

const secrets = await generateSecrets({ now: new Date(0) });
const role = 'node-role.kubernetes.io/control-plane';
const generated = (more: string[] = []) =>
  [
    generateConfig({
      ...{ secrets, clusterName: 'alpha', endpoint: 'https://10.5.0.1:6443', type: 'controlplane' },
      options: { kubernetesVersion: '1.37.1' },
    }),
    ...more,
  ].join('\n---\n');

async function openNode() {
  const server = createMemoryApiServer();
  const make = objectMaker(() => server.api);
  const open = async (signal: AbortSignal) => ({
    ...openKubeNodes({ api: server.api, signal }),
    [Symbol.dispose]: () => {},
  });
  let kubeconfig: Buffer | undefined = Buffer.from('first');
  const rig = openControllerRig(
    kubeNodeControllers({
      readKubeconfig: () => kubeconfig,
      openFollower: createOpenFollower(open, systemTimers),
      applyNode: async (node, wanted, signal) => applyNode(await open(signal), node, wanted),
    }),
  );
  const nodes = await open(new AbortController().signal);
  await rig.put(nodenames, 'nodename', { nodename: 'a', hostnameVersion: '1', skipNodeRegistration: false });
  const ready = { ready: true, unmetConditions: [] };
  return {
    ...rig,
    ...{ server, make, nodes },
    stage: (stage: MachineStageName) => rig.put(machineStatuses, 'machine', { stage, status: ready }),
    read: () => nodes.read('a'),
    loseKubeconfig: () => {
      kubeconfig = undefined;
    },
    /** Changes arrive through a watch. */
    until: (what: string, holds: () => Promise<boolean>) =>
      eventually(
        async () => {
          await rig.settled();
          return holds();
        },
        { what, timeoutMs: 30_000 },
      ),
  };
}

test('a node that registers gets the labels and taints of its configuration, and loses those that leave it', async () => {
  await using node = await openNode();
  await node.configure(generated());
  await node.settled();
  assert.deepEqual(node.server.changes, []);
  await node.make.node('a', { metadata: { labels: { theirs: 'x' } } });
  await node.until('the taint', async () => (await node.read())?.spec?.taints?.[0]?.key === role);
  const labels = async () => (await node.read())?.metadata?.labels ?? {};
  assert.equal((await labels())[role], '');
  assert.equal((await labels()).theirs, 'x');
  await node.configure(
    'version: v1alpha1\nmachine: { type: worker, nodeLabels: { zone: b } }\ncluster: {}\n',
  );
  await node.until('the other label', async () => (await labels()).zone === 'b');
  await node.until('no taint', async () => ((await node.read())?.spec?.taints ?? []).length === 0);
  assert.deepEqual(await labels(), { theirs: 'x', zone: 'b' });
});

test('the status of the node follows Kubernetes, and goes with the credentials of the kubelet', async () => {
  await using node = await openNode();
  const status = async () => (await node.specs(nodeStatuses))[0]?.[1];
  await node.settled();
  assert.equal(await status(), undefined);
  await node.make.node('a', { metadata: { labels: { zone: 'b' } }, spec: { podCIDR: '10.244.1.0/24' } });
  await node.until('a status', async () => (await status()) !== undefined);
  assert.deepEqual(await status(), {
    ...{ nodename: 'a', nodeReady: false, unschedulable: false },
    ...{ labels: { zone: 'b' }, annotations: {}, podCIDRs: ['10.244.1.0/24'] },
  });
  await node.make.setReady('a', true);
  await node.until('a ready node', async () => (await status())?.nodeReady === true);
  node.server.failure = new Fault('unavailable', 'https://a does not answer');
  await node.settled();
  assert.equal((await status())?.nodeReady, true);
  node.server.failure = undefined;
  assert.equal((await node.specs(kubeletKubeconfigs)).length, 1);
  node.loseKubeconfig();
  await node.runtime.advance(5_000);
  assert.deepEqual(await node.specs(kubeletKubeconfigs), []);
  await node.until('no status', async () => (await status()) === undefined);
});

test('the node is cordoned while its machine goes down, and uncordoned when it runs again', async () => {
  await using node = await openNode();
  await node.make.node('a');
  await node.until('a status', async () => (await node.specs(nodeStatuses)).length > 0);
  const isCordoned = async () => (await node.read())?.spec?.unschedulable === true;
  for (const stage of ['shutting down', 'upgrading', 'resetting'] as const) {
    await node.stage(stage);
    await node.until(stage, isCordoned);
    // A reboot follows: the node stays as it is until it runs.
    await node.stage('rebooting');
    assert.equal((await node.specs(nodeCordonedSpecs)).length, 1);
    await node.stage('booting');
    await node.until('the end of the cordon', async () => !(await isCordoned()));
  }
  await node.nodes.change('a', { spec: { unschedulable: true } });
  await node.stage('running');
  await node.stage('shutting down');
  await node.stage('running');
  await node.settled();
  assert.ok(await isCordoned());
});

test('an upgrade keeps the node cordoned over its restart until the new system is kept, and not while it waits for its turn', async () => {
  await using node = await openNode();
  await node.make.node('a');
  await node.until('a status', async () => (await node.specs(nodeStatuses)).length > 0);
  const isCordoned = async () => (await node.specs(nodeCordonedSpecs)).length === 1;
  const plan = (phase: string, cordons: boolean) =>
    node.put(upgradePlans, 'upgrade', { plan: 'a', phase, step: '', reason: '', image: '', cordons });
  await plan('running', false);
  await node.stage('upgrading');
  assert.equal(await isCordoned(), false);
  await plan('running', true);
  assert.equal(await isCordoned(), true);
  // After the restart, until the record is read.
  await plan('unknown', false);
  await node.stage('booting');
  assert.equal(await isCordoned(), true);
  await plan('running', true);
  await node.stage('running');
  assert.equal(await isCordoned(), true);
  await plan('done', false);
  assert.equal(await isCordoned(), false);
});

test('a shutdown and a reset cordon the node while an upgrade waits for its turn, or is not read yet', async () => {
  await using node = await openNode();
  await node.make.node('a');
  await node.until('a status', async () => (await node.specs(nodeStatuses)).length > 0);
  const isCordoned = async () => (await node.specs(nodeCordonedSpecs)).length === 1;
  for (const phase of ['running', 'unknown'])
    for (const stage of ['shutting down', 'resetting'] as const) {
      const plan = { plan: 'a', phase, step: 'turn', reason: '', image: '', cordons: false };
      await node.put(upgradePlans, 'upgrade', plan);
      await node.stage(stage);
      assert.equal(await isCordoned(), true, `${phase}, ${stage}`);
      // It stays so while the machine goes down.
      await node.stage('rebooting');
      assert.equal(await isCordoned(), true, `${phase}, rebooting after ${stage}`);
      await node.put(upgradePlans, 'upgrade', { ...plan, phase: 'running' });
      await node.stage('running');
      assert.equal(await isCordoned(), false, `${phase}, running after ${stage}`);
    }
});

test('a node that does not register is neither watched nor changed', async () => {
  await using node = await openNode();
  await node.put(nodenames, 'nodename', { nodename: 'a', hostnameVersion: '1', skipNodeRegistration: true });
  await node.configure(generated());
  await node.make.node('a');
  node.server.changes.length = 0;
  await node.stage('shutting down');
  await node.settled();
  assert.deepEqual(await node.specs(nodeStatuses), []);
  assert.deepEqual(node.server.changes, []);
});
