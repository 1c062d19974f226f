import assert from 'node:assert/strict';
import { test } from 'node:test';
import { newServiceRecord, type ServiceRecord } from '@nodewright/services/domain';
import { restartingServices } from './restarting-services.ts';

const nowMs = 1_700_000_000_000;
const full =
  'Error running Process(["etcd"]), going to restart forever: exit status 1 (last log "{\\"level\\":\\"fatal\\",\\"msg\\":\\"failed to create WAL\\",\\"error\\":\\"write /w: no space left on device\\"}\\n…\\nbye")';

/** A service that was started again at these times, in seconds before now. */
function restarted(secondsAgo: readonly number[], change: Partial<ServiceRecord> = {}): ServiceRecord {
  return {
    ...newServiceRecord('etcd', false),
    state: 'Waiting',
    history: secondsAgo.map((seconds) => ({ state: 'Waiting', message: full, atMs: nowMs - seconds * 1000 })),
    ...change,
  };
}

test('restartingServices() names a service that keeps restarting, with the first line that says why', () => {
  const { problems, nextMs } = restartingServices([restarted([30, 20, 10])], nowMs);
  assert.deepEqual(
    [...problems],
    [
      [
        'restarting-etcd',
        {
          message:
            'service etcd keeps restarting: exit status 1, failed to create WAL: write /w: no space left on device',
          details: [
            'started again 3 times within 4 minutes',
            'see "talosctl service etcd" for its history and "talosctl logs etcd" for its log',
          ],
        },
      ],
    ],
  );
  assert.equal(nextMs, 210_000);
});

test('restartingServices() is silent about few or old restarts, a stopped service and one that has recovered', () => {
  const quiet = [
    restarted([20, 10]),
    restarted([300, 290, 280, 10]),
    restarted([-3600, -3610, -3620]),
    restarted([30, 20, 10], { isStopped: true }),
    restarted([80, 70, 61], { state: 'Running' }),
  ];
  for (const record of quiet) assert.equal(restartingServices([record], nowMs).problems.size, 0);
  const recovering = restartingServices([restarted([30, 20, 10], { state: 'Running' })], nowMs);
  assert.deepEqual([recovering.problems.size, recovering.nextMs], [1, 50_000]);
});

test('restartingServices() takes a message of another form as it is', () => {
  const message = 'Error running X, going to restart forever: cannot start "/x"';
  const entry = { state: 'Waiting', message, atMs: nowMs } as const;
  const { problems } = restartingServices([restarted([], { history: [entry, entry, entry] })], nowMs);
  assert.equal(problems.get('restarting-etcd')?.message, 'service etcd keeps restarting: cannot start "/x"');
});
