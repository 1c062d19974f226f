import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type DiskContents, type Partition, partitionTypes } from '@nodewright/disk';
import { planVolume } from './plan-volume.ts';
import {
  type ObservedDisk,
  type PartitionContents,
  type PlannedVolume,
  phaseOfStep,
  type VolumeFacts,
  type VolumePlan,
} from './volume-plan.ts';

const mib = 1 << 20;
const guids = { partition: 'new-partition', table: 'new-table' };
const xfs: DiskContents = {
  ...{ name: 'xfs', label: 'EPHEMERAL', uuid: 'u', blockBytes: 4096, unitBytes: 512 },
  ...{ sizeBytes: 4 * mib, dataBytes: 4 * mib, isUnfinished: false },
};

const entry = (number: number, label: string, fromMib: number, toMib: number): Partition => ({
  ...{ number, label, type: partitionTypes.linux, guid: `guid-${label}` },
  ...{ first: fromMib * 2048, last: toMib * 2048 - 1 },
});

/** A disk of 16 MiB; each partition with what it begins with. */
function disk(
  path: string,
  partitions: readonly (readonly [Partition, PartitionContents])[] | 'blank' | 'foreign' = [],
): ObservedDisk {
  const hasTable = typeof partitions !== 'string';
  const all = hasTable ? partitions : [];
  return {
    ...{ path, sectors: 16 * 2048, isSystemDisk: path === '/dev/vda', isBlank: partitions === 'blank' },
    table: hasTable ? { guid: 'table', partitions: all.map(([partition]) => partition) } : undefined,
    contents: new Map(all.map(([{ number }, contents]) => [number, contents])),
  };
}

const ephemeral: PlannedVolume = {
  ...{ id: 'EPHEMERAL', path: '/var', mode: 0o755, isOverlay: false },
  partition: {
    wish: { label: 'EPHEMERAL', minBytes: 2 * mib, maxBytes: 4 * mib, grows: true },
    ...{ fileSystem: 'xfs', selector: 'system_disk' },
  },
};
const selecting = (volume: PlannedVolume, selector: string): PlannedVolume => ({
  ...volume,
  partition: volume.partition && { ...volume.partition, selector },
});
const facts = (changes: Partial<VolumeFacts> = {}): VolumeFacts => ({
  ...{ isWanted: true, disks: [disk('/dev/vda')], areDevicesKnown: true, selection: undefined },
  ...{ isBeingReset: false, guids, open: undefined, isParentMounted: true, folders: new Map() },
  ...{ isMounted: false, mount: 'unchanged', holders: [] },
  ...changes,
});
const outline = ({ phase, steps, waitsFor, refusal }: VolumePlan) => {
  for (const { kind } of steps) assert.ok(phaseOfStep[kind] === phase || phase === 'unmount', kind);
  return [phase, steps.map(({ kind }) => kind), waitsFor ?? refusal?.message];
};
const creation = ['add-partition', 'announce-partition', 'clear', 'format', 'change-partition'];

test('a new partition gets the label of its volume after its file system was created', () => {
  const place = { number: 1, type: partitionTypes.linux, guid: 'new-partition', first: 2048, last: 10_239 };
  const unfinished = { ...place, label: 'EPHEMERAL.new' };
  const path = '/dev/vda';
  assert.deepEqual(planVolume(ephemeral, facts()), {
    phase: 'provision',
    steps: [
      { kind: 'add-partition', disk: path, partition: unfinished },
      { kind: 'announce-partition', disk: path, partition: unfinished },
      { kind: 'clear', device: '/dev/vda1', sizeBytes: 4 * mib },
      { kind: 'format', device: '/dev/vda1', label: 'EPHEMERAL' },
      { kind: 'change-partition', disk: path, partition: { ...place, label: 'EPHEMERAL' } },
    ],
  });
  const begun = facts({ disks: [disk(path, [[entry(3, 'EPHEMERAL.new', 4, 8), 'unknown']])] });
  assert.deepEqual(outline(planVolume(ephemeral, begun)), ['provision', creation.slice(1), undefined]);
});

