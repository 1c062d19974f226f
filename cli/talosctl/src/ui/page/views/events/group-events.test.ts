import assert from 'node:assert/strict';
import { test } from 'node:test';
import { eventRows } from './event-rows.ts';
import { groupEvents, type NodeEvent } from './group-events.ts';

let count = 0;
function event(
  atMs: number,
  type: string,
  source: string,
  message: string,
  rest: Partial<NodeEvent> = {},
): NodeEvent {
  count += 1;
  return {
    id: `id${String(count).padStart(4, '0')}`,
    atMs,
    actor: '',
    node: 'node01',
    type,
    source,
    message,
    ...rest,
  };
}

test('groupEvents() joins what one call caused on all nodes, and separates what lies apart', () => {
  const groups = groupEvents([
    event(0, 'Sequence', 'boot', 'START'),
    event(5000, 'Sequence', 'boot', 'STOP'),
    event(60_000, 'Sequence', 'reboot', 'START', { actor: 'one' }),
    event(61_000, 'Sequence', 'reboot', 'START', { actor: 'one', node: 'node02' }),
    event(60_500, 'ServiceState', 'etcd', 'FAILED: exited'),
    event(90_000, 'ServiceState', 'etcd', 'RUNNING: started'),
  ]);
  assert.deepEqual(
    groups.map(({ actor, events, nodes, hasFailed }) => [
      actor,
      events.map(({ source }) => source).join(),
      nodes.join(),
      hasFailed,
    ]),
    [
      ['', 'etcd', 'node01', false],
      ['one', 'reboot,reboot', 'node01,node02', false],
      ['', 'etcd', 'node01', true],
      ['', 'boot,boot', 'node01', false],
    ],
  );
});

test('eventRows() makes one row of a start and its end, with what happened meanwhile below it', () => {
  const rows = eventRows([
    event(0, 'Sequence', 'boot', 'START'),
    event(0, 'Phase', 'services', 'START'),
    event(1000, 'ServiceState', 'apid', 'RUNNING: started'),
    event(2000, 'Phase', 'services', 'STOP'),
    event(2000, 'Phase', 'kubelet', 'START'),
    event(3000, 'Sequence', 'boot', 'error: no disk'),
    event(4000, 'Task', 'late', 'STOP'),
  ]);
  assert.deepEqual(
    rows.map(({ kind, source, depth, startMs, endMs, hasFailed }) => [
      kind,
      source,
      depth,
      startMs,
      endMs,
      hasFailed,
    ]),
    [
      ['sequence', 'boot', 0, 0, 3000, true],
      ['phase', 'services', 1, 0, 2000, false],
      ['service', 'apid', 2, 1000, undefined, false],
      ['phase', 'kubelet', 1, 2000, undefined, false],
      ['task', 'late', 2, 4000, undefined, false],
    ],
  );
});
