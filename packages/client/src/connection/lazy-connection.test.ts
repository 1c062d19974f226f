import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { LazyConnection } from './lazy-connection.ts';

const endpoint = { host: '127.0.0.1', port: 1, address: '127.0.0.1:1' };

test('LazyConnection that cannot be opened has failed, says why, and reports no further change until it is closed', async () => {
  const connection = new LazyConnection(endpoint, () => Promise.reject(new Error('no such module')));
  const opened = connection.nextChange.bind(connection);
  assert.equal(connection.connect(), 'connecting');
  await opened();
  assert.deepEqual([connection.state(), connection.connect()], ['failed', 'failed']);
  assert.equal(await connection.problem(new Date()), 'no such module');
  let changes = 0;
  const change = connection.nextChange().then(() => {
    changes += 1;
  });
  await turn();
  assert.equal(changes, 0);
  connection[Symbol.dispose]();
  await change;
  assert.deepEqual([connection.state(), changes], ['closed', 1]);
});
