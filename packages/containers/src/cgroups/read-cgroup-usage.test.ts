import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { cgroupFolder, parseCgroupMounts, parseCgroupPlaces, parseFlatKeys } from './parse-cgroup-files.ts';
import { readCgroupUsage } from './read-cgroup-usage.ts';

/** The proc and cgroup files of a machine; `ROOT` in them is replaced by their folder. */
async function withMachine(files: Readonly<Record<string, string>>, body: (proc: string) => Promise<void>) {
  const root = mkdtempSync(join(tmpdir(), 'cgroups-'));
  try {
    for (const [path, text] of Object.entries(files)) {
      mkdirSync(dirname(join(root, path)), { recursive: true });
      writeFileSync(join(root, path), text.replaceAll('ROOT', root));
    }
    await body(join(root, 'proc'));
  } finally {
    rmSync(root, { recursive: true });
  }
}

test('readCgroupUsage() reads version 1, without reclaimable cache', async () => {
  const files = {
    'proc/7/cgroup': '9:name=systemd:/x\n4:memory:/system/app\n2:cpu,cpuacct:/system/app\n0::/\n',
    'proc/self/mountinfo':
      '30 1 0:26 / ROOT/sys/memory rw,relatime - cgroup cgroup rw,memory\n' +
      '31 1 0:27 / ROOT/sys/cpu,cpuacct rw - cgroup cgroup rw,cpu,cpuacct\n' +
      '32 1 0:28 / ROOT/sys/unified rw - cgroup2 cgroup2 rw\n',
    'sys/memory/system/app/memory.usage_in_bytes': '5000000\n',
    'sys/memory/system/app/memory.stat': 'cache 4000000\ninactive_file 1\ntotal_inactive_file 1500000\n',
    'sys/cpu,cpuacct/system/app/cpuacct.usage': '123456789012\n',
  };
  await withMachine(files, async (proc) => {
    assert.deepEqual(await readCgroupUsage(7, proc), {
      memoryBytes: 3_500_000,
      cpuNanoseconds: 123_456_789_012n,
    });
  });
});

test('readCgroupUsage() reads version 2, also where only a part of the tree is mounted', async () => {
  const files = {
    'proc/7/cgroup': '0::/outer/app\n',
    'proc/self/mountinfo': '30 1 0:26 /outer ROOT/sys/with\\040blank rw - cgroup2 cgroup2 rw\n',
    'sys/with blank/app/memory.current': '4096\n',
    'sys/with blank/app/cpu.stat': 'usage_usec 1234\nuser_usec 1000\nsystem_usec 234\n',
  };
  await withMachine(files, async (proc) => {
    assert.deepEqual(await readCgroupUsage(7, proc), { memoryBytes: 4096, cpuNanoseconds: 1_234_000n });
  });
});

test('a hierarchy of version 2 that is mounted over those of version 1 is read, without its controller for memory', async () => {
  const status = (anonymous: number, shared: number) =>
    `VmRSS:\t  99999 kB\nRssAnon:\t  ${anonymous} kB\nRssFile:\t  5000 kB\nRssShmem:\t  ${shared} kB\n`;
  const files = {
    'proc/7/cgroup': '4:memory:/\n2:cpuacct:/\n0::/k8s.io/app\n',
    'proc/7/status': status(3000, 7),
    'proc/8/status': status(40, 0),
    'proc/self/mountinfo':
      '30 1 0:20 / ROOT/sys rw - tmpfs tmpfs rw\n' +
      '31 30 0:26 / ROOT/sys/memory ro - cgroup cgroup rw,memory\n' +
      '32 30 0:27 / ROOT/sys/cpuacct ro - cgroup cgroup rw,cpuacct\n' +
      '33 30 0:28 / ROOT/sys rw - cgroup2 cgroup2 rw\n',
    // The process 9 has just ended.
    'sys/k8s.io/app/cgroup.procs': '7\n9\n',
    'sys/k8s.io/app/inner/cgroup.procs': '8\n',
    'sys/k8s.io/app/cpu.stat': 'usage_usec 5\n',
  };
  await withMachine(files, async (proc) => {
    assert.deepEqual(await readCgroupUsage(7, proc), {
      memoryBytes: (3000 + 7 + 40) * 1024,
      cpuNanoseconds: 5000n,
    });
  });
});

test('readCgroupUsage() returns zeros where no hierarchy is mounted, and fails for a process that has exited', async () => {
  const files = {
    'proc/7/cgroup': '0::/app\n',
    'proc/self/mountinfo': '30 1 8:1 / / rw - ext4 /dev/sda rw\n',
  };
  await withMachine(files, async (proc) => {
    assert.deepEqual(await readCgroupUsage(7, proc), { memoryBytes: 0, cpuNanoseconds: 0n });
    await assert.rejects(readCgroupUsage(8, proc), { code: 'ENOENT' });
  });
});

test('memory of version 1 is never negative', async () => {
  const files = {
    'proc/7/cgroup': '4:memory:/a\n',
    'proc/self/mountinfo': '30 1 0:26 / ROOT/sys rw - cgroup cgroup rw,memory\n',
    'sys/a/memory.usage_in_bytes': '10\n',
    'sys/a/memory.stat': 'total_inactive_file 20\n',
  };
  await withMachine(files, async (proc) => {
    assert.equal((await readCgroupUsage(7, proc)).memoryBytes, 0);
  });
});

test('a controller is looked up in version 1 first, then in version 2', () => {
  const places = parseCgroupPlaces('5:devices:/d\n4:memory:/one\n0::/two\nnonsense\n');
  const mounts = parseCgroupMounts(
    '1 1 0:1 / /cg/memory rw - cgroup cgroup rw,memory\n2 1 0:2 / /cg/unified rw - cgroup2 cgroup2 rw\nnonsense\n',
  );
  assert.deepEqual(cgroupFolder('memory', places, mounts), { version: 1, path: '/cg/memory/one' });
  assert.deepEqual(cgroupFolder('cpuacct', places, mounts), { version: 2, path: '/cg/unified/two' });
  assert.equal(cgroupFolder('memory', places, []), undefined);
});

test('parseFlatKeys() reads lines of a name and a number', () => {
  assert.deepEqual(
    [...parseFlatKeys('a 1\nb  2\nc x\nlarge 18446744073709551615\n')],
    [
      ['a', 1n],
      ['large', 18_446_744_073_709_551_615n],
    ],
  );
});
