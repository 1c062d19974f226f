import assert from 'node:assert/strict';
import { test } from 'node:test';
import { logDestinationFromUrl, logDestinationKey, logDestinationText } from './log-destination.ts';

for (const url of ['tcp://10.0.0.1:514', 'udp://logs.example:6001', 'tcp://[fd00::1]:1']) {
  test(`logDestinationFromUrl() accepts ${url}`, () => {
    assert.equal(logDestinationText(logDestinationFromUrl(`${url}/`)), url);
  });
}

for (const url of ['http://a:1', 'tcp://a', 'tcp://a:0', 'tcp://a:70000', 'tcp://:1', 'tcp://a:1/path']) {
  test(`logDestinationFromUrl() rejects ${url}`, () => {
    assert.throws(() => logDestinationFromUrl(url), { kind: 'invalid-argument' });
  });
}

test('logDestinationKey() depends on the tags of a destination, but not on their order', () => {
  const key = (tags: Record<string, string>) => logDestinationKey(logDestinationFromUrl('tcp://a:1', tags));
  assert.equal(key({ a: '1', b: '2' }), key({ b: '2', a: '1' }));
  assert.notEqual(key({ a: '1' }), key({ a: '2' }));
});
