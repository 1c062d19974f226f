import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { closeSync, constants, mkdtempSync, openSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { encodeTable, partitionTypes } from '@nodewright/disk';
import { createBoundedCalls } from '@nodewright/linux';
import { readContents } from './read-contents.ts';

const folder = mkdtempSync(join(tmpdir(), 'contents-'));
const init = { folder, bounded: createBoundedCalls() };
after(() => rmSync(folder, { recursive: true }));
const pathOf = (name: string) => join(folder, name);
const disk = (name: string) => ({ name, type: 'disk' as const, parent: '', partitionNumber: 0 });
const partition = (parent: string, partitionNumber: number) => ({
  ...{ name: `${parent}${partitionNumber}`, type: 'partition' as const, parent, partitionNumber },
});

test('readContents() tells what udev would tell: tables of disks, entries and file systems of partitions', async () => {
  const guid = '11111111-2222-4333-8444-555555555555';
  const entry = { number: 4, type: partitionTypes.linux, guid: guid.replace('1', '9'), label: 'EPHEMERAL' };
  const sectors = 1 << 14;
  const table = encodeTable({ guid, partitions: [{ ...entry, first: 2048, last: 4095 }] }, sectors);
  writeFileSync(pathOf('vda'), Buffer.concat([table.head, Buffer.alloc(1 << 20)]));
  const xfs = Buffer.alloc(1 << 20);
  xfs.write('XFSB', 0, 'latin1');
  xfs.writeUInt32BE(4096, 4);
  xfs.writeBigUInt64BE(256n, 8);
  xfs.writeUInt16BE(512, 102);
  xfs.write('EPHEMERAL', 108);
  writeFileSync(pathOf('vda4'), xfs);
  writeFileSync(pathOf('vdb'), Buffer.alloc(100));

  const devices = [disk('vda'), partition('vda', 4), partition('vda', 7), disk('vdb'), disk('vdc')];
  const records = await readContents([...devices, partition('vdc', 1)], init);
  const found = Object.fromEntries([...records].map(([name, facts]) => [name, Object.fromEntries(facts)]));
  assert.deepEqual(found, {
    vda: { ID_PART_TABLE_TYPE: 'gpt', ID_PART_TABLE_UUID: guid },
    vda4: {
      ...{ ID_FS_TYPE: 'xfs', ID_FS_LABEL: 'EPHEMERAL', ID_FS_UUID: '00000000-0000-0000-0000-000000000000' },
      ...{ ID_FS_BLOCKSIZE: '4096', ID_FS_SIZE: '1048576', BLOCK_SIZE: '512' },
      ...{ ID_PART_ENTRY_UUID: entry.guid, ID_PART_ENTRY_TYPE: entry.type, ID_PART_ENTRY_NAME: 'EPHEMERAL' },
    },
    // Without an entry, too small, and not there.
    ...{ vda7: {}, vdb: {}, vdc: {}, vdc1: {} },
  });

  // The program that creates the file system has not finished.
  xfs.writeUInt8(1, 126);
  writeFileSync(pathOf('vda4'), xfs);
  assert.equal((await readContents(devices, init)).get('vda4')?.has('ID_FS_TYPE'), false);
});

test('readContents() names a disk that does not answer, and reads the others', async () => {
  execFileSync('mkfifo', [pathOf('vdd'), pathOf('vdd1'), pathOf('vdd2')]);
  const table = encodeTable({ guid: '11111111-2222-4333-8444-555555555555', partitions: [] }, 1 << 14);
  writeFileSync(pathOf('vde'), Buffer.concat([table.head, Buffer.alloc(1 << 20)]));
  const hung: string[] = [];
  const bounded = createBoundedCalls({ timeoutMs: 200 });
  const onHang = ({ message }: Error) => void hung.push(message);
  const devices = [disk('vdd'), partition('vdd', 1), partition('vdd', 2), disk('vde')];
  const records = await readContents(devices, { folder, bounded, onHang });
  assert.deepEqual(
    [...records].map(([name, facts]) => [name, facts.get('ID_PART_TABLE_TYPE')]),
    [
      ...[
        ['vdd', undefined],
        ['vdd1', undefined],
        ['vdd2', undefined],
      ],
      ['vde', 'gpt'],
    ],
  );
  assert.equal(hung.length, 3);
  for (const message of hung) assert.equal(message, `the disk "${folder}/vdd" did not answer within 200 ms`);
  // A writer lets the waiting calls return.
  for (const name of ['vdd', 'vdd1', 'vdd2'])
    closeSync(openSync(pathOf(name), constants.O_RDWR | constants.O_NONBLOCK));
});
