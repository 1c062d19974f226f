import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ServerConnection } from '@nodewright/h2';
import { FakeClock } from '../testing/fake-clock.ts';
import { Connections } from './connections.ts';

const limits = { connections: 4, anonymous: 3, anonymousPerGroup: 2, anonymousMs: 10_000, silentMs: 60_000 };

function start() {
  const clock = new FakeClock();
  const connections = new Connections({ clock, limits });
  const open = (group: string) => {
    const closed = Promise.withResolvers<void>();
    const peer = { group, isTrusted: false, lastCallMs: clock.nowMs() };
    const state = { isOpen: true, peer };
    const connection: Pick<ServerConnection, 'destroy' | 'closed'> = {
      closed: closed.promise,
      destroy() {
        state.isOpen = false;
        closed.resolve();
      },
    };
    connections.add(connection as ServerConnection, peer);
    return state;
  };
  return { clock, connections, open };
}

test('Connections closes a connection without a right token after 10 s', async () => {
  const { clock, connections, open } = start();
  const silent = open('a');
  await clock.advance(9999);
  assert.equal(silent.isOpen, true);
  await clock.advance(1);
  assert.deepEqual([silent.isOpen, connections.count, clock.sleeping], [false, 0, 0]);
});

test('Connections keeps a node that makes calls, and closes it 60 s after its last call', async () => {
  const { clock, open } = start();
  const node = open('a');
  node.peer.isTrusted = true;
  for (let call = 0; call < 10; call += 1) {
    await clock.advance(30_000);
    node.peer.lastCallMs = clock.nowMs();
  }
  assert.equal(node.isOpen, true);
  await clock.advance(59_999);
  assert.equal(node.isOpen, true);
  await clock.advance(1);
  assert.equal(node.isOpen, false);
});

test('Connections closes the oldest anonymous connection of an address for a new one, and no node', async () => {
  const { connections, open } = start();
  const node = open('a');
  node.peer.isTrusted = true;
  const anonymous = ['a', 'a', 'a', 'b', 'c'].map(open);
  assert.deepEqual(
    [node, ...anonymous].map(({ isOpen }) => isOpen),
    [true, false, false, true, true, true],
  );
  await new Promise(setImmediate);
  assert.equal(connections.count, 4);
});
