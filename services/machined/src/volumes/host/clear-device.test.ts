import assert from 'node:assert/strict';
import { test } from 'node:test';
import { clearDevice, clearExclusively } from './system-disk.ts';

/** A device whose every byte is set. */
const used = (sizeBytes: number) => Buffer.alloc(sizeBytes, 0xff);

const isZero = (bytes: Buffer) => bytes.every((byte) => byte === 0);

test('clearing a device overwrites its first and its last sectors, where the copy of its partition table is', async () => {
  for (const sizeBytes of [512, 33 * 512, 8_388_608]) {
    const [shared, alone] = [used(sizeBytes), used(sizeBytes)];
    await clearDevice(
      {
        write: async (device, parts) => {
          assert.equal(device, '/dev/vdb');
          for (const { at, bytes } of parts) shared.set(bytes, at);
        },
      },
      '/dev/vdb',
      sizeBytes,
    );
    await clearExclusively(
      {
        write: async (at: number, bytes: Buffer) => void alone.set(bytes, at),
        sync: async () => {},
      } as Parameters<typeof clearExclusively>[0],
      sizeBytes,
    );
    // 34 sectors hold a table with its header and entries.
    for (const device of [shared, alone])
      for (const part of [device.subarray(0, 34 * 512), device.subarray(-34 * 512)])
        assert.ok(isZero(part), `${sizeBytes} bytes`);
  }
});
