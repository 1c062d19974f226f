import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Fault } from '@nodewright/fault';
import { faultOfEtcd } from './fault-of-etcd.ts';

test('faultOfEtcd() tells a client that was closed here from an etcd that cannot be reached', () => {
  const kindOf = (message: string) => faultOfEtcd(new Fault('unavailable', message), '127.0.0.1:2379').kind;
  assert.deepEqual(
    [
      kindOf('Channel has been shut down'),
      kindOf('Failed to connect'),
      kindOf('No connection established. Last error: Error: connect ECONNREFUSED. Resolution note: '),
    ],
    ['cancelled', 'unavailable', 'unavailable'],
  );
});
