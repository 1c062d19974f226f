import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Resource } from '../resource.ts';
import { Collections } from './collections.ts';

const kind = { namespace: 'desk', type: 'Notes.test.nodewright.dev' };
const resource: Resource = {
  metadata: {
    ...{ ...kind, id: 'a', version: 1, owner: '', phase: 'running', finalizers: [] },
    ...{ labels: {}, annotations: {}, createdMs: 0, updatedMs: 0 },
  },
  spec: {},
};

test('Collections drops a kind without writes when its last watch ends, and keeps the others', () => {
  const collections = new Collections();
  const first = collections.startWatch(kind);
  assert.equal(collections.startWatch(kind), first);
  collections.stopWatch(kind, first);
  assert.deepEqual([collections.count, collections.find(kind)], [1, first]);
  collections.stopWatch(kind, first);
  assert.deepEqual([collections.count, collections.find(kind)], [0, undefined]);

  const written = collections.startWatch(kind);
  written.publish({ kind: 'created', resource });
  written.publish({ kind: 'destroyed', resource });
  collections.stopWatch(kind, written);
  assert.equal(collections.find(kind), written);
});
