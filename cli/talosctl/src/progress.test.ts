import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { showWait } from './progress.ts';

/** What stderr is told of an answer that takes two and a half seconds. */
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

test('showWait() names the node each second until it has answered, and takes the line away', async (t) => {
  const line = '\r\u001b[Kwaiting for node01';
  assert.equal(await toldWhileWaiting(t, true), `${line} (1s)${line} (2s)\r\u001b[K`);
});

test('showWait() says nothing where nobody looks', async (t) => {
  assert.equal(await toldWhileWaiting(t, false), '');
});
