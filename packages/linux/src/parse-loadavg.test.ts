import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Fault } from '@nodewright/fault';
import { fixture } from './fixture.ts';
import { parseLoadavg } from './parse-loadavg.ts';

test('parseLoadavg() reads the three averages', () => {
  assert.deepEqual(parseLoadavg(fixture('loadavg.txt')), { load1: 0.52, load5: 1.04, load15: 12.3 });
});

test('parseLoadavg() names the text it could not read', () => {
  for (const text of ['', '0.52 1.04', 'a b c 1/2 3']) {
    assert.throws(
      () => parseLoadavg(text),
      (error) =>
        error instanceof Fault && error.kind === 'internal' && error.message.includes(JSON.stringify(text)),
    );
  }
});
