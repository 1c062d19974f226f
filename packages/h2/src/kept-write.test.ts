import assert from 'node:assert/strict';
import type { AsyncHook, createHook, HookCallbacks } from 'node:async_hooks';
import { test } from 'node:test';
import { keepWrite } from './kept-write.ts';

/** A hook that the test calls instead of Node.js. */
function openHook() {
  let callbacks: HookCallbacks = {};
  let isEnabled = false;
  const hook: AsyncHook = {
    enable() {
      isEnabled = true;
      return hook;
    },
    disable() {
      isEnabled = false;
      return hook;
    },
  };
  const create: typeof createHook = (given) => {
    callbacks = given;
    return hook;
  };
  return {
    create,
    init: (id: number, type: string, resource: object) => callbacks.init?.(id, type, 0, resource),
    after: (id: number) => callbacks.after?.(id),
    isEnabled: () => isEnabled,
  };
}

test('keepWrite keeps the first write that is complete, without its bytes, and then follows nothing', async () => {
  const { create, init, after, isEnabled } = openHook();
  const keeping = keepWrite(create);
  const writes = [1, 2].map((id) => ({ id, buffer: Buffer.from('secret') }));
  for (const write of writes) init(write.id, 'WRITEWRAP', write);
  const other = { buffer: Buffer.from('of another kind') };
  init(3, 'TCPCONNECTWRAP', other);
  after(3);
  assert.ok(isEnabled());
  assert.ok(writes.every(({ buffer }) => buffer !== null));
  after(2);
  assert.ok(!isEnabled());
  const { write } = await keeping;
  assert.equal(write, writes[1]);
  // The first one is still being written: the system reads its bytes.
  assert.deepEqual(
    writes.map(({ buffer }) => buffer === null),
    [false, true],
  );
});

test('keepWrite follows a bounded number of writes that are never complete, the last ones', () => {
  const { create, init, after, isEnabled } = openHook();
  void keepWrite(create);
  for (let id = 1; id <= 17; id += 1) init(id, 'WRITEWRAP', {});
  after(1);
  assert.ok(isEnabled());
  after(17);
  assert.ok(!isEnabled());
});
