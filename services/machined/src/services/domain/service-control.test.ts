import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ServiceLife } from '@nodewright/services';
import { isNodeService, planServiceCall, type ServiceOperation } from './service-control.ts';

const refused = (operation: ServiceOperation) => `doesn't support ${operation} operation via API`;

/** For each kind of service and each operation: the plan while the service is off, on and ending. */
const table: Readonly<Record<string, Readonly<Record<ServiceOperation, readonly (string | undefined)[]>>>> = {
  'ext-hello': {
    start: ['start', undefined, 'restart'],
    stop: [undefined, 'stop', 'stop'],
    restart: ['start', 'restart', 'restart'],
  },
  kubelet: {
    start: ['start', undefined, 'restart'],
    stop: [undefined, refused('stop'), refused('stop')],
    restart: ['start', 'restart', 'restart'],
  },
  apid: {
    start: [refused('start'), undefined, refused('start')],
    stop: [undefined, refused('stop'), refused('stop')],
    // A restart of a stopped service is a start.
    restart: [refused('start'), refused('restart'), refused('restart')],
  },
};

test('planServiceCall() permits what the service supports, and plans nothing for a state that is reached already', () => {
  for (const [id, operations] of Object.entries(table)) {
    for (const [operation, expected] of Object.entries(operations) as [ServiceOperation, string[]][]) {
      const lives: ServiceLife[] = ['off', 'on', 'ending'];
      const actual = lives.map((life) => {
        try {
          return planServiceCall(operation, id, life);
        } catch (error) {
          return (error as Error).message.replace(`service "${id}" `, '');
        }
      });
      assert.deepEqual(actual, expected, `${operation} of ${id}`);
    }
  }
});

test('planServiceCall() refuses a service that is not declared', () => {
  for (const operation of ['start', 'stop', 'restart'] as const) {
    assert.throws(() => planServiceCall(operation, 'kubelet', undefined), {
      kind: 'unknown',
      message: 'service "kubelet" not defined',
    });
  }
});

test('isNodeService() accepts the services of the system and of extensions', () => {
  const ids = ['machined', 'etcd', 'sandboxd', 'ext-tailscale', 'tailscale', '', 'Apid'];
  assert.deepEqual(ids.map(isNodeService), [true, true, true, true, false, false, false]);
});
