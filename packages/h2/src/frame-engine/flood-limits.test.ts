import assert from 'node:assert/strict';
import { test } from 'node:test';
import { endLimits, floodLimits, queueLimits } from './flood-limits.ts';

// The attacks compute their sizes from these constants, so they cannot notice that one is a hundred times too large.
test('the limits of a connection have these sizes', () => {
  assert.deepEqual(floodLimits, {
    idleFrames: { burst: 10_000, perSecond: 500 },
    idleFramesPerUsefulFrame: 8,
    sentBytesPerIdleFrame: 1024,
    waitingAnswers: 10_000,
    settingsPerFrame: 32,
    spareContinuations: 8,
    bytesPerContinuation: 4096,
    fields: 4096,
  });
  assert.deepEqual(queueLimits, {
    streamBytes: 65_536,
    streamResumeBytes: 32_768,
    socketBytes: 262_144,
    unreadBytes: 67_108_864,
    waitingCalls: 4096,
  });
  assert.deepEqual(endLimits, { lingerMs: 500, lingerBytes: 1_048_576 });
});
