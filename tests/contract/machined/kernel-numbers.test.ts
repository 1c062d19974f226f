// The calls that read the kernel, against what /proc says on this machine.
import assert from 'node:assert/strict';
import { readFileSync, statfsSync } from 'node:fs';
import { after, test } from 'node:test';
import { MachineServiceDefinition } from '@nodewright/contract/gen/machine/machine.ts';
import { eventually } from '@nodewright/testkit';
import { startNode } from './harness/node-under-test.ts';

const node = await startNode();
after(() => node[Symbol.asyncDispose]());
const machine = node.client(MachineServiceDefinition, 'os:reader');

const proc = (name: string) => readFileSync(`/proc/${name}`, 'utf8');
/** The only element of a reply; there must be exactly one. */
function only<T>({ messages }: { messages: T[] }): T {
  assert.equal(messages.length, 1);
  return messages[0] as T;
}

test('Version returns the compatible release, the runtime and the platform as clients expect them', async () => {
  const { metadata, version, platform, features } = only(await machine.version({}));
  assert.equal(metadata, undefined);
  assert.deepEqual(
    { ...version, sha: typeof version?.sha, built: typeof version?.built },
    {
      tag: 'v1.14.0',
      sha: 'string',
      built: 'string',
      goVersion: `node${process.versions.node}`,
      os: 'linux',
      arch: process.arch === 'arm64' ? 'arm64' : 'amd64',
    },
  );
  assert.deepEqual([platform, features], [{ name: 'metal', mode: 'metal' }, { rbac: true }]);
});

test("Hostname is the node's own name, not the host's", async () => {
  assert.equal(only(await machine.hostname({})).hostname, 'node01');
});

test('Memory returns the numbers of /proc/meminfo in KiB', async () => {
  const { meminfo } = only(await machine.memory({}));
  const kernel = new Map(
    proc('meminfo')
      .trim()
      .split('\n')
      .map((line) => {
        const [name = '', number = ''] = line.split(/:\s+/);
        return [name, BigInt(Number.parseInt(number, 10))];
      }),
  );
  const of = (name: string) => kernel.get(name) ?? 0n;
  assert.deepEqual(
    [
      meminfo?.memtotal,
      meminfo?.swaptotal,
      meminfo?.commitlimit,
      meminfo?.vmalloctotal,
      meminfo?.hugepagesize,
    ],
    ['MemTotal', 'SwapTotal', 'CommitLimit', 'VmallocTotal', 'Hugepagesize'].map(of),
  );
  // These values always change, so they may differ by a tenth of all memory.
  for (const [value, name] of [
    [meminfo?.memfree, 'MemFree'],
    [meminfo?.memavailable, 'MemAvailable'],
    [meminfo?.cached, 'Cached'],
    [meminfo?.activeanon, 'Active(anon)'],
    [meminfo?.committedas, 'Committed_AS'],
  ] as const) {
    const difference = Math.abs(Number((value ?? -1n) - of(name)));
    assert.ok(difference < Number(of('MemTotal')) / 10, `${name} differs by ${difference} KiB`);
  }
});

test('LoadAvg returns the three averages', async () => {
  const { load1, load5, load15 } = only(await machine.loadAvg({}));
  const kernel = proc('loadavg').split(' ').slice(0, 3).map(Number);
  for (const [index, value] of [load1, load5, load15].entries()) {
    assert.ok(Math.abs(value - (kernel[index] ?? Number.NaN)) < 2, `${value} and ${kernel[index]}`);
  }
});

test('SystemStat counts in seconds, per CPU and per interrupt, and never decreases', async () => {
  const first = only(await machine.systemStat({}));
  const second = only(await machine.systemStat({}));
  const line = (name: string) =>
    (new RegExp(`^${name} +(.*)$`, 'm').exec(proc('stat'))?.[1] ?? '').split(' ');
  assert.equal(first.bootTime, BigInt(line('btime')[0] ?? ''));
  assert.equal(first.cpu.length, proc('stat').match(/^cpu\d/gm)?.length);
  assert.equal(first.irq.length, line('intr').length - 1);
  assert.ok(Math.abs((second.cpuTotal?.user ?? 0) - Number(line('cpu')[0]) / 100) < 5);
  assert.ok(second.contextSwitches > first.contextSwitches);
  assert.ok(second.softIrqTotal >= first.softIrqTotal && (second.softIrq?.timer ?? 0n) > 0n);
});

