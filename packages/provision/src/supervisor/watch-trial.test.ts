import assert from 'node:assert/strict';
import { existsSync, mkdirSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { watchTrial } from './watch-trial.ts';

function openSlot(context: TestContext, prepare = (_slot: string) => {}) {
  const slot = mkdtempSync(join(tmpdir(), 'slot-'));
  prepare(slot);
  context.after(() => rmSync(slot, { recursive: true }));
  writeFileSync(join(slot, 'trial'), '');
  context.mock.timers.enable({ apis: ['setInterval'] });
  const seen = { hangs: 0 };
  context.after(() => watch[Symbol.dispose]());
  const watch = watchTrial({
    slot,
    onHang: () => {
      seen.hangs += 1;
    },
  });
  const pass = (looks: number) => {
    for (let look = 0; look < looks; look += 1) context.mock.timers.tick(10_000);
    return seen.hangs;
  };
  let lives = 0;
  const live = () => {
    lives += 1;
    writeFileSync(join(slot, 'alive'), '');
    utimesSync(join(slot, 'alive'), lives, lives);
  };
  return { slot, pass, live: live };
}

test('a tried system that never shows life hangs after two minutes, once', (context) => {
  const { pass } = openSlot(context);
  assert.deepEqual([pass(11), pass(1), pass(30)], [0, 1, 1]);
});

test('a tried system that shows life does not hang, and does when it stops', (context) => {
  const { pass, live } = openSlot(context);
  for (let round = 0; round < 20; round += 1) {
    live();
    assert.equal(pass(3), 0);
  }
  assert.deepEqual([pass(9), pass(1)], [0, 1]);
});

test('a system that is confirmed is not watched any more', (context) => {
  const { slot, pass } = openSlot(context);
  pass(5);
  rmSync(join(slot, 'trial'));
  assert.equal(pass(100), 0);
});

test('a folder in place of the sign of life is removed', (context) => {
  const { slot } = openSlot(context, (folder) =>
    mkdirSync(join(folder, 'alive', 'more'), { recursive: true }),
  );
  assert.equal(existsSync(join(slot, 'alive')), false);
});

test('a slot that is no folder is not watched', (context) => {
  const file = join(openSlot(context).slot, 'trial');
  watchTrial({ slot: file, onHang: () => assert.fail('nothing runs') })[Symbol.dispose]();
});
