import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type DiskContents, type Partition, partitionTypes } from '@nodewright/disk';
import { planVolume } from './plan-volume.ts';
import type {
  ObservedDisk,
  PartitionContents,
  PlannedVolume,
  VolumeFacts,
  VolumePlan,
} from './volume-plan.ts';
import { planWayBack, type WayBackEnd } from './way-back.ts';

const mib = 1 << 20;
const xfs: DiskContents = {
  ...{ name: 'xfs', label: 'EPHEMERAL', uuid: 'u', blockBytes: 4096, unitBytes: 512 },
  ...{ sizeBytes: 4 * mib, dataBytes: 4 * mib, isUnfinished: false },
};

const entry = (number: number, label: string, fromMib: number, toMib: number): Partition => ({
  ...{ number, label, type: partitionTypes.linux, guid: `guid-${label}` },
  ...{ first: fromMib * 2048, last: toMib * 2048 - 1 },
});

/** A system disk of 16 MiB; each partition with what it begins with. */
const disk = (...partitions: readonly (readonly [Partition, PartitionContents])[]): ObservedDisk => ({
  ...{ path: '/dev/vda', sectors: 16 * 2048 },
  table: { guid: 'table', partitions: partitions.map(([partition]) => partition) },
  contents: new Map(partitions.map(([{ number }, contents]) => [number, contents])),
});

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
  ...{ disk: disk(), areDevicesKnown: true, selection: undefined, isBeingReset: false, cannotGrow: false },
  ...{ guid: 'new-partition', tableGuid: 'new-table', open: undefined, isParentMounted: true },
  ...{ folders: new Map(), recorded: undefined, others: undefined },
  ...{ mounted: undefined, mount: undefined },
  ...changes,
});
const outline = ({ phase, steps, waitsFor, refusal }: VolumePlan) => [
  ...[phase, steps.map(({ kind }) => kind), waitsFor ?? refusal?.message],
];
const creation = ['add-partition', 'announce-partition', 'clear', 'format', 'change-partition'];

test('a new partition gets the label of its volume after its file system was created', () => {
  const place = { number: 1, type: partitionTypes.linux, guid: 'new-partition', first: 2048, last: 10_239 };
  const unfinished = { ...place, label: 'EPHEMERAL.new' };
  const on = { disk: '/dev/vda', sectors: 16 * 2048, table: 'table' };
  assert.deepEqual(planVolume(ephemeral, facts()), {
    phase: 'provision',
    steps: [
      { kind: 'add-partition', ...on, partition: unfinished },
      { kind: 'announce-partition', ...on, partition: unfinished },
      { kind: 'clear', device: '/dev/vda1', sizeBytes: 4 * mib },
      { kind: 'format', device: '/dev/vda1', label: 'EPHEMERAL' },
      { kind: 'change-partition', ...on, partition: { ...place, label: 'EPHEMERAL' } },
    ],
  });
  const begun = facts({ disk: disk([entry(3, 'EPHEMERAL.new', 4, 8), 'unknown']) });
  assert.deepEqual(outline(planVolume(ephemeral, begun)), ['provision', creation.slice(1), undefined]);
});

