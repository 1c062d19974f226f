import assert from 'node:assert/strict';
import { test } from 'node:test';
import { checkSpace, lackingBytes, placedFiles } from './slot-plan.ts';

const mib = 1 << 20;
const file = (path: string) => ({ path, sizeBytes: 1, sha256: '' });

test('placedFiles() places what belongs to the slot, and leaves out the files of the other slot and of other nodes', () => {
  const paths = [
    ...['machine/vmlinuz', 'machine/initramfs', 'machine/rootfs.squashfs', 'machine/rootfs.verity'],
    ...['machine/A/cmdline', 'machine/B/cmdline', 'machine/A/nodewright.efi', 'machine/B/nodewright.efi'],
    ...[
      'machine/B/entry.cfg',
      'machine/images/x',
      'container/node-image.tar',
      'process/bundles/apid/apid.cjs',
    ],
  ];
  assert.deepEqual(
    placedFiles('B', paths.map(file)).map(({ partition, place }) => `${partition} ${place}`),
    [
      ...['BOOT B/vmlinuz', 'BOOT B/initramfs', 'BOOT B/rootfs.squashfs', 'BOOT B/rootfs.verity'],
      ...['BOOT B/cmdline', 'EFI EFI/Linux/nodewright-b.efi', 'BOOT B/entry.cfg'],
    ],
  );
});

test('checkSpace() counts what the slot has now as free, rounds files up to blocks, and says the figures', () => {
  const space = { partition: 'BOOT', freeBytes: 10 * mib, replacedBytes: 20 * mib } as const;
  checkSpace({ ...space, sizes: [29 * mib] });
  assert.equal(lackingBytes({ ...space, sizes: [29 * mib, 1] }), 4096);
  assert.throws(() => checkSpace({ ...space, sizes: [40 * mib] }), {
    kind: 'failed-precondition',
    message: 'the partition BOOT has no room: the new system needs 41.0 MiB, and the slot has 30.0 MiB',
  });
});
