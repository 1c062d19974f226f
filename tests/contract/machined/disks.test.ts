// storage.StorageService/Disks, against the disks of this machine.
import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { after, test } from 'node:test';
import { StorageServiceDefinition } from '@nodewright/contract/gen/storage/storage.ts';
import { startNode } from './harness/node-under-test.ts';

const node = await startNode();
after(() => node[Symbol.asyncDispose]());
const storage = node.client(StorageServiceDefinition, 'os:reader');

const fact = (disk: string, file: string) => {
  const path = `/sys/block/${disk}/${file}`;
  return existsSync(path) ? readFileSync(path, 'utf8').trim() : '';
};

test('Disks lists the disks that hold something, with sizes in bytes', async () => {
  const { messages } = await storage.disks({});
  assert.deepEqual([messages.length, messages[0]?.metadata], [1, undefined]);
  const names = readdirSync('/sys/block')
    .filter(
      (name) => fact(name, 'size') !== '0' && !fact(name, 'dev').startsWith('1:') && !name.startsWith('dm-'),
    )
    .sort();
  const shown = (messages[0]?.disks ?? []).filter(({ deviceName }) => !deviceName.startsWith('/dev/dm-'));
  assert.deepEqual(
    shown.map(({ deviceName, size, readonly, serial }) => [deviceName, size, readonly, serial]),
    names.map((name) => [
      `/dev/${name}`,
      BigInt(fact(name, 'size')) * 512n,
      fact(name, 'ro') === '1',
      fact(name, 'serial') ||
        fact(name, 'device/serial') ||
        shown.find(({ deviceName }) => deviceName === `/dev/${name}`)?.serial,
    ]),
  );
  assert.ok(shown.every(({ systemDisk, subsystem }) => !systemDisk && subsystem === '/sys/class/block'));
});

test('a node that owns no disks wipes none, whoever asks', async () => {
  const admin = node.client(StorageServiceDefinition, 'os:admin');
  const [device = 'sda'] = readdirSync('/sys/block');
  for (const devices of [[], [{ device }], [{ device: '/no/such' }], [{ device, skipVolumeCheck: true }]])
    await assert.rejects(admin.blockDeviceWipe({ devices }), {
      code: 9,
      details:
        'this node is a set of processes on a shared host and owns no disks: only a machine wipes block devices',
    });
  await assert.rejects(storage.blockDeviceWipe({ devices: [{ device }] }), { code: 7 });
});
