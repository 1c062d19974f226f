import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { showWait } from './progress.ts';

/** The output on stderr while showWait() waits for a response for two and a half seconds. */
async function toldWhileWaiting(t: TestContext, isTTY: boolean): Promise<string> {
  t.mock.timers.enable({ apis: ['setInterval'] });
  let now = 0;
  t.mock.method(performance, 'now', () => now);
  const pass = (milliseconds: number) => {
    now += milliseconds;
    t.mock.timers.tick(milliseconds);
  };
  let told = '';
  const write = (text: string | Uint8Array) => {
    told += text;
  };
  const { promise, resolve } = Promise.withResolvers<string>();
  const answer = showWait({ isTTY, columns: 80, write }, 'node01', promise);
  pass(1000);
  pass(1000);
  resolve('found');
  assert.equal(await answer, 'found');
  pass(5000);
  return told;
}

test('showWait() prints the node every second until it answers, then clears the line', async (t) => {
  const line = '\r\u001b[Kwaiting for node01';
  assert.equal(await toldWhileWaiting(t, true), `${line} (1s)${line} (2s)\r\u001b[K`);
});

test('showWait() prints nothing without a terminal', async (t) => {
  assert.equal(await toldWhileWaiting(t, false), '');
});
