import assert from 'node:assert/strict';
import { test } from 'node:test';
import { NetstatRequest_Filter } from '@nodewright/contract/gen/machine/machine.ts';
import { selectSocket } from './select-socket.ts';

const remotes = {
  listening: { address: '0.0.0.0', port: 0, isUnspecified: true },
  connected: { address: '10.5.0.2', port: 443, isUnspecified: false },
  addressOnly: { address: '10.5.0.2', port: 0, isUnspecified: false },
  portOnly: { address: '::', port: 53, isUnspecified: true },
};
const taken = (filter: NetstatRequest_Filter) =>
  Object.entries(remotes)
    .filter(([, remote]) => selectSocket(filter)({ remote }))
    .map(([name]) => name);

test('selectSocket() checks only the remote end', () => {
  assert.deepEqual(
    [NetstatRequest_Filter.ALL, NetstatRequest_Filter.CONNECTED, NetstatRequest_Filter.LISTENING].map(taken),
    [Object.keys(remotes), ['connected'], ['listening']],
  );
});

test('selectSocket() quotes an invalid filter', () => {
  assert.throws(() => selectSocket(3 as NetstatRequest_Filter), {
    kind: 'invalid-argument',
    message: 'invalid filter: 3',
  });
});
