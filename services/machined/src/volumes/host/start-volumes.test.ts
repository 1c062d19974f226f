import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openTestRuntime } from '@nodewright/controllers/testing';
import { pointerTo, type State } from '@nodewright/state';
import { blockMountStatuses, volumeStatuses } from '@nodewright/state/kinds';
import { volumeControllers } from '../controllers/volume-controllers.ts';
import { EmulatedDisk } from '../testing/emulated-disk.ts';
import { startVolumes } from '../testing/emulated-machine.ts';
import { StartVolumes } from './start-volumes.ts';

const mib = 1 << 20;

/** A machine that starts with this disk. Its devices are not known yet, and it has no configuration. */
function machineWith(disk: EmulatedDisk, hasImageCache = false) {
  const logged: string[] = [];
  const write = (_fields: unknown, message?: string) => void logged.push(String(message));
  const { executor } = startVolumes([disk], { hasImageCache });
  const host = new StartVolumes(executor, { error: write, warn: write });
  const selectors = { select: () => assert.fail('there is no selector') };
  const runtime = openTestRuntime({ controllers: volumeControllers({ host, selectors }) });
  return { host, runtime, logged, targets: () => disk.mounts.map(({ target }) => target) };
}

const statusOf = async (state: State, id: string) => {
  const { phase, errorMessage } = (await state.get(pointerTo(volumeStatuses, id))).spec;
  return [phase, errorMessage];
};

const mountedIn = async (state: State) =>
  (await state.list(blockMountStatuses)).map(({ metadata }) => metadata.id);

/** A disk with the image cache, whose file system is ext4, and room for STATE. */
function diskWithImages(): EmulatedDisk {
  const disk = new EmulatedDisk(128);
  const images = {
    ...{ number: 3, label: 'IMAGECACHE', type: '0fc63daf-8483-4772-8e79-3d69d8477de4' },
    ...{ guid: '77777777-2222-4333-8444-555555555553', first: 3 * 2048, last: 4 * 2048 - 1 },
  };
  disk.writeTable([...disk.partitions(), images]);
  disk.bytes.writeUInt16LE(0xef53, 3 * mib + 1080);
  return disk;
}

test('controllers create STATE and mount it and the image cache before the devices are known and without a configuration', async () => {
  const { host, runtime, logged, targets } = machineWith(diskWithImages(), true);
  await using _ = runtime;
  assert.deepEqual(await host.started(), ['STATE', 'IMAGECACHE']);
  await runtime.settled();
  assert.deepEqual(targets().toSorted(), ['/system/imagecache/disk', '/system/state']);
  assert.deepEqual(await mountedIn(runtime.state), ['IMAGECACHE', 'STATE']);
  assert.deepEqual(await statusOf(runtime.state, 'STATE'), ['ready', '']);
  assert.deepEqual(logged, []);
});

test('STATE whose mount failed is a failed volume, and is not mounted over the configuration of a running node', async () => {
  const disk = new EmulatedDisk(128);
  disk.mountFailure = new Error('mount: EIO');
  const { host, runtime, logged, targets } = machineWith(disk);
  await using _ = runtime;
  assert.deepEqual(await host.started(), []);
  disk.mountFailure = undefined;
  await runtime.advance(120_000);
  const [phase, reason] = await statusOf(runtime.state, 'STATE');
  assert.equal(phase, 'failed');
  assert.match(reason ?? '', /EIO \(tried again at the next start\)$/);
  assert.deepEqual([targets(), await mountedIn(runtime.state)], [[], []]);
  assert.deepEqual(logged, [
    'STATE cannot be used: the configuration is in memory, and lost at the next start',
  ]);
});

test('STATE is left alone in a start whose interrupted reset could not be completed', async () => {
  const disk = new EmulatedDisk(128);
  const { host, runtime, targets } = machineWith(disk);
  host.fail('STATE', new Error('a reset that was interrupted cannot be completed: EIO'));
  await using _ = runtime;
  assert.deepEqual(await host.started(), []);
  await runtime.advance(120_000);
  assert.deepEqual([targets(), disk.formats], [[], 0]);
  assert.equal((await statusOf(runtime.state, 'STATE'))[0], 'failed');
});

test('an image cache that cannot be mounted keeps no machine from starting, and is tried again', async () => {
  const disk = diskWithImages();
  // Not the mark of a file system.
  disk.bytes.writeUInt16LE(0x1234, 3 * mib + 1080);
  const { host, runtime, logged, targets } = machineWith(disk, true);
  await using _ = runtime;
  assert.deepEqual(await host.started(), ['STATE']);
  await runtime.advance(60_000);
  assert.deepEqual(targets(), ['/system/state']);
  disk.bytes.writeUInt16LE(0xef53, 3 * mib + 1080);
  await runtime.advance(60_000);
  assert.deepEqual(targets(), ['/system/state', '/system/imagecache/disk']);
  assert.deepEqual(logged, ['the images on the disk cannot be used']);
});
