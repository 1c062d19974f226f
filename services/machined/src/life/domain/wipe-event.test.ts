import assert from 'node:assert/strict';
import { test } from 'node:test';
import { wipeEvent } from './wipe-event.ts';

test('wipeEvent() names the address, the disk and what was found on it', () => {
  const wiped = { device: 'vdb', found: 'ext4 "photos", 1 TB' };
  assert.deepEqual(
    [wipeEvent({ ...wiped, address: '10.5.0.9' }), wipeEvent({ ...wiped, address: undefined })],
    [
      {
        kind: 'task',
        task: 'wipe vdb (ext4 "photos", 1 TB) for 10.5.0.9 without a certificate',
        action: 'start',
      },
      {
        kind: 'task',
        task: 'wipe vdb (ext4 "photos", 1 TB) for a caller with a certificate',
        action: 'start',
      },
    ],
  );
});
