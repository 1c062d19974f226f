// SEED and PATH of fast-check in a failure repeat it.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { metaWrites } from '@nodewright/disk';
import fc from 'fast-check';
import type { PartitionWish } from '../domain/change-partitions.ts';
import type { PlannedVolume } from '../domain/plan/volume-plan.ts';
import type { GivenFacts } from '../domain/volume-host.ts';
import { EmulatedDisk } from '../testing/emulated-disk.ts';
import { startVolumes } from '../testing/emulated-machine.ts';
import { createMetaOnDisk } from './meta-on-disk.ts';
import { finishWipe, wipePartitions } from './partition-wipe.ts';

const mib = 1 << 20;
const state: PartitionWish = { label: 'STATE', minBytes: 4 * mib, maxBytes: 4 * mib, grows: false };
const ephemeral: PartitionWish = { label: 'EPHEMERAL', minBytes: 6 * mib, maxBytes: undefined, grows: true };
const all = ['META', 'STATE', 'EPHEMERAL'];
const values = new Map([[12, Buffer.from('kept')]]);

const given: GivenFacts = {
  ...{ areDevicesKnown: true, isParentMounted: true, selection: undefined, mount: undefined },
};

function open(port: EmulatedDisk) {
  const { disk, executor } = startVolumes([port]);
  return {
    disk,
    others: { remove: async () => [], close() {} },
    meta: createMetaOnDisk(disk.port, '/dev/vda2'),
    log: { warn() {} },
    async prepare(wish: PartitionWish) {
      const volume: PlannedVolume = {
        ...{ id: wish.label, path: '', mode: 0, isOverlay: false },
        partition: { wish, fileSystem: 'xfs', selector: 'system_disk' },
      };
      const plan = await executor.settle(volume, given);
      return plan.located ?? assert.fail(plan.refusal?.message);
    },
  };
}
const labelsOf = (port: EmulatedDisk) => port.partitions().map(({ label }) => label);

/** A disk of a machine that has a configuration. */
async function usedDisk(): Promise<EmulatedDisk> {
  const port = new EmulatedDisk(16);
  const { prepare, meta } = open(port);
  await prepare(state);
  await prepare(ephemeral);
  await meta.write(values);
  return port;
}

const release = async () => {};
const plan = (volumes: readonly string[]) => ({ volumes, isWhole: false });

/** Takes the power at this write; returns whether there was one. */
async function losesPower(
  port: EmulatedDisk,
  write: number,
  action: () => Promise<unknown>,
): Promise<boolean> {
  port.restart();
  port.writesLeft = write;
  try {
    await action();
    return false;
  } catch (error) {
    const { name, cause } = error as Error & { cause?: Error };
    assert.ok(name === 'PowerCut' || cause?.name === 'PowerCut', String(error));
    return true;
  } finally {
    port.restart();
  }
}

test('a reset of META and volumes that a power cut interrupts has not begun, or the next start completes it', async () => {
  const used = await usedDisk();
  const cuts = fc.record({ first: fc.nat(12), second: fc.nat(12), written: fc.infiniteStream(fc.boolean()) });
  let begun = 0;
  await fc.assert(
    fc.asyncProperty(cuts, async ({ first, second, written }) => {
      const port = new EmulatedDisk(16);
      used.bytes.copy(port.bytes);
      port.isWritten = () => written.next().value === true;
      const isCut = await losesPower(port, first, () =>
        wipePartitions({ ...open(port), release }, plan(all)),
      );
      // The start that completes it may lose its power, too.
      await losesPower(port, second, () => finishWipe(open(port)));
      const { prepare, ...machine } = open(port);
      const { meta } = machine;
      await finishWipe(machine);
      const labels = labelsOf(port).slice(2);
      const left = await meta.read();
      if (labels.length > 0) {
        assert.ok(isCut);
        assert.deepEqual([labels, left], [['STATE', 'EPHEMERAL'], values]);
        return;
      }
      begun += 1;
      assert.deepEqual(left, new Map());
      assert.equal((await prepare(state)).contents?.label, 'STATE', 'volumes are created anew');
    }),
    { numRuns: 40 },
  );
  assert.ok(begun > 0);
});

test('finishWipe() changes nothing without a reset, and takes no other value for one', async () => {
  const port = await usedDisk();
  const machine = open(port);
  const guid = '11111111-2222-4333-8444-555555555555';
  for (const value of [
    ...['', 'reset', '["BOOT"]', '["STATE"', '{"removed":["BOOT"]}', '{"removed":[]}', 'null'],
    ...['{"removed":"STATE"}', '{"removed":["STATE"],"elsewhere":["x"]}', '{"removed":[],"elsewhere":[]}'],
    ...['{"removed":[],"isWhole":true}', '{"removed":["STATE"],"isWhole":true}'],
    `{"removed":["STATE"],"elsewhere":[["${guid}","../x"]]}`,
    `{"removed":["STATE"],"elsewhere":${JSON.stringify(Array(65).fill([guid, guid]))}}`,
  ]) {
    const given = new Map([...values, [0xfe, Buffer.from(value)] as const]);
    await port.write('/dev/vda2', metaWrites(given));
    const before = Buffer.from(port.bytes);
    assert.equal(await finishWipe(machine), undefined);
    assert.ok(port.bytes.equals(before), value);
  }
});

test('finishWipe() names what it has removed, and has the kernel forget it: what is created next may lie elsewhere', async () => {
  const port = await usedDisk();
  // META has the record then, and the partition table is the old one.
  await losesPower(port, 3, () => wipePartitions({ ...open(port), release }, plan(all)));
  assert.deepEqual(labelsOf(port).slice(2), ['STATE', 'EPHEMERAL']);
  const { prepare, ...machine } = open(port);
  const finished = await finishWipe(machine);
  assert.deepEqual(finished, { removed: ['STATE', 'EPHEMERAL'], left: [], isWhole: false });
  const larger = { ...state, minBytes: 8 * mib, maxBytes: 8 * mib };
  const made = await prepare(larger);
  assert.equal(made.sizeBytes, 8 * mib);
  const end = await port.read(made.device, 7 * mib, 2 * mib);
  assert.equal(end.length, mib, 'the kernel knows where the new partition ends');
});