test('CPUInfo has one entry per CPU and leaves the count of cores empty', async () => {
  const { cpuInfo } = only(await machine.cPUInfo({}));
  const numbers = proc('cpuinfo')
    .match(/^processor\s*: \d+$/gm)
    ?.map((text) => Number(text.split(':')[1]));
  assert.deepEqual(
    cpuInfo.map(({ processor }) => processor),
    numbers,
  );
  assert.ok(cpuInfo.every(({ cpuCores, flags }) => cpuCores === 0 && flags.length > 0));
});

test('CPUFreqStats has one entry per online CPU, empty without a driver', async () => {
  const { cpuFreqStats } = only(await machine.cPUFreqStats({}));
  assert.equal(cpuFreqStats.length, proc('stat').match(/^cpu\d/gm)?.length);
});

test('NetworkDeviceStats lists the devices, and sums them in the total', async () => {
  const { devices, total } = only(await machine.networkDeviceStats({}));
  const names = proc('net/dev')
    .split('\n')
    .slice(2, -1)
    .map((line) => line.slice(0, line.lastIndexOf(':')).trim());
  assert.deepEqual(
    devices.map(({ name }) => name),
    names,
  );
  assert.equal(total?.name, names.toSorted().join(', '));
  assert.equal(
    total?.rxPackets,
    devices.reduce((sum, { rxPackets }) => sum + rxPackets, 0n),
  );
});

test('DiskStats lists disks and partitions, and sums them in an entry without a name', async () => {
  const { devices, total } = only(await machine.diskStats({}));
  const names = proc('diskstats')
    .trim()
    .split('\n')
    .map((line) => line.trim().split(/\s+/)[2]);
  assert.deepEqual(
    devices.map(({ name }) => name),
    names,
  );
  assert.deepEqual(
    [total?.name, total?.readSectors],
    ['', devices.reduce((sum, { readSectors }) => sum + readSectors, 0n)],
  );
});

test('Processes lists user-space programs: machined and its children, no kernel threads', async () => {
  const list = async () => only(await machine.processes({})).processes;
  const hasApid = (processes: Awaited<ReturnType<typeof list>>) =>
    processes.some(({ ppid, args }) => ppid === node.machined.pid && args.includes('apid.cjs'));
  // The API answers before the daemons of the node are started.
  await eventually(async () => hasApid(await list()), { what: 'apid', timeoutMs: 30_000 });
  const processes = await list();
  const own = processes.find(({ pid }) => pid === node.machined.pid);
  assert.match(own?.args ?? '', /--mode process --hostname node01/);
  assert.equal(own?.executable, process.execPath);
  assert.equal(own?.ppid, process.pid);
  const statm = readFileSync(`/proc/${node.machined.pid}/statm`, 'utf8').split(' ').map(Number);
  assert.ok(Math.abs(Number(own?.residentMemory) / 4096 / (statm[1] ?? 0) - 1) < 0.2);
  assert.ok(!processes.some(({ command, executable }) => command === 'kthreadd' || executable === ''));
});

test("Mounts lists the kernel's table with sizes in bytes", async () => {
  const points = () =>
    proc('mounts')
      .trim()
      .split('\n')
      .map((line) => line.split(' ')[1] ?? '');
  const before = points();
  const { stats } = only(await machine.mounts({}));
  const after = points();
  const lasting = after.filter((point) => before.includes(point));
  // The host may mount and unmount something meanwhile, such as the file system of a container.
  assert.deepEqual(
    stats.map(({ mountedOn }) => mountedOn).filter((point) => lasting.includes(point)),
    lasting,
  );
  // The root of a chroot is not a mount point itself, so take any other that is a directory with blocks.
  const sized = stats.findLast(({ mountedOn, size }) => size > 0n && !mountedOn.includes('\\'));
  const { bsize, blocks } = statfsSync(sized?.mountedOn ?? '/', { bigint: true });
  assert.equal(sized?.size, bsize * blocks);
  assert.equal(stats.find(({ mountedOn }) => mountedOn === '/proc')?.filesystem, 'proc');
});
