import assert from 'node:assert/strict';
import { test } from 'node:test';
import { UpstreamRecords } from './upstream-records.ts';

const endpointsOf = (registry: string) => [{ url: `https://${registry}` }];

test('UpstreamRecords counts answers and failures of an endpoint, and hides user and password', () => {
  const records = new UpstreamRecords();
  const url = 'https://user:secret@mirror.example/path';
  records.record('a.example', url, undefined, 1000);
  records.record('a.example', url, 'HTTP 503', 2000);
  records.record('a.example', url, undefined, 3000);
  const [first, second] = records.describe(['b.example'], () => [{ url, isMirror: true }]);
  assert.deepEqual([first?.registry, second?.registry], ['a.example', 'b.example']);
  assert.deepEqual(first?.endpoints, [
    {
      ...{ url: 'https://mirror.example/path', isMirror: true },
      ...{ hasCredentials: false, skipsVerification: false, requests: 3, failures: 1 },
      ...{ lastAnswerMs: 3000, lastError: 'HTTP 503', lastErrorMs: 2000 },
    },
  ]);
});

test('UpstreamRecords forgets the registries that were not asked for longest, but no configured one', () => {
  const records = new UpstreamRecords();
  for (let index = 0; index < 10_000; index += 1)
    records.record(`r${index}.example`, `https://r${index}.example`, undefined, index);
  const found = records.describe(['configured.example', 'r9999.example'], endpointsOf);
  assert.equal(found.length, 65);
  assert.ok(found.some(({ registry }) => registry === 'configured.example'));
  assert.ok(!found.some(({ registry }) => registry === 'r9000.example'));
});
