import assert from 'node:assert/strict';
import { test } from 'node:test';
import { systemTimers } from '@nodewright/async';
import type { NodeClient } from '@nodewright/client';
import { openKubeNodes } from '@nodewright/client/kube-nodes';
import { createMemoryApiServer, objectMaker } from '@nodewright/client/kube-nodes/testing';
import { drainNodes } from './drain-nodes.ts';

const { signal } = new AbortController();
const machine = { name: 'machine' } as NodeClient;

/** Pauses are a thousandth as long, and what happens between them is not: an hour leaves a busy machine enough time. */
const longMs = 3_600_000;

/** A node `a` with a pod, whose kubelet removes a pod as soon as it is evicted. */
async function openNode({ removes = true, timeoutMs = longMs, refusal = '' } = {}) {
  const server = createMemoryApiServer();
  const make = objectMaker(() => server.api);
  await make.node('a');
  await make.setReady('a', true);
  await make.pod('web', 'a');
  const nodes = openKubeNodes({ api: server.api, signal });
  const evict: typeof nodes.evict = async (pod) => {
    const outcome = await nodes.evict(pod);
    if (removes) await make.removePod(pod.metadata?.name ?? '');
    return outcome;
  };
  const said: string[] = [];
  const drain = drainNodes({
    open: async () => ({ ...nodes, evict }),
    nameOf: async () => 'a',
    refusalOf: async () => refusal || undefined,
    ...{ timeoutMs, signal },
    timers: {
      now: () => systemTimers.now() * 1000,
      monotonicMs: () => systemTimers.monotonicMs() * 1000,
      after: (delayMs, action) => systemTimers.after(delayMs / 1000, action),
    },
  });
  return {
    ...{ make, drain, said, nodes },
    report: (text: string) => void said.push(text),
    isCordoned: async () => (await nodes.read('a'))?.spec?.unschedulable === true,
  };
}

test('drainNodes() cordons a node and evicts its pods, and uncordons it when it is Ready again', async () => {
  const { drain, make, report, said, isCordoned } = await openNode();
  await drain.before(machine, report);
  assert.ok(await isCordoned());
  await make.setReady('a', false);
  const back = drain.after(machine, report);
  assert.ok(await isCordoned());
  await make.setReady('a', true);
  await back;
  assert.equal(await isCordoned(), false);
  assert.deepEqual(said, [
    ...['cordoned', 'evicted default/web', 'drained'],
    ...['waiting for the Kubernetes node to be Ready', 'uncordoned'],
  ]);
});

test('a node that was cordoned before stays so', async () => {
  const { drain, nodes, report, isCordoned } = await openNode();
  await nodes.change('a', { spec: { unschedulable: true } });
  await drain.before(machine, report);
  await drain.after(machine, report);
  await drain.giveUp(machine, report);
  assert.ok(await isCordoned());
});

test('a node whose pods do not leave in time, or whose action fails, is schedulable again', async () => {
  const stuck = await openNode({ removes: false, timeoutMs: 60_000 });
  await assert.rejects(stuck.drain.before(machine, stuck.report), { kind: 'deadline-exceeded' });
  assert.equal(await stuck.isCordoned(), false);
  const refused = await openNode();
  await refused.drain.before(machine, refused.report);
  await refused.drain.giveUp(machine, refused.report);
  assert.equal(await refused.isCordoned(), false);
});

test('a machine that is no node of Kubernetes is not rebooted', async () => {
  const { drain, make, report } = await openNode();
  await make.removeNode('a');
  await assert.rejects(drain.before(machine, report), {
    message: 'Kubernetes has no node "a" to drain: leave out --drain',
  });
});

test('drainNodes() changes nothing on a node that would refuse the action', async () => {
  const { drain, report, said, isCordoned } = await openNode({ refusal: 'it cannot' });
  await assert.rejects(drain.before(machine, report), { kind: 'failed-precondition', message: 'it cannot' });
  assert.deepEqual([said, await isCordoned()], [[], false]);
});
