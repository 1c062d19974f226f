import assert from 'node:assert/strict';
import { test } from 'node:test';
import { dnsProblem, nodesProblem } from './workload-state.ts';

const conditions = (type: string, status: string, message = '') => ({
  status: {
    conditions: [
      { type: 'MemoryPressure', status: 'False' },
      { type, status, message },
    ],
  },
});
const node = (name: string, ready: string, message = '') => ({
  metadata: { name },
  ...conditions('Ready', ready, message),
});

test('nodesProblem() accepts nodes that are Ready, and names each that is not with the reason', () => {
  const list = (...items: object[]) => ({ status: 200, body: { items } });
  assert.equal(nodesProblem(['a', 'b'], list(node('b', 'True'), node('a', 'True'))), undefined);
  assert.equal(
    nodesProblem(['a', 'b', 'c'], list(node('a', 'True'), node('b', 'False', 'no network'))),
    'b: no network; c is not registered',
  );
  assert.equal(nodesProblem(['a'], list({ metadata: { name: 'a' } })), 'a: it has no condition Ready');
  assert.equal(nodesProblem(['a'], { status: 503, body: {} }), 'the list of nodes answers 503');
});

test('dnsProblem() accepts a deployment that is available, and says why another is not', () => {
  assert.equal(dnsProblem({ status: 200, body: conditions('Available', 'True') }), undefined);
  assert.equal(
    dnsProblem({ status: 200, body: conditions('Available', 'False', 'no replica') }),
    'no replica',
  );
  assert.equal(dnsProblem({ status: 200, body: {} }), 'CoreDNS has not started');
  assert.equal(dnsProblem({ status: 404, body: {} }), 'the deployment of CoreDNS answers 404');
});
