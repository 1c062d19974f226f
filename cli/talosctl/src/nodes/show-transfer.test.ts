import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { showTransfer } from './show-transfer.ts';

/** The output on a terminal while a node pauses for a second, sends 82 kB, and pauses for another second. */
async function toldDuringTransfer(t: TestContext, target: { isTTY: boolean }): Promise<string[]> {
  t.mock.timers.enable({ apis: ['setInterval'] });
  let now = 0;
  t.mock.method(performance, 'now', () => now);
  const passSecond = () => {
    now += 1000;
    t.mock.timers.tick(1000);
  };
  const told: string[] = [];
  const stderr = { isTTY: true, columns: 80, write: (text: string | Uint8Array) => told.push(String(text)) };
  async function* pieces() {
    passSecond();
    yield { bytes: new Uint8Array(82_000) };
    passSecond();
  }
  const sizes: number[] = [];
  for await (const bytes of showTransfer({ stderr }, 'node01', pieces(), target)) sizes.push(bytes.length);
  assert.deepEqual(sizes, [82_000]);
  return told.join('').split('\r\u001b[K');
}

test('showTransfer() shows on a terminal what it waits for, then the received size and its rate', async (t) => {
  assert.deepEqual(await toldDuringTransfer(t, { isTTY: false }), [
    '',
    'waiting for node01 (1s)',
    '82 kB, 41 kB/s from node01 (2s)',
    '',
  ]);
});

test('showTransfer() stops its progress line once bytes are written to the terminal', async (t) => {
  assert.deepEqual(await toldDuringTransfer(t, { isTTY: true }), ['', 'waiting for node01 (1s)', '']);
});
