import assert from 'node:assert/strict';
import { test } from 'node:test';
import { CallerLanes } from './caller-lanes.ts';
import { ConnectionShares } from './connection-shares.ts';

const limits = {
  connectionsPerIdentity: 3,
  connectionsPerApid: 4,
  connections: 8,
  reservedConnections: 2,
  smallIdentityConnections: 1,
};

test('ConnectionShares limits connections per identity and in total, with a reserve', () => {
  const shares = new ConnectionShares(limits);
  const fill = (identity: string, isApid = false) => {
    for (let count = 0; ; count += 1) {
      const refusal = shares.refusal(identity, isApid);
      if (refusal !== undefined) return [count, refusal];
      shares.open(identity);
    }
  };
  assert.deepEqual(
    [fill('a'), fill('b'), fill('c'), fill('x', true)],
    [
      [3, 'too many connections of this client: the limit is 3'],
      [3, 'too many connections of this client: the limit is 3'],
      [1, 'too many connections on this node: the limit is 6'],
      [1, 'too many connections on this node: the limit is 8'],
    ],
  );
});

test('ConnectionShares frees a connection that is closed', () => {
  const shares = new ConnectionShares(limits);
  const close = [1, 2, 3].map(() => shares.open('a'));
  assert.notEqual(shares.refusal('a', false), undefined);
  close[0]?.();
  assert.equal(shares.refusal('a', false), undefined);
});

test('CallerLanes gives each caller a free lane if there is one, and keeps it during calls', () => {
  const lanes = new CallerLanes(2);
  assert.deepEqual(
    ['a', 'a', 'b'].map((caller) => lanes.enter(caller)),
    [0, 0, 1],
  );
  lanes.leave('a');
  assert.deepEqual(
    ['c', 'a'].map((caller) => lanes.enter(caller)),
    [0, 0],
  );
  lanes.leave('b');
  assert.equal(lanes.enter('d'), 1);
});
