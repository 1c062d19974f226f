import assert from 'node:assert/strict';
import { test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { pack } from 'tar-stream';
import { formatTable } from '../render/table.ts';
import { cgroupLines } from './cgroup-tree.ts';
import { bytesText, microsecondsText, percentText } from './cgroup-values.ts';
import { containerNames, groupName } from './node-names.ts';
import { type CgroupPreset, cgroupPresets } from './presets.ts';
import { treeFromArchive } from './read-cgroups.ts';

/** Control groups of a node, as the response of the call Copy contains them. */
const files: Record<string, string> = {
  'cgroup.controllers': 'cpuset cpu io memory pids\n',
  'cpu.stat': 'usage_usec 200000000\nuser_usec 100000000\nsystem_usec 50000000\n',
  'io.stat': '254:0 rbytes=734003200 wbytes=20480 rios=12 wios=3 dbytes=0 dios=0\n',
  'init/cgroup.procs': '1\n',
  'init/cgroup.threads': '1\n7\n8\n',
  'init/cpu.weight': '79\n',
  'init/cpu.weight.nice': '1\n',
  'init/cpu.max': 'max 100000\n',
  'init/cpu.stat': 'usage_usec 9\nuser_usec 35061148\nsystem_usec 1500\nnr_throttled 1\nthrottled_usec 250\n',
  'init/cpuset.cpus': '\n',
  'init/cpuset.cpus.effective': '0-1\n',
  'init/memory.current': '139460608\n',
  'init/memory.peak': '139460608\n',
  'init/memory.low': '201326592\n',
  'init/memory.high': 'max\n',
  'init/memory.min': '0\n',
  'init/memory.swap.current': '9\n',
  'init/memory.pressure':
    'some avg10=1.50 avg60=0.10 avg300=0.00 total=1234\nfull avg10=0.50 avg60=0.00 avg300=0.00 total=7\n',
  'init/io.pressure': 'some avg10=0.00 avg60=0.20 avg300=0.00 total=61000000\n',
  'init/pids.current': '3\n',
  'init/pids.max': 'max\n',
  'kubepods/poduid-1/abc/cgroup.procs': '42\n43\n',
};

function archive(entries: Record<string, string> = files): AsyncIterable<Uint8Array> {
  const packed = pack();
  for (const [name, content] of Object.entries(entries)) packed.entry({ name }, content);
  packed.finalize();
  return (async function* () {
    yield gzipSync(Buffer.concat(await Array.fromAsync(packed as AsyncIterable<Buffer>)));
  })();
}

const names = {
  processes: new Map([
    ['1', 'init'],
    ['42', 'pause'],
    ['43', 'coredns'],
  ]),
  devices: new Map([['254:0', 'vda']]),
};

async function rowsOf(preset: CgroupPreset): Promise<Map<string, string[]>> {
  const { root } = await treeFromArchive(archive());
  const columns = cgroupPresets[preset];
  return new Map(
    [...cgroupLines(root)].map(({ group, parent }) => [
      group.path,
      columns.map(({ value }) => value(group, parent, names)),
    ]),
  );
}

test('cgroupLines() draws the tree sorted by name, with the names of pods and containers', async () => {
  const { root } = await treeFromArchive(archive());
  const containers = containerNames([
    { internalId: 'abc', name: 'coredns', podId: 'kube-system/coredns-1', uid: 'uid-1' },
    { internalId: 'def', name: 'kube-system/coredns-1', podId: 'kube-system/coredns-1', uid: 'uid-1' },
  ]);
  assert.equal(containers.get('def'), 'sandbox');
  const lines = [...cgroupLines(root, groupName(containers))].map(({ label }) => label);
  assert.deepEqual(lines, [
    '.',
    '├──init',
    '└──kubepods',
    '    └──kube-system/coredns-1',
    '        └──coredns',
  ]);
  assert.equal(formatTable(lines.map((line) => [line, 'x'])).length, 5);
});

test('each preset shows the values in the files of a group, and unset for a missing file', async () => {
  const expected: Record<CgroupPreset, { root: string[]; init: string[] }> = {
    cpu: {
      root: ['unset', 'unset', '[]', '1m40s', '-', '50s', '-', 'unset'],
      init: ['79', '1', '[max 100000]', '35.061148s', '35.06%', '1.5ms', '0.00%', '250µs'],
    },
    cpuset: { root: ['', '', '', ''], init: ['', '0-1', '', ''] },
    io: {
      root: ['vda: 700 MiB/20 KiB', 'vda: 12/3', 'unset', 'unset', 'unset'],
      init: ['', '', '0.00', '0.20', '1m1s'],
    },
    memory: {
      root: ['unset', 'unset', 'unset', 'unset%', 'unset', 'unset', 'unset%', 'unset'],
      init: ['133 MiB', '133 MiB', '192 MiB', '69.27%', 'max', '0 B', '-', 'unset'],
    },
    process: {
      root: ['unset', 'unset', 'unset', 'unset', 'unset', ''],
      init: ['3', 'unset', 'max', '1', '3', 'init'],
    },
    psi: {
      root: ['unset', 'unset', 'unset', 'unset', 'unset'],
      init: ['133 MiB', '1.50', '0.50', 'unset', 'unset'],
    },
    swap: {
      root: ['unset', 'unset', 'unset', 'unset', 'unset', 'unset', 'unset'],
      init: ['9 B', 'unset', 'unset', 'unset', 'unset', 'unset', 'unset'],
    },
  };
  for (const [preset, { root, init }] of Object.entries(expected)) {
    const rows = await rowsOf(preset as CgroupPreset);
    assert.deepEqual({ root: rows.get(''), init: rows.get('init') }, { root, init }, preset);
  }
  const processes = await rowsOf('process');
  assert.equal(processes.get('kubepods/poduid-1/abc')?.at(-1), 'coredns pause');
});

test('numbers are formatted as in upstream', () => {
  assert.deepEqual([0n, 999n, 1_000n, 60_000_000n, 3_661_500_000n, undefined].map(microsecondsText), [
    '0s',
    '999µs',
    '1ms',
    '1m0s',
    '1h1m1.5s',
    'unset',
  ]);
  assert.deepEqual([9n, 1023n, 1024n, 20_480n, 2n ** 40n, 'max' as const, undefined].map(bytesText), [
    '9 B',
    '1023 B',
    '1.0 KiB',
    '20 KiB',
    '1.0 TiB',
    'max',
    'unset',
  ]);
  assert.deepEqual(
    [percentText(1n, 3n), percentText(1n, 0n), percentText('max', 3n), percentText(undefined, 3n)],
    ['33.33%', '-', '-', 'unset%'],
  );
});

test('treeFromArchive() rejects too many files, too many bytes and paths outside the folder', async () => {
  const limits = { entries: 5, bytes: 1000 };
  await assert.rejects(treeFromArchive(archive(), limits), { kind: 'resource-exhausted' });
  const large = { one: 'x'.repeat(600), two: 'x'.repeat(600) };
  await assert.rejects(treeFromArchive(archive(large), limits), { kind: 'resource-exhausted' });
  await assert.rejects(treeFromArchive(archive({ '../../etc/x': 'y' })), { kind: 'data-loss' });
});

test('treeFromArchive() rejects a truncated archive', async () => {
  const [whole] = await Array.fromAsync(archive());
  const cut = (async function* () {
    yield (whole as Uint8Array).subarray(0, 60);
  })();
  await assert.rejects(treeFromArchive(cut), { code: 'Z_BUF_ERROR' });
});
