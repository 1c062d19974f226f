import assert from 'node:assert/strict';
import { test } from 'node:test';
import { PullProgress, RetryCount } from './pull-progress.ts';

test('PullProgress reports each layer from the first byte to the last', () => {
  const progress = new PullProgress();
  const lines = [
    { id: 'a', status: 'Pulling fs layer' },
    { id: 'b', status: 'Already exists' },
    { status: 'Digest: sha256:0' },
    { id: 'a', status: 'Downloading', progressDetail: { current: 5, total: 10 } },
    { id: 'a', status: 'Verifying Checksum' },
    { id: 'a', status: 'Download complete' },
    { id: 'a', status: 'Extracting', progressDetail: { current: 4, total: 10 } },
    { id: 'a', status: 'Pull complete' },
  ];
  const told = lines.map((line, index) => progress.afterLine(line, 1000 + index));
  const a = (status: string, offsetBytes: number, totalBytes: number, elapsedMs: number) => ({
    id: 'a',
    status,
    offsetBytes,
    totalBytes,
    elapsedMs,
  });
  assert.deepEqual(told, [
    a('downloading', 0, 0, 0),
    { id: 'b', status: 'already-exists', offsetBytes: 0, totalBytes: 0, elapsedMs: 0 },
    undefined,
    a('downloading', 5, 10, 3),
    a('downloading', 5, 10, 4),
    a('downloaded', 10, 10, 5),
    a('extracting', 4, 10, 6),
    a('extracted', 10, 10, 7),
  ]);
});

test('RetryCount counts each retry of each layer once', () => {
  const retries = new RetryCount();
  const counts = [
    { id: 'a', status: 'Downloading' },
    { id: 'a', status: 'Retrying in 2 seconds' },
    { id: 'b', status: 'Retrying in 5 seconds' },
    { id: 'a', status: 'Retrying in 1 second' },
    { id: 'a', status: 'Downloading' },
    { id: 'a', status: 'Retrying in 4 seconds' },
  ].map((line) => retries.afterLine(line));
  assert.deepEqual(counts, [0, 1, 2, 2, 2, 3]);
});
