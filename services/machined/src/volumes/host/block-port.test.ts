import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { pathToFileURL } from 'node:url';
import type { NativeCalls } from '@nodewright/linux';
import { createBlockPort } from './block-port.ts';

function openDevice(sizeBytes: number) {
  const folder = mkdtempSync(join(tmpdir(), 'block-port-'));
  const path = join(folder, 'device');
  writeFileSync(path, Buffer.alloc(sizeBytes, 0xff));
  return { path, [Symbol.dispose]: () => rmSync(folder, { recursive: true }) };
}

test('BlockPort reads and writes at a place of a device, and reads less at its end', async () => {
  using device = openDevice(8192);
  // These need no system call beyond those of Node.js.
  const port = createBlockPort({} as NativeCalls);
  await port.write(device.path, [
    { at: 512, bytes: Buffer.alloc(512, 1) },
    { at: 7680, bytes: Buffer.alloc(512, 2) },
  ]);
  {
    await using exclusive = await port.openExclusive(device.path);
    await exclusive.write(4096, Buffer.alloc(1024, 3));
    await exclusive.sync();
  }
  const wanted = Buffer.alloc(8192, 0xff).fill(1, 512, 1024).fill(3, 4096, 5120).fill(2, 7680);
  assert.ok(readFileSync(device.path).equals(wanted));
  assert.deepEqual(await port.read(device.path, 4000, 200), wanted.subarray(4000, 4200));
  assert.deepEqual(await port.read(device.path, 8000, 4096), wanted.subarray(8000));
});

for (const [how, write] of [
  ['write()', 'port.write(path, [{ at: 0, bytes }])'],
  ['openExclusive()', 'port.openExclusive(path).then((device) => device.write(0, bytes))'],
] as const)
  test(`BlockPort.${how} fails when the kernel takes only the first bytes of a write`, () => {
    using device = openDevice(512);
    const program = `
      import { createBlockPort } from ${JSON.stringify(pathToFileURL(join(import.meta.dirname, 'block-port.ts')).href)};
      const [port, path, bytes] = [createBlockPort({}), ${JSON.stringify(device.path)}, Buffer.alloc(16384)];
      const result = await ${write}.then(() => 'written', (error) => error.code);
      process.stdout.write(result);`;
    // No file may grow beyond 8 blocks of 512 bytes: the kernel writes up to there, and fails the next write.
    const limited = 'ulimit -f 8; exec "$1" --input-type=module -e "$2"';
    const { stdout, stderr } = spawnSync('sh', ['-c', limited, 'sh', process.execPath, program], {
      encoding: 'utf8',
    });
    assert.equal(stdout, 'EFBIG', stderr);
    assert.equal(readFileSync(device.path).length, 4096);
  });