test('what exists is grown or left alone, and only a beginning of zeros is formatted', () => {
  const plan = (contents: PartitionContents, toMib: number) =>
    outline(
      planVolume(
        ephemeral,
        facts({ disks: [disk('/dev/vda', [[entry(3, 'EPHEMERAL', 4, toMib), contents]])] }),
      ),
    );
  assert.deepEqual(plan(xfs, 8), ['mount', [], undefined]);
  assert.deepEqual(plan(xfs, 6), ['provision', ['change-partition', 'announce-size'], undefined]);
  assert.deepEqual(plan('zeros', 8), ['provision', ['change-partition', ...creation.slice(1)], undefined]);
  const wipe = 'wipe it if nobody needs it (talosctl wipe disk vda3)';
  assert.deepEqual(plan({ ...xfs, name: 'ext4' }, 8), [
    'provision',
    [],
    `/dev/vda3 holds ext4, not xfs: ${wipe}`,
  ]);
  assert.deepEqual(plan('unknown', 8), [
    ...['provision', []],
    `/dev/vda3 is labelled EPHEMERAL and holds something that is not recognised, such as a damaged file system: ${wipe}`,
  ]);
});

test('a partition on the system disk comes first, then the selected one, and no choice is made between equals', () => {
  const on = (path: string, number = 1) => disk(path, [[entry(number, 'EPHEMERAL', 1, 5), xfs]]);
  const system = disk('/dev/vda');
  const chosen = selecting(ephemeral, 'an expression');
  const where = (disks: readonly ObservedDisk[], changes: Partial<VolumeFacts> = {}) => {
    const plan = planVolume(chosen, facts({ disks, ...changes }));
    return plan.located?.device ?? plan.refusal?.message ?? plan.waitsFor;
  };
  assert.equal(where([on('/dev/vdb'), on('/dev/vda', 3)]), '/dev/vda3');
  assert.equal(where([system, on('/dev/nvme0n1')]), '/dev/nvme0n1p1');
  // Another disk may appear that comes first.
  assert.equal(where([system, on('/dev/vdb')], { areDevicesKnown: false }), 'devices');
  const both = [system, on('/dev/vdb'), on('/dev/vdc')];
  assert.equal(where(both), 'selection');
  assert.equal(where(both, { selection: { selected: ['/dev/vdc', '/dev/vda'] } }), '/dev/vdc1');
  assert.equal(
    where(both, { selection: { selected: ['/dev/vda'] } }),
    'several disks have a partition EPHEMERAL (/dev/vdb1, /dev/vdc1): remove all but one, or select its disk',
  );
});

test('a new partition waits for devices and its selector, and takes the first selected disk that can hold it', () => {
  const chosen = selecting(ephemeral, 'an expression');
  const foreign = disk('/dev/vdb', 'foreign');
  const full = disk('/dev/vdc', [[entry(1, 'archive', 1, 15), 'unknown']]);
  const blank = disk('/dev/vdd', 'blank');
  const all = [disk('/dev/vda'), blank, full, foreign];
  const plan = (selected: readonly string[] | undefined, changes: Partial<VolumeFacts> = {}) => {
    const selection = selected && { selected };
    const made = planVolume(chosen, facts({ disks: all, selection, ...changes }));
    const [step] = made.steps;
    return step !== undefined && 'disk' in step ? [step.kind, step.disk] : outline(made).at(-1);
  };
  assert.equal(plan(undefined, { areDevicesKnown: false }), 'devices');
  assert.equal(plan(undefined), 'selection');
  assert.equal(plan([]), 'the selector "an expression" selects no disk');
  assert.deepEqual(plan(['/dev/vdd', '/dev/vda']), ['add-partition', '/dev/vda']);
  assert.deepEqual(plan(['/dev/vdd', '/dev/vdc', '/dev/vdb']), ['create-table', '/dev/vdd']);
  assert.equal(
    plan(['/dev/vdc', '/dev/vdb']),
    '/dev/vdb has no GPT partition table and is not empty: wipe it if nobody needs it (talosctl wipe disk vdb)',
  );
  assert.match(String(plan(['/dev/vdc'])), /^the disk has no room for EPHEMERAL/);
  assert.equal(
    plan(['/dev/loop0']),
    'the selector "an expression" selects /dev/loop0, which cannot hold a volume: it is not a disk with sectors of 512 bytes, or it cannot be read',
  );
  // The system disk is never given a new table.
  const damaged = facts({ disks: [{ ...disk('/dev/vda', 'blank') }] });
  assert.equal(outline(planVolume(ephemeral, damaged)).at(-1), 'the partition table of /dev/vda is damaged');
  assert.equal(
    outline(planVolume(ephemeral, facts({ isBeingReset: true }))).at(-1),
    'the node is being reset',
  );
});

