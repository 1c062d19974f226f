import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { kubeNode, podRow } from './describe-pod.ts';

const name = 'kube-system/kube-scheduler-node01';

test('a ready pod is shown with its phase and the restarts of all of its containers', () => {
  const status = {
    phase: 'Running',
    conditions: [
      { type: 'Initialized', status: 'False', reason: 'Earlier' },
      { type: 'Ready', status: 'True', reason: 'Old' },
    ],
    containerStatuses: [{ restartCount: 2 }, { restartCount: 3, state: { running: {} } }],
  };
  assert.deepEqual(podRow(name, status), { name, phase: 'Running', isReady: true, restarts: 5, reason: '' });
});

test('a pod that is not ready is shown with what the pod, a container or the condition says', () => {
  const ready = { type: 'Ready', status: 'False', reason: 'ContainersNotReady', message: 'not ready: [web]' };
  const waiting = { waiting: { reason: 'CrashLoopBackOff', message: 'back-off 10s' } };
  const reasonOf = (status: object) => podRow(name, status).reason;
  assert.equal(
    reasonOf({ reason: 'Evicted', containerStatuses: [{ state: waiting }], conditions: [ready] }),
    'Evicted',
  );
  assert.equal(
    reasonOf({ containerStatuses: [{ state: {} }, { state: waiting }], conditions: [ready] }),
    'CrashLoopBackOff: back-off 10s',
  );
  assert.equal(reasonOf({ conditions: [ready] }), 'ContainersNotReady: not ready: [web]');
  assert.equal(reasonOf({}), '');
});

test('a status of any form gives a row of texts and numbers, of limited length', () => {
  const field = fc.oneof(fc.jsonValue(), fc.constant('x'.repeat(10_000)));
  const status = fc.record(
    {
      phase: field,
      reason: field,
      message: field,
      conditions: fc.oneof(
        field,
        fc.array(fc.record({ type: fc.constant('Ready'), status: field, reason: field })),
      ),
      containerStatuses: fc.oneof(field, fc.array(fc.record({ restartCount: field, state: field }))),
    },
    { requiredKeys: [] },
  );
  fc.assert(
    fc.property(fc.oneof(status, fc.jsonValue()), (value) => {
      const row = podRow(name, value);
      assert.deepEqual(
        [typeof row.phase, typeof row.isReady, typeof row.restarts, typeof row.reason],
        ['string', 'boolean', 'number', 'string'],
      );
      assert.ok(row.phase.length <= 500 && row.reason.length <= 1002);
    }),
  );
});

test('the roles of a node of Kubernetes are in its labels', () => {
  const labels = {
    'node-role.kubernetes.io/worker': '',
    'kubernetes.io/os': 'linux',
    'node-role.kubernetes.io/gpu': '',
  };
  const spec = {
    nodename: 'n1',
    nodeReady: true,
    unschedulable: true,
    labels,
    annotations: {},
    podCIDRs: ['10.244.0.0/24'],
  };
  assert.deepEqual(kubeNode(spec), {
    ...{ name: 'n1', isReady: true, isCordoned: true, podCidrs: ['10.244.0.0/24'] },
    roles: ['gpu', 'worker'],
  });
});
