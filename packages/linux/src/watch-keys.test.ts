import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { closeSync, constants, mkdtempSync, openSync, rmSync, writeFileSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { eventually } from '@nodewright/testkit';
import fc from 'fast-check';
import { loadNativeCalls } from './native-calls.ts';
import { keyCodes, pressedKeys, watchKeys } from './watch-keys.ts';

function event(type: number, code: number, value: number): Buffer {
  const bytes = Buffer.alloc(24);
  bytes.writeUInt16LE(type, 16);
  bytes.writeUInt16LE(code, 18);
  bytes.writeInt32LE(value, 20);
  return bytes;
}

const press = event(1, keyCodes.power, 1);
const release = event(1, keyCodes.power, 0);
const repeat = event(1, keyCodes.power, 2);
const synchronisation = event(0, 0, 0);

test('pressedKeys() returns presses, and neither releases nor repetitions', () => {
  assert.deepEqual(pressedKeys(Buffer.concat([press, synchronisation, release, repeat, press])), [116, 116]);
  fc.assert(fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => void pressedKeys(Buffer.from(bytes))));
});

test('watchKeys() reports the presses of every input device, until it is disposed of', async () => {
  const calls = await loadNativeCalls();
  const folder = mkdtempSync(join(tmpdir(), 'input-'));
  const names = ['event0', 'event1'];
  for (const name of names) execFileSync('mkfifo', [join(folder, name)]);
  writeFileSync(join(folder, 'mice'), 'another kind of device');
  const codes: number[] = [];
  // Opened for both directions, so that the pipe has a writer before anybody reads it.
  const [first, second] = names.map((name) => openSync(join(folder, name), constants.O_RDWR)) as [
    number,
    number,
  ];
  try {
    const watch = watchKeys(calls, (code) => codes.push(code), folder);
    writeSync(first, Buffer.concat([press, release]));
    await eventually(() => codes.length === 1, { what: 'the press on the first device' });
    writeSync(second, press);
    await eventually(() => codes.length === 2, { what: 'the press on the second device' });
    watch[Symbol.dispose]();
    writeSync(first, press);
    await new Promise((resolve) => setTimeout(resolve, 50));
    assert.deepEqual(codes, [116, 116]);
  } finally {
    for (const descriptor of [first, second]) closeSync(descriptor);
    rmSync(folder, { recursive: true });
  }
});

test('watchKeys() without input devices watches nothing', () => {
  const calls = { watchReadable: () => assert.fail('there is nothing to watch') };
  watchKeys(calls, () => {}, '/nowhere')[Symbol.dispose]();
});
