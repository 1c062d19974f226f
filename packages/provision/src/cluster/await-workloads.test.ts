import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Fault } from '@nodewright/fault';
import { awaitWorkloads } from './await-workloads.ts';
import type { CreationMilestones } from './creation.ts';

const found = (body: object = {}) => ({ status: 200, body });
const absent = { status: 404, body: undefined };
const nodeList = (status: string) =>
  found({
    items: [{ metadata: { name: 'a' }, status: { conditions: [{ type: 'Ready', status, message: 'no' }] } }],
  });

/** A cluster of one node whose API server answers with the next of these answers for each path, and keeps to the last one. */
function openRig(answers: Readonly<Record<string, readonly (object | Fault)[]>>) {
  const asked: string[] = [];
  const notes: string[] = [];
  const milestones: CreationMilestones = {};
  const controller = new AbortController();
  return {
    ...{ asked, notes, milestones, controller },
    run: () =>
      awaitWorkloads({
        creation: {
          progress: { step: (_name, body) => body(() => {}), note: (line) => notes.push(line) },
          signal: controller.signal,
          milestones,
        },
        probe: {
          kubeconfig: () => assert.fail(),
          assertReady: () => assert.fail(),
          async get(_kubeconfig, _server, path) {
            const name = path.split('/').at(-1) ?? '';
            const count = asked.filter((each) => each === name).length;
            asked.push(name);
            const answer = answers[name]?.[count] ?? answers[name]?.at(-1) ?? absent;
            if (answer instanceof Fault) throw answer;
            return answer as typeof absent;
          },
          [Symbol.asyncDispose]: async () => {},
        },
        ...{ kubeconfig: 'K', server: 'https://192.0.2.1:6443', nodes: ['a'], pollMs: 1 },
      }),
  };
}

test('awaitWorkloads() waits for the manifests, the nodes and the DNS, also when a server does not answer once', async () => {
  const available = found({ status: { conditions: [{ type: 'Available', status: 'True' }] } });
  const rig = openRig({
    'system:talos-nodes': [absent, new Fault('unavailable', 'no answer'), found()],
    'kube-flannel': [found()],
    nodes: [nodeList('False'), nodeList('True')],
    coredns: [found(), found(), available],
  });
  await rig.run();
  const count = (name: string) => rig.asked.filter((each) => each === name).length;
  assert.deepEqual(['system:talos-nodes', 'nodes', 'coredns'].map(count), [3, 2, 3]);
  assert.deepEqual([rig.milestones.workloads?.nodes, rig.notes], [1, []]);
});

test('awaitWorkloads() does not wait for nodes when the configuration has no network', async () => {
  const rig = openRig({ 'system:talos-nodes': [found()] });
  await rig.run();
  assert.deepEqual([rig.asked, rig.milestones], [['system:talos-nodes', 'kube-flannel'], {}]);
  assert.match(rig.notes.join(), /nodes become Ready when one is installed/);
});

test('awaitWorkloads() does not wait for a DNS that is switched off', async () => {
  const rig = openRig({
    ...{ 'system:talos-nodes': [found()], 'kube-flannel': [found()], nodes: [nodeList('True')] },
  });
  await rig.run();
  assert.equal(rig.milestones.workloads?.nodes, 1);
});

test('awaitWorkloads() ends when it is aborted', async () => {
  const rig = openRig({});
  const running = rig.run();
  rig.controller.abort(new Fault('cancelled', 'interrupted'));
  await assert.rejects(running, { name: 'AbortError' });
});
