import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { closeSync, constants, mkdtempSync, openSync, rmSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { keyCodes, loadNativeCalls } from '@nodewright/linux';
import { eventually } from '@nodewright/testkit';
import { watchPowerKey } from './power-key.ts';

/** struct input_event of a key that is pressed. */
function press(code: number): Buffer {
  const bytes = Buffer.alloc(24);
  bytes.writeUInt16LE(1, 16);
  bytes.writeUInt16LE(code, 18);
  bytes.writeInt32LE(1, 20);
  return bytes;
}

test('watchPowerKey() reports the power button and no other key', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'input-'));
  execFileSync('mkfifo', [join(folder, 'event0')]);
  // Opened for both directions, so that the pipe has a writer before anybody reads it.
  const device = openSync(join(folder, 'event0'), constants.O_RDWR);
  let presses = 0;
  try {
    using _ = watchPowerKey({
      ...{ calls: await loadNativeCalls(), folder, log: { warn: assert.fail } },
      onPress: () => {
        presses += 1;
      },
    });
    const enter = 28;
    for (const code of [enter, keyCodes.power, enter, keyCodes.power]) writeSync(device, press(code));
    await eventually(() => presses === 2, { what: 'two presses of the power button' });
    writeSync(device, press(enter));
    await new Promise((resolve) => setTimeout(resolve, 50));
    assert.equal(presses, 2);
  } finally {
    closeSync(device);
    rmSync(folder, { recursive: true });
  }
});
