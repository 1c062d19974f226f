import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import {
  closeSync,
  constants,
  mkdtempSync,
  openSync,
  readdirSync,
  readlinkSync,
  rmSync,
  symlinkSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { faultFrom } from '@nodewright/fault';
import { eventually } from '@nodewright/testkit';
import fc from 'fast-check';
import { ifReadable } from './if-readable.ts';
import { loadNativeCalls, type NativeCalls } from './native-calls.ts';
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
  const { watchReadable } = await loadNativeCalls();
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
    const watch = watchKeys({
      watchReadable,
      onPress: (code) => codes.push(code),
      onSkip: assert.fail,
      folder,
    });
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

test('watchKeys() skips and names a device that cannot be opened or watched, and watches the others', async () => {
  const native = await loadNativeCalls();
  const folder = mkdtempSync(join(tmpdir(), 'input-'));
  const names = ['event1', 'event2'];
  // A device whose driver is gone cannot be opened, like this link.
  symlinkSync('gone', join(folder, 'event0'));
  for (const name of names) execFileSync('mkfifo', [join(folder, name)]);
  const writer = openSync(join(folder, 'event2'), constants.O_RDWR);
  const pathOf = (descriptor: number | string) =>
    ifReadable(() => readlinkSync(`/proc/self/fd/${descriptor}`));
  const watchReadable: NativeCalls['watchReadable'] = (descriptor, onReadable) => {
    if (pathOf(descriptor) === join(folder, 'event2')) return native.watchReadable(descriptor, onReadable);
    throw new Error('EPERM: operation not permitted, watch');
  };
  const [skipped, codes]: [unknown[], number[]] = [[], []];
  const onSkip = (path: string, error: unknown) => skipped.push([path, faultFrom(error).message]);
  const watch = watchKeys({ watchReadable, onPress: (code) => codes.push(code), onSkip, folder });
  try {
    assert.deepEqual(skipped.toSorted(), [
      [join(folder, 'event0'), `ENOENT: no such file or directory, open '${join(folder, 'event0')}'`],
      [join(folder, 'event1'), 'EPERM: operation not permitted, watch'],
    ]);
    assert.ok(!readdirSync('/proc/self/fd').map(pathOf).includes(join(folder, 'event1')), 'it is closed');
    writeSync(writer, press);
    await eventually(() => codes.length === 1, { what: 'the press on the device that can be watched' });
  } finally {
    watch[Symbol.dispose]();
    closeSync(writer);
    rmSync(folder, { recursive: true });
  }
});

test('watchKeys() without input devices watches nothing', () => {
  const watchReadable = () => assert.fail('there is nothing to watch');
  const onSkip = () => assert.fail('there is nothing to skip');
  watchKeys({ watchReadable, onPress: () => {}, onSkip, folder: '/nowhere' })[Symbol.dispose]();
});