test('what exists is grown or left alone, and only a beginning of zeros is formatted', () => {
  const plan = (contents: PartitionContents, toMib: number) =>
    outline(planVolume(ephemeral, facts({ disk: disk([entry(3, 'EPHEMERAL', 4, toMib), contents]) })));
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

test('a new partition waits for devices and its selector, and is on the system disk if that is selected', () => {
  const chosen = selecting(ephemeral, 'an expression');
  const plan = (selected: readonly string[] | undefined, changes: Partial<VolumeFacts> = {}) =>
    outline(planVolume(chosen, facts({ selection: selected && { selected }, ...changes })));
  assert.deepEqual(plan(undefined, { areDevicesKnown: false }), ['wait', [], 'devices']);
  assert.deepEqual(plan(undefined), ['wait', [], 'selection']);
  assert.deepEqual(plan([]), ['provision', [], 'the selector "an expression" selects no disk']);
  assert.deepEqual(plan(['/dev/vdb', '/dev/vda']), [
    'provision',
    ['add-partition', ...creation.slice(1)],
    undefined,
  ]);
  const failing = { selection: { problem: 'the selector takes too long' } };
  assert.deepEqual(plan(undefined, failing).at(-1), 'the selector takes too long');
  const full = { disk: disk([entry(1, 'archive', 1, 15), 'unknown']) };
  assert.match(String(plan(['/dev/vda'], full).at(-1)), /^the disk has no room for EPHEMERAL/);
  // It is not asked for what exists.
  const present = disk([entry(3, 'EPHEMERAL', 4, 8), xfs]);
  assert.deepEqual(plan(undefined, { disk: present, areDevicesKnown: false }), ['mount', [], undefined]);
  const reset = planVolume(ephemeral, facts({ isBeingReset: true }));
  assert.equal(outline(reset).at(-1), 'the node is being reset');
});

test('what the disk image brings is found, mounted, and never created or changed', () => {
  const images = selecting({ ...ephemeral, id: 'IMAGECACHE' }, '');
  const mount = { flags: 1, options: '' };
  const found = disk([entry(4, 'EPHEMERAL', 4, 6), { ...xfs, name: 'ext4' }]);
  const plan = planVolume(images, facts({ disk: found, mount }));
  assert.deepEqual(plan.steps, [
    { kind: 'mount', device: '/dev/vda4', type: 'ext4', target: '/var', ...mount },
  ]);
  assert.equal(outline(planVolume(images, facts({ mount }))).at(-1), '/dev/vda has no partition EPHEMERAL');
});

test('a partition is mounted when that is requested, and its file system fills it', () => {
  const mount = { flags: 6, options: 'prjquota' };
  const large = disk([entry(3, 'EPHEMERAL', 4, 8), { ...xfs, sizeBytes: 2 * mib }]);
  const steps = [
    { kind: 'mount', device: '/dev/vda3', type: 'xfs', target: '/var', ...mount },
    { kind: 'set-mode', path: '/var', mode: 0o755 },
    { kind: 'grow-file-system', target: '/var', blocks: 1024 },
  ];
  const plan = (changes: Partial<VolumeFacts>) => planVolume(ephemeral, facts({ disk: large, ...changes }));
  assert.deepEqual(plan({ mount }).steps, steps);
  const mounted = { target: '/var', isFinished: true };
  for (const changes of [{ mount, mounted }, { mounted }, {}]) assert.deepEqual(plan(changes).steps, []);
  // What was interrupted after the mount continues there.
  const begun = { ...mounted, isFinished: false };
  assert.deepEqual(plan({ mount, mounted: begun }).steps, steps.slice(1));
  assert.deepEqual(plan({ mounted: begun }).steps, []);
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

test('the way back ends the mount where it was made, and removes no data', () => {
  const open = {
    ...{ device: '/dev/vda3', disk: '/dev/vda', number: 3, guid: 'g', sizeBytes: 4 * mib },
    contents: xfs,
  };
  const mounted = { target: '/var', isFinished: false };
  const unmount = { kind: 'unmount', target: '/var' };
  const close = { kind: 'close', id: 'EPHEMERAL' };
  const plan = (end: WayBackEnd, facts: Pick<VolumeFacts, 'open' | 'mounted'>) => {
    const { phase, steps } = planWayBack('EPHEMERAL', end, facts);
    return [phase, steps];
  };
  assert.deepEqual(plan('unmount', { open, mounted }), ['unmount', [unmount]]);
  assert.deepEqual(plan('unmount', { open, mounted: undefined }), ['unmount', []]);
  assert.deepEqual(plan('forget', { open, mounted }), ['unmount', [unmount, close]]);
  assert.deepEqual(plan('forget', { open, mounted: undefined }), ['close', [close]]);
  assert.deepEqual(plan('forget', { open: undefined, mounted: undefined }), ['forget', []]);
});
