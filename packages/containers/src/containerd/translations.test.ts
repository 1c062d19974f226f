import assert from 'node:assert/strict';
import { test } from 'node:test';
import { TaskExit } from '@nodewright/contract/gen/containerd/events/task.ts';
import { ImageDelete } from '@nodewright/contract/gen/containerd/services/images/v1/image_events.ts';
import { Fault } from '@nodewright/fault';
import { runtimeEventFrom } from './containerd-events.ts';
import { runtimeFault } from './runtime-fault.ts';
import { exitExtension, exitExtensionFrom, exitFrom, isOurs } from './task-exit.ts';
import { millisecondsFrom } from './timestamps.ts';

const grpcError = (code: number, details: string) =>
  Object.assign(new Error(`${code} ${details}`), { code, details });

test('runtimeFault() uses the code, and the text where the code is unspecific', () => {
  const rows: [number, string, string, string][] = [
    [5, 'image "x": not found', 'not-found', 'containerd: image "x": not found'],
    [6, 'container "a": already exists', 'already-exists', 'containerd: container "a": already exists'],
    [
      2,
      'write /x: no space left on device',
      'resource-exhausted',
      'containerd: write /x: no space left on device',
    ],
    [
      9,
      'unexpected commit digest sha256:1, expected sha256:2',
      'data-loss',
      'containerd: unexpected commit digest sha256:1, expected sha256:2',
    ],
    [
      2,
      'failed to extract layer: unexpected EOF',
      'data-loss',
      'containerd: failed to extract layer: unexpected EOF',
    ],
    [
      14,
      'No connection established. Last error: ECONNREFUSED',
      'unavailable',
      'containerd does not answer: No connection established. Last error: ECONNREFUSED',
    ],
    [
      14,
      'ref layer-1 locked for 1s: unavailable',
      'unavailable',
      'containerd: ref layer-1 locked for 1s: unavailable',
    ],
  ];
  for (const [code, details, kind, message] of rows) {
    const fault = runtimeFault(grpcError(code, details));
    assert.deepEqual({ kind: fault.kind, message: fault.message }, { kind, message });
  }
  const own = new Fault('aborted', 'of the registry');
  assert.equal(runtimeFault(own), own);
  assert.equal(runtimeFault(AbortSignal.abort().reason).kind, 'cancelled');
});

test('runtimeEventFrom() converts events of tasks, containers and images, and ignores others', () => {
  const timestamp = { seconds: 1_700_000_000n, nanos: 250_000_000 };
  const atMs = 1_700_000_000_250;
  const envelope = (topic: string, value: Uint8Array) => ({
    timestamp,
    namespace: 'system',
    topic,
    event: { typeUrl: 'x', value: Buffer.from(value) },
  });
  const exit = (id: string) =>
    TaskExit.encode(TaskExit.fromPartial({ containerId: 'etcd', id, exitStatus: 137 })).finish();
  assert.deepEqual(runtimeEventFrom(envelope('/tasks/exit', exit('etcd'))), {
    atMs,
    kind: 'task-exited',
    id: 'etcd',
    code: 137,
  });
  assert.equal(runtimeEventFrom(envelope('/tasks/exit', exit('an-added-process'))), undefined);
  const removed = ImageDelete.encode({ name: 'a/b:v1' }).finish();
  assert.deepEqual(runtimeEventFrom(envelope('/images/delete', removed)), {
    atMs,
    kind: 'image-removed',
    reference: 'a/b:v1',
  });
  assert.equal(runtimeEventFrom(envelope('/snapshot/prepare', removed)), undefined);
});

test('the exit of a task is stored with its container, and removed when it is started again', () => {
  const exit = { code: 7, atMs: 1_700_000_000_250 };
  const kept = { [exitExtension]: exitExtensionFrom(exit) };
  const fresh = { [exitExtension]: exitExtensionFrom(undefined) };
  assert.deepEqual([kept, fresh, {}].map(exitFrom), [exit, undefined, undefined]);
  assert.deepEqual([kept, fresh, {}].map(isOurs), [true, true, false]);
});

test('millisecondsFrom() converts a missing time to 0', () => {
  assert.equal(millisecondsFrom(undefined), 0);
  assert.equal(millisecondsFrom({ seconds: 2n, nanos: 999_999_999 }), 2_999);
});
