import assert from 'node:assert/strict';
import { test } from 'node:test';
import { failedStatus, systemVolumes, volumeStatusOf } from './system-volumes.ts';

test('the status of a volume that failed says what volume it is, and where it stood before', () => {
  const volumes = systemVolumes({ machineType: 'controlplane', hasPartitions: true });
  const facts = volumes.map(({ id, spec }) => {
    const failed = failedStatus(spec, 'no disk');
    assert.deepEqual(
      [failed.phase, failed.errorMessage, failed.mountSpec],
      ['failed', 'no disk', spec.mount],
    );
    const refused = { refusal: { kind: 'failed-precondition', message: 'no disk' } };
    assert.deepEqual(
      volumeStatusOf(spec, refused as unknown as Parameters<typeof volumeStatusOf>[1]),
      failed,
    );
    return [id, failed.type, failed.parentID, failed.preFailPhase];
  });
  const rows = facts.filter(([id]) => ['EPHEMERAL', 'ETCD', 'LOG'].includes(id ?? ''));
  assert.deepEqual(rows, [
    ['EPHEMERAL', 'partition', '', 'waiting'],
    ['ETCD', 'directory', 'EPHEMERAL', 'located'],
    ['LOG', 'directory', 'EPHEMERAL', 'located'],
  ]);
});