test('what the disk image brings is found, mounted, and never created or changed', () => {
  const images = selecting({ ...ephemeral, id: 'IMAGECACHE' }, '');
  const mount = { flags: 1, options: '' };
  const found = disk('/dev/vda', [[entry(4, 'EPHEMERAL', 4, 6), { ...xfs, name: 'ext4' }]]);
  const plan = planVolume(images, facts({ disks: [found], mount }));
  assert.deepEqual(plan.steps, [
    { kind: 'mount', device: '/dev/vda4', type: 'ext4', target: '/var', ...mount },
  ]);
  assert.equal(outline(planVolume(images, facts({ mount }))).at(-1), '/dev/vda has no partition EPHEMERAL');
});

test('a partition is mounted when that is requested, and its file system fills it', () => {
  const mount = { flags: 6, options: 'prjquota' };
  const large = disk('/dev/vda', [[entry(3, 'EPHEMERAL', 4, 8), { ...xfs, sizeBytes: 2 * mib }]]);
  const steps = [
    { kind: 'mount', device: '/dev/vda3', type: 'xfs', target: '/var', ...mount },
    { kind: 'set-mode', path: '/var', mode: 0o755 },
    { kind: 'grow-file-system', target: '/var', blocks: 1024 },
  ];
  const plan = (changes: Partial<VolumeFacts>) =>
    planVolume(ephemeral, facts({ disks: [large], ...changes }));
  assert.deepEqual(plan({ mount }).steps, steps);
  for (const changes of [{ mount, isMounted: true }, { isMounted: true }, { mount: 'none' as const }])
    assert.deepEqual(plan(changes).steps, []);
  assert.deepEqual(plan({ mount: 'none', isMounted: true }).steps, [{ kind: 'unmount', target: '/var' }]);
  const held = plan({ mount: 'none', isMounted: true, holders: ['etcd'] });
  assert.deepEqual(outline(held), ['unmount', [], 'holders']);
});

test('folders and overlays wait for the mount of their parent, and are made once', () => {
  const log: PlannedVolume = {
    ...{ id: 'LOG', path: '/var/log', mode: 0o755, isOverlay: false, partition: undefined },
  };
  const opt = { ...log, id: '/opt', path: '/opt', isOverlay: true };
  const mount = { flags: 0, options: '' };
  for (const volume of [log, opt])
    assert.deepEqual(outline(planVolume(volume, facts({ isParentMounted: false }))), ['wait', [], 'parent']);
  assert.deepEqual(
    planVolume({ ...log, path: undefined }, facts()).refusal?.message,
    'its parent volume is not there',
  );
  assert.deepEqual(planVolume(log, facts()).steps, [{ kind: 'make-folder', path: '/var/log', mode: 0o755 }]);
  const made = facts({ folders: new Map([['/var/log', 7n]]), mount });
  assert.deepEqual(planVolume(log, made), { phase: 'mount', steps: [], folderBytes: 7n });

  const [changes, work] = ['/var/system/overlays/opt-diff', '/var/system/overlays/opt-workdir'];
  assert.deepEqual(
    planVolume(opt, facts()).steps.map((step) => 'path' in step && step.path),
    [work, changes],
  );
  const folders = new Map([changes, work].map((path) => [path, 7n]));
  assert.deepEqual(planVolume(opt, facts({ folders, mount })).steps, [
    { kind: 'mount-overlay', target: '/opt', changes, work },
  ]);
});

test('the way back begins when nothing holds the volume, and removes no data', () => {
  const open = {
    ...{ device: '/dev/vda3', disk: '/dev/vda', number: 3, guid: 'g', sizeBytes: 4 * mib },
    contents: xfs,
  };
  const plan = (changes: Partial<VolumeFacts>) =>
    outline(planVolume(ephemeral, facts({ isWanted: false, ...changes })));
  assert.deepEqual(plan({ open, isMounted: true, holders: ['a'] }), ['unmount', [], 'holders']);
  assert.deepEqual(plan({ open, isMounted: true }), ['unmount', ['unmount', 'close'], undefined]);
  assert.deepEqual(plan({ open }), ['close', ['close'], undefined]);
  assert.deepEqual(plan({}), ['forget', [], undefined]);
});
