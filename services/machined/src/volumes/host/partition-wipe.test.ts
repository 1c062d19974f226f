// SEED and PATH of fast-check in a failure repeat it.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import type { PartitionWish } from '../domain/change-partitions.ts';
import type { PlannedVolume } from '../domain/plan/volume-plan.ts';
import type { GivenFacts } from '../domain/volume-host.ts';
import { EmulatedDisk, EmulatedPower } from '../testing/emulated-disk.ts';
import { startVolumes } from '../testing/emulated-machine.ts';
import { createMetaOnDisk } from './meta-on-disk.ts';
import { finishWipe, wipePartitions } from './partition-wipe.ts';

const mib = 1 << 20;
const state: PartitionWish = { label: 'STATE', minBytes: 4 * mib, maxBytes: 4 * mib, grows: false };
const ephemeral: PartitionWish = { label: 'EPHEMERAL', minBytes: 6 * mib, maxBytes: undefined, grows: true };
const all = ['META', 'STATE', 'EPHEMERAL'];
const values = new Map([[12, Buffer.from('kept')]]);

const given: Omit<GivenFacts, 'selection'> = {
  ...{ isWanted: true, areDevicesKnown: true, isParentMounted: true },
  ...{ mount: 'unchanged', holders: [] },
};

function open(...disks: [EmulatedDisk, ...EmulatedDisk[]]) {
  const { disks: disk, executor } = startVolumes(disks);
  return {
    disk,
    meta: createMetaOnDisk(disk.port, '/dev/vda2'),
    elsewhere: (ids: readonly string[]) => executor.elsewhere(ids),
    async prepare(wish: PartitionWish, on = '/dev/vda') {
      const volume: PlannedVolume = {
        ...{ id: wish.label, path: '', mode: 0, isOverlay: false },
        partition: { wish, fileSystem: 'xfs', selector: 'true' },
      };
      const plan = await executor.settle(volume, { ...given, selection: { selected: [on] } });
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
      const { disk, meta, prepare } = open(port);
      await finishWipe({ disk, meta });
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
  const { disk, meta } = open(port);
  for (const value of [
    '',
    'reset',
    '["BOOT"]',
    '["STATE"',
    '{"removed":["BOOT"]}',
    '{"removed":[]}',
    'null',
    '{"removed":"STATE"}',
    '{"removed":["STATE"],"elsewhere":[7]}',
    `{"removed":["STATE"],"elsewhere":${JSON.stringify(Array(17).fill('a'))}}`,
  ]) {
    const given = new Map([...values, [0xfe, Buffer.from(value)] as const]);
    await meta.write(given);
    const before = Buffer.from(port.bytes);
    assert.equal(await finishWipe({ disk, meta }), undefined);
    assert.ok(port.bytes.equals(before), value);
  }
});

test('finishWipe() names what it has removed, and has the kernel forget it: what is created next may lie elsewhere', async () => {
  const port = await usedDisk();
  // META has the record then, and the partition table is the old one.
  await losesPower(port, 3, () => wipePartitions({ ...open(port), release }, plan(all)));
  assert.deepEqual(labelsOf(port).slice(2), ['STATE', 'EPHEMERAL']);
  const { disk, meta, prepare } = open(port);
  assert.deepEqual(await finishWipe({ disk, meta }), ['STATE', 'EPHEMERAL']);
  const larger = { ...state, minBytes: 8 * mib, maxBytes: 8 * mib };
  const made = await prepare(larger);
  assert.equal(made.sizeBytes, 8 * mib);
  const end = await port.read(made.device, 7 * mib, 2 * mib);
  assert.equal(end.length, mib, 'the kernel knows where the new partition ends');
});

test('a volume on another disk is wiped with the others or not at all, and a partition that only has its label stays', async () => {
  const cuts = fc.record({
    cut: fc.nat(14),
    wipesMeta: fc.boolean(),
    written: fc.infiniteStream(fc.boolean()),
  });
  let begun = 0;
  await fc.assert(
    fc.asyncProperty(cuts, async ({ cut, wipesMeta, written }) => {
      const power = new EmulatedPower();
      const system = new EmulatedDisk(16, { power });
      const other = new EmulatedDisk(16, { path: '/dev/vdb', isBlank: true, power });
      const foreign = new EmulatedDisk(16, { path: '/dev/vdc', power });
      const used = open(system, other);
      await used.prepare(state);
      const { guid } = await used.prepare(ephemeral, other.path);
      await used.meta.write(values);
      const { first, last } = { first: 6144, last: 8191 };
      foreign.writeTable([
        {
          number: 1,
          type: guid,
          guid: values.size.toString(16).padStart(8, '0') + guid.slice(8),
          label: 'EPHEMERAL',
          first,
          last,
        },
      ]);
      const before = Buffer.from(foreign.bytes);
      power.isWritten = () => written.next().value === true;
      power.writesLeft = cut;
      const labels = wipesMeta ? all : ['STATE', 'EPHEMERAL'];
      const isCut = await wipePartitions({ ...used, release }, plan(labels)).then(
        () => false,
        () => true,
      );
      for (const disk of [system, other, foreign]) disk.restart();
      const next = open(system, other, foreign);
      await finishWipe(next);
      assert.ok(foreign.bytes.equals(before));
      const left = await next.meta.read();
      if (labelsOf(system).includes('STATE')) {
        assert.ok(isCut);
        assert.deepEqual([labelsOf(other), left], [['EPHEMERAL'], values]);
        return;
      }
      begun += 1;
      assert.deepEqual([labelsOf(other), left], [[], wipesMeta ? new Map() : values]);
    }),
    { numRuns: 40 },
  );
  assert.ok(begun > 0);
});
