import assert from 'node:assert/strict';
import { test } from 'node:test';
import { eventTitle } from './event-title.ts';

let count = 0;
const event = (type: string, source: string, message: string, node = 'node01') => {
  count += 1;
  return { id: String(count), atMs: count, actor: '', node, type, source, message };
};

test('the title of a group of events says what happened', () => {
  const start = event('Sequence', 'reboot', 'START');
  const titles: readonly [string, Parameters<typeof eventTitle>[0]][] = [
    ['node01 reboots', [start, event('Phase', 'stop', 'START')]],
    ['node01 rebooted', [start, event('Sequence', 'reboot', 'STOP')]],
    ['2 nodes reboot', [start, event('Sequence', 'reboot', 'START', 'node02')]],
    ['2 nodes upgrade', ['node01', 'node02'].map((node) => event('Sequence', 'upgrade', 'START', node))],
    ['2 nodes shut down', ['node01', 'node02'].map((node) => event('Sequence', 'shutdown', 'START', node))],
    ['2 nodes reset themselves', ['a', 'b'].map((node) => event('Sequence', 'reset', 'START', node))],
    ['boot of node02 failed: no disk', [event('Sequence', 'boot', 'error: no disk', 'node02')]],
    ['node01 has run adoption', [event('Sequence', 'adoption', 'STOP')]],
    ['etcd failed on node01: exited', [event('ServiceState', 'etcd', 'FAILED: exited')]],
    [
      'etcd failed on node01: exited, and runs now',
      [event('ServiceState', 'etcd', 'FAILED: exited'), event('ServiceState', 'etcd', 'RUNNING: started')],
    ],
    [
      'apid, etcd run; kubelet waits on node01',
      [
        event('ServiceState', 'apid', 'STARTING: '),
        event('ServiceState', 'apid', 'RUNNING: started'),
        event('ServiceState', 'etcd', 'RUNNING: started'),
        event('ServiceState', 'kubelet', 'WAITING: for time'),
      ],
    ],
    [
      'node01 is running, not ready: etcd, time',
      [event('MachineStatus', 'RUNNING', 'ready: false, unmet conditions: [etcd time]')],
    ],
    ['node01 is running, ready', [event('MachineStatus', 'RUNNING', 'ready: true, unmet conditions: []')]],
    ['node01 has the addresses 10.0.0.1, ::1', [event('Address', 'node01', 'ADDRESSES: 10.0.0.1,::1')]],
    ['node01 refuses a configuration: no type', [event('ConfigValidationError', 'error', 'no type')]],
  ];
  for (const [title, events] of titles) assert.equal(eventTitle(events), title);
});
