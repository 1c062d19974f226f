import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { eventually } from './eventually.ts';

/** How often a condition that takes `tookMs` and never holds is looked at in 600 ms. */
async function looksAt(tookMs: number, pollMs?: number): Promise<number> {
  let looks = 0;
  const holds = async () => {
    looks += 1;
    await sleep(tookMs);
    return false;
  };
  const init = { what: 'end', timeoutMs: 600, ...(pollMs !== undefined && { pollMs }) };
  await assert.rejects(eventually(holds, init), /^Error: no end within 600 ms/);
  return looks;
}

// A busy machine looks less often, never more.
test('eventually() pauses twice as long as a look takes, so that looks take a third of a processor', async () => {
  assert.ok((await looksAt(100)) <= 3);
});

test('eventually() pauses for the time between looks that it is given', async () => {
  assert.ok((await looksAt(0, 290)) <= 4);
  assert.ok((await looksAt(0, 590)) <= 3);
});

test('eventually() returns at the first look that holds, and takes an error for one that does not', async () => {
  let looks = 0;
  await eventually(
    () => {
      looks += 1;
      if (looks < 3) throw new Error('not yet');
      return looks === 3;
    },
    { what: 'third look' },
  );
  assert.equal(looks, 3);
});

test('eventually() names the last error as the cause of its own', async () => {
  const cause = new Error('nothing listens');
  const look = () => Promise.reject(cause);
  await assert.rejects(eventually(look, { what: 'answer', timeoutMs: 0 }), { cause });
});
